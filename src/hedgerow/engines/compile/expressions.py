"""The SQL of every scalar function of a plan, total like the function itself.

No value makes an expression fail, in whatever order an engine evaluates it: an argument that could
fail is guarded itself, not by a CASE around the call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from hedgerow.engines.compile.dialect import Dialect
from hedgerow.engines.compile.sql_builders import (
    all_of,
    any_of,
    binary,
    call_function,
    case_when,
    cast,
    cast_to_type,
    clamp,
    constant,
    integer_literal,
    null_literal,
    real_literal,
    text_literal,
)
from hedgerow.plan.scalar.dates import DATE_PARTS, DATE_SHIFTS, DATE_TRUNCATIONS
from hedgerow.plan.scalar.expressions import Call, ColumnRef, Constant, Expression, insert_casts
from hedgerow.plan.scalar.functions import FUNCTIONS, LOGARITHMS
from hedgerow.plan.scalar.strings import PARSED_TEXTS
from hedgerow.plan.scalar.timestamps import TIME_PARTS, TIME_UNITS
from hedgerow.plan.values import DAY, FIRST_NUMBERS, LAST_NUMBERS, Range, Type, Value

__all__ = ["FUNCTION_COMPILERS", "compile_expression", "estimate_size"]

_MAX_POSITION: Final = 2**31 - 1


@dataclass(frozen=True, slots=True)
class TypedSql:
    """A SQL expression with the range of its values."""

    sql: exp.Expr
    range: Range

    def cast_to(self, type_: Type) -> exp.Expr:
        """Cast to a type; an expression that is always NULL becomes NULL of that type."""
        if self.range.values == ():
            return null_literal(type_)
        return self.sql if self.range.type == type_ else cast_to_type(self.sql, type_)


FunctionCompiler = Callable[[Sequence[TypedSql], Dialect], exp.Expr]


def compile_expression(
    expression: Expression,
    columns: Mapping[str, Range],
    names: Mapping[str, exp.Expr],
    dialect: Dialect,
) -> exp.Expr:
    """Compile an expression over columns with these ranges and these SQL names."""
    return _compile_typed(insert_casts(expression, columns), columns, names, dialect).sql


def _compile_typed(
    expression: Expression,
    columns: Mapping[str, Range],
    names: Mapping[str, exp.Expr],
    dialect: Dialect,
) -> TypedSql:
    if isinstance(expression, ColumnRef):
        return TypedSql(names[expression.column].copy(), columns[expression.column])
    if isinstance(expression, Constant):
        return TypedSql(constant(expression.value, expression.type), expression.range)
    arguments = [
        _compile_typed(argument, columns, names, dialect) for argument in expression.arguments
    ]
    result = FUNCTIONS[expression.function].infer_range([argument.range for argument in arguments])
    return TypedSql(FUNCTION_COMPILERS[expression.function](arguments, dialect), result)


# The number of copies that a function makes of each argument, where it is more than one; the last
# number holds for all further arguments.
_ARGUMENT_COPIES: Final[Mapping[str, tuple[int, ...]]] = {
    "sqrt": (2,),
    **dict.fromkeys(LOGARITHMS, (2,)),
    **dict.fromkeys((f"parse {type_}" for type_ in PARSED_TEXTS), (2,)),
    "%": (1, 3),
    "nullif": (2, 1),
    "least": (2,),
    "greatest": (2,),
    "substring": (1, 21, 9),
    "right": (1, 3),
    "add days": (3, 9),
    "add months": (3, 9),
    "add microseconds": (3, 9),
    "add calendar months": (4, 9),
}


def estimate_size(expression: Expression) -> int:
    """Estimate the number of SQL nodes of an expression, before any is built: copies multiply."""
    if not isinstance(expression, Call):
        return 1
    copies = _ARGUMENT_COPIES.get(expression.function, (1,))
    return 1 + sum(
        copies[min(place, len(copies) - 1)] * estimate_size(argument)
        for place, argument in enumerate(expression.arguments)
    )


def _cast_to_common(terms: Sequence[TypedSql]) -> list[exp.Expr]:
    types = {term.range.type for term in terms if term.range.values != ()} or {terms[0].range.type}
    type_ = "real" if "real" in types else types.pop()
    return [term.cast_to(type_) for term in terms]


def _make_operator(operator: type[exp.Binary]) -> FunctionCompiler:
    def rule(terms: Sequence[TypedSql], _: Dialect) -> exp.Expr:
        a, b = _cast_to_common(terms)
        return binary(a, operator, b)

    return rule


def _compile_product(terms: Sequence[TypedSql], dialect: Dialect) -> exp.Expr:
    a, b = _cast_to_common(terms)
    if any(term.range.type == "real" for term in terms):
        return dialect.multiply_reals(a, b)
    return binary(a, exp.Mul, b)


def _compile_division(terms: Sequence[TypedSql], dialect: Dialect) -> exp.Expr:
    return dialect.divide_reals(*(term.cast_to("real") for term in terms))


def _compile_remainder(terms: Sequence[TypedSql], _: Dialect) -> exp.Expr:
    # The remainders by -1 and by 1 are the same, but the smallest integer overflows when divided by
    # -1.
    a, b = (term.sql for term in terms)
    divisor = case_when(
        (binary(b, exp.EQ, integer_literal(-1)), integer_literal(1)),
        (binary(b.copy(), exp.EQ, integer_literal(0)), null_literal("integer")),
        otherwise=b.copy(),
    )
    return binary(a, exp.Mod, divisor)


def _make_function(function: str) -> FunctionCompiler:
    return lambda terms, _: call_function(function, terms[0].sql)


def _make_rounding(function: str) -> FunctionCompiler:
    def rule(terms: Sequence[TypedSql], dialect: Dialect) -> exp.Expr:
        value = terms[0].sql
        if terms[0].range.type == "integer":
            return value
        whole = dialect.round_real(value) if function == "round" else call_function(function, value)
        return dialect.total_cast(whole, "real", "integer", False)

    return rule


def _make_guarded(function: str, operator: type[exp.Binary]) -> FunctionCompiler:
    """Make the compiler of a function of reals that is NULL unless they compare to 0 like that."""

    def rule(terms: Sequence[TypedSql], _: Dialect) -> exp.Expr:
        value = terms[0].cast_to("real")
        return call_function(
            function, case_when((binary(value, operator, real_literal(0.0)), value.copy()))
        )

    return rule


def _make_extreme(function: str) -> FunctionCompiler:
    # DuckDB skips NULL here; in a plan it makes the result NULL.
    def rule(terms: Sequence[TypedSql], _: Dialect) -> exp.Expr:
        values = _cast_to_common(terms)
        missing = any_of([exp.Is(this=value.copy(), expression=exp.Null()) for value in values])
        return case_when((missing, exp.Null()), otherwise=call_function(function, *values))

    return rule


def _compile_in(terms: Sequence[TypedSql], _: Dialect) -> exp.Expr:
    value, *among = _cast_to_common(terms)
    return exp.Paren(this=exp.In(this=value, expressions=among))


def _compile_case(terms: Sequence[TypedSql], _: Dialect) -> exp.Expr:
    *values, otherwise = _cast_to_common([*terms[1::2], terms[-1]])
    conditions = [term.cast_to("boolean") for term in terms[0:-1:2]]
    return case_when(*zip(conditions, values, strict=True), otherwise=otherwise)


def _compile_nullif(terms: Sequence[TypedSql], _: Dialect) -> exp.Expr:
    a, b = _cast_to_common(terms)
    kept = terms[0].sql.copy()
    return case_when((binary(a, exp.EQ, b), null_literal(terms[0].range.type)), otherwise=kept)


def _compile_substring(terms: Sequence[TypedSql], _: Dialect) -> exp.Expr:
    """Compile SUBSTRING; positions before 1 are cut off, since DuckDB counts them from the end."""
    value, start, count = (term.sql for term in terms)
    first = clamp(start, integer_literal(1), integer_literal(_MAX_POSITION))
    end = clamp(
        binary(start.copy(), exp.Add, count), integer_literal(1), integer_literal(_MAX_POSITION)
    )
    length = clamp(
        binary(end, exp.Sub, first.copy()), integer_literal(0), integer_literal(_MAX_POSITION)
    )
    return call_function("substring", value, first, length)


def _compile_right(terms: Sequence[TypedSql], _: Dialect) -> exp.Expr:
    return call_function(
        "right",
        terms[0].sql,
        clamp(terms[1].sql, integer_literal(0), integer_literal(_MAX_POSITION)),
    )


def _make_parser(type_: Type) -> FunctionCompiler:
    def rule(terms: Sequence[TypedSql], dialect: Dialect) -> exp.Expr:
        bare = call_function("trim", terms[0].cast_to("text"), text_literal(" "))
        fits = dialect.full_match(bare.copy(), PARSED_TEXTS[type_])
        return case_when((fits, dialect.total_cast(bare, "text", type_, False)))

    return rule


def _compile_concat(terms: Sequence[TypedSql], dialect: Dialect) -> exp.Expr:
    # CONCAT would skip NULL.
    joined = terms[0].cast_to("text")
    for term in terms[1:]:
        joined = dialect.concatenate(joined, term.cast_to("text"))
    return joined


def _write_pattern(terms: Sequence[TypedSql]) -> exp.Expr:
    return text_literal(str(_get_constant(terms[1])))


def _write_group(terms: Sequence[TypedSql]) -> exp.Expr:
    return cast(exp.Literal.number(str(_get_constant(terms[2]))), "INT")


def _get_constant(term: TypedSql) -> Value:
    """Return the value of an argument that is always a constant."""
    (value,) = term.range.values or (None,)
    return value


def _compile_replacement(terms: Sequence[TypedSql], _: Dialect) -> exp.Expr:
    parts = text_literal(str(_get_constant(terms[2])))
    every = [text_literal("g")] if _get_constant(terms[3]) else []
    return call_function("regexp_replace", terms[0].sql, _write_pattern(terms), parts, *every)


def _make_date_shift(name: str) -> FunctionCompiler:
    return lambda terms, dialect: dialect.date_shifts[name](
        terms[0].cast_to("date"), terms[1].cast_to("integer")
    )


def _make_date_function(name: str) -> FunctionCompiler:
    return lambda terms, dialect: {**dialect.date_parts, **dialect.date_truncations}[name](
        terms[0].sql
    )


def _make_time_part(size: int, whole: int) -> FunctionCompiler:
    def rule(terms: Sequence[TypedSql], dialect: Dialect) -> exp.Expr:
        rest = binary(_build_number(terms[0], dialect), exp.Mod, integer_literal(whole))
        return dialect.truncating_divide(rest, integer_literal(size))

    return rule


def _make_time_truncation(size: int) -> FunctionCompiler:
    def rule(terms: Sequence[TypedSql], dialect: Dialect) -> exp.Expr:
        count = dialect.truncating_divide(_build_number(terms[0], dialect), integer_literal(size))
        return dialect.build_timestamp(binary(count, exp.Mul, integer_literal(size)))

    return rule


def _make_time_difference(size: int) -> FunctionCompiler:
    def rule(terms: Sequence[TypedSql], dialect: Dialect) -> exp.Expr:
        first, last = (
            dialect.truncating_divide(_build_number(term, dialect), integer_literal(size))
            for term in terms
        )
        return binary(last, exp.Sub, first)

    return rule


def _build_number(term: TypedSql, dialect: Dialect) -> exp.Expr:
    return dialect.timestamp_number(term.cast_to("timestamp"))


def _compile_microsecond_shift(terms: Sequence[TypedSql], dialect: Dialect) -> exp.Expr:
    first, last = (integer_literal(ends["timestamp"]) for ends in (FIRST_NUMBERS, LAST_NUMBERS))
    # so that the sum stays within 64 bits
    far = clamp(terms[1].cast_to("integer"), binary(first, exp.Sub, last), last)
    moved = binary(_build_number(terms[0], dialect), exp.Add, far)
    return dialect.build_timestamp(clamp(moved, first.copy(), last.copy()))


def _compile_calendar_shift(terms: Sequence[TypedSql], dialect: Dialect) -> exp.Expr:
    time = terms[0].cast_to("timestamp")
    day = dialect.date_shifts["add months"](cast_to_type(time, "date"), terms[1].cast_to("integer"))
    rest = binary(dialect.timestamp_number(time.copy()), exp.Mod, integer_literal(DAY))
    start = binary(dialect.ordinal(day), exp.Mul, integer_literal(DAY))
    return dialect.build_timestamp(binary(start, exp.Add, rest))


FUNCTION_COMPILERS: Final[Mapping[str, FunctionCompiler]] = {
    "+": _make_operator(exp.Add),
    "-": _make_operator(exp.Sub),
    "*": _compile_product,
    "/": _compile_division,
    "%": _compile_remainder,
    "negate": lambda terms, _: exp.Paren(this=exp.Neg(this=exp.Paren(this=terms[0].sql))),
    "abs": _make_function("abs"),
    "floor": _make_rounding("floor"),
    "ceil": _make_rounding("ceil"),
    "round": _make_rounding("round"),
    "sqrt": _make_guarded("sqrt", exp.GTE),
    **{name: _make_guarded(name, exp.GT) for name in LOGARITHMS},
    "least": _make_extreme("least"),
    "greatest": _make_extreme("greatest"),
    "to real": lambda terms, _: terms[0].cast_to("real"),
    "=": _make_operator(exp.EQ),
    "<>": _make_operator(exp.NEQ),
    "<": _make_operator(exp.LT),
    "<=": _make_operator(exp.LTE),
    ">": _make_operator(exp.GT),
    ">=": _make_operator(exp.GTE),
    "in": _compile_in,
    "like": _make_operator(exp.Like),
    "and": lambda terms, _: exp.Paren(this=all_of([term.cast_to("boolean") for term in terms])),
    "or": lambda terms, _: any_of([term.cast_to("boolean") for term in terms]),
    "not": lambda terms, _: exp.Paren(
        this=exp.Not(this=exp.Paren(this=terms[0].cast_to("boolean")))
    ),
    "is null": lambda terms, _: exp.Paren(
        this=exp.Is(this=exp.Paren(this=terms[0].sql), expression=exp.Null())
    ),
    "case": _compile_case,
    "coalesce": lambda terms, _: call_function("coalesce", *_cast_to_common(terms)),
    "nullif": _compile_nullif,
    "lower": _make_function("lower"),
    "upper": _make_function("upper"),
    "trim": lambda terms, _: call_function("trim", terms[0].sql, text_literal(" ")),
    "length": lambda terms, _: cast_to_type(call_function("length", terms[0].sql), "integer"),
    "substring": _compile_substring,
    "right": _compile_right,
    "concat": _compile_concat,
    "starts with": lambda terms, _: call_function(
        "starts_with", *(term.cast_to("text") for term in terms)
    ),
    "position": lambda terms, _: cast_to_type(
        call_function("strpos", *(term.cast_to("text") for term in terms)), "integer"
    ),
    **{f"parse {type_}": _make_parser(type_) for type_ in PARSED_TEXTS},
    "matches pattern": lambda terms, _: call_function(
        "regexp_matches", terms[0].sql, _write_pattern(terms)
    ),
    "extract pattern": lambda terms, _: call_function(
        "regexp_extract", terms[0].sql, _write_pattern(terms), _write_group(terms)
    ),
    "replace pattern": _compile_replacement,
    "days between": lambda terms, dialect: dialect.days_between(
        terms[0].cast_to("date"), terms[1].cast_to("date")
    ),
    "to text": lambda terms, _: terms[0].cast_to("text"),
    "to date": lambda terms, _: cast_to_type(terms[0].sql, "date"),
    "to timestamp": lambda terms, _: cast_to_type(terms[0].sql, "timestamp"),
    "add microseconds": _compile_microsecond_shift,
    "add calendar months": _compile_calendar_shift,
    **{unit: _make_time_part(TIME_UNITS[unit], whole) for unit, whole in TIME_PARTS.items()},
    **{f"start of {unit}": _make_time_truncation(size) for unit, size in TIME_UNITS.items()},
    **{f"{unit}s between": _make_time_difference(size) for unit, size in TIME_UNITS.items()},
    **{name: _make_date_shift(name) for name in DATE_SHIFTS},
    **{name: _make_date_function(name) for name in (*DATE_PARTS, *DATE_TRUNCATIONS)},
}
