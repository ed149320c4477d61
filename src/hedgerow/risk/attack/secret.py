"""The secret column of a policy's table, as a pool of people to attack. For its custodian: this reads the data without any protection.

It reads the policy and the file of one table. It opens no ledger: nothing is charged, nothing is written, nothing is accepted.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import numpy as np

from hedgerow.errors import InvalidArgument, Refused, SourceError
from hedgerow.policy import BudgetRule, ColumnRule, Policy, TableRule, read_policy
from hedgerow.risk.attack.comparison import LEAST, PEOPLE, Pool
from hedgerow.risk.attack.reconstruction import Mask

__all__ = ["Target", "target_of"]

_FEW: Final = 8  # names in a refusal


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """Whom to attack and for what: the pool, and the words for it."""

    table: TableRule
    budget: BudgetRule
    column: str
    words: str
    pool: Pool


def target_of(
    path: str | Path,
    *,
    secret: str | None = None,
    table: str | None = None,
    equals: str | None = None,
    above: Decimal | None = None,
    people: int = PEOPLE,
) -> Target:
    """The target in a policy file. A column of more values is made one of two: those that are ``equals``, or ``above``, and the rest.

    Each unit counts once. Nothing of the table is kept but up to ``people`` secrets of either kind.
    """
    if equals is not None and above is not None:
        raise InvalidArgument("above", "and equals cannot both be given: one of them makes the secret", str(above))
    policy = read_policy(path)
    rule = _table(policy, table)
    column = _column(rule, secret)
    if people < LEAST:
        raise InvalidArgument("people", f"must be at least {LEAST}", people)
    yes, words = _yes(column, equals, above)
    secrets = _read(policy.source_path(rule), rule, column, yes, people)
    return Target(rule, policy.budget(rule.population or ""), column, words, Pool(secrets, people))


def _table(policy: Policy, name: str | None) -> TableRule:
    protected = [table for table in policy.tables if table.protects is not None]
    if name is None and len(protected) > 1:
        raise InvalidArgument("table", f"must be named: {_listed([table.name for table in protected])} are protected")
    rule = protected[0] if name is None else policy.table(name)
    if rule is None:
        raise InvalidArgument("table", f"must be one of {_listed([table.name for table in protected])}", name)
    if rule.protects is None:
        raise Refused(f"The table {rule.name} is public: it protects nobody and has no budget. Name a protected table.")
    if rule.links:
        raise Refused(f"Whom a row of {rule.name} is about stands in another table. Attack a table that has the id column {rule.unit}.")
    return rule


def _column(rule: TableRule, name: str | None) -> str:
    if name is None:
        two = [column.name for column in rule.columns if not column.hidden and _two_valued(column)]
        if len(two) != 1:
            found = f"{_listed(two)} have two values" if two else f"no column of {rule.name} is declared with two values"
            raise InvalidArgument("secret", f"must name the column to attack: {found}")
        return two[0]
    known = rule.column(name)
    if known is not None and known.hidden:
        raise Refused(f"The column {known.name} is hidden: no question may touch it, so there is nothing to attack.")
    if name.casefold() == (rule.unit or "").casefold():
        raise InvalidArgument("secret", "must not be the id of a unit, which is nobody's secret", name)
    return name if known is None else known.name


def _two_valued(column: ColumnRule) -> bool:
    return column.type == "boolean" or len(column.values or ()) == 2


def _yes(column: str, equals: str | None, above: Decimal | None) -> tuple[tuple[str, list[Any]] | None, str]:
    """The condition on the column with its parameters, None where its two values are yes and no; and how one says it."""
    if equals is not None:
        return ("CAST(it AS VARCHAR) = $1", [equals]), f"whether {column} is {equals}"
    if above is not None:
        return ("TRY_CAST(it AS DOUBLE) > $1", [float(above)]), f"whether {column} is above {above:g}"
    return None, f"which of its two values {column} has"


def _read(path: Path, rule: TableRule, column: str, yes: tuple[str, list[Any]] | None, people: int) -> Mask:
    """Up to so many people with the secret, and as many without it."""
    import duckdb

    if not path.is_file():
        raise SourceError(f"There is no file {path.name}, the source of {rule.name}.")
    reader = "read_csv" if path.suffix.lower() == ".csv" else "read_parquet"
    with duckdb.connect(":memory:", config={"threads": "1"}) as room:
        try:
            source = room.from_query(f"SELECT * FROM {reader}($1)", params=[str(path)])
            room.register("source", source.select(_picked(rule, source.columns, column)).to_arrow_table())
            counts = _counted(room, rule.unit == "row", column, yes)
        except duckdb.Error:
            raise SourceError(f"{path.name} cannot be read.") from None
    return np.repeat([True, False], [min(count, people) for count in counts])


def _picked(rule: TableRule, columns: list[str], column: str) -> str:
    """The owner and the secret of each row."""
    names = {name.casefold(): name for name in columns}
    if column.casefold() not in names:
        raise InvalidArgument("secret", f"must be a column of {rule.name}: {_listed(columns)}", column)
    unit = (rule.unit or "").casefold()
    if unit != "row" and unit not in names:
        raise SourceError(f"The source of {rule.name} has no column {rule.unit}, its unit.")
    owner = "0" if unit == "row" else _quoted(names[unit])
    return f"{owner} AS owner, {_quoted(names[column.casefold()])} AS it"


def _counted(room: Any, rows: bool, column: str, yes: tuple[str, list[Any]] | None) -> list[int]:
    """How many people have the secret, and how many do not. Who has many rows has it if one of them says so; empty ones say nothing."""
    if yes is None:
        kinds = room.execute("SELECT count(DISTINCT it) FROM source").fetchone()[0]
        if kinds != 2:
            how = "fewer than two values" if kinds < 2 else "more than two values"
            raise Refused(
                f"The column {column} has {how}. Say what is secret about it: --is VALUE, or --above NUMBER (in Python equals=, above=)."
            )
        yes = "it = (SELECT max(it) FROM source)", []
    condition, given = yes
    there = "FROM source WHERE it IS NOT NULL AND owner IS NOT NULL"
    asked = f"SELECT {condition} AS yes {there}" if rows else f"SELECT bool_or({condition}) AS yes {there} GROUP BY owner"
    found = room.execute(f"SELECT count(*) FILTER (WHERE yes), count(*) FILTER (WHERE NOT yes) FROM ({asked})", given).fetchone()
    return [int(count) for count in found]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _FEW} more" if len(names) > _FEW else ""
    return ", ".join(names[:_FEW]) + more
