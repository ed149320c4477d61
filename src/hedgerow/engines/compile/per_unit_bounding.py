"""Aggregation over the rows of one unit.

Sums are taken in whole grid steps, so the order of the rows does not show in their last bit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sqlglot import exp

from hedgerow.engines.compile.dialect import Dialect
from hedgerow.engines.compile.grid_rounding import compile_grid_steps
from hedgerow.engines.compile.sql_builders import (
    binary,
    build_extreme,
    call_function,
    case_when,
    cast,
    cast_to_type,
    clamp,
    integer_literal,
    null_literal,
    real_literal,
)
from hedgerow.plan.nodes import UnitStatistic
from hedgerow.plan.values import Range

__all__ = ["compile_unit_statistic"]

_MAX_UNIT_SUM: Final = 2**62


def compile_unit_statistic(
    statistic: UnitStatistic,
    names: Mapping[str, exp.Expr],
    known: Mapping[str, Range],
    dialect: Dialect,
) -> exp.Expr:
    """Compile an aggregate over the rows of one unit (and its keys)."""
    if statistic.column is None:
        return exp.Count(this=exp.Star())
    value, type_ = names[statistic.column], known[statistic.column].type
    if statistic.kind == "values":
        return exp.Count(this=value.copy())
    if statistic.kind == "distinct":
        return exp.Count(this=exp.Distinct(expressions=[value.copy()]))
    if statistic.grid is None:
        return build_extreme(value.copy(), type_, largest=statistic.kind != "least")
    integer = statistic.kind == "total" and type_ == "integer"
    limit = _MAX_UNIT_SUM // int(statistic.grid.step) if integer else _MAX_UNIT_SUM
    in_steps = compile_grid_steps(value, Range(type_), statistic.grid, dialect)
    steps = call_function("sum", cast(in_steps, dialect.wide_integer))
    low, high = (cast(integer_literal(end), dialect.wide_integer) for end in (-limit, limit))
    total = cast_to_type(clamp(steps, low, high), "integer")
    count = exp.Count(this=value.copy())
    has_values = binary(count, exp.GT, integer_literal(0))
    if integer:
        return case_when(
            (has_values, binary(total, exp.Mul, integer_literal(int(statistic.grid.step)))),
            otherwise=null_literal("integer"),
        )
    size = binary(
        cast_to_type(total, "real"), exp.Mul, real_literal(float(statistic.grid.step.numerator))
    )
    divisor = real_literal(float(statistic.grid.step.denominator))
    amount = dialect.divide_by_nonzero(size, divisor)
    if statistic.kind == "mean":
        amount = dialect.divide_by_nonzero(amount, cast_to_type(count.copy(), "real"))
    return case_when((has_values, amount), otherwise=null_literal("real"))
