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
from hedgerow.errors import Refused, SourceError
from hedgerow.plan.values import Type
from hedgerow.policy import Policy
from hedgerow.sql.catalog import Catalog
from hedgerow.sql.public import read_public

__all__ = ["free_answer"]

_SECONDS: Final = 60.0
_MEMORY: Final = 4 * 2**30
_ROWS: Final = 1_000_000
_ANSWER: Final = "answer"
_FAILED: Final = "This question about public tables could not be answered: it took too long or too much memory, or a value has no result."


def free_answer(sql: str, policy: Policy, catalog: Catalog) -> Listing | None:
    """The exact answer to a question that touches public tables alone; None where it is about anybody."""
    found = read_public(sql, catalog)
    if found is None:
        return None
    tree, names = found
    paths = {name: policy.source_path(table) for name in set(names.values()) if (table := policy.table(name)) is not None}
    for name, path in paths.items():
        if not path.is_file():
            raise SourceError(f"The file of the public table {name} is gone: {path}.")
    try:
        return _answered(tree, names, paths, catalog)
    except (Broken, Failed):
        pass
    check(sql, tree, lambda relations: _generated(tree, names, relations), {name: catalog.tables[name] for name in paths})
    raise SourceError(_FAILED)


def _answered(tree: exp.Expr, names: Mapping[str, str], paths: Mapping[str, Path], catalog: Catalog) -> Listing:
    child = Child([path.resolve() for path in paths.values()], Limits(memory=_MEMORY), _SECONDS)
    try:
        relations = _shelved(child, paths, catalog)
        child.store(_ANSWER, _generated(tree, names, relations))
        return _listed(child, child.store("described", f'SELECT * FROM "{_ANSWER}" LIMIT {_ROWS + 1}').columns)
    finally:
        child.end()


def _shelved(child: Child, paths: Mapping[str, Path], catalog: Catalog) -> dict[str, str]:
    """Every table under a name of ours, with its columns as they are declared and called."""
    tables = {name: Registered(path, catalog.tables[name].schema) for name, path in paths.items()}
    shelves = stock(child, tables, DUCKDB).shelves
    found = {}
    for number, name in enumerate(tables):
        shelf = shelves[name]
        outputs = [(declared.name, read(declared, shelf.columns[declared.name], DUCKDB)) for declared in catalog.tables[name].columns]
        query = select(outputs, exp.Table(this=exp.to_identifier(shelf.relation, quoted=True)))
        found[name] = f"public {number}"
        child.store(found[name], query.sql(dialect=DUCKDB.name, comments=False))
    return found


def _generated(tree: exp.Expr, names: Mapping[str, str], relations: Mapping[str, str]) -> str:
    """The question in our words: listed nodes, our names of tables and of named subqueries, no comments."""
    found = tree.copy()
    for table in list(found.find_all(exp.Table)):
        known = relations[names[table.name]] if table.name in names else _named(table.name)
        if not table.alias:
            table.set("alias", exp.TableAlias(this=exp.to_identifier(table.name, quoted=True)))
        table.set("this", exp.to_identifier(known, quoted=True))
    for named in list(found.find_all(exp.CTE)):
        named.args["alias"].set("this", exp.to_identifier(_named(named.alias), quoted=True))
    return found.sql(dialect=DUCKDB.name, comments=False)


def _named(name: str) -> str:
    """What a named subquery is called here: a name that no file, view or table of the engine has, so that one which is not known where it
    is used is known nowhere."""
    return f"named {name.casefold()}"


def _listed(child: Child, columns: tuple[tuple[str, str], ...]) -> Listing:
    types: dict[str, Type] = {there.name: there.type or "text" for there in physical(columns)}
    outputs = [(f"c{place}", as_type(column(name), type_, total=True)) for place, (name, type_) in enumerate(types.items())]
    query = select(outputs, exp.Table(this=exp.to_identifier("described", quoted=True)))
    keys, _ = child.answer(Statement(query.sql(dialect=DUCKDB.name, comments=False), tuple(types.values()), ()))
    if keys and len(keys[0]) > _ROWS:
        raise Refused(f"The answer has more than {_ROWS:,} rows: add LIMIT, or read the file of the table with a tool of your own.")
    rows: list[dict[str, Any]] = [dict(zip(types, values, strict=True)) for values in zip(*keys, strict=True)]
    return Listing(types, rows)
