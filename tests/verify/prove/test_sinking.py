"""Moving statements into a branch keeps the exact probability of every output."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from hedgerow.verify.language.program import If, Program, Sample, walk_statements
from hedgerow.verify.prove.sinking import sink_statements
from hedgerow.verify.refute.events import OutputEvent, OutputRange, restrict_paths
from hedgerow.verify.refute.interval_arithmetic import approximate
from hedgerow.verify.refute.path_probability import PathProbability
from hedgerow.verify.refute.paths import enumerate_paths
from verify.language.reading import read

PARAMETERS = "x: private[float], k: private[int], n: public[int], eps: public[float]"
MOVED = """
test = laplace(1 / eps)
noise = laplace(2 / eps)
twice = 2 * noise + x
passed = test + k > 1
if passed:
    output(twice)
else:
    output(False)
"""


def inside(program: Program) -> list[int]:
    """Return the sites inside a branch."""
    branches = [one for one in walk_statements(program.body) if isinstance(one, If)]
    return sorted(
        {
            one.site
            for branch in branches
            for one in walk_statements((*branch.then, *branch.otherwise))
            if isinstance(one, Sample)
        }
    )


def test_noise_that_one_way_asks_for_is_drawn_there() -> None:
    program = read(MOVED, PARAMETERS)
    assert inside(program) == []
    moved = sink_statements(program)
    assert inside(moved) == [1]
    assert sink_statements(moved) == moved
    event = OutputEvent(1, ranges=(OutputRange(((0, Fraction(1)),), low=Fraction(1)),))
    arguments = {"x": Fraction(1), "k": Fraction(0), "n": Fraction(1), "eps": Fraction(1)}
    before, after = (
        approximate(
            PathProbability().compute_sum(restrict_paths([event], enumerate_paths(one, arguments)))
        )
        for one in (program, moved)
    )
    assert 0.05 < before < 0.2
    assert before == pytest.approx(after, rel=1e-12)


@pytest.mark.parametrize(
    "body",
    [
        "z = laplace(1)\nif z > 1:\n    output(z)",  # the branch asks for it
        "z = laplace(1)\nif x > 1:\n    output(z)\noutput(z)",  # so does what follows
        "z = laplace(1)\nif x > 1:\n    output(z)\nelse:\n    output(z + 1)",  # so do both ways
        "z = laplace(1)\ny = 0\nif x > 1:\n    y = z\noutput(y)",  # nothing is told in the branch
        # what it is made of has changed since
        "s = 1\nz = laplace(s)\ns = 2\nif x > 1:\n    output(z)\noutput(s)",
        "z = 0\nz = laplace(1)\nif x > 1:\n    output(z)",  # it is assigned twice
    ],
)
def test_statements_that_cannot_sink_stay(body: str) -> None:
    program = read(body, PARAMETERS)
    assert inside(sink_statements(program)) == inside(program)


def test_it_may_be_the_other_way() -> None:
    program = read("z = laplace(1)\nif x > 1:\n    output(1)\nelse:\n    output(z)", PARAMETERS)
    assert inside(sink_statements(program)) == [0]


def test_inside_of_loops() -> None:
    program = read(
        "for i in range(n):\n    z = laplace(1)\n    if x > i:\n        output(z)", PARAMETERS
    )
    assert inside(sink_statements(program)) == [0]
    assert replace(sink_statements(program), body=program.body) == program
