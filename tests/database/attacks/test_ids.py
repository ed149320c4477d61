"""Who is who: one person however her id is written, and nobody where none is."""

from __future__ import annotations

from pathlib import Path

import pytest

from hedgerow import open

POLICY = """
[database]
name = "ids"
[budget]
epsilon = 10_000
[tables.t]
source = "t.csv"
unit = "pid"
neighbours = "add-remove"
max_units = 100
max_groups = 1
max_rows_per_group = 1
[tables.t.columns]
{pid}
"""


def count(folder: Path, ids: list[str], pid: str) -> int:
    folder.mkdir()
    (folder / "t.csv").write_text("pid,x\n" + "".join(f'"{one}",1\n' for one in ids))
    (folder / "p.toml").write_text(POLICY.format(pid=pid))
    with open(folder / "p.toml", in_process=True) as db:
        answer = db.query("SELECT COUNT(*) AS n FROM t", epsilon=5000)
        (row,) = answer.rows  # type: ignore[union-attr]
    found: int = row["n"]
    return found


WRITTEN = ["1", " 1", "01", "1.0", "+1", "1 ", "2"]


def test_a_number_is_one_person_however_it_is_written(tmp_path: Path) -> None:
    assert count(tmp_path / "declared", WRITTEN, 'pid = { type = "integer" }') == 2
    # declared as nothing, text is what it is
    assert count(tmp_path / "text", WRITTEN, "") == len(WRITTEN)


@pytest.mark.parametrize("pid", ["", 'pid = { type = "integer" }'])
def test_a_blank_id_belongs_to_no_unit(tmp_path: Path, pid: str) -> None:
    assert count(tmp_path / "blank", ["", " ", "\t", "1"], pid) == 1
    assert count(tmp_path / "odd", ["x", "1"], 'pid = { type = "integer" }') == 1
