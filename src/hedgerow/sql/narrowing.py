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

__all__ = ["conjuncts", "left", "listed", "may_be_missing", "never", "possible", "stray", "written_out"]

EVALUATIONS: Final = 50_000  # nodes of expressions, to find the values of one key
# Parts of a date that are the same on all days of one month, quarter or year.
_YEAR: Final = frozenset({"year", "start of year"})
_QUARTER: Final = _YEAR | {"quarter", "start of quarter"}
_COARSER: Final = {"start of month": _QUARTER | {"month", "start of month"}, "start of quarter": _QUARTER, "start of year": _YEAR}
_LISTED: Final[Mapping[str, type]] = {"boolean": bool, "integer": int, "real": float, "text": str, "date": date}
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


def listed(rows: Rows, key: Expression, limit: int) -> tuple[Value, ...] | None:
    """The values of a key that the conditions list themselves, as IN and = do, in order; None where they do not, or list too many. They are
    the analyst's words, and so are public: no group outside them has a row, whatever the data hold."""
    for source, expression, conditions in _written(rows, key):
        ranges = dict(source.columns)
        for name in dict.fromkeys(reads(expression)):
            values = _common(conditions, Read(name), ranges[name].type)
            if values is not None and ranges[name].values is None and ranges[name].type != "real":  # 0.0 equals -0.0
                ranges[name] = ranges[name].but(values=tuple(values))
        found = _common(conditions, expression, range_of(expression, ranges).type) or possible(expression, ranges, limit, conditions)
        if found and len(found) <= limit:
            return tuple(sorted(found))  # type: ignore[type-var]
    return None


def _common(conditions: Sequence[Expression], subject: Expression, type_: str) -> set[Value] | None:
    """Those values that each condition lists which lists some; None where none does."""
    found = [values for condition in conditions if (values := _literals(condition, subject, _LISTED[type_])) is not None]
    return set.intersection(*found) if found else None


def _literals(condition: Expression, subject: Expression, kind: type) -> set[Value] | None:
    """The constants that a condition lets something be equal to: =, IN, several with OR, and any part of an AND."""
    condition = _turned(condition)
    if not isinstance(condition, Call):
        return None
    if condition.function in ("and", "or"):
        each = [_literals(part, subject, kind) for part in condition.arguments]
        some = [values for values in each if values is not None]
        if condition.function == "or":
            return set().union(*some) if len(some) == len(each) else None
        return set.intersection(*some) if some else None
    if condition.function not in ("=", "in") or condition.arguments[0] != subject:
        return None
    constants = [one.value if isinstance(one, Constant) else None for one in condition.arguments[1:]]
    # A number of another type is compared as a double, which several whole numbers equal.
    return set(constants) if all(type(value) is kind for value in constants) else None


def written_out(rows: Rows, expression: Expression) -> tuple[Rows, Expression]:
    """An expression in terms of the tables, joins or folds below."""
    while isinstance(rows, Filter | Project):
        expression = expression if isinstance(rows, Filter) else replaced(expression, dict(rows.outputs))
        rows = rows.source
    return rows, expression


def may_be_missing(rows: Rows, key: Expression) -> bool:
    """Whether a key may be NULL where the conditions on its columns hold, or where they list the values that it may have."""
    for source, expression, conditions in _written(rows, key):
        if _common(conditions, expression, range_of(expression, source.columns).type) is not None:
            return False
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
    themselves. A condition is comparisons, BETWEEN and IN, joined by AND and OR; of other shapes nothing is said."""
    own: dict[Expression, list[Call]] = {}
    for part in map(_turned, conjuncts(condition)):
        if isinstance(part, Call) and part.function == "or":
            each = [never(branch, ranges) for branch in part.arguments]
            if None not in each:
                return each[0]
            continue
        if isinstance(part, Call) and part.arguments and not isinstance(part.arguments[0], Constant):
            own.setdefault(part.arguments[0], []).append(part)
    for subject, parts in own.items():
        if not set(reads(subject)):
            continue
        known = range_of(subject, ranges)
        if any(_fails(part, known) for part in parts):
            return subject, known
        if known.type == "integer" and any(_between_wholes(part) for part in parts):
            return subject, Range("integer")
        if _crossed(parts):
            return subject, None
    return None


def stray(condition: Expression, ranges: Mapping[str, Range]) -> tuple[Expression, Range, str] | None:
    """A text in a list that something never is, what is known of that, and the text. Some of the list may hold, but this was not meant."""
    for part in conjuncts(condition):
        if isinstance(part, Call) and part.function == "in" and set(reads(part.arguments[0])):
            known = range_of(part.arguments[0], ranges)
            words = [one.value for one in part.arguments[1:] if isinstance(one, Constant) and isinstance(one.value, str)]
            for word in words if known.values else ():
                if known.values is not None and word not in known.values:
                    return part.arguments[0], known, word
    return None


def _between_wholes(part: Call) -> bool:
    """Whether something is to be equal to a number that is not whole."""
    numbers = [_number(one.value) if isinstance(one, Constant) else None for one in part.arguments[1:]]
    return part.function in ("=", "in") and bool(numbers) and all(number is not None and number.denominator > 1 for number in numbers)


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
