"""A data version is accepted once, by the form of every line; other bytes under it are refused,
and analysts are told no line.
"""

from __future__ import annotations

import os
import shutil
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from engines.helpers_csv import ABOVE, BELOW, HEAD, KINDS, made
from hedgerow.database import Database, accept_policy, open, read_budgets
from hedgerow.database import data_versions as data_files
from hedgerow.database.data_versions import DataFiles
from hedgerow.database.open_database import open_dry_run
from hedgerow.errors import Refused, SourceError
from hedgerow.ledger import Ledger
from hedgerow.ledger.chain_verification import verify
from hedgerow.policy import read_policy

POLICY = """
[database]
name = "x"

[budget]
epsilon = 1000

[tables.t]
source = "t.csv"
unit = "id"
neighbours = "add-remove"
version = "1"
max_units = 5000
max_groups = 1
max_rows_per_group = 1
columns.age = { type = "integer", min = 0, max = 110 }
"""
COUNT = "SELECT COUNT(*) AS n FROM t"
GOOD = made(HEAD, *ABOVE, *BELOW)
BAD = made(HEAD, *ABOVE, b'99,77,"T', *BELOW)
# without a quote inside, which a multiline file may not have
TIDY = made(HEAD, *ABOVE, *BELOW[:-1])
TWICE = made(HEAD, *ABOVE, b'99,77,"a\nb"', *BELOW[:-1])
LOOSE = POLICY.replace("max_units", "multiline = true\nmax_units")


def write(folder: Path, data: bytes = GOOD, policy: str = POLICY) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "t.csv").write_bytes(data)
    (folder / "x.toml").write_text(policy)
    return folder / "x.toml"


def opened(path: Path) -> Database:
    return open(path, in_process=True)


def count(path: Path) -> int:
    with opened(path) as db:
        return int(db.query(COUNT, epsilon=100).rows[0]["n"])  # type: ignore[union-attr]


def entries(path: Path) -> list[dict[str, Any]]:
    with Ledger.open(path.with_name("x.ledger"), create=False) as ledger:
        return [entry.body for entry in ledger.entries() if entry.kind == "policy"]


def unread(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Nobody may read the file by one of these functions."""

    def read(*_: object, **__: object) -> None:
        raise AssertionError

    for name in names:
        monkeypatch.setattr(data_files, name, read)


@pytest.mark.parametrize(
    "kind",
    [
        "a quote inside",
        "an open quote",
        "an open quote after spaces",
        "a comma too many",
        "another line end",
    ],
)
def test_one_line_moves_the_count_by_one_or_the_file_is_refused(kind: str, tmp_path: Path) -> None:
    """The engine's reader has answered 120 where 201 is right; every kind of line is tried in
    tests/engines/duckdb/tables/test_csv_validation.py.
    """
    line, refused = KINDS[kind]
    path = write(tmp_path, made(HEAD, *ABOVE, line, *BELOW))
    if refused:
        with pytest.raises(
            SourceError, match="cannot be accepted as version '1' of t: it is malformed"
        ):
            count(path)
    else:
        assert abs(count(path) - count(write(tmp_path / "without"))) <= 1.5


def test_an_analyst_sees_no_bad_line_and_no_ledger_is_created(tmp_path: Path) -> None:
    path = write(tmp_path, BAD)
    with pytest.raises(SourceError) as told:
        opened(path)
    assert (
        str(told.value)
        == "t.csv cannot be accepted as version '1' of t: it is malformed. The custodian can"
        " run 'hedgerow check' to see where."
    )
    # other lines, another problem, another number of them
    other = write(tmp_path / "other", made(HEAD, b"1,2", *ABOVE, b"\0", b"3"))
    with pytest.raises(SourceError) as again:
        opened(other)
    assert str(again.value) == str(told.value)
    assert (told.value.__cause__, told.value.__context__) == (None, None)
    assert not list(tmp_path.glob("x.ledger*"))


@pytest.mark.parametrize("act", [open_dry_run, accept_policy])
def test_the_custodian_sees_the_bad_lines(act: Any, tmp_path: Path) -> None:
    path = write(tmp_path, BAD)
    with pytest.raises(
        SourceError, match=r"1 line is malformed\.\n  line 22 has an unclosed quote"
    ) as told:
        act(path)
    assert "77" not in str(told.value)
    assert not list(tmp_path.glob("x.ledger*"))


def test_an_accepted_file_is_written_down_and_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path)
    opened(path).close()
    (body,) = entries(path)
    file = body["files"]["t"]
    assert (file["version"], file["size"], file["multiline"]) == ("1", len(GOOD), False)
    unread(monkeypatch, "scan_csv", "digest_file")
    assert abs(count(path) - 40) <= 1
    assert len(entries(path)) == 1


def test_a_digest_is_of_no_use_to_who_has_not_the_ledger(tmp_path: Path) -> None:
    """Answers carry the hash of their entry, and with it all that stands before: a guess of the
    data must not be confirmed by it.
    """
    first, second = write(tmp_path / "first"), write(tmp_path / "second")
    for path in (first, second):
        opened(path).close()
    files = [entries(path)[0]["files"]["t"] for path in (first, second)]
    assert files[0]["digest"] != files[1]["digest"]
    assert [len(bytes.fromhex(file["key"])) for file in files] == [32, 32]


def test_a_copy_of_the_same_bytes_is_the_same_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path)
    opened(path).close()
    shutil.copy(tmp_path / "t.csv", tmp_path / "copy")
    os.replace(tmp_path / "copy", tmp_path / "t.csv")
    unread(monkeypatch, "scan_csv")  # its bytes are read, its lines not judged again
    assert abs(count(path) - 40) <= 1
    unread(monkeypatch, "digest_file")
    with pytest.raises(AssertionError):
        opened(path)
    assert len(entries(path)) == 1


@pytest.mark.parametrize("data", [GOOD.replace(b"n1", b"n2", 1), GOOD + b"99,77,T\n", BAD])
def test_other_bytes_under_an_accepted_version_are_refused(data: bytes, tmp_path: Path) -> None:
    path = write(tmp_path)
    opened(path).close()
    write(tmp_path, data)
    words = (
        "t.csv is not the file that was accepted as version '1' of t. If the data have changed, the"
        " custodian must declare"
    )
    with pytest.raises(SourceError, match=words):
        opened(path)
    for act in (open_dry_run, accept_policy):
        with pytest.raises(SourceError, match="line 22" if data == BAD else words):
            act(path)
    assert len(entries(path)) == 1


def test_a_declared_version_stays_unchanged(tmp_path: Path) -> None:
    path = write(tmp_path)
    opened(path).close()
    more = GOOD + b"99,77,T\n"
    write(tmp_path, more, POLICY.replace('"1"', '"2"'))
    opened(path).close()
    assert [list(body.get("files", {})) for body in entries(path)] == [["t"], ["t"]]
    write(tmp_path, more)
    with pytest.raises(SourceError, match="accepted as version '1'"):
        opened(path)
    write(tmp_path, GOOD)
    opened(path).close()
    assert [list(body.get("files", {})) for body in entries(path)] == [["t"], ["t"], []]
    assert verify(tmp_path / "x.ledger").sound


def test_a_ledger_from_before_accepts_the_file_and_forgives_nothing(tmp_path: Path) -> None:
    """``read_budgets`` writes a policy entry without a look at data, as all of them once were."""
    path = write(tmp_path)
    read_budgets(path)
    assert "files" not in entries(path)[0]
    opened(path).close()
    first, second = entries(path)
    assert first["digest"] == second["digest"]
    assert (second["forgives"], list(second["files"])) == (False, ["t"])
    opened(path).close()
    assert len(entries(path)) == 2
    write(tmp_path / "bad", BAD)
    read_budgets(tmp_path / "bad" / "x.toml")
    with pytest.raises(SourceError, match="it is malformed"):
        opened(tmp_path / "bad" / "x.toml")
    assert len(entries(tmp_path / "bad" / "x.toml")) == 1


def test_the_custodian_accepts_a_version_before_anybody_opens_it(tmp_path: Path) -> None:
    path = write(tmp_path)
    (tmp_path / "t.csv").rename(tmp_path / "away.csv")
    entry, _ = accept_policy(path)  # a policy may come before its data
    assert entry is not None
    assert "files" not in entry.body
    (tmp_path / "away.csv").rename(tmp_path / "t.csv")
    entry, changes = accept_policy(path)
    assert entry is not None
    assert (list(entry.body["files"]), changes) == (["t"], ())
    assert accept_policy(path) == (None, ())
    opened(path).close()
    assert len(entries(path)) == 2


def test_one_of_two_concurrent_acceptances_writes_the_entry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path)
    read_budgets(path)
    scan = data_files.scan_csv

    def overtaken(*of: Any, **by: Any) -> Any:
        monkeypatch.undo()
        opened(path).close()
        return scan(*of, **by)

    monkeypatch.setattr(data_files, "scan_csv", overtaken)
    opened(path).close()
    assert [list(body.get("files", {})) for body in entries(path)] == [[], ["t"]]


def test_a_file_that_changes_while_it_is_read_is_not_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, scan, digest = write(tmp_path), data_files.scan_csv, data_files.digest_file

    def written(*of: Any, **by: Any) -> Any:
        found = (scan if by else digest)(*of, **by)
        os.utime(tmp_path / "t.csv", ns=(1, 1))
        return found

    monkeypatch.setattr(data_files, "scan_csv", written)
    with pytest.raises(SourceError, match=r"t\.csv changed while it was read"):
        opened(path)
    monkeypatch.undo()
    opened(path).close()
    os.utime(tmp_path / "t.csv")
    monkeypatch.setattr(data_files, "digest_file", written)
    with pytest.raises(SourceError, match="is not the file that was accepted"):
        opened(path)


def test_questions_read_the_file_that_was_accepted(tmp_path: Path) -> None:
    """The engine starts with the first question, long after the file was looked at."""
    with opened(write(tmp_path)) as db:
        (tmp_path / "t.csv").write_bytes(BAD)
        with pytest.raises(SourceError, match="The file of t has changed since it was opened"):
            db.query(COUNT, epsilon=1)
        assert db.budget.spent == Fraction(0)  # type: ignore[union-attr]


def test_line_breaks_in_quotes_are_the_custodians_word(tmp_path: Path) -> None:
    path = write(tmp_path, TWICE)
    with pytest.raises(SourceError, match="it is malformed"):
        opened(path)
    assert abs(count(write(tmp_path, TWICE, LOOSE)) - 40) <= 1
    write(tmp_path, TWICE)  # stricter again: judged again, by the stricter rule
    with pytest.raises(SourceError, match="it is malformed"):
        opened(path)


def test_to_allow_line_breaks_needs_the_custodian_and_changes_no_byte(tmp_path: Path) -> None:
    path = write(tmp_path, TIDY)
    opened(path).close()
    write(tmp_path, TIDY, LOOSE)
    with pytest.raises(Refused, match="quoted values may contain line breaks"):
        opened(path)
    write(tmp_path, TWICE, LOOSE)
    with pytest.raises(SourceError, match="is not the file that was accepted as version '1'"):
        accept_policy(path)
    write(tmp_path, TIDY, LOOSE)
    _, changes = accept_policy(path)
    assert changes == ("table 't': quoted values may contain line breaks.",)
    write(tmp_path, TIDY)
    opened(path).close()
    files = [body["files"]["t"] for body in entries(path)]
    assert [file["multiline"] for file in files] == [False, True, False]
    assert len({(file["key"], file["size"], file["digest"]) for file in files}) == 1


def test_public_files_are_accepted_like_protected_files(tmp_path: Path) -> None:
    public = POLICY + '\n[tables.regions]\nsource = "regions.csv"\npublic = true\n'
    (tmp_path / "regions.csv").write_text("region,name\nnorth,N\nsouth,S\n")
    path = write(tmp_path, policy=public)
    opened(path).close()
    assert set(entries(path)[0]["files"]) == {"t", "regions"}
    (tmp_path / "regions.csv").write_text('region,name\nnorth,"N\nsouth,S"\n')
    with pytest.raises(SourceError, match=r"regions\.csv is not the file"):
        opened(path)
    with pytest.raises(SourceError, match="line 2 has an unclosed quote"):
        open_dry_run(path)


def test_other_files_are_not_looked_at(tmp_path: Path) -> None:
    write(tmp_path, policy=POLICY.replace("t.csv", "t.parquet"))
    files = DataFiles(read_policy(tmp_path / "x.toml"))
    assert (files.accept({}), files.stamps) == ({}, {})
