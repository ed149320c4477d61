"""The unit of a table: its notation, and the checks of foreign keys that lead to it.

    unit = "customer_id"
    unit = ["store", "customer"]
    unit = "order_id -> orders.order_id, orders.customer_id"
    unit = "item_id -> items.id, items.order_id -> orders.order_id, orders.(store, customer)"

``order_id`` is looked up in ``orders.order_id``, and ``customer_id`` of that row is the unit, or is
looked up further. The rest of the chain must be the declared unit of the table it goes through, so
that a row of a table never has two owners.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from hedgerow.errors import InvalidArgument
from hedgerow.plan.composite_ids import name_composite_unit
from hedgerow.policy.mistake import KeyPath, Mistake
from hedgerow.policy.records import ColumnRule, LinkRule, TableRule
from hedgerow.policy.toml.section_reader import read_text

__all__ = ["check_links", "parse_unit"]

_STEP = re.compile(r"\s*(\w+)\.(\w+)\s*,\s*(\w+)\.(\w+|\([^()]+\))\s*")
_EXAMPLE = 'must look like "order_id -> orders.order_id, orders.customer_id"'
_NUMERIC_TYPES = {"integer", "real"}


def parse_unit(value: object, key: str) -> tuple[str, tuple[LinkRule, ...]]:
    """Parse a unit into its name and the links that lead to it; no links for columns or "row"."""
    if isinstance(value, list):
        return name_composite_unit([read_text(name, key) for name in value], key), ()
    text = read_text(value, key)
    if "->" not in text:
        return _normalise_name(text, key), ()
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
                f"must continue from the table that it leads to: write {table}.{following}, not"
                f" {again}.{following}",
                text,
            )
        links.append(LinkRule(column, table, target))
        column = following
    if column == "row":
        raise InvalidArgument(key, "must end in the id column of a table, not in row", text)
    return _normalise_name(column, key), tuple(links)


def _normalise_name(text: str, key: str) -> str:
    """Return the name of a unit in its one spelling: (store, customer)."""
    if not re.fullmatch(r"\(.*,.*\)", text):
        return text
    return name_composite_unit([name.strip() for name in text[1:-1].split(",")], key)


def check_links(tables: tuple[TableRule, ...], unread: Collection[str] = ()) -> Iterator[Mistake]:
    """Check the links between tables; links through the tables ``unread``, which have other
    mistakes, are skipped.
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
                f"there is no table {through!r}: add [tables.{through}], or correct the name",
            )
        elif parent.name != through:
            yield Mistake(
                place,
                f"the table is called {parent.name!r}, not {through!r}: write the name as declared",
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
            f"the foreign keys through {name} lead back to {table.name!r}: use another table, or"
            " an id column",
        )
    elif parent.unit is None:
        yield Mistake(
            place,
            f"{name} is public and has no unit: use a protected table, or declare the unit of"
            f" {name}",
        )
    elif parent.unit == "row":
        yield Mistake(place, f"the rows of {name} have no id: give {name} an id column as its unit")
    elif parent.population != table.population:
        yield Mistake(
            place,
            f"tables linked by foreign keys must be in one population: {name} is in"
            f" {parent.population!r}, this one in {table.population!r}; change one of them",
        )
    elif (parent.links, parent.unit) != (table.links[1:], table.unit):
        right = TableRule(table.name, "", unit=parent.unit, links=(link, *parent.links)).unit_text
        yield Mistake(
            place, f'the unit must continue with the unit of {name}: write unit = "{right}"'
        )
    else:
        yield from _check_key_column(table.column(link.column), table, link.column)
        yield from _check_key_column(parent.column(link.key), parent, link.key)
        types = [
            rule and rule.type for rule in (table.column(link.column), parent.column(link.key))
        ]
        if None not in types and types[0] != types[1] and not set(types) <= _NUMERIC_TYPES:
            yield Mistake(
                place,
                f"the two columns of a foreign key must have the same type: {link.column!r} is"
                f" {types[0]}, {link.key!r} of {name} is {types[1]}; change one of them",
            )


def _check_key_column(rule: ColumnRule | None, table: TableRule, name: str) -> Iterator[Mistake]:
    """Check that a key column has neither bounds nor values, which would merge different keys; it
    may be hidden.
    """
    if rule is not None and (
        (rule.low, rule.high, rule.step) != (None, None, None)
        or (rule.values is not None and rule.type != "boolean")
    ):
        yield Mistake(
            ("tables", table.name, "columns", name),
            f"the column {rule.name!r} is a foreign key to the unit and may only have a type:"
            " remove its bounds or values",
        )
