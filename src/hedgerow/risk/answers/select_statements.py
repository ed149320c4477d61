"""A SELECT of counts and sums from one table, and the answers that its result holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from sqlglot import exp

from hedgerow.errors import InvalidArgument, Unsupported
from hedgerow.risk.answers.conditions import (
    EVERYBODY,
    And,
    Comparison,
    Condition,
    Constant,
    Not,
    build_condition,
    conjoin,
    parse_select,
)
from hedgerow.risk.answers.published_answer import PublishedAnswer, parse_bounds

__all__ = ["SelectStatement", "SelectedAggregate"]

_READABLE_CLAUSES: Final = {
    "expressions",
    "from_",
    "where",
    "group",
    "having",
    "limit",
    "order",
    "kind",
    "hint",
    "operation_modifiers",
}


@dataclass(frozen=True, slots=True)
class SelectedAggregate:
    """One aggregate of a SELECT: its measure, its column, and the condition on its rows."""

    measure: str
    column: str
    condition: Condition


@dataclass(frozen=True, slots=True)
class SelectStatement:
    """A parsed question, with keys and aggregates in the order of the SELECT.

    ``is_complete`` if the result shows every group that has anybody.
    """

    table: str
    where: Condition
    outputs: tuple[str | SelectedAggregate, ...]
    keys: tuple[str, ...]
    is_complete: bool

    @classmethod
    def parse(cls, text: str) -> SelectStatement:
        """Parse SQL; ``Unsupported`` names the part that is not read."""
        tree = parse_select(text)
        for name, value in tree.args.items():
            if value and name not in _READABLE_CLAUSES:
                raise Unsupported(
                    f"{name.strip('_').upper().removesuffix('S')} is not read. Ask about one table,"
                    " with WHERE and GROUP BY only"
                )
        source = tree.args.get("from_")
        if (
            source is None
            or not isinstance(source.this, exp.Table)
            or source.this.args.get("joins")
        ):
            raise Unsupported("A question must have exactly one table after FROM")
        where = build_condition(tree.args["where"].this) if tree.args.get("where") else EVERYBODY
        keys = _read_group_keys(tree)
        places = tuple(_read_output(each, keys) for each in tree.expressions)
        if not any(isinstance(place, SelectedAggregate) for place in places):
            raise Unsupported("This has no aggregate. Select COUNT, SUM or AVG")
        whole = not tree.args.get("having") and not tree.args.get("limit")
        return cls(source.this.name.lower(), where, places, keys, whole)

    def build_answers(
        self, name: str, line: int, rows: Sequence[Sequence[object]]
    ) -> list[PublishedAnswer]:
        """Return the answers in a result.

        Where every group is shown, nobody is in any other group: that is an answer, too.
        """
        found: list[PublishedAnswer] = []
        groups: list[Condition] = []
        if not self.keys and len(rows) > 1:
            raise InvalidArgument(
                f"line {line:,}", "must have one row of results, since there is no GROUP BY"
            )
        for place, row in enumerate(rows or [[None] * len(self.outputs)], 1):
            if len(row) != len(self.outputs):
                raise InvalidArgument(
                    f"line {line:,}",
                    f"must have {len(self.outputs)} numbers or keys in each row of its result",
                    len(row),
                )
            group = conjoin(
                *(
                    Comparison(key, "is", _parse_key(cell))
                    for key, cell in zip(self.outputs, row, strict=True)
                    if isinstance(key, str)
                )
            )
            groups.append(group)
            found += self._build_row_answers(
                f"{name}.{place}" if self.keys else name, line, group, row
            )
        if (
            self.keys
            and self.is_complete
            and set(self.keys) == {place for place in self.outputs if isinstance(place, str)}
        ):
            others = conjoin(self.where, *(Not(group) for group in groups))
            found.append(
                PublishedAnswer(
                    f"{name} (no other group)",
                    others,
                    Fraction(0),
                    Fraction(0),
                    table=self.table,
                    line=line,
                    is_implied=True,
                )
            )
        return found

    def _build_row_answers(
        self, name: str, line: int, group: Condition, row: Sequence[object]
    ) -> list[PublishedAnswer]:
        measured = [
            (place, cell)
            for place, cell in zip(self.outputs, row, strict=True)
            if isinstance(place, SelectedAggregate)
        ]
        found = []
        for which, (place, cell) in enumerate(measured):
            low, high = parse_bounds(cell, measure=place.measure)
            called = (
                name if len(measured) == 1 else f"{name}{'abcdefghijklmnopqrstuvwxyz'[which % 26]}"
            )
            condition = conjoin(self.where, group, place.condition)
            found.append(
                PublishedAnswer(
                    called, condition, low, high, place.measure, place.column, self.table, line
                )
            )
        return found


def _read_group_keys(tree: exp.Select) -> tuple[str, ...]:
    group = tree.args.get("group")
    if group is None:
        return ()
    if any(value for name, value in group.args.items() if name != "expressions"):
        raise Unsupported("GROUP BY is read with plain columns only. Leave expressions out")
    found = []
    for key in group.expressions:
        if isinstance(key, exp.Literal) and not key.is_string and str(key.this).isdecimal():
            place = int(key.this) - 1
            key = tree.expressions[place] if 0 <= place < len(tree.expressions) else key
        if not isinstance(key, exp.Column):
            raise Unsupported("GROUP BY is read with plain columns only. Leave expressions out")
        found.append(key.name.lower())
    return tuple(found)


def _read_output(tree: exp.Expr, keys: tuple[str, ...]) -> str | SelectedAggregate:
    match tree:
        case exp.Alias():
            return _read_output(tree.this, keys)
        case exp.Column() if tree.name.lower() in keys:
            return tree.name.lower()
        case exp.Filter():
            inner = _read_output(tree.this, keys)
            if isinstance(inner, SelectedAggregate):
                return replace(
                    inner, condition=conjoin(build_condition(tree.expression.this), inner.condition)
                )
        case exp.Count() if isinstance(tree.this, exp.Star) or (
            isinstance(tree.this, exp.Literal) and not tree.expressions
        ):
            return SelectedAggregate("count", "", EVERYBODY)
        case exp.Count() if isinstance(tree.this, exp.Column) and not tree.expressions:
            return SelectedAggregate("count", "", Not(Comparison(tree.this.name.lower(), "null")))
        case exp.Sum() | exp.Avg() if isinstance(tree.this, exp.Column):
            return SelectedAggregate(
                "sum" if isinstance(tree, exp.Sum) else "mean", tree.this.name.lower(), And()
            )
    raise Unsupported(
        f"{tree.sql(dialect='duckdb')[:60]} is not read. Use COUNT(*), COUNT(column), SUM(column)"
        " or AVG(column)"
    )


def _parse_key(cell: object) -> tuple[Constant, ...]:
    """Return a key as a value: printed results tell numbers from texts by their look."""
    if cell is None or (isinstance(cell, str) and cell.strip().lower() in ("", "null", "none")):
        return ()
    if isinstance(cell, bool):
        return (cell,)
    text = str(cell).strip()
    if len(text) > 1 and text[0] == text[-1] == "'":
        return (text[1:-1].replace("''", "'"),)
    if text.lower() in ("true", "false"):
        return (text.lower() == "true",)
    try:
        return (
            (Fraction(text),)
            if len(text) < 40 and "/" not in text and "_" not in text and "e" not in text.lower()
            else (text,)
        )
    except ValueError:
        return (text,)
