"""Conditions that hold for no row, whatever the data hold: the policy knows the values, and asking would pay for noise alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from fractions import Fraction

from sqlglot import exp

from hedgerow.errors import Refused, Unsupported
from hedgerow.plan.expressions import Expression, Read, evaluate, reads, typed
from hedgerow.plan.values import Range, Value
from hedgerow.sql.catalog import nearest
from hedgerow.sql.narrowing import conjuncts, never, stray
from hedgerow.sql.quoting import literal, quoted
from hedgerow.sql.readers import RowReader
from hedgerow.sql.scope import Scope
from hedgerow.sql.typed import Typed

__all__ = ["refuse_vain"]

_LISTED = 10


def refuse_vain(scope: Scope, conditions: tuple[Typed, ...], where: exp.Expr | None) -> None:
    """Refuses a WHERE that never holds, with the part of it underlined."""
    if where is None:
        return
    ranges = _known(scope)
    if any(_is_idle(part) for condition in conditions for part in conjuncts(condition.expression)):
        node = _part(scope, where.this, lambda part: _is_idle(part) or None)
        instead = "Leave it out. EXPLAIN PRIVACY before the SELECT tells what an answer would be like, and costs nothing."
        raise scope.text.refusal(Unsupported, "This never holds, and noise alone would be paid for", node, instead)
    for condition in conditions:
        found = never(condition.expression, ranges)
        if found is not None:
            raise _refusal(scope, _part(scope, where.this, lambda part: never(part, ranges)), *found)
    for condition in conditions:
        odd = stray(condition.expression, ranges)
        if odd is not None:
            raise _odd(scope, _part(scope, where.this, lambda part: stray(part, ranges)), *odd)


def _known(scope: Scope) -> dict[str, Range]:
    """What is declared. Bounds that are found, or stand in for such, rule nothing out."""
    open_ = any(entry.auto_bounds for _, entry in scope.tables)
    return {
        name: known.but(low=None, high=None, values=None) if open_ and known.type in ("integer", "real") else known
        for name, known in scope.ranges.items()
    }


def _is_idle(condition: Expression) -> bool:
    """Whether it is of constants alone, and not true: 1 = 0, as tools ask to see the columns of an answer."""
    return not set(reads(condition)) and evaluate(typed(condition, {}), {}) is not True


def _part(scope: Scope, node: exp.Expr, wrong: Callable[[Expression], object]) -> exp.Expr:
    """The first of the conditions that is wrong by itself; all of them where none is. Each is read once, however many there are."""
    for part in _conditions(node):
        try:
            alone = wrong(RowReader(scope).read(part).expression)
        except Refused:  # it is no condition on the joined rows, but says how they are joined
            continue
        if alone is not None:
            return part
    return node


def _conditions(node: exp.Expr) -> Iterator[exp.Expr]:
    """What AND joins, from left to right, without recursion: such chains are long."""
    rest = [node]
    while rest:
        one = rest.pop()
        inner = one.unnest()
        if isinstance(inner, exp.And):
            rest += [inner.expression, inner.this]
        else:
            yield one


def _refusal(scope: Scope, node: exp.Expr, subject: Expression, known: Range | None) -> Refused:
    inner, name = node.unnest(), _name(scope, node, subject)
    if known is None:
        what = f"This never holds: {name} would be at least the one and at most the other, which is less"
        return scope.text.refusal(Unsupported, what, node, "Write the smaller value first: BETWEEN 18 AND 65.")
    if known.values:
        written = [str(literal.this) for literal in inner.find_all(exp.Literal) if literal.is_string]
        close = nearest(written[0], map(str, known.values)) if written and known.type == "text" else None
        instead = f"Did you mean {literal(close)}?" if close else "Ask for values that the policy declares."
        return scope.text.refusal(Unsupported, f"This never holds: {name} is one of {_listed(known)}", node, instead)
    if known.low is None and known.high is None:
        return scope.text.refusal(
            Unsupported, f"This never holds: {name} is a whole number", node, "Ask for whole numbers, or for a range."
        )
    ends = [_end(end, known) for end in dict.fromkeys((known.low, known.high)) if end is not None]
    one = "always" if known.low == known.high else "at least" if known.high is None else "at most"
    what = f"lies between {ends[0]} and {ends[1]}" if len(ends) == 2 else f"is {one} {ends[0]}"
    return scope.text.refusal(Unsupported, f"This never holds: {name} {what}", node, "Ask for values that lie there.")


def _odd(scope: Scope, node: exp.Expr, subject: Expression, known: Range, word: str) -> Refused:
    """One of a list that is not there: the others would be answered, and nobody would see what was misspelled."""
    close = nearest(word, map(str, known.values or ()))
    instead = f"Did you mean {literal(close)}? Else leave it out." if close else "Leave it out."
    what = f"{_name(scope, node, subject)} is never {literal(word)}: it is one of {_listed(known)}"
    return scope.text.refusal(Unsupported, what, node, instead)


def _name(scope: Scope, node: exp.Expr, subject: Expression) -> str:
    inner = node.unnest()
    visible = scope.by_column(subject.column) if isinstance(subject, Read) else None
    first = next((side for side in (inner.this, inner.args.get("expression")) if side is not None and side.find(exp.Column)), inner)
    return quoted(visible.name) if visible is not None else scope.text.cut(first)


def _listed(known: Range) -> str:
    values = known.values or ()
    return ", ".join(map(_told, values[:_LISTED])) + (", …" if len(values) > _LISTED else "")


def _told(value: Value) -> str:
    return value.isoformat() if isinstance(value, date) else str(value)


def _end(end: Fraction, known: Range) -> str:
    if known.type == "date":
        return date.fromordinal(int(end)).isoformat()
    return str(int(end)) if end.denominator == 1 else f"{float(end):g}"
