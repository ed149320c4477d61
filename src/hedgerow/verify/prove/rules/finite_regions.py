"""Regions of a program whose noise has finitely many values: coins and short bit strings.

A region is proved as a whole, by its distribution. It begins with the first statement that draws,
and ends with the last one, before a loop or other noise, that draws too or reads a variable that
was assigned in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from hedgerow.verify.language.program import (
    Assign,
    Block,
    If,
    Noise,
    Program,
    Sample,
    Statement,
    While,
    collect_names,
    find_assigned_names,
    list_expressions,
    walk_statements,
)

__all__ = ["FiniteRegion", "find_inputs", "find_live_variables", "list_regions", "split_regions"]

_FINITE_NOISE: Final = (Noise.BERNOULLI, Noise.BITS)


@dataclass(frozen=True, slots=True)
class FiniteRegion:
    body: Block

    @property
    def samples(self) -> tuple[Sample, ...]:
        return tuple(one for one in walk_statements(self.body) if isinstance(one, Sample))

    @property
    def site(self) -> int:
        """The site that counts the cost of the whole region."""
        return min(one.site for one in self.samples)


def _read_inside(statement: Statement) -> frozenset[str]:
    """Return the variables that the statement and its parts read."""
    return frozenset().union(
        *(
            collect_names(expression)
            for one in walk_statements((statement,))
            for expression in list_expressions(one)
        )
    )


def _is_finite(statement: Statement) -> bool:
    """Return True if the statement has no loop and no noise with infinitely many values."""
    inside = list(walk_statements((statement,)))
    return not any(
        isinstance(one, While) or (isinstance(one, Sample) and one.noise not in _FINITE_NOISE)
        for one in inside
    )


def _has_draws(statement: Statement) -> bool:
    return any(isinstance(one, Sample) for one in walk_statements((statement,)))


def split_regions(block: Block) -> Iterator[FiniteRegion | Statement]:
    """Yield the statements of the block, with each region of finite noise as one item."""
    place = 0
    while place < len(block):
        if not (_is_finite(block[place]) and _has_draws(block[place])):
            yield block[place]
            place += 1
            continue
        end = after = place + 1
        while after < len(block) and _is_finite(block[after]):
            after += 1
            if _has_draws(block[after - 1]) or _read_inside(block[after - 1]) & find_assigned_names(
                block[place : after - 1]
            ):
                end = after
        yield FiniteRegion(block[place:end])
        place = end


def list_regions(block: Block) -> Iterator[FiniteRegion]:
    """Yield all regions in textual order, also inside loops and branches."""
    for one in split_regions(block):
        match one:
            case FiniteRegion():
                yield one
            case If():
                yield from list_regions(one.then)
                yield from list_regions(one.otherwise)
            case While():
                yield from list_regions(one.body)
            case _:
                pass


def find_inputs(region: FiniteRegion) -> frozenset[str]:
    """Return the variables that the region may read before it assigns them."""
    return _live_before(region.body, frozenset())


def find_live_variables(region: FiniteRegion, program: Program) -> frozenset[str]:
    """Return the variables that the region assigns and that may be read later, before another
    assignment.
    """
    return find_assigned_names(region.body) & _live_after(
        program.body, region.body[-1], frozenset()
    )


def _variables_read(statement: Statement) -> frozenset[str]:
    return frozenset().union(
        *(collect_names(expression) for expression in list_expressions(statement))
    )


def _live_before(block: Block, after: frozenset[str]) -> frozenset[str]:
    """Return the variables live at the start of the block, given the ones live at its end."""
    for one in reversed(block):
        match one:
            case Assign() | Sample():
                after = (after - {one.name}) | _variables_read(one)
            case If():
                after = (
                    _live_before(one.then, after)
                    | _live_before(one.otherwise, after)
                    | _variables_read(one)
                )
            case While():
                after = _live_at_guard(one, after)
            case _:
                after |= _variables_read(one)
    return after


def _live_at_guard(loop: While, after: frozenset[str]) -> frozenset[str]:
    found = after | _variables_read(loop)
    while (more := found | _live_before(loop.body, found)) != found:
        found = more
    return found


def _live_after(block: Block, last: Statement, after: frozenset[str]) -> frozenset[str]:
    """Return the variables live after this statement, at any depth of the block."""
    found: frozenset[str] = frozenset()
    for one in reversed(block):
        if one is last:
            found |= after
        if isinstance(one, If):
            found |= _live_after(one.then, last, after) | _live_after(one.otherwise, last, after)
        elif isinstance(one, While):
            found |= _live_after(one.body, last, _live_at_guard(one, after))
        after = _live_before((one,), after)
    return found
