"""Hostile statements, and a check of what reaches an engine by the engine's own parser.

``statements`` puts quotes, brackets, comments and odd characters into every place of a statement
that takes text. ``check_written`` parses what was written for one.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import duckdb

from hedgerow.errors import HedgerowError
from hedgerow.plan.schema import Column, Schema
from hedgerow.sql.catalog import Catalog, TableEntry
from hedgerow.sql.public_tables.phrases import Fragment, TextLiteral, write_fragment
from hedgerow.sql.public_tables.statement import PublicQuery, read_public_query
from sql.helpers_hostile_pieces import EXPRESSIONS, FUNCTIONS, PIECES, STATEMENTS, TYPES

SENTINEL = "zqxjk"
COLUMNS = (
    Column("k", "text"),
    Column("n", "integer"),
    Column("x", "real"),
    Column("day", "date"),
    Column('we"ird', "text"),
    Column("it's; --", "integer"),
)
CATALOG = Catalog(
    {
        "r": TableEntry(Schema("r", COLUMNS, None)),
        "s": TableEntry(Schema("s", COLUMNS[:2], None)),
        "people": TableEntry(Schema("people", COLUMNS[:2], "k"), population="people"),
    }
)
_NAMED = re.compile("name_* [0-9]+")
_RELATION = re.compile("public [01]|name_* [0-9]+")
_REST = re.compile(r"[A-Za-z0-9_ \"().,*+\-/%|=<>]*")
_PARTS = re.compile("[A-Z]+")
_PARSER = duckdb.connect(config={"threads": "1"})


def statements(seed: int, count: int) -> Iterator[str]:
    """Yield this many statements, the same ones for the same seed."""
    chance = random.Random(seed)
    for _ in range(count):
        yield _filled(chance.choice(STATEMENTS), chance, 3)


def _filled(template: str, chance: random.Random, depth: int) -> str:
    found = []
    for sign in template:
        if sign == "¤":
            found.append(
                _filled(chance.choice(EXPRESSIONS[: None if depth else 8]), chance, depth - 1)
                if depth
                else "k"
            )
        else:
            found.append(_text(chance) if sign == "~" else sign)
    return "".join(found)


def _text(chance: random.Random) -> str:
    """Return text bare or quoted; most quotes inside are doubled, so that the parser goes on."""
    text = "".join(chance.choices(PIECES, k=chance.randint(1, 4)))
    text = text + SENTINEL if chance.random() < 0.5 else SENTINEL + text
    kind = chance.random()
    if kind < 0.1:
        return text
    if kind < 0.25:
        return chance.choice(
            ("k", "n", "day", "r", "MONTH", "INT", "LEFT", "ALL", "1", "''", "'a'", '"k"', SENTINEL)
        )
    sign = chance.choice(("'", '"'))
    return (
        sign
        + (
            text
            if kind < 0.3
            else text.replace("\0", "").replace("\ud800", "").replace(sign, 2 * sign)
        )
        + sign
    )


def read(sql: str) -> PublicQuery | None:
    """Return the question; None if it is refused or left to the reader of private questions."""
    try:
        return read_public_query(sql, CATALOG)
    except HedgerowError:
        return None


def texts(phrase: Fragment) -> Iterator[str]:
    """Yield the texts of a fragment."""
    if isinstance(phrase, tuple):
        for part in phrase:
            yield from texts(part)
    elif isinstance(phrase, TextLiteral):
        yield phrase.value


def check_written(asked: PublicQuery) -> str:
    """Check that one SELECT over numbered tables and columns is written, with the asked texts."""
    sql = write_fragment(asked.fragment, asked.names)
    plain = re.sub("'(?:[^']|'')*'", " ", sql)
    assert _REST.fullmatch(plain), plain
    assert SENTINEL not in plain
    (statement,) = duckdb.extract_statements(sql)
    assert statement.type == duckdb.StatementType.SELECT
    ((serialised,),) = _PARSER.execute("SELECT json_serialize_sql(?)", [sql]).fetchall()
    tree = json.loads(serialised)
    assert not tree["error"], tree
    (only,) = tree["statements"]
    found: list[str] = []
    _check_node(only, found)
    kept = Counter(found) - Counter(texts(asked.fragment))
    assert all(_PARTS.fullmatch(part) for part in kept), kept  # the parts of EXTRACT
    assert not Counter(texts(asked.fragment)) - Counter(found)
    return sql


def _check_node(node: Any, found: list[str]) -> None:
    if isinstance(node, list):
        for part in node:
            _check_node(part, found)
    if not isinstance(node, dict):
        return
    literal = node.get("literal")
    if isinstance(literal, dict):
        if literal["kind"] == "STRING":
            found.append(literal["text"])
        return
    assert node.get("type") not in (
        "TABLE_FUNCTION",
        "SUBQUERY_REF_FUNCTION",
        "PIVOT",
        "SHOW_REF",
    ), node
    if "table_name" in node:
        assert _RELATION.fullmatch(node["table_name"]), node
        assert not node["schema_name"], node
        assert not node["catalog_name"], node
    if "function_name" in node:
        assert node["function_name"].lower() in FUNCTIONS, node
    if "type_name" in node:
        assert node["type_name"] in TYPES, node
    for name in node.get("column_names") or ():
        assert _NAMED.fullmatch(name), node
    for part in node.values():
        _check_node(part, found)
