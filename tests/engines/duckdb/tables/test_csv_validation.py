"""A file that passes has lines that are closed in themselves, and the engine reads each of them
as the grammar says.
"""

from __future__ import annotations

import csv
import hashlib
import hmac
import random
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from engines.helpers_csv import ABOVE, BELOW, HEAD, KINDS, check_drawn, made, read_by_engine
from hedgerow.engines.duckdb.tables import csv_validation as csv_scan
from hedgerow.engines.duckdb.tables.csv_validation import (
    MAX_BAD_LINES,
    BadLine,
    CsvScan,
    digest_file,
    format_bad_lines,
    scan_csv,
)

BASE = [*ABOVE, *BELOW]


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(config={"threads": 1}) as opened:
        yield opened


def scan(
    path: Path, data: bytes, fields: int = 3, *, multiline: bool = False, piece: int = 2**22
) -> CsvScan:
    path.write_bytes(data)
    return scan_csv(path, fields, multiline=multiline, key=b"key", piece=piece)


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("kind", KINDS)
def test_one_line_moves_no_other_persons_row(
    kind: str, end: bytes, tmp_path: Path, connection: duckdb.DuckDBPyConnection
) -> None:
    """Fifty-odd kinds: either all other rows are read as they were, or the file is refused and
    the line named.
    """
    line, refused = KINDS[kind]
    found = scan(path := tmp_path / "t.csv", made(HEAD, *ABOVE, line, *BELOW, end=end))
    refused = (refused or line.endswith(b"\r")) if end == b"\n" else refused
    first = len(ABOVE) + 2
    if refused:
        assert {number for number, _ in found.bad_lines} <= set(
            range(first, first + 1 + line.count(b"\n"))
        )
        assert found.bad_lines[0].number == first
        return
    assert found.bad_lines == ()
    rows = read_by_engine(connection, path)
    base = [tuple(row.decode().split(",")) for row in BASE]
    assert rows[: len(ABOVE)] + rows[len(ABOVE) + 1 :] == base
    assert found.rows == len(rows) == len(base) + 1


def test_enough_kinds_are_tried() -> None:
    assert len(KINDS) >= 50
    assert sum(refused for _, refused in KINDS.values()) >= 25


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"id,age\n1,2\n\n", "is empty"),
        (b"id,age\n1,2\n3,4\r\n", "has a different line break than the first line"),
        (b"id,age\r\n1,2\r\n3,4\n", "has a different line break than the first line"),
        (b"id,age\r\n1,2\r\n3,4\r", "contains a carriage return"),
        (b"id,age\n1,2\n3\r,4\n", "contains a carriage return"),
        (b"id,age\n1,2\n3,\xff\n", "is not UTF-8"),
        (b"id,age\n1,2\n3,\0\n", "has a NUL byte"),
        (b"id,age\n1,2\n3\n", "must have 2 values, like the first line"),
        (b"id,age\n1,2\n3,4,5\n", "must have 2 values, like the first line"),
        (
            b'id,age\n1,2\n3,"4\n',
            "has an unclosed quote, or text next to a quoted value",
        ),
        (
            b'id,age\n1,2\n3,"4',
            "has an unclosed quote, or text next to a quoted value",
        ),
    ],
)
def test_problems_are_named_without_a_word_of_the_data(
    data: bytes, problem: str, tmp_path: Path
) -> None:
    assert scan(tmp_path / "t.csv", data, 2).bad_lines == (BadLine(3, problem),)


def test_each_bad_line_is_named_and_no_good_one(tmp_path: Path) -> None:
    lines = [b"%d,%d,n" % (i, i) if i % 7 else b'%d,"%d,n' % (i, i) for i in range(1, 500)]
    found = scan(tmp_path / "t.csv", made(HEAD, *lines))
    assert [number for number, _ in found.bad_lines] == [i + 1 for i in range(1, 500) if i % 7 == 0]


def test_a_file_of_another_kind_is_not_read_to_its_end(tmp_path: Path) -> None:
    found = scan(tmp_path / "t.csv", made(HEAD, *[b'"'] * 5000), piece=100)
    assert len(found.bad_lines) == MAX_BAD_LINES
    assert found.size < 5000
    assert len(scan(tmp_path / "t.csv", made(HEAD, *[b'"'] * 5000)).bad_lines) == MAX_BAD_LINES


@pytest.mark.parametrize("multiline", [False, True])
def test_a_line_without_end_is_given_up(
    multiline: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_scan, "MAX_LINE_BYTES", 200)
    quoted = b'1,2,"' + b"x" * 300 + b'"'
    found = scan(
        tmp_path / "t.csv", made(HEAD, BASE[0], quoted, *BASE), multiline=multiline, piece=50
    )
    assert [
        (number, "is longer than 200 bytes" in problem) for number, problem in found.bad_lines
    ] == [(3, True)]
    whole = scan(tmp_path / "t.csv", made(HEAD, BASE[0], quoted, *BASE), multiline=multiline)
    assert whole.bad_lines == (BadLine(3, "is longer than 200 bytes"),)
    assert (
        scan(
            tmp_path / "t.csv",
            made(HEAD, BASE[0], b"1,2," + b"x" * 190),
            multiline=multiline,
            piece=50,
        ).bad_lines
        == ()
    )


def test_line_breaks_in_quotes_where_the_custodian_allows_them(
    tmp_path: Path, connection: duckdb.DuckDBPyConnection
) -> None:
    data = made(HEAD, b'1,2,"a\nb"', b'2,3,"a\r\n""b"",c\n"', b"3,4,c")
    assert scan(tmp_path / "t.csv", data).bad_lines[0].number == 2
    assert scan(tmp_path / "t.csv", data, multiline=True)[2:] == (3, ())
    notes = [row[2] for row in read_by_engine(connection, tmp_path / "t.csv")]
    assert notes == ["a\nb", 'a\r\n"b",c\n', "c"]


def test_a_record_of_a_proper_writer_moves_no_other(
    tmp_path: Path, connection: duckdb.DuckDBPyConnection
) -> None:
    """Whatever somebody's values are: this is what the custodian vouches for with multiline."""
    draw, path = random.Random(4), tmp_path / "t.csv"
    for _ in range(15):
        rows = [
            ["".join(draw.choices('",\n\r a', k=draw.randint(0, 6))) for _ in range(3)]
            for _ in range(12)
        ]
        for left in (rows, rows[:5] + rows[6:]):
            with path.open("w", newline="") as file:
                csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(
                    [["id", "age", "note"], *left]
                )
            assert scan_csv(path, 3, multiline=True, key=b"key")[2:] == (len(left), ())
            assert read_by_engine(connection, path) == [tuple(row) for row in left]


@pytest.mark.parametrize(
    ("line", "named"),
    [
        (b'4,5,"T', 6),
        (b'4,5,a"b', 6),
        (b'4,5,a"b"', 6),
        (b'4,5, "T"', 6),
        (b'4,5,""T', 6),
        (b"4,5,a\rb", 6),
        (b'"4,5,T', 6),
        (b"4,5", 6),
    ],
)
def test_a_multiline_file_reports_only_its_first_bad_line(
    line: bytes, named: int, tmp_path: Path
) -> None:
    """An odd quote changes what all below it means, so nothing is said about that."""
    data = made(HEAD, b'1,2,"a\nb\nc"', b"2,3,b", line, b"5,6,e", b'6,7,"f"', b"7,8,g")
    (bad,) = scan(tmp_path / "t.csv", data, multiline=True).bad_lines
    assert bad.number == named


def test_size_and_digest_match_the_file(tmp_path: Path) -> None:
    data = b"\xef\xbb\xbf" + made(HEAD, *BASE)
    found = scan(path := tmp_path / "t.csv", data, piece=11)
    assert (found.size, found.digest) == (len(data), hmac.new(b"key", data, "sha256").hexdigest())
    assert (
        digest_file(path, b"key")
        == found.digest
        != digest_file(path, b"other")
        != hashlib.sha256(data).hexdigest()
    )


def test_bad_lines_are_formatted_with_their_count() -> None:
    assert format_bad_lines([BadLine(7, "is empty")]) == "1 line is malformed.\n  line 7 is empty"
    many = format_bad_lines([BadLine(number, "is empty") for number in range(2, 52)])
    assert many.startswith("50 lines are malformed.\n  line 2 is empty\n  line 3 is empty\n")
    assert many.endswith("line 21 is empty\n  and 30 more lines")
    assert format_bad_lines([BadLine(1, "is empty")] * MAX_BAD_LINES).startswith(
        "at least 1,000 lines are malformed."
    )


def test_scanner_grammar_and_engine_agree(
    tmp_path: Path, connection: duckdb.DuckDBPyConnection
) -> None:
    draw = random.Random(19)
    good = sum(check_drawn(draw, tmp_path / "t.csv", connection) for _ in range(200))
    assert 50 < good < 150
