"""One SQL expression for each function of ``plan.functions``, total like the function itself.

No value makes any of them raise, in whatever order an engine evaluates them: what could fail is guarded inside its own argument, not by
a CASE around it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from hedgerow.engines.dialect import Dialect
from hedgerow.engines.terms import as_type, between, both, call, constant, either, null, real, test, text, when, whole
from hedgerow.plan.dates import MOVES, PARTS, STARTS
from hedgerow.plan.expressions import Call, Constant, Expression, Read, typed
from hedgerow.plan.functions import FUNCTIONS
from hedgerow.plan.values import Range, Type

__all__ = ["RULES", "scalar", "weight"]

_PLACES: Final = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Term:
    """A piece of SQL and what is known about its values."""

    sql: exp.Expr
    range: Range

    def to(self, type_: Type) -> exp.Expr:
        """As a value of the type; what is NULL anyway takes any."""
        if self.range.values == ():
            return null(type_)
        return self.sql if self.range.type == type_ else as_type(self.sql, type_)


Rule = Callable[[Sequence[Term], Dialect], exp.Expr]


def scalar(expression: Expression, columns: Mapping[str, Range], names: Mapping[str, exp.Expr], dialect: Dialect) -> exp.Expr:
    """The SQL of an expression over columns of these ranges that go by these names."""
    return _term(typed(expression, columns), columns, names, dialect).sql


def _term(expression: Expression, columns: Mapping[str, Range], names: Mapping[str, exp.Expr], dialect: Dialect) -> Term:
    if isinstance(expression, Read):
        return Term(names[expression.column].copy(), columns[expression.column])
    if isinstance(expression, Constant):
        return Term(constant(expression.value, expression.type), expression.range)
    arguments = [_term(argument, columns, names, dialect) for argument in expression.arguments]
    result = FUNCTIONS[expression.function].result([argument.range for argument in arguments])
    return Term(RULES[expression.function](arguments, dialect), result)


# How often a rule below writes an argument down, where that is more than once: for each argument, the last number for all that follow.
_COPIES: Final[Mapping[str, tuple[int, ...]]] = {
    "sqrt": (2,),
    "ln": (2,),
    "%": (1, 3),
    "nullif": (2, 1),
    "least": (2,),
    "greatest": (2,),
    "substring": (1, 21, 9),
    "right": (1, 3),
    "add days": (3, 9),
    "add months": (3, 9),
}


def weight(expression: Expression) -> int:
    """How many pieces of SQL the expression becomes. Copies of copies multiply, so this is asked before anything is written."""
    if not isinstance(expression, Call):
        return 1
    copies = _COPIES.get(expression.function, (1,))
    return 1 + sum(copies[min(place, len(copies) - 1)] * weight(argument) for place, argument in enumerate(expression.arguments))


def _common(terms: Sequence[Term]) -> list[exp.Expr]:
    """All as one type: reals where whole numbers and reals meet."""
    types = {term.range.type for term in terms if term.range.values != ()} or {terms[0].range.type}
    type_ = "real" if "real" in types else types.pop()
    return [term.to(type_) for term in terms]


def _operator(operator: type[exp.Binary]) -> Rule:
    def rule(terms: Sequence[Term], _: Dialect) -> exp.Expr:
        a, b = _common(terms)
        return test(a, operator, b)

    return rule


def _divide(terms: Sequence[Term], _: Dialect) -> exp.Expr:
    a, b = (term.to("real") for term in terms)
    return test(a, exp.Div, exp.Nullif(this=b, expression=real(0.0)))


def _remainder(terms: Sequence[Term], _: Dialect) -> exp.Expr:
    # What remains after dividing by -1 and by 1 is the same, but the least whole number cannot be divided by -1.
    a, b = (term.sql for term in terms)
    divisor = when((test(b, exp.EQ, whole(-1)), whole(1)), (test(b.copy(), exp.EQ, whole(0)), null("integer")), otherwise=b.copy())
    return test(a, exp.Mod, divisor)


def _function(function: str) -> Rule:
    return lambda terms, _: call(function, terms[0].sql)


def _to_whole(function: str) -> Rule:
    def rule(terms: Sequence[Term], _: Dialect) -> exp.Expr:
        value = terms[0].sql
        return value if terms[0].range.type == "integer" else as_type(call(function, value), "integer", total=True)

    return rule


def _where(function: str, operator: type[exp.Binary]) -> Rule:
    """A function of reals that is NULL unless they compare to 0 like that."""

    def rule(terms: Sequence[Term], _: Dialect) -> exp.Expr:
        value = terms[0].to("real")
        return call(function, when((test(value, operator, real(0.0)), value.copy())))

    return rule


def _extreme(function: str) -> Rule:
    # The engine skips NULL here; for us it makes the result NULL.
    def rule(terms: Sequence[Term], _: Dialect) -> exp.Expr:
        values = _common(terms)
        missing = either([exp.Is(this=value.copy(), expression=exp.Null()) for value in values])
        return when((missing, exp.Null()), otherwise=call(function, *values))

    return rule


def _member(terms: Sequence[Term], _: Dialect) -> exp.Expr:
    value, *among = _common(terms)
    return exp.Paren(this=exp.In(this=value, expressions=among))


def _case(terms: Sequence[Term], _: Dialect) -> exp.Expr:
    *values, otherwise = _common([*terms[1::2], terms[-1]])
    conditions = [term.to("boolean") for term in terms[0:-1:2]]
    return when(*zip(conditions, values, strict=True), otherwise=otherwise)


def _nullif(terms: Sequence[Term], _: Dialect) -> exp.Expr:
    a, b = _common(terms)
    kept = terms[0].sql.copy()
    return when((test(a, exp.EQ, b), null(terms[0].range.type)), otherwise=kept)


def _substring(terms: Sequence[Term], _: Dialect) -> exp.Expr:
    """Places before the first are cut off, since the engine would count them from the end."""
    value, start, count = (term.sql for term in terms)
    first = between(start, whole(1), whole(_PLACES))
    end = between(test(start.copy(), exp.Add, count), whole(1), whole(_PLACES))
    length = between(test(end, exp.Sub, first.copy()), whole(0), whole(_PLACES))
    return call("substring", value, first, length)


def _right(terms: Sequence[Term], _: Dialect) -> exp.Expr:
    return call("right", terms[0].sql, between(terms[1].sql, whole(0), whole(_PLACES)))


def _joined(terms: Sequence[Term], _: Dialect) -> exp.Expr:
    # The function of that name skips NULL.
    found = terms[0].to("text")
    for term in terms[1:]:
        found = test(found, exp.DPipe, term.to("text"))
    return found


def _later(name: str) -> Rule:
    return lambda terms, dialect: dialect.later[name](terms[0].to("date"), terms[1].to("integer"))


def _part(name: str) -> Rule:
    return lambda terms, dialect: dialect.parts[name](terms[0].sql)


def _start(name: str) -> Rule:
    return lambda terms, dialect: dialect.starts[name](terms[0].sql)


RULES: Final[Mapping[str, Rule]] = {
    "+": _operator(exp.Add),
    "-": _operator(exp.Sub),
    "*": _operator(exp.Mul),
    "/": _divide,
    "%": _remainder,
    "negate": lambda terms, _: exp.Paren(this=exp.Neg(this=exp.Paren(this=terms[0].sql))),
    "abs": _function("abs"),
    "floor": _to_whole("floor"),
    "ceil": _to_whole("ceil"),
    "round": _to_whole("round"),
    "sqrt": _where("sqrt", exp.GTE),
    "ln": _where("ln", exp.GT),
    "least": _extreme("least"),
    "greatest": _extreme("greatest"),
    "to real": lambda terms, _: terms[0].to("real"),
    "=": _operator(exp.EQ),
    "<>": _operator(exp.NEQ),
    "<": _operator(exp.LT),
    "<=": _operator(exp.LTE),
    ">": _operator(exp.GT),
    ">=": _operator(exp.GTE),
    "in": _member,
    "like": _operator(exp.Like),
    "and": lambda terms, _: exp.Paren(this=both([term.to("boolean") for term in terms])),
    "or": lambda terms, _: either([term.to("boolean") for term in terms]),
    "not": lambda terms, _: exp.Paren(this=exp.Not(this=exp.Paren(this=terms[0].to("boolean")))),
    "is null": lambda terms, _: exp.Paren(this=exp.Is(this=exp.Paren(this=terms[0].sql), expression=exp.Null())),
    "case": _case,
    "coalesce": lambda terms, _: call("coalesce", *_common(terms)),
    "nullif": _nullif,
    "lower": _function("lower"),
    "upper": _function("upper"),
    "trim": lambda terms, _: call("trim", terms[0].sql, text(" ")),
    "length": lambda terms, _: as_type(call("length", terms[0].sql), "integer"),
    "substring": _substring,
    "right": _right,
    "concat": _joined,
    "starts with": lambda terms, _: call("starts_with", *(term.to("text") for term in terms)),
    "days between": lambda terms, _: test(terms[1].to("date"), exp.Sub, terms[0].to("date")),
    **{name: _later(name) for name in MOVES},
    **{name: _part(name) for name in PARTS},
    **{name: _start(name) for name in STARTS},
}
