"""The canonical text of a policy: JSON with sorted keys and no spaces, exact numbers as "n/d"
strings. The ledger keeps it for years.

``FORMAT`` names the meaning of the text; later versions must still read it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date, datetime
from fractions import Fraction
from typing import Any, Final, TypeVar

from hedgerow.errors import InvalidArgument
from hedgerow.policy.declared_values import Value
from hedgerow.policy.records import (
    MAX_FAILURES,
    AnalystRule,
    BudgetRule,
    ColumnRule,
    LinkRule,
    PartitionRule,
    TableRule,
)
from hedgerow.policy.toml.document import PolicyParts

__all__ = ["FORMAT", "decode_policy", "encode_policy"]

FORMAT = 1
_LATER_FIELDS = {
    "links": (),
    "unique": (),
    "auto_bounds": False,
    "clipping_epsilon": None,
    "multiline": False,
    "as_of": None,
    "max_join_rows_per_unit": None,
    "max_join_rows_per_key": None,
    "max_epsilon_per_day": None,
    "tables": None,
    "max_length": None,
    "max_pieces": None,
}  # fields that came later, and what they are where a text has none

# Stored key -> attribute. The keys are stored in the ledger for years: renaming an attribute must
# not change one.
_STORED_KEYS: Final[Mapping[type, Mapping[str, str]]] = {
    BudgetRule: {
        "population": "population",
        "epsilon": "epsilon",
        "delta": "delta",
        "default_epsilon": "default_epsilon",
        "default_delta": "default_delta",
        "max_epsilon_per_query": "max_epsilon_per_query",
        "noise": "noise",
        "clipping_epsilon": "clipping_epsilon",
    },
    TableRule: {
        "name": "name",
        "source": "source",
        "public": "public",
        "unit": "unit",
        "neighbours": "neighbours",
        "population": "population",
        "version": "version",
        "max_units": "max_units",
        "max_rows": "max_rows",
        "max_groups": "max_groups",
        "max_rows_per_group": "max_rows_per_group",
        "columns": "columns",
        "partition": "partition",
        "links": "links",
        "unique": "unique",
        "auto_bounds": "auto_bounds",
        "multiline": "multiline",
        "as_of": "as_of",
        "max_join_rows_per_unit": "max_join_rows_per_unit",
        "max_join_rows_per_key": "max_join_rows_per_key",
    },
    AnalystRule: {
        "name": "name",
        "max_epsilon": "max_epsilon",
        "max_epsilon_per_day": "max_epsilon_per_day",
        "tables": "tables",
    },
    ColumnRule: {
        "name": "name",
        "type": "type",
        "low": "low",
        "high": "high",
        "step": "step",
        "values": "values",
        "nullable": "nullable",
        "hidden": "hidden",
        "grain": "grain",
        "max_length": "max_length",
        "max_pieces": "max_pieces",
    },
    PartitionRule: {
        "column": "column",
        "max_parts_per_unit": "max_parts_per_unit",
    },
    LinkRule: {
        "column": "column",
        "table": "table",
        "key": "key",
    },
}

PolicyRecord = TypeVar(
    "PolicyRecord", BudgetRule, TableRule, AnalystRule, ColumnRule, PartitionRule, LinkRule
)


def encode_policy(parts: PolicyParts) -> str:
    """Encode a policy canonically; tables, columns and budgets are sorted by name, since their
    order means nothing.
    """
    body: dict[str, object] = {
        "format": FORMAT,
        "name": parts.name,
        "engine": parts.engine,
        "ledger": parts.ledger,
        "budgets": [
            _encode_record(rule) for rule in sorted(parts.budgets, key=lambda rule: rule.population)
        ],
        "tables": [
            _encode_record(rule) for rule in sorted(parts.tables, key=lambda rule: rule.name)
        ],
        "analysts": [
            _encode_record(rule) for rule in sorted(parts.analysts, key=lambda rule: rule.name)
        ],
    }
    # a later line: without it, a policy has the text and the digest that it always had
    if parts.max_failures != MAX_FAILURES:
        body["max_failures"] = parts.max_failures
    return json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def _encode_record(
    rule: BudgetRule | TableRule | AnalystRule | ColumnRule | PartitionRule | LinkRule,
) -> dict[str, object]:
    """Encode a record; a field of a later version only where it is set, so that older policies keep
    their text and digest.
    """
    stored = {key: getattr(rule, name) for key, name in _STORED_KEYS[type(rule)].items()}
    return {
        key: _encode_value(value)
        for key, value in stored.items()
        if key not in _LATER_FIELDS or value != _LATER_FIELDS[key]
    }


def _encode_value(value: object) -> object:
    if isinstance(value, (ColumnRule, PartitionRule, LinkRule)):
        return _encode_record(value)
    if isinstance(value, tuple):
        if value and isinstance(value[0], ColumnRule):
            return [
                _encode_record(column)
                for column in sorted(value, key=lambda column: str(column.name))
            ]
        return [_encode_value(item) for item in value]
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    return value.isoformat() if isinstance(value, date) else value


def decode_policy(text: str) -> PolicyParts:
    """Decode the text of ``encode_policy``; refuse any other text."""
    try:
        body = json.loads(text)
        if body["format"] != FORMAT:
            raise InvalidArgument(
                "policy text",
                f"must have format {FORMAT}; a newer Hedgerow may have written it",
                body["format"],
            )
        return PolicyParts(
            name=body["name"],
            engine=body["engine"],
            ledger=body["ledger"],
            budgets=tuple(_decode_budget(item) for item in body["budgets"]),
            tables=tuple(_decode_table(item) for item in body["tables"]),
            analysts=tuple(_decode_analyst(item) for item in body["analysts"]),
            max_failures=body.get("max_failures", MAX_FAILURES),
        )
    except InvalidArgument:
        raise
    except (ValueError, TypeError, KeyError, AttributeError, ZeroDivisionError) as error:
        raise InvalidArgument("policy text", "is not the canonical text of a policy") from error


def _decode_fields(
    item: Mapping[str, Any], kind: type[PolicyRecord], *numbers: str
) -> dict[str, Any]:
    """Check that a record has exactly the stored fields, and decode the named ones as exact
    numbers.
    """
    names = _STORED_KEYS[kind]
    later: dict[str, Any] = {key: _LATER_FIELDS[key] for key in names if key in _LATER_FIELDS}
    item = later | dict(item)
    if set(item) != set(names):
        raise InvalidArgument("policy text", "must have the fields that this version reads")
    return {
        names[key]: Fraction(value) if key in numbers and value is not None else value
        for key, value in item.items()
    }


def _decode_budget(item: Mapping[str, Any]) -> BudgetRule:
    return BudgetRule(
        **_decode_fields(
            item,
            BudgetRule,
            "epsilon",
            "delta",
            "default_epsilon",
            "default_delta",
            "max_epsilon_per_query",
            "clipping_epsilon",
        )
    )


def _decode_analyst(item: Mapping[str, Any]) -> AnalystRule:
    found = _decode_fields(item, AnalystRule, "max_epsilon", "max_epsilon_per_day")
    if found["tables"] is not None:
        found["tables"] = tuple(found["tables"])
    return AnalystRule(**found)


def _decode_table(item: Mapping[str, Any]) -> TableRule:
    found = _decode_fields(item, TableRule)
    found["links"] = tuple(LinkRule(**_decode_fields(link, LinkRule)) for link in found["links"])
    found["unique"] = tuple(tuple(names) for names in found["unique"])
    if found["as_of"] is not None:
        kind = datetime if "T" in found["as_of"] else date
        found["as_of"] = kind.fromisoformat(found["as_of"])
    found["columns"] = tuple(_decode_column(column) for column in item["columns"])
    if item["partition"] is not None:
        found["partition"] = PartitionRule(**_decode_fields(item["partition"], PartitionRule))
    return TableRule(**found)


def _decode_column(item: Mapping[str, Any]) -> ColumnRule:
    found = _decode_fields(item, ColumnRule, "low", "high", "step")
    if item["values"] is not None:
        found["values"] = tuple(_decode_value(value, item["type"]) for value in item["values"])
    return ColumnRule(**found)


def _decode_value(value: Any, kind: str) -> Value:
    if kind == "real":
        return Fraction(value)
    found: Value = date.fromisoformat(value) if kind == "date" else value
    return found
