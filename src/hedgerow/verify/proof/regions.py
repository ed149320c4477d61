"""Stretches of a program whose noise has finitely many values, coins and short bit strings: they are proved as a whole, by their laws.

A stretch begins with the first statement that draws, and ends with the last one, before a loop or other noise, that draws too or reads what
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
    assigned,
    expressions,
    names,
    statements,
)

__all__ = ["Region", "entering", "live", "pieces", "regions"]

_FINITE: Final = (Noise.BERNOULLI, Noise.BITS)


@dataclass(frozen=True, slots=True)
class Region:
    body: Block

    @property
    def samples(self) -> tuple[Sample, ...]:
        return tuple(one for one in statements(self.body) if isinstance(one, Sample))

    @property
    def site(self) -> int:
        """What the whole stretch costs is counted here."""
        return min(one.site for one in self.samples)


def _mentioned(statement: Statement) -> frozenset[str]:
    """What it reads, and what stands in it reads."""
    return frozenset().union(*(names(expression) for one in statements((statement,)) for expression in expressions(one)))


def _finite(statement: Statement) -> bool:
    """No loops, and no noise of infinitely many values."""
    inside = list(statements((statement,)))
    return not any(isinstance(one, While) or (isinstance(one, Sample) and one.noise not in _FINITE) for one in inside)


def _draws(statement: Statement) -> bool:
    return any(isinstance(one, Sample) for one in statements((statement,)))


def pieces(block: Block) -> Iterator[Region | Statement]:
    """The block, with its stretches of finite noise put together."""
    place = 0
    while place < len(block):
        if not (_finite(block[place]) and _draws(block[place])):
            yield block[place]
            place += 1
            continue
        end = after = place + 1
        while after < len(block) and _finite(block[after]):
            after += 1
            if _draws(block[after - 1]) or _mentioned(block[after - 1]) & assigned(block[place : after - 1]):
                end = after
        yield Region(block[place:end])
        place = end


def regions(block: Block) -> Iterator[Region]:
    """All stretches, those inside of loops and branches included, in the order of the text."""
    for one in pieces(block):
        match one:
            case Region():
                yield one
            case If():
                yield from regions(one.then)
                yield from regions(one.otherwise)
            case While():
                yield from regions(one.body)
            case _:
                pass


def entering(region: Region) -> frozenset[str]:
    """What the stretch may read before it has assigned it."""
    return _before(region.body, frozenset())


def live(region: Region, program: Program) -> frozenset[str]:
    """What is assigned in the stretch and may be read afterwards, before it is assigned anew."""
    return assigned(region.body) & _after(program.body, region.body[-1], frozenset())


def _read(statement: Statement) -> frozenset[str]:
    return frozenset().union(*(names(expression) for expression in expressions(statement)))


def _before(block: Block, after: frozenset[str]) -> frozenset[str]:
    """What may be read from the beginning of the block on, if ``after`` may be read from its end on."""
    for one in reversed(block):
        match one:
            case Assign() | Sample():
                after = (after - {one.name}) | _read(one)
            case If():
                after = _before(one.then, after) | _before(one.otherwise, after) | _read(one)
            case While():
                after = _asked(one, after)
            case _:
                after |= _read(one)
    return after


def _asked(loop: While, after: frozenset[str]) -> frozenset[str]:
    """What may be read from where the guard is asked on."""
    found = after | _read(loop)
    while (more := found | _before(loop.body, found)) != found:
        found = more
    return found


def _after(block: Block, last: Statement, after: frozenset[str]) -> frozenset[str]:
    """What may be read from the end of this statement on, wherever in the block it stands."""
    found: frozenset[str] = frozenset()
    for one in reversed(block):
        if one is last:
            found |= after
        if isinstance(one, If):
            found |= _after(one.then, last, after) | _after(one.otherwise, last, after)
        elif isinstance(one, While):
            found |= _after(one.body, last, _asked(one, after))
        after = _before((one,), after)
    return found
