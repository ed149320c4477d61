"""Types that are guessed from the first rows of a .csv file."""

from __future__ import annotations

from pathlib import Path

import pytest

from hedgerow.cli.type_guesses import guess_types


@pytest.mark.parametrize(
    ("values", "type_"),
    [
        (["1", "-2", "", "30"], "integer"),
        (["1", "2.5", "1e3", ".5"], "real"),
        (["01067", "80331"], "text"),
        (["2026-01-31", "2026-02-01"], "date"),
        (["2026-02-31", "20260131"], "text"),
        (["true", "False"], "boolean"),
        (["1"] * 99 + ["unknown"], "integer"),
        (["1"] * 9 + ["unknown"], "text"),
        (["", ""], "text"),
        (["nan", "inf"], "text"),
    ],
)
def test_a_type_fits_nearly_all_values(values: list[str], type_: str, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("".join(f"{n},{v}\n" for n, v in [("id", "x"), *enumerate(values)]))
    assert guess_types(path) == {"id": "integer", "x": type_}


@pytest.mark.parametrize("content", [b"", b"x,y\n", b"x\n\xff\n", b'x\n"a" b\n'])
def test_no_type_is_guessed_for_an_unreadable_file(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(content)
    assert guess_types(tmp_path / "x.csv") == {}
    assert guess_types(tmp_path / "gone.csv") == {}


def test_rows_of_other_lengths_are_read(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("x,y\n1\n2,3,4\n")
    assert guess_types(tmp_path / "x.csv") == {"x": "integer", "y": "integer"}
