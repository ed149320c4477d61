"""Join conditions: the equalities of ON, USING and WHERE, apart from conditions on joined rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, NoReturn

from sqlglot import exp

from hedgerow.errors import Unsupported
from hedgerow.plan.nodes import Filter
from hedgerow.sql.binder.row_expressions import RowBinder, check_args
from hedgerow.sql.binder.rule import find_filled_args
from hedgerow.sql.binder.scope import ColumnReference, Scope
from hedgerow.sql.binder.typed_expression import require_condition
from hedgerow.sql.predicates.date_granularity import refuse_finer_granularity
from hedgerow.sql.syntax.operator_chains import split_chain
from hedgerow.sql.syntax.source_text import SourceText

__all__ = ["JoinCondition", "JoinConditions", "JoinInput", "LeftCondition"]

_REFUSED_SIDES: Final = {
    "RIGHT": (
        "This RIGHT JOIN is not supported",
        "Put its table first and write LEFT JOIN.",
    ),
    "FULL": ("FULL JOIN is not supported", "Ask two questions, each with a LEFT JOIN."),
}
_REFUSED_KINDS: Final = {
    "CROSS": (
        "A cross join combines rows of different units",
        "Join with an equality: JOIN … USING (id).",
    ),
    "SEMI": (
        "SEMI JOIN is not supported",
        "Write JOIN (SELECT DISTINCT id FROM …) AS d USING (id).",
    ),
    "ANTI": (
        "ANTI JOIN is not supported",
        (
            "Write LEFT JOIN (SELECT id, COUNT(*) AS n FROM … GROUP BY id) AS d USING (id) WHERE n"
            " IS NULL."
        ),
    ),
}


@dataclass(frozen=True, slots=True)
class JoinInput:
    """A source of FROM and its join; ``join`` is None for the first.

    A semijoin is IN (SELECT …) or EXISTS: each row keeps one match of it.
    """

    scope: Scope
    node: exp.Expr
    join: exp.Join | None = None
    is_semijoin: bool = False

    @property
    def alias(self) -> str:
        """The alias of the source."""
        return self.scope.sources[0][0]

    @property
    def is_left_join(self) -> bool:
        """True if unmatched rows of the left side stay."""
        return self.join is not None and self.join.args.get("side") == "LEFT"


@dataclass(frozen=True, slots=True)
class JoinCondition:
    """An equality of columns of two inputs, by their positions.

    ``left_join`` is the position of the LEFT JOIN it belongs to, if any.
    """

    first: tuple[int, ColumnReference]
    second: tuple[int, ColumnReference]
    node: exp.Expr
    left_join: int | None = None

    def find_ends(self, part: int) -> tuple[ColumnReference, int, ColumnReference] | None:
        """Return the column of an input, and the position and column of the other."""
        for (place, here), (other_place, there) in (
            (self.first, self.second),
            (self.second, self.first),
        ):
            if place == part:
                return here, other_place, there
        return None


@dataclass(frozen=True, slots=True)
class LeftCondition:
    """A condition in the ON of the LEFT JOIN at ``place`` that reads ``inputs`` before it.

    With ``reads_right`` it reads the joined rows, too.
    """

    node: exp.Expr
    place: int
    inputs: frozenset[int]
    reads_right: bool


class JoinConditions:
    """The join conditions of FROM and WHERE.

    ``inputs`` are the sources, some filtered by the ON of their LEFT JOIN. ``left_conditions`` are
    in the ON of a LEFT JOIN, whose position they have, and read its left side or both. ``filters``
    are all other conditions, each with the last input that it may read.
    """

    def __init__(
        self, text: SourceText, parts: Sequence[JoinInput], where: exp.Expr | None
    ) -> None:
        self._text = text
        self.inputs = list(parts)
        self.conditions: list[JoinCondition] = []
        self.left_conditions: list[LeftCondition] = []
        self.filters: list[tuple[exp.Expr, int]] = []
        for place in range(len(self.inputs)):
            self._check_input(place, self.inputs[place])
            self._read_clauses(place, self.inputs[place])
        for node in () if where is None else split_chain(where):
            self._classify_condition(node, len(self.inputs) - 1, None)
        for condition in self.conditions:
            refuse_finer_granularity(
                text,
                condition.node,
                "=",
                [
                    (self.inputs[part].scope.rows, column.value)
                    for part, column in (condition.first, condition.second)
                ],
            )

    def _check_input(self, place: int, part: JoinInput) -> None:
        taken = [other.alias.casefold() for other in self.inputs[:place]]
        if part.alias.casefold() in taken:
            problem = (
                f"Two tables are named {part.alias}"
                if part.alias
                else "Two subqueries have no name"
            )
            self._refuse(
                part.node, problem, "Give each an alias: FROM visits AS a JOIN visits AS b …."
            )
        join = part.join
        if join is None:
            return
        method = str(join.args.get("method") or "")
        if method:
            self._refuse(
                join,
                f"{method} JOIN is not supported",
                (
                    "Write JOIN … USING (the columns that both have)."
                    if method == "NATURAL"
                    else "Write JOIN … ON a.x = b.x."
                ),
            )
        for name, known in (("side", _REFUSED_SIDES), ("kind", _REFUSED_KINDS)):
            word = str(join.args.get(name) or "")
            if word not in ("", "LEFT", "INNER", "OUTER"):
                self._refuse(
                    join,
                    *known.get(word, (f"{word} JOIN is not supported", "Write JOIN or LEFT JOIN.")),
                )
        check_args(self._text, join, "this", "side", "kind", "on", "using")
        if (
            part.is_left_join
            and not part.is_semijoin
            and not find_filled_args(join) & {"on", "using"}
        ):
            self._refuse(
                join,
                "LEFT JOIN needs ON or USING with an equality",
                "Write LEFT JOIN … ON a.x = b.x.",
            )

    def _read_clauses(self, place: int, part: JoinInput) -> None:
        if part.join is None:
            return
        of = place if part.is_left_join else None
        for name in part.join.args.get("using") or []:
            self._read_using(place, name, of)
        on = part.join.args.get("on")
        for node in () if on is None else split_chain(on):
            self._classify_condition(node, place, of)

    def _read_using(self, place: int, name: exp.Expr, of: int | None) -> None:
        """Read a column of USING; only its alias reaches the right-hand column from here on."""
        column = exp.Column(this=name.copy())
        left = [
            (i, found)
            for i in range(place)
            if (found := self.inputs[i].scope.find_column(column)) is not None
            and not found.is_merged
        ]
        right = self.inputs[place].scope.find_column(column)
        if len(left) != 1 or right is None:
            self._refuse(
                name,
                f"USING needs exactly one column {name.name[:60]} on each side",
                "Use a column that both sides have, or write ON a.x = b.y.",
            )
        self.conditions.append(JoinCondition(left[0], (place, right), name, of))
        scope = self.inputs[place].scope
        columns = tuple(
            replace(visible, is_merged=True) if visible is right else visible
            for visible in scope.columns
        )
        self.inputs[place] = replace(self.inputs[place], scope=replace(scope, columns=columns))

    def _classify_condition(self, node: exp.Expr, last: int, of: int | None) -> None:
        """Add an equality of two inputs as a join condition, any other condition as a filter."""
        condition = self._parse_equality(node, last, of)
        if condition is not None:
            self.conditions.append(condition)
        elif of is not None:
            self._filter_right_side(node, of)
        else:
            self.conditions += self._find_common_equalities(node.unnest(), last)
            self.filters.append((node, last))

    def _parse_equality(self, node: exp.Expr, last: int, of: int | None) -> JoinCondition | None:
        inner = node.unnest()
        if type(inner) is not exp.EQ or not find_filled_args(inner) <= {"this", "expression"}:
            return None
        sides = [
            self._match_columns(side.unnest(), last) for side in (inner.this, inner.expression)
        ]
        if any(len(side) != 1 for side in sides):
            return None
        (first,), (second,) = sides
        fits = first[0] != second[0] and (of is None or of in (first[0], second[0]))
        return JoinCondition(first, second, node, of) if fits else None

    def _find_common_equalities(self, node: exp.Expr, last: int) -> list[JoinCondition]:
        """Return the equalities that are in every branch of an OR."""
        if type(node) is not exp.Or:
            return []
        each = [
            [
                condition
                for part in split_chain(branch)
                if (condition := self._parse_equality(part, last, None))
            ]
            for branch in split_chain(node, exp.Or)
        ]
        ends = [
            {frozenset((condition.first, condition.second)) for condition in equalities}
            for equalities in each
        ]
        return [
            condition
            for condition in each[0]
            if all(frozenset((condition.first, condition.second)) in others for others in ends)
        ]

    def _match_columns(self, node: exp.Expr, last: int) -> list[tuple[int, ColumnReference]]:
        """Return the columns that a name may mean; binding the condition reports errors."""
        if (
            type(node) is not exp.Column
            or not find_filled_args(node) <= {"this", "table"}
            or not isinstance(node.this, exp.Identifier)
        ):
            return []
        found = []
        for place, part in enumerate(self.inputs[: last + 1]):
            table = node.args.get("table")
            if table is None or table.name.casefold() == part.alias.casefold():
                named = [
                    visible
                    for visible in part.scope.columns
                    if visible.name.casefold() == node.name.casefold()
                    and (table or not visible.is_merged)
                ]
                found += [(place, visible) for visible in named]
        return found

    def _filter_right_side(self, node: exp.Expr, place: int) -> None:
        """Filter the right side of a LEFT JOIN by a condition of its ON, before the join; keep one
        that reads the left side.
        """
        part = self.inputs[place]
        read = {
            where
            for column in node.find_all(exp.Column)
            for where, _ in self._match_columns(column, place)
        }
        if read - {place}:
            before = frozenset(read - {place})
            self.left_conditions.append(LeftCondition(node, place, before, place in read))
            return
        value = RowBinder(part.scope).bind(node)
        condition = require_condition(self._text, "ON", node, value)
        rows = Filter(part.scope.rows, condition.expression)
        self.inputs[place] = replace(
            part, scope=replace(part.scope, rows=rows, work=part.scope.work + condition.work)
        )

    def _refuse(self, node: exp.Expr, problem: str, fix: str) -> NoReturn:
        raise self._text.refusal(Unsupported, problem, node, fix)


def find_multiplying_inputs(
    parts: Sequence[JoinInput], conditions: Sequence[JoinCondition]
) -> list[int]:
    """Return the protected inputs whose caps apply: several of their rows may meet one row.

    Any other input has one row per unit and value of the joined columns, as IN (SELECT …)
    gives. The result does not depend on the order of FROM.
    """
    alone = set[int]()
    for i in sorted(
        range(len(parts)),
        key=lambda i: (sorted(parts[i].scope.capping_table_names), parts[i].alias),
    ):
        key, rivals = (
            parts[i].scope.key_within_unit,
            {j for j in range(len(parts)) if j != i} - alone,
        )
        ends = [
            found
            for condition in conditions
            if condition.left_join in (None, i) and (found := condition.find_ends(i)) is not None
        ]
        tied = {here.plan_column for here, other, _ in ends if other in rivals}
        if (
            key is not None
            and key <= tied
            and any(parts[j].scope.population == parts[i].scope.population for j in rivals)
        ):
            alone.add(i)
    return [i for i, part in enumerate(parts) if part.scope.tables and i not in alone]
