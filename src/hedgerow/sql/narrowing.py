"""What WHERE leaves of the values that the policy declares: of keys, whose groups are then fewer, and of columns, of which nothing may be
left. Only public things are looked at: the condition, and lists and bounds. A group that is left out has no row in any database."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from fractions import Fraction
from itertools import product
from math import prod
from typing import Final

from hedgerow.plan.expressions import Call, Constant, Expression, Read, evaluate, range_of, reads, replaced, size, typed
from hedgerow.plan.nodes import Filter, Fold, Join, Project, Rows
from hedgerow.plan.values import Range, Value
from hedgerow.sql.readers import functions

__all__ = ["conjuncts", "left", "may_be_missing", "never", "possible", "written_out"]

EVALUATIONS: Final = 50_000  # nodes of expressions, to find the values of one key
# Parts of a date that are the same on all days of one month, quarter or year.
_YEAR: Final = frozenset({"year", "start of year"})
_QUARTER: Final = _YEAR | {"quarter", "start of quarter"}
_COARSER: Final = {"start of month": _QUARTER | {"month", "start of month"}, "start of quarter": _QUARTER, "start of year": _YEAR}
_TURNED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "="}


def conjuncts(condition: Expression) -> Iterator[Expression]:
    """What must hold all at once."""
    if isinstance(condition, Call) and condition.function == "and":
        for argument in condition.arguments:
            yield from conjuncts(argument)
    else:
        yield condition


def possible(expression: Expression, ranges: Mapping[str, Range], limit: int, conditions: Sequence[Expression] = ()) -> set[Value] | None:
    """The values of an expression on the rows for which the conditions on its columns hold; None where there would be too many to try."""
    names = sorted(set(reads(expression)))
    # The logarithm may differ in its last bit between machines.
    own = [c for c in conditions if set(reads(c)) <= set(names) and "ln" not in functions(c)]
    columns = [ranges[name].domain(limit) for name in names]
    known = [(*values, None) for values in columns if values is not None]
    work = prod(map(len, known)) * sum(map(size, [expression, *own]))
    if len(known) < len(names) or work > EVALUATIONS or "ln" in functions(expression):
        return None
    value, tests = typed(expression, ranges), [typed(condition, ranges) for condition in own]
    rows = (dict(zip(names, row, strict=True)) for row in product(*known))
    return {evaluate(value, row) for row in rows if all(evaluate(test, row) is True for test in tests)} - {None}


def left(rows: Rows, key: Expression, domain: tuple[Value, ...], limit: int) -> tuple[Value, ...]:
    """Those values of a key that the conditions on the rows leave, in their order."""
    found = domain
    for source, expression, conditions in _written(rows, key):
        ranges = source.columns
        values = possible(expression, ranges, limit, conditions)
        if values is not None:
            found = tuple(value for value in found if value in values)
        else:
            exact = functions(expression).isdisjoint(("/", "sqrt", "to real"))
            bounds = range_of(expression, _narrowed(ranges, conditions) if exact else ranges)
            tests = [test for condition in conditions if (test := _of_key(condition, expression)) is not None]
            cost = sum(map(size, tests)) * len(found)
            if cost <= EVALUATIONS:
                found = tuple(v for v in found if _within(v, bounds) and all(evaluate(test, {"": v}) is True for test in tests))
    return found


def written_out(rows: Rows, expression: Expression) -> tuple[Rows, Expression]:
    """An expression in terms of the tables, joins or folds below."""
    while isinstance(rows, Filter | Project):
        expression = expression if isinstance(rows, Filter) else replaced(expression, dict(rows.outputs))
        rows = rows.source
    return rows, expression


def may_be_missing(rows: Rows, key: Expression) -> bool:
    """Whether a key may be NULL where the conditions on its columns hold."""
    for _, expression, conditions in _written(rows, key):
        names = set(reads(expression))
        own = [condition for condition in conditions if set(reads(condition)) and set(reads(condition)) <= names]
        if any(evaluate(condition, dict.fromkeys(names)) is not True for condition in own):
            return False
    return True


def _written(rows: Rows, key: Expression) -> Iterator[tuple[Rows, Expression, list[Expression]]]:
    """The key and the conditions in terms of the rows below: of tables, and of what is joined or folded on the way there."""
    conditions: list[Expression] = []
    while True:
        while isinstance(rows, Filter | Project):
            if isinstance(rows, Filter):
                conditions += conjuncts(rows.condition)
            else:
                outputs = dict(rows.outputs)
                key, conditions = replaced(key, outputs), [replaced(condition, outputs) for condition in conditions]
            rows = rows.source
        if conditions:
            yield rows, key, conditions
        names = set(reads(key))
        below = set(rows.source.columns) if isinstance(rows, Join) else set(rows.keys) if isinstance(rows, Fold) else None
        if below is None or not names <= below:
            return
        assert isinstance(rows, Join | Fold)
        rows, conditions = rows.source, []


def _of_key(condition: Expression, key: Expression) -> Expression | None:
    """A condition on the value of a key, which it reads as the column "", where it is made of that alone."""
    coarser = _COARSER.get(key.function, frozenset()) if isinstance(key, Call) else frozenset()

    def of(part: Expression) -> Expression:
        if part == key:
            return Read("")
        if isinstance(part, Call):
            if isinstance(key, Call) and part.function in coarser and part.arguments == key.arguments:
                return Call(part.function, (Read(""),))
            return Call(part.function, tuple(map(of, part.arguments)))
        return part

    found = of(condition)
    return found if set(reads(found)) == {""} and "ln" not in functions(found) else None


def _narrowed(ranges: Mapping[str, Range], conditions: Sequence[Expression]) -> dict[str, Range]:
    """The ranges with what comparisons of whole numbers and dates with a constant leave of them; doubles round, and stay as they are."""
    found = dict(ranges)
    for name, sign, value in (told for condition in conditions if (told := _comparison(condition)) is not None):
        known = found[name]
        if known.type not in ("integer", "date"):
            continue
        low, high = known.low, known.high
        if sign in ("<", ">") and value.denominator == 1:
            value += 1 if sign == ">" else -1
        if sign in (">", ">=", "="):
            low = value if low is None else max(low, value)
        if sign in ("<", "<=", "="):
            high = value if high is None else min(high, value)
        found[name] = known.but(low=low, high=high) if low is None or high is None or low <= high else known
    return found


def _comparison(condition: Expression) -> tuple[str, str, Fraction] | None:
    """Column, sign and number, where a condition compares a column with a number or a date that is written out."""
    condition = _turned(condition)
    if not isinstance(condition, Call) or condition.function not in _TURNED:
        return None
    first, second = condition.arguments
    if not isinstance(first, Read) or not isinstance(second, Constant):
        return None
    number = _number(second.value)
    return None if number is None else (first.column, condition.function, number)


def _turned(condition: Expression) -> Expression:
    """A comparison whose constant stands on the right."""
    if not isinstance(condition, Call) or condition.function not in _TURNED or not isinstance(condition.arguments[0], Constant):
        return condition
    return Call(_TURNED[condition.function], condition.arguments[::-1])


def _number(value: Value) -> Fraction | None:
    if isinstance(value, date):
        return Fraction(value.toordinal())
    small = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 2**53  # others a double would round
    return Fraction(value) if small else None  # type: ignore[arg-type]


def _within(value: Value, known: Range) -> bool:
    number = _number(value)
    return number is None or ((known.low is None or known.low <= number) and (known.high is None or number <= known.high))


_HOLDS: Final[Mapping[str, Callable[[Range, Fraction], bool]]] = {
    "=": lambda known, value: _low(known) <= value <= _high(known),
    "<": lambda known, value: _low(known) < value,
    "<=": lambda known, value: _low(known) <= value,
    ">": lambda known, value: _high(known) > value,
    ">=": lambda known, value: _high(known) >= value,
}


def _low(known: Range) -> Fraction | float:
    return -float("inf") if known.low is None else known.low


def _high(known: Range) -> Fraction | float:
    return float("inf") if known.high is None else known.high


def never(condition: Expression, ranges: Mapping[str, Range]) -> tuple[Expression, Range | None] | None:
    """What a condition compares with constants, and what is known of it that says that this never holds; None where the constants say so
    themselves. A condition is comparisons, BETWEEN and IN, joined by AND; of other shapes nothing is said."""
    parts = [_turned(part) for part in conjuncts(condition)]
    for subject in dict.fromkeys(part.arguments[0] for part in parts if isinstance(part, Call) and part.arguments):
        if isinstance(subject, Constant) or not set(reads(subject)):
            continue
        known = range_of(subject, ranges)
        own = [part for part in parts if isinstance(part, Call) and part.arguments[0] == subject]
        if any(_fails(part, known) for part in own):
            return subject, known
        if _crossed(own):
            return subject, None
    return None


def _fails(part: Call, known: Range) -> bool:
    rest = part.arguments[1:]
    constants = [one.value for one in rest if isinstance(one, Constant) and one.value is not None]
    if part.function not in ("in", *_TURNED) or not rest or len(constants) < len(rest):
        return False
    if known.values is not None and part.function in ("in", "=") and known.values:
        return not any(value in known.values for value in constants)
    numbers = [number for value in constants if (number := _number(value)) is not None]
    holds = _HOLDS["=" if part.function == "in" else part.function]
    return bool(numbers) and len(numbers) == len(constants) and not any(holds(known, number) for number in numbers)


def _crossed(parts: Sequence[Call]) -> bool:
    """Whether the least that is asked for lies above the most."""
    ends: dict[str, list[Fraction]] = {">": [], "<": []}
    for part in parts:
        value = part.arguments[1].value if len(part.arguments) == 2 and isinstance(part.arguments[1], Constant) else None
        number = _number(value)
        if number is not None and part.function in (">", ">=", "<", "<="):
            ends[part.function[0]].append(number)
    return bool(ends[">"] and ends["<"]) and max(ends[">"]) > min(ends["<"])
