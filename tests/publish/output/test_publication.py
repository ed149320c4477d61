"""The folder of a publication: made whole or not at all, and refused when it is not what was
published.
"""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from hedgerow.errors import InvalidArgument, SourceError
from hedgerow.mechanisms import Laplace
from hedgerow.privacy.loss import Loss
from hedgerow.publish.domain import Attribute
from hedgerow.publish.output.publication import (
    DATA_FILE,
    RECEIPT_FILE,
    RECEIPT_FORMAT,
    REPORT_FILE,
    Publication,
    StagingFolder,
)
from hedgerow.publish.output.report import build_report

EARLIER = Path(__file__).parent / "earlier" / "histogram"
TABLE = pa.table({"region": ["north", "south"], "count": [10, 12]})


def receipt() -> dict[str, Any]:
    """As it is before the table has a digest."""
    return {
        "format": RECEIPT_FORMAT,
        "kind": "histogram",
        "table": "visits",
        "attributes": [Attribute("region", "text", ("north", "south")).to_dict()],
        "cost": Loss(Fraction(1, 2)).to_dict(),
        "facts": {"radius": 3},
    }


def made(place: Path) -> Publication:
    workshop = StagingFolder(place)
    workshop.create()
    workshop.save(TABLE, receipt(), "paid")
    return workshop.finish(workshop.unfinished_receipt, "<html></html>")


def test_a_publication_is_a_folder_of_three_files(tmp_path: Path) -> None:
    made(tmp_path / "new" / "by-region")
    found = Publication.load(tmp_path / "new" / "by-region")
    assert sorted(file.name for file in found.path.iterdir()) == sorted(
        [DATA_FILE, RECEIPT_FILE, REPORT_FILE]
    )
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["by-region"]
    assert found.to_arrow().equals(TABLE)
    assert found.to_pandas()["count"].tolist() == [10, 12]
    assert found.rows[0] == {"region": "north", "count": 10}
    assert (found.kind, found.domain.sizes, found.cost, found.facts["radius"]) == (
        "histogram",
        (2,),
        Loss(Fraction(1, 2)),
        3,
    )
    assert repr(found).startswith("histogram of visits (region) in ")


def test_a_copy_is_the_same_publication(tmp_path: Path) -> None:
    made(tmp_path / "a")
    first, again = Publication.load(tmp_path / "a"), copying(tmp_path / "a", tmp_path / "b")
    second = again.finish(again.unfinished_receipt, "")
    assert second.to_arrow().equals(first.to_arrow())
    assert second.receipt == first.receipt


def copying(earlier: Path, place: Path, **changed: object) -> StagingFolder:
    """A workshop that has taken what was published; with other words in the receipt it does not."""
    other = StagingFolder(place.parent / "known")
    other.create()
    held = other.save(TABLE, receipt(), "paid")
    other.discard()
    other.clean_up()
    found = Publication.load(earlier)
    again = StagingFolder(place)
    again.create()
    assert again.copy_published(
        Publication(found.path, {**found.receipt, **changed}), held, "paid"
    ) is (not changed)
    return again


def test_a_copy_takes_the_table_and_nothing_else_that_lies_there(tmp_path: Path) -> None:
    made(tmp_path / "a")
    (tmp_path / "secret.parquet").write_text("rows of people")
    (tmp_path / "a" / "extra.parquet").symlink_to(tmp_path / "secret.parquet")
    again = copying(tmp_path / "a", tmp_path / "b")
    assert sorted(
        file.name for file in again.finish(again.unfinished_receipt, "").path.iterdir()
    ) == sorted([DATA_FILE, RECEIPT_FILE, REPORT_FILE])


def test_a_receipt_that_was_changed_is_not_copied(tmp_path: Path) -> None:
    made(tmp_path / "a")
    copying(tmp_path / "a", tmp_path / "b", facts={"radius": 1})


def test_a_table_that_is_gone_is_not_copied(tmp_path: Path) -> None:
    made(tmp_path / "a")
    found = Publication.load(tmp_path / "a")
    (tmp_path / "a" / DATA_FILE).unlink()
    again = StagingFolder(tmp_path / "b")
    again.create()
    assert not again.copy_published(found, {}, "paid")


def test_the_next_run_for_a_charge_adopts_what_a_dead_run_saved(tmp_path: Path) -> None:
    died = StagingFolder(tmp_path / "a")
    died.create()
    kept = died.save(TABLE, receipt(), "paid")
    living = StagingFolder(tmp_path / "a")
    living.create()
    assert living.adopt_abandoned("paid") is None  # it may still be at work
    died.clean_up()
    assert living.adopt_abandoned("of another") is None
    assert living.adopt_abandoned("paid") == kept
    assert living.finish(living.unfinished_receipt, "").to_arrow().equals(TABLE)
    living.clean_up()
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_half_written_table_is_deleted(tmp_path: Path) -> None:
    died = StagingFolder(tmp_path / "a")
    died.create()
    held = died.save(TABLE, receipt(), "paid")
    died.clean_up()
    table = Path(held["left"]) / DATA_FILE
    table.write_bytes(table.read_bytes()[:-1])
    (tmp_path / ".a.none.unpublished").symlink_to(held["left"])
    later = StagingFolder(tmp_path / "a")
    later.create()
    assert later.adopt_abandoned("paid") is None
    assert not Path(held["left"]).exists()


def test_a_place_that_is_taken_is_refused(tmp_path: Path) -> None:
    made(tmp_path / "a")
    with pytest.raises(InvalidArgument, match="this path already exists"):
        StagingFolder(tmp_path / "a").create()
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidArgument, match="where a folder can be created"):
        StagingFolder(tmp_path / "file" / "a").create()


def test_a_discarded_publication_leaves_nothing(tmp_path: Path) -> None:
    workshop = StagingFolder(tmp_path / "a")
    workshop.create()
    workshop.clean_up()
    assert list(tmp_path.iterdir()) == []
    workshop.create()
    workshop.save(TABLE, receipt(), "paid")
    workshop.discard()  # of two runs for one payment, the other was kept
    workshop.clean_up()
    assert list(tmp_path.iterdir()) == []


def test_a_later_run_takes_over_saved_work(tmp_path: Path) -> None:
    first = StagingFolder(tmp_path / "a")
    first.create()
    held = first.save(TABLE, receipt(), "paid")
    first.clean_up()
    (left,) = tmp_path.iterdir()
    assert left.stat().st_mode & 0o777 == 0o700  # not published, and nobody else's business
    elsewhere = StagingFolder(tmp_path / "b")
    elsewhere.create()
    assert elsewhere.take_over(held)
    assert elsewhere.table.equals(TABLE)
    elsewhere.finish(elsewhere.unfinished_receipt, "")
    assert left.exists()  # it is what the ledger knows of
    again = StagingFolder(tmp_path / "a")
    again.create()
    assert again.take_over(held)
    found = again.finish(again.unfinished_receipt, "")
    assert found.to_arrow().equals(TABLE)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]
    assert sorted(file.name for file in found.path.iterdir()) == sorted(
        [DATA_FILE, RECEIPT_FILE, REPORT_FILE]
    )
    assert found.path.stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize("name", [DATA_FILE, "unfinished.json"])
@pytest.mark.parametrize("change", ["gone", "changed"])
def test_changed_saved_work_is_not_taken_over(tmp_path: Path, name: str, change: str) -> None:
    first = StagingFolder(tmp_path / "a")
    first.create()
    held = first.save(TABLE, receipt(), "paid")
    file = Path(held["left"]) / name
    if change == "gone":
        file.unlink()
    else:
        file.write_bytes(file.read_bytes() + b" ")
    later = StagingFolder(tmp_path / "a")
    later.create()
    assert not later.take_over(held)


def test_an_interrupted_run_leaves_no_publication_and_no_obstacle(tmp_path: Path) -> None:
    workshop = StagingFolder(tmp_path / "a")
    workshop.create()
    workshop.save(TABLE, receipt(), "paid")  # and then the process was killed
    with pytest.raises(SourceError, match="is not a publication"):
        Publication.load(tmp_path / "a")
    made(tmp_path / "a")
    assert Publication.load(tmp_path / "a").to_arrow().equals(TABLE)


def test_two_who_make_the_same_place_do_not_meet(tmp_path: Path) -> None:
    one, other = StagingFolder(tmp_path / "a"), StagingFolder(tmp_path / "a")
    one.create()
    other.create()
    one.save(TABLE, receipt(), "paid")
    other.save(TABLE.slice(0, 1), receipt(), "paid as well")
    one.finish(one.unfinished_receipt, "")
    assert Publication.load(tmp_path / "a").to_arrow().equals(TABLE)
    other.discard()
    other.clean_up()
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_table_that_was_changed_is_refused(tmp_path: Path) -> None:
    found = made(tmp_path / "a")
    (found.path / DATA_FILE).write_bytes((found.path / DATA_FILE).read_bytes() + b" ")
    with pytest.raises(SourceError, match="was changed: its digest differs"):
        Publication.load(found.path)


@pytest.mark.parametrize("text", ["{", "[]", '{"format": 1}', "{}"])
def test_a_folder_without_a_valid_receipt_is_refused(tmp_path: Path, text: str) -> None:
    found = made(tmp_path / "a")
    (found.path / RECEIPT_FILE).write_text(text)
    with pytest.raises(SourceError, match="is not a publication"):
        Publication.load(found.path)


def test_a_later_format_is_refused(tmp_path: Path) -> None:
    found = made(tmp_path / "a")
    (found.path / RECEIPT_FILE).write_text(json.dumps(dict(found.receipt) | {"format": 9}))
    with pytest.raises(SourceError, match="has format 9"):
        Publication.load(found.path)


def test_a_publication_of_before_rows_were_counted_in_parts_means_what_it_did() -> None:
    """Made by an earlier version, of 100 people with four rows each of whom one counted. All
    figures are those of that version.
    """
    found = Publication.load(EARLIER)
    assert "fine" not in found.facts
    assert found.to_arrow().column("count").to_pylist() == [34, 14, 23, 10, 16]
    assert found.to_arrow().column("count_low").to_pylist() == [31, 11, 20, 7, 13]
    assert (found.cost.epsilon, found.facts["scale"], found.facts["radius"]) == (1, "1", 3)
    histogram = found.histogram()
    assert (histogram.mechanism, histogram.truncation_error) == (Laplace(1), 0)
    mean, median, variance = (
        histogram.mean(),
        histogram.quantile(Fraction(1, 2)),
        histogram.variance(),
    )
    assert (mean.value, mean.low, mean.high) == pytest.approx(
        (1.5876288659793814, 1.4477210940857805, 1.7204729333176951)
    )
    assert (median.value, median.low, median.high) == (2.0, 1.0, 2.0)
    assert (variance.value, variance.low, variance.high) == pytest.approx(
        (2.139228398342013, 1.9378735297695857, 2.421744377055133)
    )
    # The words of a report may change; its numbers, drawn and listed, may not.
    earlier, now = (
        re.findall(r">([−\d.,]+)<|: ([−\d.,]+ \(95 %: [^)]+\))", report)
        for report in (
            (EARLIER / REPORT_FILE).read_text(encoding="utf-8"),
            build_report(found.receipt, found.to_arrow()),
        )
    )
    assert len(earlier) > 40
    assert earlier == now
