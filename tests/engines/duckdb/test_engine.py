from __future__ import annotations

import traceback
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

from engines.helpers_engine_answers import answer
from engines.helpers_visits import ANSWER, BY_CITY, ROWS, VISITS, question, visits
from hedgerow.engines.compile import plan as compile
from hedgerow.engines.data_source import SOURCE_FAILED, PhysicalColumn
from hedgerow.engines.duckdb.engine import DuckDB, RegisteredTable
from hedgerow.engines.duckdb.process.engine_process import IsolatedDuckDB
from hedgerow.errors import InvalidArgument, SourceError


def test_duckdb_answers_plans_and_returns_its_columns() -> None:
    source = DuckDB(visits(), threads=1, memory=10**9)
    assert answer(source, BY_CITY) == ANSWER
    types = ("integer", "integer", "text", "real")
    assert source.schema("visits") == tuple(
        PhysicalColumn(name, type_) for name, type_ in zip(ROWS, types, strict=True)
    )
    with pytest.raises(InvalidArgument, match="name of a registered table"):
        source.schema("nobody's")
    source.close()


def test_every_failure_raises_the_same_error_without_data(tmp_path: Path) -> None:
    path = tmp_path / "visits.parquet"
    pq.write_table(pa.table(ROWS), path)
    source = DuckDB({"visits": RegisteredTable(path, VISITS)})
    path.unlink()
    with pytest.raises(SourceError) as caught:
        source.run(BY_CITY)
    source.close()
    assert str(caught.value) == SOURCE_FAILED
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    assert "parquet" not in "".join(traceback.format_exception_only(caught.value))


@pytest.mark.parametrize("engine", [DuckDB, IsolatedDuckDB])
@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
def test_a_file_that_has_changed_is_not_asked(
    suffix: str, engine: type[DuckDB] | type[IsolatedDuckDB], tmp_path: Path
) -> None:
    path = tmp_path / f"visits{suffix}"

    def written() -> None:
        (
            pq.write_table(pa.table(ROWS), path)
            if suffix == ".parquet"
            else csv.write_csv(pa.table(ROWS), path)
        )

    written()
    source = engine({"visits": RegisteredTable(path, VISITS)})
    source.prepare(BY_CITY)
    path.unlink()
    for _ in range(2):  # gone, and there again
        with pytest.raises(
            SourceError,
            match=r"The file of visits has changed since it was opened\. Declare a new version",
        ):
            source.prepare(BY_CITY)
        written()
    source.close()
    again = engine({"visits": RegisteredTable(path, VISITS)})
    again.prepare(BY_CITY)
    assert answer(again, BY_CITY) == ANSWER
    again.close()


def test_after_closing_it_fails_like_anything_else() -> None:
    source = DuckDB(visits())
    source.close()
    with pytest.raises(SourceError, match=SOURCE_FAILED):
        source.run(BY_CITY)


def test_a_prepared_plan_is_not_compiled_again(monkeypatch: pytest.MonkeyPatch) -> None:
    source = DuckDB(visits())
    source.prepare(BY_CITY)
    monkeypatch.setattr(compile, "compile_plan", None)
    assert answer(source, BY_CITY) == ANSWER
    source.close()


def test_a_plan_that_cannot_run_is_refused_when_it_is_prepared() -> None:
    source = DuckDB(visits())
    with pytest.raises(SourceError, match="The data have no table others"):
        source.prepare(question("city", schema=replace(VISITS, table="others")))
    source.close()
