"""What ties the sources in FROM together: the equalities of ON, USING and WHERE. All else there is a condition on the joined rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, NoReturn

from sqlglot import exp

from hedgerow.errors import Unsupported
from hedgerow.plan.nodes import Filter
from hedgerow.sql.grain import refuse_finer
from hedgerow.sql.readers import RowReader, only
from hedgerow.sql.rule import filled
from hedgerow.sql.scope import Scope, Visible
from hedgerow.sql.text import Text
from hedgerow.sql.typed import aligned

__all__ = ["Part", "Tie", "Ties"]

_SIDES: Final = {
    "RIGHT": ("RIGHT JOIN is not read", "Swap the sides: write LEFT JOIN, the table whose rows all stay first."),
    "FULL": ("FULL JOIN is not read", "Write two questions, each with a LEFT JOIN."),
}
_KINDS: Final = {
    "CROSS": ("A cross join puts rows of different people side by side", "Join with an equality: JOIN … USING (id)."),
    "SEMI": ("SEMI JOIN is not read", "Write JOIN (SELECT DISTINCT id FROM …) AS d USING (id)."),
    "ANTI": ("ANTI JOIN is not read", "Write LEFT JOIN (SELECT id, COUNT(*) AS n FROM … GROUP BY id) AS d USING (id) WHERE n IS NULL."),
}


@dataclass(frozen=True, slots=True)
class Part:
    """A source and how it is joined; ``join`` is None for the first."""

    scope: Scope
    node: exp.Expr
    join: exp.Join | None = None

    @property
    def alias(self) -> str:
        """What stands before the dot."""
        return self.scope.sources[0][0]

    @property
    def keeps(self) -> bool:
        """Whether rows without a partner stay."""
        return self.join is not None and self.join.args.get("side") == "LEFT"


@dataclass(frozen=True, slots=True)
class Tie:
    """An equality of columns of two parts, by their places, the place of a LEFT JOIN that it belongs to, and its node."""

    first: tuple[int, Visible]
    second: tuple[int, Visible]
    node: exp.Expr
    of: int | None = None

    def ends(self, part: int) -> tuple[Visible, int, Visible] | None:
        """The column of this part, and place and column of the other."""
        for (one, here), (other, there) in ((self.first, self.second), (self.second, self.first)):
            if one == part:
                return here, other, there
        return None


class Ties:
    """Reads the clauses. ``parts`` are the sources, of which a LEFT JOIN may filter one beforehand; ``rest`` has the conditions that are
    no ties, each with the last part that it sees."""

    def __init__(self, text: Text, parts: Sequence[Part], where: exp.Expr | None) -> None:
        self._text = text
        self.parts = list(parts)
        self.ties: list[Tie] = []
        self.rest: list[tuple[exp.Expr, int]] = []
        for place in range(len(self.parts)):
            self._check(place, self.parts[place])
            self._read(place, self.parts[place])
        for node in _conjuncts(where):
            self._sort(node, len(self.parts) - 1, None)
        for tie in self.ties:
            refuse_finer(text, tie.node, "=", [(self.parts[part].scope.rows, column.value) for part, column in (tie.first, tie.second)])

    def _check(self, place: int, part: Part) -> None:
        taken = [other.alias.casefold() for other in self.parts[:place]]
        if part.alias.casefold() in taken:
            what = f"Two sources are called {part.alias}" if part.alias else "Two subqueries have no name"
            self._refuse(part.node, what, "Give each an alias: FROM visits AS a JOIN visits AS b ….")
        join = part.join
        if join is None:
            return
        method = str(join.args.get("method") or "")
        if method:
            what = f"{method} JOIN is not read"
            self._refuse(
                join, what, "Write JOIN … USING (the columns that both have)." if method == "NATURAL" else "Write JOIN … ON a.x = b.x."
            )
        for name, known in (("side", _SIDES), ("kind", _KINDS)):
            word = str(join.args.get(name) or "")
            if word not in ("", "LEFT", "INNER", "OUTER"):
                self._refuse(join, *known.get(word, (f"{word} JOIN is not read", "Write JOIN or LEFT JOIN.")))
        only(self._text, join, "this", "side", "kind", "on", "using")
        if part.keeps and not filled(join) & {"on", "using"}:
            self._refuse(join, "LEFT JOIN needs an equality", "Write LEFT JOIN … ON a.x = b.x.")

    def _read(self, place: int, part: Part) -> None:
        if part.join is None:
            return
        of = place if part.keeps else None
        for name in part.join.args.get("using") or []:
            self._using(place, name, of)
        for node in _conjuncts(part.join.args.get("on")):
            self._sort(node, place, of)

    def _using(self, place: int, name: exp.Expr, of: int | None) -> None:
        """The column of the left, and that of the right, which from now on is found by its alias only."""
        column = exp.Column(this=name.copy())
        left = [(i, found) for i in range(place) if (found := self.parts[i].scope.find(column)) is not None and not found.merged]
        right = self.parts[place].scope.find(column)
        if len(left) != 1 or right is None:
            what = f"{name.name[:60]} is not one column of each side"
            self._refuse(name, what, "USING names columns that both sides have; write ON a.x = b.y otherwise.")
        self.ties.append(Tie(left[0], (place, right), name, of))
        scope = self.parts[place].scope
        columns = tuple(replace(one, merged=True) if one is right else one for one in scope.columns)
        self.parts[place] = replace(self.parts[place], scope=replace(scope, columns=columns))

    def _sort(self, node: exp.Expr, last: int, of: int | None) -> None:
        """An equality of columns of two sources is a tie, the rest a condition."""
        tie = self._tie(node, last, of)
        if tie is not None:
            self.ties.append(tie)
        elif of is not None:
            self._only_right(node, of)
        else:
            self.ties += self._in_all(node.unnest(), last)
            self.rest.append((node, last))

    def _tie(self, node: exp.Expr, last: int, of: int | None) -> Tie | None:
        inner = node.unnest()
        if type(inner) is not exp.EQ or not filled(inner) <= {"this", "expression"}:
            return None
        sides = [self._found(side.unnest(), last) for side in (inner.this, inner.expression)]
        if any(len(side) != 1 for side in sides):
            return None
        (first,), (second,) = sides
        fits = first[0] != second[0] and (of is None or of in (first[0], second[0]))
        return Tie(first, second, node, of) if fits else None

    def _in_all(self, node: exp.Expr, last: int) -> list[Tie]:
        """The ties that stand in every branch of an OR: (a.x = b.x AND …) OR (a.x = b.x AND …)."""
        if type(node) is not exp.Or:
            return []
        each = [[tie for part in _split(branch, exp.And) if (tie := self._tie(part, last, None))] for branch in _split(node, exp.Or)]
        ends = [{frozenset((tie.first, tie.second)) for tie in ties} for ties in each]
        return [tie for tie in each[0] if all(frozenset((tie.first, tie.second)) in others for others in ends)]

    def _found(self, node: exp.Expr, last: int) -> list[tuple[int, Visible]]:
        """Where a column of this name is; what is wrong with it is told when it is read as a condition."""
        if type(node) is not exp.Column or not filled(node) <= {"this", "table"} or not isinstance(node.this, exp.Identifier):
            return []
        found = []
        for place, part in enumerate(self.parts[: last + 1]):
            table = node.args.get("table")
            if table is None or table.name.casefold() == part.alias.casefold():
                named = [one for one in part.scope.columns if one.name.casefold() == node.name.casefold() and (table or not one.merged)]
                found += [(place, one) for one in named]
        return found

    def _only_right(self, node: exp.Expr, place: int) -> None:
        """Beside equalities, the ON of a LEFT JOIN may have conditions on the right side alone: they hold there, before it is joined."""
        part = self.parts[place]
        for column in node.find_all(exp.Column):
            if any(where != place for where, _ in self._found(column, place)):
                what = "In the ON of a LEFT JOIN stand equalities, and conditions on its own table"
                self._refuse(node, what, "Write other conditions into WHERE, or join a subquery.")
        (condition,) = aligned([RowReader(part.scope).read(node)], "boolean")
        if condition.type != "boolean":
            self._refuse(node, f"ON wants a condition, and this is {condition.type}", "Write ON a.x = b.x.")
        rows = Filter(part.scope.rows, condition.expression)
        self.parts[place] = replace(part, scope=replace(part.scope, rows=rows, work=part.scope.work + condition.work))

    def _refuse(self, node: exp.Expr, what: str, instead: str) -> NoReturn:
        raise self._text.refusal(Unsupported, what, node, instead)


def _conjuncts(node: exp.Expr | None) -> Iterator[exp.Expr]:
    """The parts of a AND b AND c, in order."""
    return iter(()) if node is None else _split(node, exp.And)


def _split(node: exp.Expr, kind: type[exp.Connector]) -> Iterator[exp.Expr]:
    waiting = [node]
    while waiting:
        one = waiting.pop()
        inner = one.unnest()
        if type(inner) is kind:
            waiting += [inner.expression, inner.this]
        else:
            yield one
