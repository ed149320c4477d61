"""Rounding to a grid as SQL: a value becomes an integer number of steps."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from sqlglot import exp

from hedgerow.engines.compile.column_lineage import find_source_column
from hedgerow.engines.compile.dialect import Dialect
from hedgerow.engines.compile.sql_builders import (
    cast_to_type,
    clamp,
    integer_literal,
    real_literal,
)
from hedgerow.plan.measures import ClampedGrid
from hedgerow.plan.nodes import RelationNode
from hedgerow.plan.scalar.functions import round_half_away
from hedgerow.plan.values import Range

__all__ = ["compile_grid_steps", "find_read_range"]


def find_read_range(rows: RelationNode, name: str) -> Range:
    """Return the range of a column: its type, with its bounds if it is passed on as it was read.

    Bounds derived for expressions are not used here: doubles can lie beyond them by a rounding
    error.
    """
    read = find_source_column(rows, name)
    if read is None or read.values is not None or read.low is None:
        return Range(rows.columns[name].type)
    return Range(read.type, read.low, read.high)


def compile_grid_steps(
    value: exp.Expr, known: Range, grid: ClampedGrid, dialect: Dialect
) -> exp.Expr:
    """Compile a value to grid steps: clamped, divided, rounded half away from zero, clamped again.

    A clamp is left out where the range shows that it changes nothing. Integers with step 1 stay
    integers.
    """
    low, high = integer_literal(grid.low), integer_literal(grid.high)
    if known.type == "integer" and grid.step == 1:
        within = _is_within_clamp(known, Fraction, grid)
        return value.copy() if within else clamp(value.copy(), low, high)
    number = cast_to_type(value.copy(), "real") if known.type == "integer" else value.copy()
    step, first, last = float(grid.step), float(grid.low * grid.step), float(grid.high * grid.step)
    clamped = number
    if not _is_within_clamp(known, float, grid):
        clamped = clamp(number, real_literal(first), real_literal(last))
    quotient = dialect.divide_by_nonzero(clamped, real_literal(step))
    steps = dialect.round_bounded(quotient)
    # Division and rounding are monotone, and doubles divide here as in the engine: where both ends
    # of the first clamp end up within the second, so does everything between them.
    if grid.low <= round_half_away(first / step) and round_half_away(last / step) <= grid.high:
        return steps
    return clamp(steps, low, high)


def _is_within_clamp(
    known: Range, as_compared: Callable[[Fraction], Fraction | float], grid: ClampedGrid
) -> bool:
    """Return whether a range lies within the grid, compared exactly or as doubles."""
    if known.low is None or known.high is None:
        return False
    low, first, last, high = map(
        as_compared, (grid.low * grid.step, known.low, known.high, grid.high * grid.step)
    )
    return low <= first and last <= high
