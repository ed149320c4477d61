"""The folder of a publication: made whole or not at all, and refused when it is not what was published."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from hedgerow.errors import InvalidArgument, SourceError
from hedgerow.privacy.loss import Loss
from hedgerow.publish.domain import Attribute
from hedgerow.publish.publication import DATA, FORMAT, RECEIPT, REPORT, Publication, Workshop

TABLE = pa.table({"region": ["north", "south"], "count": [10, 12]})


def receipt() -> dict[str, Any]:
    """As it is before the table has a digest."""
    return {
        "format": FORMAT,
        "kind": "histogram",
        "table": "visits",
        "attributes": [Attribute("region", "text", ("north", "south")).to_dict()],
        "cost": Loss(Fraction(1, 2)).to_dict(),
        "facts": {"radius": 3},
    }


def made(place: Path) -> Publication:
    workshop = Workshop(place)
    workshop.check()
    workshop.keep(TABLE, receipt())
    return workshop.finish(workshop.unfinished, "<html></html>")


def test_a_publication_is_a_folder_of_three_files(tmp_path: Path) -> None:
    made(tmp_path / "new" / "by-region")
    found = Publication.load(tmp_path / "new" / "by-region")
    assert sorted(file.name for file in found.path.iterdir()) == sorted([DATA, RECEIPT, REPORT])
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["by-region"]
    assert found.to_arrow().equals(TABLE)
    assert found.to_pandas()["count"].tolist() == [10, 12]
    assert found.rows[0] == {"region": "north", "count": 10}
    assert (found.kind, found.domain.sizes, found.cost, found.facts["radius"]) == ("histogram", (2,), Loss(Fraction(1, 2)), 3)
    assert repr(found).startswith("histogram of visits (region) in ")


def test_a_copy_is_the_same_publication(tmp_path: Path) -> None:
    first = made(tmp_path / "a")
    second = Workshop(tmp_path / "b").copy(first)
    assert second.to_arrow().equals(first.to_arrow())


def test_a_place_that_is_taken_is_refused(tmp_path: Path) -> None:
    made(tmp_path / "a")
    with pytest.raises(InvalidArgument, match="there is something already"):
        Workshop(tmp_path / "a").check()
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidArgument, match="where a folder can be made"):
        Workshop(tmp_path / "file" / "a").check()


def test_what_is_given_up_leaves_nothing(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path / "a")
    workshop.check()
    workshop.give_up()
    assert list(tmp_path.iterdir()) == []
    workshop.check()
    workshop.keep(TABLE, receipt())
    workshop.drop()  # of two runs for one payment, the other was kept
    workshop.give_up()
    assert list(tmp_path.iterdir()) == []


def test_what_was_kept_is_taken_over_by_a_later_run(tmp_path: Path) -> None:
    first = Workshop(tmp_path / "a")
    first.check()
    held = first.keep(TABLE, receipt())
    first.give_up()
    (left,) = tmp_path.iterdir()
    assert left.stat().st_mode & 0o777 == 0o700  # not published, and nobody else's business
    elsewhere = Workshop(tmp_path / "b")
    elsewhere.check()
    assert elsewhere.take(held)
    assert elsewhere.table.equals(TABLE)
    elsewhere.finish(elsewhere.unfinished, "")
    assert left.exists()  # it is what the ledger knows of
    again = Workshop(tmp_path / "a")
    again.check()
    assert again.take(held)
    found = again.finish(again.unfinished, "")
    assert found.to_arrow().equals(TABLE)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]
    assert sorted(file.name for file in found.path.iterdir()) == sorted([DATA, RECEIPT, REPORT])
    assert found.path.stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize("name", [DATA, "unfinished.json"])
@pytest.mark.parametrize("change", ["gone", "changed"])
def test_what_is_not_as_it_was_kept_is_not_taken_over(tmp_path: Path, name: str, change: str) -> None:
    first = Workshop(tmp_path / "a")
    first.check()
    held = first.keep(TABLE, receipt())
    file = Path(held["left"]) / name
    if change == "gone":
        file.unlink()
    else:
        file.write_bytes(file.read_bytes() + b" ")
    later = Workshop(tmp_path / "a")
    later.check()
    assert not later.take(held)


def test_what_an_interrupted_run_left_is_no_publication_and_in_nobodys_way(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path / "a")
    workshop.check()
    workshop.keep(TABLE, receipt())  # and then the process was killed
    with pytest.raises(SourceError, match="no publication"):
        Publication.load(tmp_path / "a")
    made(tmp_path / "a")
    assert Publication.load(tmp_path / "a").to_arrow().equals(TABLE)


def test_two_who_make_the_same_place_do_not_meet(tmp_path: Path) -> None:
    one, other = Workshop(tmp_path / "a"), Workshop(tmp_path / "a")
    one.check()
    other.check()
    one.keep(TABLE, receipt())
    other.keep(TABLE.slice(0, 1), receipt())
    one.finish(one.unfinished, "")
    assert Publication.load(tmp_path / "a").to_arrow().equals(TABLE)
    other.drop()
    other.give_up()
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_table_that_was_changed_is_refused(tmp_path: Path) -> None:
    found = made(tmp_path / "a")
    (found.path / DATA).write_bytes((found.path / DATA).read_bytes() + b" ")
    with pytest.raises(SourceError, match="not what was published"):
        Publication.load(found.path)


@pytest.mark.parametrize("text", ["{", "[]", '{"format": 1}', "{}"])
def test_what_is_no_receipt_is_no_publication(tmp_path: Path, text: str) -> None:
    found = made(tmp_path / "a")
    (found.path / RECEIPT).write_text(text)
    with pytest.raises(SourceError, match="no publication"):
        Publication.load(found.path)


def test_a_later_format_is_told(tmp_path: Path) -> None:
    found = made(tmp_path / "a")
    (found.path / RECEIPT).write_text(json.dumps(dict(found.receipt) | {"format": 9}))
    with pytest.raises(SourceError, match="has format 9"):
        Publication.load(found.path)
