"""One text for one policy: JSON with sorted keys and no spaces, exact numbers as "n/d" strings. The ledger keeps it for years.

``FORMAT`` names the meaning of the text; a later one must still read it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from datetime import date
from fractions import Fraction
from typing import Any, TypeVar

from hedgerow.errors import InvalidArgument
from hedgerow.policy.document import Parts
from hedgerow.policy.rules import MAX_FAILURES, AnalystRule, BudgetRule, ColumnRule, LinkRule, PartitionRule, TableRule
from hedgerow.policy.values import Value

__all__ = ["FORMAT", "from_text", "to_text"]

FORMAT = 1
_LATER = {
    "links": (),
    "unique": (),
    "auto_bounds": False,
    "multiline": False,
}  # fields that came later, and what they are where a text has none

Rule = TypeVar("Rule", BudgetRule, TableRule, AnalystRule, ColumnRule, PartitionRule, LinkRule)


def to_text(parts: Parts) -> str:
    """The canonical text; tables, columns and budgets in the order of their names, because the order in a file means nothing."""
    body: dict[str, object] = {
        "format": FORMAT,
        "name": parts.name,
        "engine": parts.engine,
        "ledger": parts.ledger,
        "budgets": [_plain(rule) for rule in sorted(parts.budgets, key=lambda rule: rule.population)],
        "tables": [_plain(rule) for rule in sorted(parts.tables, key=lambda rule: rule.name)],
        "analysts": [_plain(rule) for rule in sorted(parts.analysts, key=lambda rule: rule.name)],
    }
    if parts.max_failures != MAX_FAILURES:  # a later line: without it, a policy has the text and the digest that it always had
        body["max_failures"] = parts.max_failures
    return json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def _plain(rule: BudgetRule | TableRule | AnalystRule | ColumnRule | PartitionRule | LinkRule) -> dict[str, object]:
    """A later field is written only where it says something: a policy without it has the text and the digest that it always had."""
    found = {field.name: getattr(rule, field.name) for field in fields(rule)}
    return {name: _value(value) for name, value in found.items() if name not in _LATER or value != _LATER[name]}


def _value(value: object) -> object:
    if isinstance(value, (ColumnRule, PartitionRule, LinkRule)):
        return _plain(value)
    if isinstance(value, tuple):
        if value and isinstance(value[0], ColumnRule):
            return [_plain(column) for column in sorted(value, key=lambda column: str(column.name))]
        return [_value(item) for item in value]
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    return value.isoformat() if isinstance(value, date) else value


def from_text(text: str) -> Parts:
    """The parts that ``to_text`` wrote; InvalidArgument for anything else."""
    try:
        body = json.loads(text)
        if body["format"] != FORMAT:
            raise InvalidArgument("policy text", f"must have format {FORMAT}; a newer Hedgerow may have written it", body["format"])
        return Parts(
            name=body["name"],
            engine=body["engine"],
            ledger=body["ledger"],
            budgets=tuple(_budget(item) for item in body["budgets"]),
            tables=tuple(_table(item) for item in body["tables"]),
            analysts=tuple(AnalystRule(**_exactly(item, AnalystRule, "max_epsilon")) for item in body["analysts"]),
            max_failures=body.get("max_failures", MAX_FAILURES),
        )
    except InvalidArgument:
        raise
    except (ValueError, TypeError, KeyError, AttributeError, ZeroDivisionError) as error:
        raise InvalidArgument("policy text", "is not the canonical text of a policy") from error


def _exactly(item: Mapping[str, Any], kind: type[Rule], *numbers: str) -> dict[str, Any]:
    """The fields of a record, no more and no fewer, with the named ones as exact numbers."""
    if set(item) != {field.name for field in fields(kind)}:
        raise InvalidArgument("policy text", f"has other fields than a {kind.__name__}")
    return {key: Fraction(value) if key in numbers and value is not None else value for key, value in item.items()}


def _budget(item: Mapping[str, Any]) -> BudgetRule:
    return BudgetRule(**_exactly(item, BudgetRule, "epsilon", "delta", "default_epsilon", "default_delta", "max_epsilon_per_query"))


def _table(item: Mapping[str, Any]) -> TableRule:
    found = _exactly({**_LATER, **item}, TableRule)
    found["links"] = tuple(LinkRule(**_exactly(link, LinkRule)) for link in found["links"])
    found["unique"] = tuple(tuple(names) for names in found["unique"])
    found["columns"] = tuple(_column(column) for column in item["columns"])
    if item["partition"] is not None:
        found["partition"] = PartitionRule(**_exactly(item["partition"], PartitionRule))
    return TableRule(**found)


def _column(item: Mapping[str, Any]) -> ColumnRule:
    found = _exactly(item, ColumnRule, "low", "high", "step")
    if item["values"] is not None:
        found["values"] = tuple(_read(value, item["type"]) for value in item["values"])
    return ColumnRule(**found)


def _read(value: Any, kind: str) -> Value:
    if kind == "real":
        return Fraction(value)
    found: Value = date.fromisoformat(value) if kind == "date" else value
    return found
