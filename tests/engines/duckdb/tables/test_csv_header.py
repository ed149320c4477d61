"""What is wrong with the first line of a CSV file is said with its cause and its remedy."""

from __future__ import annotations

from pathlib import Path

import pytest

from hedgerow.engines.duckdb.tables.csv_header import read_csv_header
from hedgerow.errors import SourceError


@pytest.mark.parametrize(
    ("content", "cause", "remedy"),
    [
        (b"id;Age;Cost\n1;2;3\n", "separated by semicolons", "sep=';'"),
        (b"id\tAge\n1\t2\n", "separated by tabs", r"sep='\t'"),
        (b"id|Age\n", "separated by bars", "sep='|'"),
        ("id,R\u00e9gion\n".encode("cp1252"), "not UTF-8", "iconv -f cp1252"),
        ("id,a\n".encode("utf-16"), "UTF-16", "iconv -f utf-16"),
        (b"", "is empty", "list the column names"),
        (b"\nid,a\n", "is empty", "list the column names"),
        (b"id,a,id\n", "the column 'id' twice", "Rename one"),
        (b"id,a,ID\n", "'id' and 'ID', which differ in case alone", "Rename one"),
        (b"id,,a\n", "Column 2", "Give every column a name"),
        (
            b"17,17,-2.5e3,2026-01-31\n18,3,4,2026-02-01\n",
            "only numbers",
            "a line with the column names above it",
        ),
        (b'id,"a\n1,2\n', "an unclosed double quote", "without quotes"),
    ],
)
def test_the_cause_and_the_remedy_are_named(
    tmp_path: Path, content: bytes, cause: str, remedy: str
) -> None:
    file = tmp_path / "stays.csv"
    file.write_bytes(content)
    with pytest.raises(SourceError) as caught:
        read_csv_header(file)
    assert cause in str(caught.value)
    assert remedy in str(caught.value)
    assert "stays.csv" in str(caught.value)


def test_names_are_read_as_they_stand(tmp_path: Path) -> None:
    file = tmp_path / "stays.csv"
    file.write_bytes('\ufeffid,"Total, all","say ""x"""\r\n1,2,3\n'.encode())
    assert read_csv_header(file) == ["id", "Total, all", 'say "x"']
    file.write_bytes(b"id,2025,2026\n1,2,3\n")
    assert read_csv_header(file) == ["id", "2025", "2026"]
    file.write_bytes(b"id\n" + b"\xff\xfe;\n")
    assert read_csv_header(file) == ["id"]  # nothing below the first line matters
