"""Questions about public tables alone, a publication for one: free, exact, and in a process that has no other table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from sqlglot import exp

from hedgerow.database.listing import Listing
from hedgerow.database.misread import check
from hedgerow.engines.catalogue import Registered, physical, stock
from hedgerow.engines.decode import Statement
from hedgerow.engines.desk import Limits
from hedgerow.engines.dialect import DUCKDB
from hedgerow.engines.reading import read
from hedgerow.engines.terms import as_type, column, select
from hedgerow.engines.wire import Broken
from hedgerow.engines.worker import Child, Failed
from hedgerow.engines.writing import write
from hedgerow.errors import Refused, SourceError
from hedgerow.plan.values import Type, Value
from hedgerow.policy import Policy
from hedgerow.sql import phrases
from hedgerow.sql.catalog import Catalog
from hedgerow.sql.public import Public, read_public

__all__ = ["free_answer"]

_SECONDS: Final = 60.0
_MEMORY: Final = 4 * 2**30
_ROWS: Final = 1_000_000
_ANSWER: Final = "answer"
_DESCRIBED: Final = "described"
_FAILED: Final = "This question about public tables could not be answered: "
_SLOW: Final = f"{_FAILED}it took too long or too much memory. Ask for less at once."
_NO_RESULT: Final = (
    f"{_FAILED}a value has no result, such as text that is no number in CAST, or all of them need "
    "too much memory. Write TRY_CAST, or ask for less at once."
)


def free_answer(sql: str, policy: Policy, catalog: Catalog) -> Listing | None:
    """The exact answer to a question that touches public tables alone; None where it is about anybody."""
    found = read_public(sql, catalog)
    if found is None:
        return None
    tables = ((name, policy.table(name)) for name in found.tables)
    paths = {name: policy.source_path(table) for name, table in tables if table is not None}
    for name, path in paths.items():
        if not path.is_file():
            raise SourceError(f"The file of the public table {name} is gone: {path}.")
    try:
        return _answered(found, paths, catalog)
    except Broken:
        words = _SLOW
    except Failed:
        words = _NO_RESULT
    check(found, catalog)
    raise SourceError(words)


def _answered(asked: Public, paths: Mapping[str, Path], catalog: Catalog) -> Listing:
    child = Child([path.resolve() for path in paths.values()], Limits(memory=_MEMORY), _SECONDS)
    try:
        _shelve(child, asked, paths, catalog)
        child.store(_ANSWER, phrases.write(asked.phrase, asked.names))
        all_rows = f'SELECT * FROM "{_ANSWER}" LIMIT {_ROWS + 1}'
        return _listed(child, asked, child.store(_DESCRIBED, all_rows).columns)
    finally:
        child.end()


def _shelve(child: Child, asked: Public, paths: Mapping[str, Path], catalog: Catalog) -> None:
    """Store every table and its columns under the numbers that the question has for them."""
    tables = {name: Registered(path, catalog.tables[name].schema) for name, path in paths.items()}
    shelves = stock(child, tables, DUCKDB).shelves
    for number, name in enumerate(asked.tables):
        shelf, names = shelves[name], asked.names
        outputs = [
            (names.write(names.number(declared.name)), read(declared, shelf.columns[declared.name], DUCKDB))
            for declared in catalog.tables[name].columns
        ]
        query = select(outputs, exp.Table(this=exp.to_identifier(shelf.relation, quoted=True)))
        child.store(f"public {number}", write(query, DUCKDB))


def _listed(child: Child, asked: Public, columns: tuple[tuple[str, str], ...]) -> Listing:
    stored = {there.name: there for there in physical(columns)}
    # Whole numbers that may have more than 64 bits come as text: TRY_CAST would make NULL of them.
    kinds: list[Type] = [there.type or "text" for there in stored.values()]
    long = [there.wide and there.type == "integer" for there in stored.values()]
    told = ["text" if wide else kind for wide, kind in zip(long, kinds, strict=True)]
    values = (as_type(column(name), type_, total=True) for name, type_ in zip(stored, told, strict=True))
    outputs = [(f"c{place}", value) for place, value in enumerate(values)]
    query = select(outputs, exp.Table(this=exp.to_identifier(_DESCRIBED, quoted=True)))
    types = dict(zip(asked.names.list_outputs(stored), kinds, strict=True))
    keys, _ = child.answer(Statement(write(query, DUCKDB), tuple(told), ()))
    if keys and len(keys[0]) > _ROWS:
        raise Refused(f"The answer has more than {_ROWS:,} rows: add LIMIT, or read the file of the table with a tool of your own.")
    keys = [list(map(_whole, found)) if wide else found for wide, found in zip(long, keys, strict=True)]
    rows: list[dict[str, Any]] = [dict(zip(types, values, strict=True)) for values in zip(*keys, strict=True)]
    return Listing(types, rows)


def _whole(value: Value) -> int | None:
    """Return a whole number that was told as text; refuse one of more than 64 bits."""
    found = None if value is None else int(value)  # type: ignore[arg-type]
    if found is not None and not -(2**63) <= found < 2**63:
        instead = "write CAST(… AS DOUBLE), or CAST(… AS TEXT) for all its digits"
        raise Refused(f"A whole number of the answer does not fit in 64 bits: {instead}.")
    return found
