"""The catalog that questions are read against: the policy's declarations applied to the columns
of the sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction
from typing import Final, cast

from hedgerow.engines.data_source import PhysicalColumn
from hedgerow.engines.duckdb.tables.inspect import ColumnSummary
from hedgerow.errors import SourceError
from hedgerow.plan.composite_ids import list_id_columns
from hedgerow.plan.measures import Truncation
from hedgerow.plan.schema import Column, Link, Partition, Schema
from hedgerow.plan.values import Type, Value, number_date
from hedgerow.policy import ColumnRule, Policy, TableRule
from hedgerow.policy.from_frame import FRAME_SOURCE
from hedgerow.sql.catalog import CAPS, Catalog, TableEntry, find_closest_name

__all__ = ["build_catalog", "build_schema"]


_PYTHON_TYPES: Final[Mapping[str, type]] = {
    "boolean": bool,
    "integer": int,
    "real": float,
    "text": str,
    "date": date,
}
PhysicalColumns = Mapping[str, Sequence[PhysicalColumn]]


def build_catalog(
    policy: Policy,
    physical: PhysicalColumns,
    public: Mapping[str, Mapping[str, ColumnSummary]] | None = None,
    digests: Mapping[str, str] | None = None,
) -> Catalog:
    """Build the catalog of all tables of a policy.

    ``physical`` has the columns of each table. ``public`` summarises the public tables, whose
    values need not be declared. ``digests`` of public tables are part of their versions, because a
    question about other contents is another question.
    """
    return Catalog(
        {
            table.name: _build_entry(
                policy,
                table,
                physical,
                (public or {}).get(table.name, {}),
                (digests or {}).get(table.name),
            )
            for table in policy.tables
        },
        policy.name,
    )


def _build_entry(
    policy: Policy,
    table: TableRule,
    physical: PhysicalColumns,
    public: Mapping[str, ColumnSummary],
    digest: str | None,
) -> TableEntry:
    schema = build_schema(policy, table, physical)
    if table.unit is None:
        version = schema.version if digest is None else f"{schema.version} {digest}"
        columns = tuple(
            _add_public_range(column, table, public.get(column.name)) for column in schema.columns
        )
        schema = replace(schema, version=version, columns=columns)
    return TableEntry(
        schema,
        hidden=frozenset(rule.name for rule in table.columns if rule.hidden),
        **{name: cap for name in CAPS if isinstance(cap := table.cap(name), int)},
        unique=table.unique,
        population=table.population or "",
        auto_bounds=table.auto_bounds,
        as_of=table.as_of,
        undeclared_caps=tuple(
            name for name in CAPS if table.population and not isinstance(table.cap(name), int)
        ),
        missing_caps=tuple(name for name in CAPS if table.population and table.cap(name) is None),
        join_caps=(
            None
            if table.max_join_rows_per_key is None
            else Truncation(table.max_join_rows_per_unit or 1, table.max_join_rows_per_key)
        ),
        in_frame=table.source == FRAME_SOURCE,
        max_lengths={
            rule.name: rule.max_length for rule in table.columns if rule.max_length is not None
        },
        real_steps={name: one.step for name, one in public.items() if one.step is not None},
        max_pieces={
            rule.name: rule.max_pieces for rule in table.columns if rule.max_pieces is not None
        },
    )


def build_schema(policy: Policy, table: TableRule, physical: PhysicalColumns) -> Schema:
    """Build the schema of a table: columns of the six types that are not hidden, and hidden ones
    that lead to the privacy unit."""
    here = physical[table.name]
    leading = _list_owner_columns(policy, table)
    _check_columns_exist(
        table,
        [
            *(rule.name for rule in table.columns),
            *leading,
            *(name for key in table.unique for name in key),
        ],
        here,
    )
    shown = {name.casefold() for name in leading}
    if any(len(list_id_columns(column.name)) > 1 for column in here if table.unit == column.name):
        raise SourceError(
            f"Table {table.name!r} has a column that is called like its unit, {table.unit}. Rename"
            " the column."
        )
    columns = [
        _build_column(table.column(column.name), column, column.name.casefold() in shown)
        for column in here
    ]
    return Schema(
        table.name,
        tuple(column for column in columns if column is not None),
        table.unit,
        table.version,
        _build_link(policy, table, physical),
        _build_partition(table),
        table.max_units,
    )


def _check_columns_exist(
    table: TableRule, named: Sequence[str], here: Sequence[PhysicalColumn]
) -> None:
    """Refuse declared columns that the source lacks, all at once, with the closest name of each."""
    names = {column.name.casefold() for column in here}
    missing = list(dict.fromkeys(name for name in named if name.casefold() not in names))
    if not missing:
        return
    free = [
        column.name
        for column in here
        if column.name.casefold() not in {name.casefold() for name in named}
    ]
    described = []
    for name in missing:
        close = find_closest_name(name, free)
        described.append(f"{name!r} (did you mean {close!r}?)" if close else repr(name))
    mixed = " Columns of a frame with mixed types are not read: convert them to one type."
    raise SourceError(
        f"The source of table {table.name!r} has no column {' and no column '.join(described)},"
        " which the policy declares. Correct the policy. The columns are"
        f" {', '.join(column.name for column in here)}."
        f"{mixed if table.source == FRAME_SOURCE else ''}"
    )


def _list_owner_columns(policy: Policy, table: TableRule) -> list[str]:
    """List the columns that lead to the privacy unit of this table or of tables linked to it."""
    owned = table.unit not in (None, "row") and table.link is None
    here = list_id_columns(str(table.unit)) if owned else ()
    first = [] if table.link is None else [table.link.column]
    keys = [
        other.link.key
        for other in policy.tables
        if other.link is not None and other.link.table == table.name
    ]
    return [*here, *first, *keys]


def _build_link(policy: Policy, table: TableRule, physical: PhysicalColumns) -> Link | None:
    if table.link is None:
        return None
    parent = policy.table(table.link.table)
    assert parent is not None  # the policy checks its links
    return Link(table.link.column, build_schema(policy, parent, physical), table.link.key)


def _build_partition(table: TableRule) -> Partition | None:
    """Build the partition of a table; None where it limits nothing."""
    rule = table.partition
    if rule is None or table.unit == "row" or rule.max_parts_per_unit >= len(table.parts):
        return None
    return Partition(rule.column, rule.max_parts_per_unit)


def _add_public_range(column: Column, table: TableRule, public: ColumnSummary | None) -> Column:
    """Add the range of a public column that the policy leaves open: it may declare its type."""
    rule = table.column(column.name)
    if public is None or (rule is not None and _declares_values(rule, column, public)):
        return column
    values = None if public.values is None or column.type == "real" else public.values
    if column.type in ("text", "boolean") or public.low is None or public.high is None:
        return replace(column, values=values)
    ends = [number_date(end) if isinstance(end, date) else end for end in (public.low, public.high)]
    # NaN and infinity fail this as well.
    if not all(isinstance(end, int | float) and abs(end) < 2**60 for end in ends):
        return replace(column, values=values)
    if values is not None:
        return replace(column, values=values)
    return replace(column, low=Fraction(ends[0]), high=Fraction(ends[1]))


def _declares_values(rule: ColumnRule, column: Column, public: ColumnSummary) -> bool:
    """Return whether a policy says more about a public column than the type of its data."""
    declared = (rule.low, rule.high, rule.step, rule.values)
    found = [value for value in (public.low, public.high) if value is not None]
    same = all(type(value) is _PYTHON_TYPES[column.type] for value in found)
    return any(part is not None for part in declared) or rule.grain != "day" or not same


def _build_column(rule: ColumnRule | None, physical: PhysicalColumn, leads: bool) -> Column | None:
    if rule is None:
        return None if physical.type is None else Column(physical.name, physical.type)
    type_ = cast(Type | None, rule.type) or physical.type
    if (rule.hidden and not leads) or type_ is None:
        return None
    low, high, values = rule.low, rule.high, rule.values
    # Reals cannot be keys; a list of them gives their range.
    if type_ == "real" and values is not None:
        numbers = [Fraction(value) for value in values if not isinstance(value, (str, date))]
        low, high, values = min(numbers), max(numbers), None
    return Column(
        rule.name, type_, low, high, rule.step, cast(tuple[Value, ...] | None, values), rule.grain
    )
