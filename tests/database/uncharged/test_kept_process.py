"""The kept process: one start for many statements, and nothing of one visible to the next."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from database.clinic import exactly, visits
from hedgerow.database.uncharged import kept_process
from hedgerow.database.uncharged.kept_process import borrow_process, prepare_process
from hedgerow.engines.duckdb.process.engine_process import EngineProcess, RequestFailed
from hedgerow.engines.framing import ChannelBroken
from hedgerow.errors import SourceError

SHARES = "SELECT region, COUNT(*) / SUM(COUNT(*)) OVER () AS share FROM data GROUP BY region"


@pytest.fixture
def starts(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[EngineProcess]]:
    """The processes that are started, with none kept before or after."""
    started: list[EngineProcess] = []

    class Counted(EngineProcess):
        def __init__(self, *arguments: object) -> None:
            super().__init__(*arguments)  # type: ignore[arg-type]
            started.append(self)

    monkeypatch.setattr(kept_process, "EngineProcess", Counted)
    monkeypatch.setattr(kept_process, "_KEPT", kept_process._KeptProcess())
    yield started
    for child in started:
        child.kill()


def test_nothing_of_one_statement_is_there_for_the_next(starts: list[EngineProcess]) -> None:
    with borrow_process([], 30) as first:
        first.attach_object("public 0", visits())
        first.store_query("kept", 'SELECT COUNT(*) AS n FROM "public 0"')
    with borrow_process([], 30) as second:
        assert second is first
        for name in ("public 0", "kept"):
            with pytest.raises(RequestFailed):
                second.store_query("again", f'SELECT * FROM "{name}"')
        assert second.store_query("kept", "SELECT 1 AS n").columns == (("n", "INTEGER"),)
    assert len(starts) == 1


def test_a_process_that_reads_files_is_not_kept(
    starts: list[EngineProcess], tmp_path: Path
) -> None:
    file = tmp_path / "rows.csv"
    file.write_text("a\n1\n", encoding="utf-8")
    with borrow_process([file], 30) as child:
        child.attach_file("rows", file)
    assert not child.is_alive
    with borrow_process([], 30) as other, pytest.raises((RequestFailed, SourceError)):
        other.attach_file("rows", file)  # started without any file
    assert len(starts) == 2


def test_a_process_past_its_deadline_is_replaced(starts: list[EngineProcess]) -> None:
    endless = "SELECT COUNT(*) AS n FROM range(10000000000) a, range(1000) b WHERE a.range % 7 = 3"
    with borrow_process([], 30) as child:
        child.set_timeout(0.3)
        with pytest.raises(ChannelBroken):
            child.store_query("slow", endless)
    with borrow_process([], 30) as fresh:
        assert fresh.store_query("n", "SELECT 1 AS n").columns
    assert len(starts) == 2


def test_two_at_once_have_two_processes_and_one_is_kept(starts: list[EngineProcess]) -> None:
    with borrow_process([], 30) as one, borrow_process([], 30) as other:
        assert one is not other
    assert [child.is_alive for child in starts].count(True) == 1


def test_one_that_is_prepared_is_the_one_that_is_lent(starts: list[EngineProcess]) -> None:
    prepare_process()
    prepare_process()
    with borrow_process([], 30) as child:
        assert starts == [child]


def test_statements_over_answers_start_one_process(starts: list[EngineProcess]) -> None:
    with exactly() as db:
        for epsilon in (100, 200, 300):
            answer = db.query(SHARES, epsilon=epsilon)
            assert sum(row["share"] or 0 for row in answer.rows) == pytest.approx(1)
        plain = "SELECT region, COUNT(*) FROM data GROUP BY region"
        db.query(plain, epsilon=100)
    assert len(starts) == 1
