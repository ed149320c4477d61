"""Small mechanisms with certificates written by hand."""

from __future__ import annotations

from fractions import Fraction

from hedgerow.verify.language.program import Apply, Expression, Name, Number, Program, Read
from hedgerow.verify.language.python import read_programs
from hedgerow.verify.prove.certificate import Certificate, hash_program

_TEXTS = {
    "noisy": (
        """
@mechanism(epsilon="{claim}", neighbours="{neighbours}")
def noisy(x: private[float], eps: public[float]):
    return x + laplace({scale})
"""
    ),
    "pair": (
        """
@mechanism(epsilon="{claim}", neighbours={neighbours})
def pair(q: private[list[int]], eps: public[float]):
    output(q[0] + geometric({scale}))
    output(q[1] + geometric({scale}))
"""
    ),
    "scaled": (
        """
@mechanism(epsilon="eps / N", neighbours="all")
def scaled(x: private[float], N: public[int], loud: public[bool], eps: public[float]):
    output(loud)
    output(x + laplace(N / eps))
"""
    ),
    "broken": (
        """
@mechanism(epsilon="eps", neighbours="all")
def broken(q: private[list], at: public[int], extra: public[list], eps: public[float]):
    output(q[at] + laplace(1 / eps) + 0 * exp(at))
"""
    ),
}


def program(
    name: str, *, claim: str = "eps", neighbours: str = "all", scale: str = "1 / eps"
) -> Program:
    """One of the texts above."""
    (found,) = read_programs(_TEXTS[name].format(claim=claim, neighbours=neighbours, scale=scale))
    assert isinstance(found, Program), found
    return found


def proof(of: Program, *shifts: Expression) -> Certificate:
    """Straight from one run to the other: no loops, no rates."""
    return Certificate(
        of.name, hash_program(of), of.claim.epsilon, "sequence", shifts, delta=of.claim.delta
    )


def back(name: str) -> Expression:
    """The noise that makes up for the move of a parameter."""
    return Apply("-", (Name(f"{name}@1"), Name(f"{name}@2")))


def entry_back(name: str, at: Expression | int) -> Expression:
    """The same for an entry of a list."""
    index = Number(Fraction(at)) if isinstance(at, int) else at
    return Apply("-", (Read(f"{name}@1", index), Read(f"{name}@2", index)))
