"""What analysts may speak of: the policy's declarations laid over the columns that the sources have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from fractions import Fraction
from typing import cast

from hedgerow.engines.source import PhysicalColumn
from hedgerow.errors import SourceError
from hedgerow.plan.schema import Column, Schema
from hedgerow.plan.values import Type, Value
from hedgerow.policy import ColumnRule, Policy, TableRule
from hedgerow.sql.catalog import Catalog, TableEntry

__all__ = ["catalog_of", "schema_of"]


def catalog_of(policy: Policy, physical: Mapping[str, Sequence[PhysicalColumn]]) -> Catalog:
    """Every table of the policy as the questions see it; ``physical`` has the columns of each."""
    return Catalog({table.name: _entry(table, physical[table.name]) for table in policy.tables})


def _entry(table: TableRule, physical: Sequence[PhysicalColumn]) -> TableEntry:
    return TableEntry(schema_of(table, physical), max_groups=table.max_groups or 1, max_rows_per_group=table.max_rows_per_group or 1)


def schema_of(table: TableRule, physical: Sequence[PhysicalColumn]) -> Schema:
    """The columns that may be read: all that are not hidden and have one of the five types."""
    names = {column.name.casefold() for column in physical}
    for name in [*(rule.name for rule in table.columns), *([table.unit] if table.unit not in (None, "row") else [])]:
        if name is not None and name.casefold() not in names:
            raise SourceError(f"The source of table {table.name!r} has no column {name!r}; the policy says that it has.")
    columns = [_column(table.column(column.name), column) for column in physical]
    return Schema(table.name, tuple(column for column in columns if column is not None), table.unit, table.version)


def _column(rule: ColumnRule | None, physical: PhysicalColumn) -> Column | None:
    if rule is None:
        return None if physical.type is None else Column(physical.name, physical.type)
    type_ = cast(Type | None, rule.type) or physical.type
    if rule.hidden or type_ is None:
        return None
    low, high, values = rule.low, rule.high, rule.values
    if type_ == "real" and values is not None:  # reals are no keys; a list of them says between which they lie
        numbers = [Fraction(value) for value in values if not isinstance(value, (str, date))]
        low, high, values = min(numbers), max(numbers), None
    return Column(rule.name, type_, low, high, rule.step, cast(tuple[Value, ...] | None, values), rule.grain)
