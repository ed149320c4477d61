"""Where rows have gone the way to their unit already, those that they meet need not go it again.

A row of a table with a link belongs to the units of its parents. Joined to its parents by that very
link, unit by unit, it meets exactly the parents' rows with its key: each of them says by itself
that the row is also of its unit. So the parents need not be looked up first, which takes longer
than the join.
"""

from __future__ import annotations

from hedgerow.plan.nodes import Filter, Join, Project, RelationNode, Table, UnitAggregation
from hedgerow.plan.scalar.expressions import ColumnRef
from hedgerow.plan.schema import Link

__all__ = ["joins_through_link"]


def joins_through_link(join: Join) -> bool:
    """Whether every row of ``join.other`` meets only rows that are one of its parents, or come
    from one, and are of that one's unit.
    """
    for own, theirs in join.on:
        link = _find_link(join.other, theirs)
        if link is not None and _is_parent_key(join.source, own, link):
            return True
    return False


def _find_link(rows: RelationNode, name: str) -> Link | None:
    """The link whose column this is, unchanged, and by which alone the rows are told apart; None
    where it is none.
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
    """Whether this is the key of a row of the parent's that is of the same unit; where it is
    NULL it meets nothing.
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
