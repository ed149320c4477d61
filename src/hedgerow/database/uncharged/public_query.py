"""Questions about public tables alone, such as publications: free and exact, in a process that has
no other table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sqlglot import exp

from hedgerow.database.uncharged.diagnose import refuse_invalid_query
from hedgerow.database.uncharged.exact_table import ExactTable
from hedgerow.database.uncharged.kept_process import borrow_process
from hedgerow.engines.compile.column_casts import compile_read
from hedgerow.engines.compile.sql_builders import cast_to_type, column, select
from hedgerow.engines.compile.sql_writer import render_sql
from hedgerow.engines.duckdb.dialect import DUCKDB
from hedgerow.engines.duckdb.process.engine_process import EngineProcess, RequestFailed
from hedgerow.engines.duckdb.tables.registry import RegisteredTable, attach_tables, map_engine_types
from hedgerow.engines.framing import ChannelBroken
from hedgerow.engines.statement import Statement
from hedgerow.errors import Refused, SourceError
from hedgerow.plan.values import Type, Value
from hedgerow.policy import Policy
from hedgerow.sql.catalog import Catalog
from hedgerow.sql.public_tables import phrases
from hedgerow.sql.public_tables.statement import PublicQuery, read_public_query

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["answer_public_query", "limit_public_queries", "run_public_query"]

_DEADLINE_SECONDS: Final = 60.0
_MAX_ROWS: Final = 1_000_000
_ANSWER_TABLE: Final = "answer"
_DESCRIBED_TABLE: Final = "described"
_FAILURE: Final = "This question about public tables could not be answered: "
_TOO_SLOW: Final = f"{_FAILURE}it took too long or too much memory. Ask for less at once."
_NO_RESULT: Final = (
    f"{_FAILURE}a value has no result, such as text in CAST that is not a number, or the rows need "
    "too much memory. Write TRY_CAST, or ask for less at once."
)


# Of the process that such a question starts: a service lets its callers take turns.
_TURN: Final[ContextVar[Callable[[], AbstractContextManager[object]]]] = ContextVar(
    "public_query_turn", default=nullcontext
)


@contextmanager
def limit_public_queries(
    take_turn: Callable[[], AbstractContextManager[object]],
) -> Iterator[None]:
    """Let the questions of this context wait for a turn before each process that they start."""
    token = _TURN.set(take_turn)
    try:
        yield
    finally:
        _TURN.reset(token)


def answer_public_query(sql: str, policy: Policy, catalog: Catalog) -> ExactTable | None:
    """Answer a question that reads public tables alone; None for any other question."""
    found = read_public_query(sql, catalog)
    return None if found is None else run_public_query(found, policy, catalog, {})


def run_public_query(
    asked: PublicQuery, policy: Policy, catalog: Catalog, frames: Mapping[str, pa.Table]
) -> ExactTable:
    """Run a question about public tables, some of which are ``frames`` instead of files."""
    tables = ((name, policy.table(name)) for name in asked.tables if name not in frames)
    paths = {name: policy.source_path(table) for name, table in tables if table is not None}
    for name, path in paths.items():
        if not path.is_file():
            raise SourceError(
                f"The file of the public table {name} is missing: {path}. Put it back, or change"
                " its source in the policy."
            )
    try:
        with _TURN.get()():
            return _run_in_child(asked, paths, catalog, frames)
    except ChannelBroken:
        words = _TOO_SLOW
    except RequestFailed:
        words = _NO_RESULT
    refuse_invalid_query(asked, catalog)
    raise SourceError(words)


def _run_in_child(
    asked: PublicQuery,
    paths: Mapping[str, Path],
    catalog: Catalog,
    frames: Mapping[str, pa.Table],
) -> ExactTable:
    with borrow_process(list(paths.values()), _DEADLINE_SECONDS) as child:
        _store_tables(child, asked, paths, catalog)
        _attach_frames(child, asked, frames)
        child.store_query(_ANSWER_TABLE, phrases.write_fragment(asked.fragment, asked.names))
        all_rows = f'SELECT * FROM "{_ANSWER_TABLE}" LIMIT {_MAX_ROWS + 1}'
        return _fetch_result(child, asked, child.store_query(_DESCRIBED_TABLE, all_rows).columns)


def _store_tables(
    child: EngineProcess, asked: PublicQuery, paths: Mapping[str, Path], catalog: Catalog
) -> None:
    """Store the tables in the engine, with the numbers that the question uses for their names."""
    tables = {
        name: RegisteredTable(path, catalog.tables[name].schema) for name, path in paths.items()
    }
    attached = attach_tables(child, tables, DUCKDB).stored_tables
    for number, name in enumerate(asked.tables):
        if name not in paths:
            continue
        stored, names = attached[name], asked.names
        outputs = [
            (
                names.write_name(names.number_name(declared.name)),
                compile_read(declared, stored.columns[declared.name], DUCKDB),
            )
            for declared in catalog.tables[name].columns
        ]
        query = select(outputs, exp.Table(this=exp.to_identifier(stored.relation, quoted=True)))
        child.store_query(f"public {number}", render_sql(query, DUCKDB))


def _attach_frames(
    child: EngineProcess, asked: PublicQuery, frames: Mapping[str, pa.Table]
) -> None:
    names = asked.names
    for number, name in enumerate(asked.tables):
        if name in frames:
            frame = frames[name]
            columns = [names.write_name(names.number_name(column)) for column in frame.column_names]
            child.attach_object(f"public {number}", frame.rename_columns(columns))


def _fetch_result(
    child: EngineProcess, asked: PublicQuery, columns: tuple[tuple[str, str], ...]
) -> ExactTable:
    stored = {found.name: found for found in map_engine_types(columns)}
    kinds: list[Type] = [found.type or "text" for found in stored.values()]
    # Integers that may exceed 64 bits are fetched as text: TRY_CAST would turn them into NULL.
    long = [found.is_wide and found.type == "integer" for found in stored.values()]
    fetched = ["text" if wide else kind for wide, kind in zip(long, kinds, strict=True)]
    values = (
        cast_to_type(column(name), type_, total=True)
        for name, type_ in zip(stored, fetched, strict=True)
    )
    outputs = [(f"c{place}", value) for place, value in enumerate(values)]
    query = select(outputs, exp.Table(this=exp.to_identifier(_DESCRIBED_TABLE, quoted=True)))
    types = dict(zip(asked.names.list_outputs(stored), kinds, strict=True))
    keys, _ = child.run_statement(Statement(render_sql(query, DUCKDB), tuple(fetched), ()))
    if keys and len(keys[0]) > _MAX_ROWS:
        raise Refused(
            f"The answer has more than {_MAX_ROWS:,} rows. Add LIMIT, or read the file of the table"
            " directly."
        )
    keys = [
        list(map(_parse_wide_integer, found)) if wide else found
        for wide, found in zip(long, keys, strict=True)
    ]
    rows: list[dict[str, Any]] = [
        dict(zip(types, values, strict=True)) for values in zip(*keys, strict=True)
    ]
    return ExactTable(types, rows)


def _parse_wide_integer(value: Value) -> int | None:
    """Parse an integer that was fetched as text; refuse one of more than 64 bits."""
    number = None if value is None else int(value)  # type: ignore[arg-type]
    if number is not None and not -(2**63) <= number < 2**63:
        raise Refused(
            "An integer of the answer does not fit in 64 bits. Write CAST(… AS DOUBLE), or CAST(…"
            " AS TEXT) for all digits."
        )
    return number
