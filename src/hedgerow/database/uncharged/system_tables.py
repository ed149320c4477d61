"""The rows of the system tables, from policy and ledger, never from data."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from fractions import Fraction
from typing import Any, Final

from hedgerow.database.query.pricing import QueryContext
from hedgerow.errors import HedgerowError
from hedgerow.ledger.interface import LedgerBase
from hedgerow.plan.schema import Column
from hedgerow.plan.values import Type, Value, build_date
from hedgerow.policy import AnalystRule, TableRule
from hedgerow.privacy.budget_view import Balance, DualBalance
from hedgerow.privacy.loss import format_bound

__all__ = [
    "FOLDER_FIELD",
    "PLAN_FORM_FIELD",
    "SYSTEM_TABLES",
    "SystemRow",
    "list_system_rows",
    "summarise_database",
]

SystemRow = dict[str, Value]

# The field of a charge with the folder of a publication. It concerns the custodian only, so no
# table shows it.
FOLDER_FIELD: Final = "folder"
# The field of a charge with the form of plans that its question was read into; forms before the
# third have none.
PLAN_FORM_FIELD: Final = "plan"

_CAPPED_FUNCTIONS: Final = (
    "count",
    "sum",
    "avg",
    "var",
    "stddev",
    "covar",
    "corr",
    "median",
    "quantile",
    "percentile",
    "mode",
    "min(",
    "max(",
)
_RETIRED_NOTE: Final = (
    "not reused where a unit may have more rows than max_rows_per_group: that version cut its sums"
    " to whole steps and selected some of its values too often, so the answer may be far off"
)

SYSTEM_TABLES: Final[Mapping[str, Mapping[str, Type]]] = {
    "budget": {
        "population": "text",
        "part": "text",
        "currency": "text",
        "total": "real",
        "spent": "real",
        "left": "real",
        "note": "text",
    },
    "ledger": {
        "entry": "integer",
        "time": "text",
        "kind": "text",
        "analyst": "text",
        "population": "text",
        "epsilon": "real",
        "about": "text",
        "charge": "integer",
        "note": "text",
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
        "value_list": "text",  # the first values, written as in a question
        "is_unit": "boolean",
    },
    "column_values": {"table": "text", "column": "text", "value": "text"},
    "quotas": {"analyst": "text", "total": "real", "spent": "real", "left": "real"},
}
_MAX_LISTED_VALUES: Final = 20
_CURRENCIES: Final = ("epsilon", "rho", "delta")


def summarise_database(database: QueryContext) -> str:
    """Summarise tables, populations and remaining budgets in one line; it never fails, because
    debuggers show it."""
    policy, parts = database.policy, []
    try:
        budgets = database.budgets
    except HedgerowError:  # the ledger is closed or missing
        budgets = {}
    for rule in policy.budgets:
        names = [table.name for table in policy.tables if table.population == rule.population]
        left = (
            f", with {_format_remaining(budgets[rule.population])} left"
            if rule.population in budgets
            else ""
        )
        parts += [f"{', '.join(names)} about {rule.population}{left}"] if names else []
    public = [table.name for table in policy.tables if table.public]
    parts += [f"{', '.join(public)} public"] if public else []
    return f"Database {policy.name}: {'; '.join(parts)}"


def _format_remaining(account: Balance | DualBalance) -> str:
    lines = (
        {"epsilon": account}
        if isinstance(account, Balance)
        else {"epsilon": account.epsilon, "rho": account.rho}
    )
    return " or ".join(
        f"{name} {float(line.to_dict()['left']):g}"
        for name, line in lines.items()
        if line.spent != math.inf
    )


def list_system_rows(
    table: str, database: QueryContext, analyst: str | None
) -> Iterator[SystemRow]:
    """Yield the rows of a system table; ``analyst`` None is the custodian, who sees every ledger
    entry and every quota."""
    match table:
        case "budget":
            for population, account in database.budgets.items():
                yield from _list_budget_rows(population, None, account)
        case "ledger":
            yield from _list_ledger_rows(database.ledger, analyst, database.policy.tables)
        case "tables":
            known = database.catalog.tables
            yield from (
                _build_table_row(table) for table in database.policy.tables if table.name in known
            )
        case "column_values":
            for name, entry in database.catalog.tables.items():
                for column in entry.columns:
                    for value in column.values or ():
                        yield {"table": name, "column": column.name, "value": _format_value(value)}
        case "quotas":
            for rule in database.policy.analysts:
                if analyst in (None, rule.name):
                    yield _build_quota_row(rule, database.ledger.state.asked_epsilon(rule.name))
        case _:
            for name, entry in database.catalog.tables.items():
                yield from (
                    _build_column_row(name, column, entry.is_privacy_id(column.name))
                    for column in entry.columns
                )


def _list_budget_rows(
    population: str, part: str | None, account: Balance | DualBalance
) -> Iterator[SystemRow]:
    """Yield a row for each currency of a budget; ``spent`` is NULL where no number bounds it, and
    ``note`` explains a row."""
    lines = (
        {"epsilon": account}
        if isinstance(account, Balance)
        else {name: getattr(account, name) for name in _CURRENCIES}
    )
    for currency, line in lines.items():
        plain = line.to_dict()
        numbers: SystemRow = {
            name: None if plain[name] == "inf" else float(plain[name])
            for name in ("total", "spent", "left")
        }
        notes = ["spent includes questions about the whole table"] if part is not None else []
        if line.spent == math.inf:
            notes.append("closed by Gaussian noise, which has no pure epsilon; see rho")
        elif (
            currency == "rho"
            and isinstance(account, DualBalance)
            and account.epsilon.spent == math.inf
            and account.conversion_delta is not None
        ):
            notes.append(
                f"spent converts to epsilon {format_bound(account.converted_epsilon)} at delta"
                f" {format_bound(account.conversion_delta)}"
            )
        yield {
            "population": population,
            "part": part,
            "currency": currency,
            **numbers,
            "note": "; ".join(notes) or None,
        }
    for partitioned, parts in account.parts.items():
        for name, inner in parts.items():
            yield from _list_budget_rows(population, f"{partitioned} {name}", inner)


def _list_ledger_rows(
    ledger: LedgerBase, analyst: str | None, tables: Sequence[TableRule]
) -> Iterator[SystemRow]:
    """Yield the ledger entries of an analyst; an answer or failure belongs to the analyst of its
    charge. Times are rounded to seconds: finer ones would reveal how long queries ran."""
    whose: dict[int, str] = {}
    by_row = {table.name for table in tables if table.unit == "row"}
    # Aggregates that were never cut or selected.
    whole = {"count(*)", *(f"count(distinct{table.unit})".lower() for table in tables)}
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
            "about": _format_about(body["about"]) if asked else None,
            "charge": charge,
            "note": _RETIRED_NOTE
            if asked and _is_retired(body["about"], by_row, whole)
            else _describe_act(entry.kind, body),
        }


def _describe_act(kind: str, body: Mapping[str, Any]) -> str | None:
    """Describe an act of a custodian: who did it, or the note that was left."""
    if kind == "act":
        about = ", ".join(f"{name} {value}" for name, value in body["about"].items())
        return f"{body['words']}: {about} (by {body['by']})"
    return body["note"] if kind in ("exact", "policy", "adopt") else None


def _is_retired(about: Mapping[str, Any], by_row: set[str], whole: set[str]) -> bool:
    """Return whether the answer to a charge may be one that is not reused since the third form of
    plans."""
    if (
        PLAN_FORM_FIELD in about
        or "aggregates" not in about
        or set(str(about.get("table", "")).split(", ")) <= by_row
    ):
        return False
    # COUNT(*) was cut only beside a sum or a mean, which is listed here as well. An aggregate with
    # bounds for a unit's sum was not cut.
    texts = [str(text).lower().replace(" ", "") for text in about["aggregates"]]
    return any(
        text.startswith(_CAPPED_FUNCTIONS)
        and text not in whole
        and "contribution_bounds_per_group" not in text
        for text in texts
    )


def _format_about(about: Mapping[str, Any]) -> str:
    hidden = (FOLDER_FIELD, PLAN_FORM_FIELD)
    return "; ".join(
        f"{name}: {', '.join(map(str, value)) if isinstance(value, list) else value}"
        for name, value in about.items()
        if name not in hidden
    )


def _build_table_row(table: TableRule) -> SystemRow:
    return {
        "name": table.name,
        "population": table.population,
        "unit_kind": None if table.unit is None else "row" if table.unit == "row" else "id",
        "unit": table.unit_text,
        "neighbours": table.neighbours,
        "public": table.public,
        "version": table.version,
        "max_groups": _read_declared_cap(table, "max_groups"),
        "max_rows_per_group": _read_declared_cap(table, "max_rows_per_group"),
    }


def _read_declared_cap(table: TableRule, name: str) -> int | None:
    cap = table.cap(name)
    return cap if isinstance(cap, int) else None


def _build_column_row(table: str, column: Column, is_unit: bool) -> SystemRow:
    known = column.range
    return {
        "table": table,
        "name": column.name,
        "type": column.type,
        "min": _format_bound(known.low, column.type),
        "max": _format_bound(known.high, column.type),
        "step": None
        if column.type in ("date", "timestamp")
        else _format_bound(known.step, column.type),
        "value_count": None if column.values is None else len(column.values),
        "value_list": _format_value_list(column),
        "is_unit": is_unit,
    }


def _build_quota_row(rule: AnalystRule, spent: Fraction) -> SystemRow:
    """Build the row of an analyst's quota; NULL without one."""
    total = None if rule.max_epsilon is None else float(rule.max_epsilon)
    left = None if rule.max_epsilon is None else float(max(rule.max_epsilon - spent, Fraction(0)))
    return {"analyst": rule.name, "total": total, "spent": float(spent), "left": left}


def _format_value_list(column: Column) -> str | None:
    """Format the values of a column, ready for IN (…)."""
    if column.values is None:
        return None
    shown = [_format_literal(value) for value in column.values[:_MAX_LISTED_VALUES]]
    return ", ".join(shown) + (", …" if len(column.values) > _MAX_LISTED_VALUES else "")


def _format_literal(value: Value) -> str:
    plain = _format_value(value)
    return "'" + plain.replace("'", "''") + "'" if isinstance(value, str | date) else plain


def _format_value(value: Value) -> str:
    if isinstance(value, date):
        return value.isoformat()
    return str(value).lower() if isinstance(value, bool) else str(value)


def _format_bound(value: Fraction | None, type_: Type) -> str | None:
    if value is None:
        return None
    if type_ in ("date", "timestamp"):
        return build_date(int(value), type_).isoformat()
    return str(value.numerator) if value.denominator == 1 else repr(float(value))
