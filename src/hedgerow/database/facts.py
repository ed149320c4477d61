"""What the system tables hold: facts of policy and ledger, never of data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from fractions import Fraction
from typing import Any, Final, Protocol

from hedgerow.ledger.store import Store
from hedgerow.plan.schema import Column
from hedgerow.plan.values import Type, Value
from hedgerow.policy import Policy, TableRule
from hedgerow.privacy.account import Account, DualAccount, decimals
from hedgerow.sql.catalog import Catalog

__all__ = ["TABLES", "Held", "Row", "rows_of"]

Row = dict[str, Value]

TABLES: Final[Mapping[str, Mapping[str, Type]]] = {
    "budget": {"population": "text", "part": "text", "currency": "text", "total": "real", "spent": "real", "left": "real"},
    "ledger": {
        "entry": "integer",
        "time": "text",
        "kind": "text",
        "analyst": "text",
        "population": "text",
        "epsilon": "real",
        "about": "text",
        "charge": "integer",
    },
    "tables": {
        "name": "text",
        "population": "text",
        "unit_kind": "text",
        "unit": "text",
        "neighbours": "text",
        "public": "boolean",
        "version": "text",
        "max_groups": "integer",
        "max_rows_per_group": "integer",
    },
    "columns": {
        "table": "text",
        "name": "text",
        "type": "text",
        "min": "text",  # text, because the bounds of dates are dates
        "max": "text",
        "step": "text",
        "value_count": "integer",
        "is_unit": "boolean",
    },
}
_CURRENCIES: Final = ("epsilon", "rho", "delta")


class Held(Protocol):
    """What is looked at of a database."""

    @property
    def policy(self) -> Policy: ...
    @property
    def catalog(self) -> Catalog: ...
    @property
    def budgets(self) -> Mapping[str, Account | DualAccount]: ...
    @property
    def ledger(self) -> Store: ...


def rows_of(table: str, database: Held, analyst: str | None) -> Iterator[Row]:
    """The rows of a system table; ``analyst`` None is the custodian, who sees every entry of the ledger."""
    match table:
        case "budget":
            for population, account in database.budgets.items():
                yield from _budget(population, None, account)
        case "ledger":
            yield from _ledger(database.ledger, analyst)
        case "tables":
            yield from map(_table, database.policy.tables)
        case _:
            for name, entry in database.catalog.tables.items():
                yield from (_column(name, column, entry.is_unit(column.name)) for column in entry.columns)


def _budget(population: str, part: str | None, account: Account | DualAccount) -> Iterator[Row]:
    lines = {"epsilon": account} if isinstance(account, Account) else {name: getattr(account, name) for name in _CURRENCIES}
    for currency, line in lines.items():
        numbers: Row = {
            "total": float(decimals(line.total)),
            "spent": float(decimals(line.spent, up=True)),
            "left": float(decimals(line.left)),
        }
        yield {"population": population, "part": part, "currency": currency} | numbers
    for partitioned, parts in account.parts.items():
        for name, inner in parts.items():
            yield from _budget(population, f"{partitioned} {name}", inner)


def _ledger(ledger: Store, analyst: str | None) -> Iterator[Row]:
    """An answer or failure belongs to whom its charge belongs to. Times are told to the second: what is finer would time the runs."""
    whose: dict[int, str] = {}
    for entry in ledger.entries():
        body = entry.body
        charge = body.get("charge") if entry.kind in ("answer", "failure") else None
        asked = entry.kind == "charge"
        who: str | None = body["analyst"] if asked else None if charge is None else whose[charge]
        if asked:
            whose[entry.seq] = body["analyst"]
        if analyst is not None and who != analyst:
            continue
        yield {
            "entry": entry.seq,
            "time": entry.time[:19],
            "kind": entry.kind,
            "analyst": who,
            "population": ", ".join(body["charges"]) if asked else None,
            "epsilon": float(Fraction(body["epsilon"])) if asked else None,
            "about": _about(body["about"]) if asked else None,
            "charge": charge,
        }


def _about(about: Mapping[str, Any]) -> str:
    return "; ".join(f"{name}: {', '.join(map(str, said)) if isinstance(said, list) else said}" for name, said in about.items())


def _table(table: TableRule) -> Row:
    return {
        "name": table.name,
        "population": table.population,
        "unit_kind": None if table.unit is None else "row" if table.unit == "row" else "id",
        "unit": table.way,
        "neighbours": table.neighbours,
        "public": table.public,
        "version": table.version,
        "max_groups": table.max_groups,
        "max_rows_per_group": table.max_rows_per_group,
    }


def _column(table: str, column: Column, is_unit: bool) -> Row:
    known = column.range
    return {
        "table": table,
        "name": column.name,
        "type": column.type,
        "min": _written(known.low, column.type),
        "max": _written(known.high, column.type),
        "step": None if column.type == "date" else _written(known.step, column.type),
        "value_count": None if column.values is None else len(column.values),
        "is_unit": is_unit,
    }


def _written(value: Fraction | None, type_: Type) -> str | None:
    if value is None:
        return None
    if type_ == "date":
        return date.fromordinal(int(value)).isoformat()
    return str(value.numerator) if value.denominator == 1 else repr(float(value))
