"""The writer of policy files: a page of TOML with a comment on each line, which reads back as the
same policy.

``hedgerow init`` writes such pages. Numbers are written exactly, or not at all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import date
from decimal import Context, Decimal
from fractions import Fraction

from hedgerow.errors import InvalidArgument
from hedgerow.plan.values import build_date
from hedgerow.policy.declared_values import GRANULARITIES, Value, read_values
from hedgerow.policy.from_frame import FRAME_SOURCE
from hedgerow.policy.policy import Policy
from hedgerow.policy.records import (
    DEFAULT_POPULATION,
    MAX_FAILURES,
    ColumnRule,
    TableRule,
)
from hedgerow.policy.toml.column_reader import compute_default_step

__all__ = ["write_policy"]

_DECIMAL_CONTEXT = Context(prec=4000)
_BUDGET_KEYS = (
    "epsilon",
    "delta",
    "default_epsilon",
    "default_delta",
    "max_epsilon_per_query",
    "noise",
    "clipping_epsilon",
)
_COMMENTS = {
    "engine": "the data stay in files; DuckDB reads them",
    "ledger": "relative to this file; records what was spent",
    "max_failures": "failed queries after which an analyst is blocked",
    "epsilon": "the total budget of these people",
    "delta": "the probability that the guarantee fails",
    "default_epsilon": "for a query that names none",
    "default_delta": "for a query that names none",
    "max_epsilon_per_query": "the most that one query may spend",
    "clipping_epsilon": "measures once for each data version what the caps cut off",
    "noise": 'or "gaussian" (only with delta), or "best"',
    "source": "relative to this file",
    "unit": 'who is protected: an id column, or "row"',
    "neighbours": 'or "change-one"',
    "population": "tables about the same people share one budget",
    "version": "change it when the data change",
    "max_units": "public upper bounds, not counts of these data",
    "max_groups": "groups that one unit may be in, per answer",
    "max_rows_per_group": "rows of one unit that count in a group",
    "max_join_rows_per_unit": "rows of one unit that may meet rows of others in a join",
    "max_join_rows_per_key": "of these, rows with the same join key",
    "max_parts_per_unit": "a unit in k parts pays for up to k of them",
    "public": "protects nobody",
    "unique": "columns that no two rows share",
    "as_of": "what CURRENT_DATE and CURRENT_TIMESTAMP mean",
    "multiline": "quoted values may contain line breaks",
    "auto_bounds": "undeclared bounds are found privately, and charged",
    "max_epsilon": "a quota within the budget",
}


def write_policy(policy: Policy) -> str:
    """Write a policy as TOML; refuse the policy of a frame in memory, whose source is not
    a file.
    """
    if policy.ledger is None or any(table.source == FRAME_SOURCE for table in policy.tables):
        raise InvalidArgument(
            "policy", "of a frame in memory cannot be written: save the data as a file first"
        )
    used = {table.population for table in policy.tables} | {DEFAULT_POPULATION}
    main = next((rule for rule in policy.budgets if rule.population in used), None)
    failures = None if policy.max_failures == MAX_FAILURES else policy.max_failures
    lines: list[tuple[str, object]] = [
        ("name", policy.name),
        ("engine", policy.engine),
        ("ledger", policy.ledger),
    ]
    blocks = [_format_section("[database]", [*lines, ("max_failures", failures)])]
    blocks += [
        _format_section(
            "[budget]" if rule is main else f"[budgets.{_format_key(rule.population)}]",
            [(key, getattr(rule, key)) for key in _BUDGET_KEYS],
        )
        for rule in policy.budgets
    ]
    for table in policy.tables:
        blocks.extend(_format_table(table))
    blocks += [
        _format_section(
            f"[analysts.{_format_key(rule.name)}]",
            [
                ("tables", None if rule.tables is None else list(rule.tables)),
                ("max_epsilon_per_day", rule.max_epsilon_per_day),
                ("max_epsilon", rule.max_epsilon),
            ],
        )
        for rule in policy.analysts
    ]
    return "\n".join(blocks)


def _format_section(header: str, lines: list[tuple[str, object]]) -> str:
    kept = [
        (_format_key(key), _format_value(value), _COMMENTS.get(key))
        for key, value in lines
        if value is not None
    ]
    wide = max((len(key) for key, _, _ in kept), default=0)
    far = max((len(text) for _, text, comment in kept if comment), default=0)
    rows = [
        f"{key:<{wide}} = " + (f"{text:<{far}}  # {comment}" if comment else text)
        for key, text, comment in kept
    ]
    return "\n".join([header, *rows]) + "\n"


def _format_table(rule: TableRule) -> Iterator[str]:
    header = f"tables.{_format_key(rule.name)}"
    keys = ["source", "public"] if rule.public else ["source", "unit", "neighbours", "population"]
    keys += ["version", "max_units", "max_rows"] + (
        [] if rule.unit == "row" else ["max_groups", "max_rows_per_group"]
    )
    lines: list[tuple[str, object]] = [
        (key, _list_unit(rule) if key == "unit" else getattr(rule, key)) for key in keys
    ]
    lines += [
        ("unique", _format_unique(rule.unique)),
        ("auto_bounds", rule.auto_bounds or None),
        ("multiline", rule.multiline or None),
        ("as_of", rule.as_of),
        ("max_join_rows_per_unit", rule.max_join_rows_per_unit),
        ("max_join_rows_per_key", rule.max_join_rows_per_key),
    ]
    yield _format_section(f"[{header}]", lines)
    if rule.columns:
        wide = max(len(_format_key(column.name)) for column in rule.columns)
        yield (
            "\n".join(
                [
                    f"[{header}.columns]",
                    *(
                        f"{_format_key(column.name):<{wide}} = {_format_column(column)}"
                        for column in rule.columns
                    ),
                ]
            )
            + "\n"
        )
    if rule.partition is not None:
        lines = [
            ("column", rule.partition.column),
            ("max_parts_per_unit", rule.partition.max_parts_per_unit),
        ]
        yield _format_section(f"[{header}.partition]", lines)


def _list_unit(rule: TableRule) -> str | list[str] | None:
    """Return the unit as TOML has it: columns that identify one together are a list."""
    several = len(rule.unit_columns) > 1 and not rule.links
    return list(rule.unit_columns) if several else rule.unit_text


def _format_unique(keys: tuple[tuple[str, ...], ...]) -> list[object] | None:
    return (list(keys[0]) if len(keys) == 1 else [list(names) for names in keys]) if keys else None


def _format_column(rule: ColumnRule) -> str:
    if rule.hidden:
        return "{ hidden = true }"
    parts: list[tuple[str, str]] = []
    values = None if rule.type == "boolean" and rule.values == (False, True) else rule.values
    if values is None or rule.low is not None or rule.type not in {"text", "integer", "boolean"}:
        parts.append(("type", _format_value(rule.type)))
    if rule.low is not None and rule.high is not None:
        ends: list[object] = [rule.low, rule.high]
        if rule.type == "timestamp":
            ends = [build_date(int(end), "timestamp") for end in (rule.low, rule.high)]
        parts += zip(("min", "max"), map(_format_value, ends), strict=True)
        if rule.step is not None and rule.step != compute_default_step(
            rule.type, rule.low, rule.high
        ):
            parts.append(("step", _format_value(rule.step)))
    if values is not None:
        parts.append(("values", _format_values(rule, values)))
    for key in ("max_length", "max_pieces"):
        if getattr(rule, key) is not None:
            parts.append((key, str(getattr(rule, key))))
    return "{ " + ", ".join(f"{key} = {text}" for key, text in parts) + " }"


def _format_values(rule: ColumnRule, values: tuple[Value, ...]) -> str:
    spelt = [
        value.isoformat()[: GRANULARITIES[rule.grain]] if isinstance(value, date) else value
        for value in values
    ]
    if len(values) > 3 and rule.type in {"date", "integer"}:
        text = f"{spelt[0]} … {spelt[-1]}"
        if _is_range_of(text, rule.type, values):
            return _format_value(text)
    return (
        "["
        + ", ".join(_format_value(value) for value in (values if rule.grain == "day" else spelt))
        + "]"
    )


def _is_range_of(text: str, kind: str, values: tuple[Value, ...]) -> bool:
    try:
        return read_values(text, kind)[1] == values
    except InvalidArgument:  # the values do not even run forwards
        return False


def _format_key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _format_value(name)


def _format_value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Fraction):
        return _format_number(value)
    if isinstance(value, int):
        return f"{value:_}" if abs(value) >= 10_000 else str(value)
    if isinstance(value, date):
        return value.isoformat()
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _format_number(value: Fraction) -> str:
    if value.denominator == 1:
        return _format_value(value.numerator)
    decimal = _DECIMAL_CONTEXT.divide(Decimal(value.numerator), Decimal(value.denominator))
    if Fraction(decimal) != value:
        raise InvalidArgument(
            "policy", "has a number without an exact decimal form; round it", str(value)
        )
    return str(decimal.normalize(_DECIMAL_CONTEXT)).replace("E", "e")
