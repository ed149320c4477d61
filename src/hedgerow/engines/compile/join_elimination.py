"""Skipping the owner lookup of a join whose key already is the owner link.

A row with a foreign key belongs to the units of its parents. If it is joined with its parents by
that very key, unit by unit, it meets exactly the parents with its key, and each of these already
says that the row also belongs to its unit. Looking the parents up first would take longer than the
join.
"""

from __future__ import annotations

from hedgerow.plan.nodes import Filter, Join, Project, RelationNode, Table, UnitAggregation
from hedgerow.plan.scalar.expressions import ColumnRef
from hedgerow.plan.schema import Link

__all__ = ["joins_through_link"]


def joins_through_link(join: Join) -> bool:
    """Return whether every row of ``join.other`` only meets its own parents, or rows derived from
    one of them for the same unit.
    """
    for own, theirs in join.on:
        link = _find_link(join.other, theirs)
        if link is not None and _is_parent_key(join.source, own, link):
            return True
    return False


def _find_link(rows: RelationNode, name: str) -> Link | None:
    """Return the link of a column that is passed on unchanged and alone decides the owners; else
    None.
    """
    match rows:
        case Table(schema=schema):
            link = schema.link if schema.partition is None else None
            return link if link is not None and link.column == name else None
        case Filter(source=source):
            return _find_link(source, name)
        case Project(source=source, outputs=outputs):
            value = dict(outputs)[name]
            return _find_link(source, value.column) if isinstance(value, ColumnRef) else None
        case UnitAggregation(source=source, keys=keys):
            return _find_link(source, name) if name in keys else None
    return None


def _is_parent_key(rows: RelationNode, name: str, link: Link) -> bool:
    """Return whether a column is the key of a parent's row of the same unit.

    Where it is NULL it matches nothing.
    """
    match rows:
        case Table(schema=schema):
            parent = link.parent
            same = (schema.table, schema.version, schema.unit, schema.link) == (
                parent.table,
                parent.version,
                parent.unit,
                parent.link,
            )
            return same and name == link.key and schema.column(name) == parent.column(name)
        case Filter(source=source):
            return _is_parent_key(source, name, link)
        case Project(source=source, outputs=outputs):
            value = dict(outputs)[name]
            return isinstance(value, ColumnRef) and _is_parent_key(source, value.column, link)
        case UnitAggregation(source=source, keys=keys):
            return name in keys and _is_parent_key(source, name, link)
        case Join(source=source, other=other, added_columns=adds):
            added = dict(adds)
            if name not in added:
                return _is_parent_key(source, name, link)
            return other.unit is not None and _is_parent_key(other, added[name], link)
    return False
