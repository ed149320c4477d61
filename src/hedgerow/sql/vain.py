"""Conditions that hold for no row, whatever the data hold: the policy knows the values, and asking would pay for noise alone."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

from sqlglot import exp

from hedgerow.errors import Refused, Unsupported
from hedgerow.plan.expressions import Expression, Read
from hedgerow.plan.values import Range, Value
from hedgerow.sql.catalog import nearest
from hedgerow.sql.narrowing import never
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
    for condition in conditions:
        found = never(condition.expression, ranges)
        if found is not None:
            raise _refusal(scope, _part(scope, where.this, ranges), *found)


def _known(scope: Scope) -> dict[str, Range]:
    """What is declared. Bounds that are found, or stand in for such, rule nothing out."""
    open_ = any(entry.auto_bounds for _, entry in scope.tables)
    return {
        name: known.but(low=None, high=None, values=None) if open_ and known.type in ("integer", "real") else known
        for name, known in scope.ranges.items()
    }


def _part(scope: Scope, node: exp.Expr, ranges: dict[str, Range]) -> exp.Expr:
    """The smallest piece of the condition that never holds by itself."""
    inner = node.unnest()
    for part in (inner.this, inner.expression) if isinstance(inner, exp.And) else ():
        try:
            alone = never(RowReader(scope).read(part).expression, ranges)
        except Refused:  # it is no condition on the joined rows, but says how they are joined
            continue
        if alone is not None:
            return _part(scope, part, ranges)
    return node


def _refusal(scope: Scope, node: exp.Expr, subject: Expression, known: Range | None) -> Refused:
    inner = node.unnest()
    visible = scope.by_column(subject.column) if isinstance(subject, Read) else None
    first = next((side for side in (inner.this, inner.args.get("expression")) if side is not None and side.find(exp.Column)), inner)
    name = quoted(visible.name) if visible is not None else scope.text.cut(first)
    if known is None:
        what = f"This never holds: {name} would be at least the one and at most the other, which is less"
        return scope.text.refusal(Unsupported, what, node, "Write the smaller value first: BETWEEN 18 AND 65.")
    if known.values:
        listed = ", ".join(map(_told, known.values[:_LISTED])) + (", …" if len(known.values) > _LISTED else "")
        written = [str(literal.this) for literal in inner.find_all(exp.Literal) if literal.is_string]
        close = nearest(written[0], map(str, known.values)) if written and known.type == "text" else None
        instead = f"Did you mean {literal(close)}?" if close else "Ask for values that the policy declares."
        return scope.text.refusal(Unsupported, f"This never holds: {name} is one of {listed}", node, instead)
    ends = [_end(end, known) for end in dict.fromkeys((known.low, known.high)) if end is not None]
    one = "always" if known.low == known.high else "at least" if known.high is None else "at most"
    what = f"lies between {ends[0]} and {ends[1]}" if len(ends) == 2 else f"is {one} {ends[0]}"
    return scope.text.refusal(Unsupported, f"This never holds: {name} {what}", node, "Ask for values that lie there.")


def _told(value: Value) -> str:
    return value.isoformat() if isinstance(value, date) else str(value)


def _end(end: Fraction, known: Range) -> str:
    if known.type == "date":
        return date.fromordinal(int(end)).isoformat()
    return str(int(end)) if end.denominator == 1 else f"{float(end):g}"
