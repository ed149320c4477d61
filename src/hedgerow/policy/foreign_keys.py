"""Units that are reached through foreign keys: how the way is written, and what may be wrong with
it.

    unit = "order_id -> orders.order_id, orders.customer_id"
    unit = "item_id -> items.id, items.order_id -> orders.order_id, orders.customer_id"

Read: what ``order_id`` holds is looked up in ``orders.order_id``, and there ``customer_id`` says
who it is; or where to look next. The rest of the way must be the declared unit of the table that it
goes through, so that one table never has two owners of a row.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from hedgerow.errors import InvalidArgument
from hedgerow.policy.mistake import KeyPath, Mistake
from hedgerow.policy.records import ColumnRule, LinkRule, TableRule

__all__ = ["check_links", "parse_unit"]

_STEP = re.compile(r"\s*(\w+)\.(\w+)\s*,\s*(\w+)\.(\w+)\s*")
_EXAMPLE = 'must look like "order_id -> orders.order_id, orders.customer_id"'
_NUMERIC_TYPES = {"integer", "real"}


def parse_unit(text: str, key: str) -> tuple[str, tuple[LinkRule, ...]]:
    """The id column, and the way to it; no way where the text names a column, or "row"."""
    if "->" not in text:
        return text, ()
    first, *steps = text.split("->")
    column, links = first.strip(), list[LinkRule]()
    for step in steps:
        found = _STEP.fullmatch(step)
        if not found or not re.fullmatch(r"\w+", column):
            raise InvalidArgument(key, _EXAMPLE, text)
        table, target, again, following = found.groups()
        if table != again:
            raise InvalidArgument(
                key,
                f"must go on from the table that it leads to: write {table}.{following}, not"
                f" {again}.{following}",
                text,
            )
        links.append(LinkRule(column, table, target))
        column = following
    if column == "row":
        raise InvalidArgument(key, "must end in the id column of a table, not in rows", text)
    return column, tuple(links)


def check_links(tables: tuple[TableRule, ...], unread: Collection[str] = ()) -> Iterator[Mistake]:
    """Between tables. ``unread`` names those that have mistakes of their own: nothing is said
    about ways through them.
    """
    known = {table.name.casefold(): table for table in tables}
    for table in tables:
        if table.link is None or table.link.table.casefold() in {
            name.casefold() for name in unread
        }:
            continue
        place, through = ("tables", table.name, "unit"), table.link.table
        parent = known.get(through.casefold())
        if parent is None:
            yield Mistake(
                place,
                f"there is no table {through!r} here: add [tables.{through}], or mend the name",
            )
        elif parent.name != through:
            yield Mistake(
                place,
                f"the table is called {parent.name!r}, not {through!r}: write it as it is declared",
            )
        else:
            yield from _check_link(table, table.link, parent, place)


def _check_link(
    table: TableRule, link: LinkRule, parent: TableRule, place: KeyPath
) -> Iterator[Mistake]:
    name = repr(parent.name)
    if table.name.casefold() in {
        parent.name.casefold(),
        *(step.table.casefold() for step in parent.links),
    }:
        yield Mistake(
            place,
            f"the way through {name} leads back to {table.name!r}: go through another table, or"
            " name an id column",
        )
    elif parent.unit is None:
        yield Mistake(
            place,
            f"{name} is public and protects nobody: go through a protected table, or declare the"
            f" unit of {name}",
        )
    elif parent.unit == "row":
        yield Mistake(place, f"the rows of {name} have no id: give {name} an id column as its unit")
    elif parent.population != table.population:
        fix = f"{name} is about {parent.population!r}, this one about {table.population!r}"
        yield Mistake(
            place, f"a table and those on the way to its unit must share one population: {fix}"
        )
    elif (parent.links, parent.unit) != (table.links[1:], table.unit):
        right = TableRule(table.name, "", unit=parent.unit, links=(link, *parent.links)).unit_text
        yield Mistake(
            place, f'the way must go on as {name} declares its unit: write unit = "{right}"'
        )
    else:
        yield from _check_key_column(table.column(link.column), table, link.column)
        yield from _check_key_column(parent.column(link.key), parent, link.key)
        types = [
            rule and rule.type for rule in (table.column(link.column), parent.column(link.key))
        ]
        if None not in types and types[0] != types[1] and not set(types) <= _NUMERIC_TYPES:
            told = f"{link.column!r} is {types[0]}, {link.key!r} of {name} is {types[1]}"
            yield Mistake(place, f"the two columns of a link must have one type: {told}")


def _check_key_column(rule: ColumnRule | None, table: TableRule, name: str) -> Iterator[Mistake]:
    """A column that says whose a row is must be read as it is: bounds or a list would make
    strangers one. It may be hidden.
    """
    if rule is not None and (
        (rule.low, rule.high, rule.step) != (None, None, None)
        or (rule.values is not None and rule.type != "boolean")
    ):
        yield Mistake(
            ("tables", table.name, "columns", name),
            f"the column {rule.name!r} leads to the unit: give it a type at most",
        )
