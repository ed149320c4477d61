"""What the sections about joins, quantiles and TPC-H rest on: the questions can be asked, and
what they are compared with is the same.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import duckdb
import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def part(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT))

    def imported(name: str) -> ModuleType:
        return importlib.import_module(f"bench.{name}")

    return imported


@contextmanager
def plain(folder: Path, names: tuple[str, ...]) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        for name in names:
            connection.execute(
                f"CREATE VIEW {name} AS SELECT * FROM read_parquet('{folder / name}.parquet')"
            )
        yield connection


@pytest.mark.long
def test_every_question_of_tpch_gives_what_a_plain_database_gives_where_nobody_is_clipped(
    part: Any, tmp_path: Path
) -> None:
    """The exact value is in the interval at a level that fails once in 10^12; values are rounded
    to steps of a cent or less.
    """
    tables = part("tpch.tables")
    folder = tables.tiny(tmp_path)
    page = (
        part("tpch.page")
        .page(folder, "10_000")
        .replace("max_rows_per_group = 60", "max_rows_per_group = 200")
    )
    with (
        plain(folder, tables.NAMES) as connection,
        part("engine").running(page.replace("max_groups = 4", "max_groups = 10")) as engine,
    ):
        for asked in part("tpch.questions").QUESTIONS:
            exact = {
                row[: asked.keys]: row[asked.keys :]
                for row in connection.execute(asked.all_cells).fetchall()
            }
            answer = engine.answer(asked.private, 10_000)
            assert answer.rows or asked.number == 3  # a day has few customers here
            for place, name in enumerate(answer.columns[asked.keys :]):
                for row, (low, high) in zip(
                    answer.rows, answer.interval(name, 1 - Fraction(1, 10**12)), strict=True
                ):
                    true = exact.get(tuple(row.values())[: asked.keys])
                    slack = 0.01 + 1e-6 * abs(float(true[place])) if true else 0
                    assert true is None or low - slack <= true[place] <= high + slack, (
                        asked.number,
                        name,
                    )


@pytest.mark.long
def test_the_policy_allows_every_question_and_its_limits(part: Any, tmp_path: Path) -> None:
    folder = part("tpch.tables").tiny(tmp_path, 30)
    with part("engine").running(part("tpch.page").page(folder, "10_000")) as engine:
        closer = [
            asked.closer for asked in part("tpch.questions").QUESTIONS if asked.closer is not None
        ]
        assert len(closer) == 8
        for sql in closer:
            assert engine.answer(sql, 1).cost.epsilon == 1


@pytest.mark.slow
def test_the_same_question_is_asked_anew_and_its_cells_are_fetched_once(
    part: Any, tmp_path: Path
) -> None:
    engine = part("engine")
    folder = part("tpch.tables").tiny(tmp_path, 30)
    with engine.running(part("tpch.page").page(folder)) as running:
        question = "SELECT COUNT(*) AS n FROM orders"
        # all alike: fewer than 1 in 10^40
        assert len({running.answer(question, 0.5).rows[0]["n"] for _ in range(40)}) > 1
        assert len(running.remembered.found) == 1
        assert running.asking(question, 0.5)() > 0
        assert running.asking(question, 0.5)() > 0
        ((_, (people,)),) = running.bare("SELECT COUNT(DISTINCT c_custkey) AS n FROM customer")()
        assert people == [30]


def test_every_sum_and_count_states_its_limits(part: Any) -> None:
    closer = part("tpch.questions").closer
    assert (
        closer("SELECT SUM(a * (1 - b)) / SUM(c), COUNT(*) FROM t", 5, 2)
        == "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_groups_contributed = 2) SUM(a * (1 - b),"
        " contribution_bounds_per_group => (0, 5)) / SUM(c, contribution_bounds_per_group => (0,"
        " 5)), COUNT(*, contribution_bounds_per_group => (0, 5)) FROM t"
    )
    assert closer("SELECT AVG(a) FROM t", 5, None) == "SELECT AVG(a) FROM t"


def test_errors_are_relative_to_what_is_there(part: Any) -> None:
    found = part("tpch").relative_errors
    rows = [
        {"k": "a", "n": 11, "m": 5.0},
        {"k": "b", "n": 3, "m": None},
        {"k": "nobody", "n": 3, "m": 1.0},
    ]
    assert list(found(rows, {("a",): (10, 5), ("b",): (0, 2)}, 1)) == pytest.approx([0.1, 0.0])


def test_without_the_generator_the_benchmark_reports_why_it_is_skipped(
    part: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(part("tpch.tables"), "FOLDER", tmp_path)
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    peers = part("peers").Peers()
    section = part("tpch").tpch(peers)
    assert "tpchgen-cli is not installed" in peers.left_out["TPC-H"]
    assert [row["question"] for row in section.rows] == [
        "Q1",
        "Q3",
        "Q4",
        "Q5",
        "Q6",
        "Q10",
        "Q12",
        "Q14",
        "Q19",
    ]
    assert all(
        cell is None for row in section.rows for name, cell in row.items() if name != "question"
    )


@pytest.mark.long
def test_the_join_by_hand_bounds_as_we_do(part: Any) -> None:
    joins = part("joins")
    with duckdb.connect() as connection, part("engine").running(joins.page(2_000)) as engine:
        ((towns,), (rows, steps)), *others = engine.bare(joins.QUESTION)()
        assert others == []
        for way in ("together", "apart"):
            by_hand = sorted(connection.execute(joins.sides(2_000)[way]).fetchall())
            assert list(zip(towns, rows.tolist(), steps.tolist(), strict=True)) == by_hand
        assert (
            len(connection.execute(joins.sides(2_000)["plain"]).fetchall())
            == len(towns)
            == len(joins.towns())
        )
        everybody = f"SELECT count(DISTINCT user_id) FROM '{part('events').events(2_000)}'"
        assert (
            connection.execute(joins.sides(2_000)["least"]).fetchall()[0][0]
            == connection.execute(everybody).fetchall()[0][0]
            > 0
        )
