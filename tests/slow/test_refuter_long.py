"""The refuter at length: against simulation, on every program of the gallery, and on programs
with a little too little noise.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import pytest

from hedgerow.verify.language.interpreter import run_program
from hedgerow.verify.language.program import (
    Apply,
    Block,
    If,
    Noise,
    Number,
    Sample,
    Statement,
    While,
)
from hedgerow.verify.refute.counterexample import Counterexample, compute_event_probability
from hedgerow.verify.refute.events import OutputEvent, OutputRange, restrict_paths
from hedgerow.verify.refute.interval_arithmetic import approximate
from hedgerow.verify.refute.neighbours import are_neighbours
from hedgerow.verify.refute.path_probability import PathProbability
from hedgerow.verify.refute.paths import enumerate_paths
from hedgerow.verify.refute.refute import find_lower_bound, refute
from verify.refute.programs import gallery, given

GALLERY = gallery()
RIGHT = sorted(name for name in GALLERY if not name.lower().startswith("bad") and name != "Leak")


@pytest.mark.parametrize("name", RIGHT)
def test_no_right_program_is_refuted(name: str) -> None:
    if name != "Respond":  # makes no claim that holds: it has none, and tells something
        assert refute(GALLERY[name], seconds=120) is None


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("above_threshold", 0.886),
        ("gap_above_threshold", 0.901),
        ("numeric_above_threshold", 0.892),
        ("noisy_max", 0.986),
        ("first_above", 0.886),
        ("above_threshold_decreasing", 0.496),
        ("above_threshold_increasing", 0.499),
        ("bad_noisy_max_value", 1.5),
        ("bad_above_threshold_no_cutoff", 1.153),
        ("bad_above_threshold_unscaled", 1.561),
        ("bad_gap_above_threshold", 1.25),
        ("bad_adaptive_above_threshold", 1.25),
    ],
)
def test_lower_bounds_are_those_of_the_table_or_better(name: str, least: float) -> None:
    assert find_lower_bound(GALLERY[name], seconds=120)[0] >= least


def less_noise(block: Block, site: int) -> Block:
    def one(statement: Statement) -> Statement:
        match statement:
            case Sample() if statement.site == site:
                return replace(
                    statement,
                    parameters=(Apply("*", (Number(Fraction(9, 10)), statement.parameters[0])),),
                )
            case If():
                return If(
                    statement.condition,
                    less_noise(statement.then, site),
                    less_noise(statement.otherwise, site),
                )
            case While():
                return While(statement.condition, less_noise(statement.body, site))
            case _:
                return statement

    return tuple(map(one, block))


# Those with room to spare: the textbook's Gaussian at eps = 1, and a direction that costs half of
# what is claimed. What breaks the adaptive sparse vector is too far away to be found, and is
# written down below.
SPARE = {"classical_gaussian", "above_threshold_decreasing", "adaptive_above_threshold"}
TIGHT = [
    (name, sample.site)
    for name in RIGHT
    for sample in GALLERY[name].samples
    if name not in SPARE | {"unclear_dummy_sum"}
    and sample.noise not in (Noise.BITS, Noise.BERNOULLI)
]


@pytest.mark.parametrize(("name", "site"), TIGHT)
def test_a_tenth_less_noise_is_refuted(name: str, site: int) -> None:
    program = replace(GALLERY[name], body=less_noise(GALLERY[name].body, site))
    witness = refute(program, seconds=120)
    assert witness is not None
    assert witness.replay() == witness


@pytest.mark.parametrize(
    ("site", "paid", "loss"),
    [(0, "near near", 1.0555), (1, "far far near", 1.0277), (2, "near near", 1.0555)],
)
def test_a_tenth_less_noise_in_the_adaptive_sparse_vector(
    site: int, paid: str, loss: float
) -> None:
    """Eight queries stay below although they lie far above, which pays for the threshold in full;
    then all that may be charged is charged: 1/2 + 1/2 = 1 as it is claimed, and 5/9 + 1/2, or 1/2 +
    2/7.2 + 1/4, with nine tenths of one noise."""
    program = GALLERY["adaptive_above_threshold"]
    above, sigma, answers = 8, Fraction(100), paid.split()
    below = [
        OutputRange(((place, Fraction(1)),), Fraction(0), Fraction(0)) for place in range(above)
    ]
    near, far = {"low": Fraction(10), "high": Fraction(99)}, {"low": sigma + 10}
    charged = [
        OutputRange(((above + place, Fraction(1)),), **(far if one == "far" else near))
        for place, one in enumerate(answers)
    ]
    event = OutputEvent(above + len(answers), ranges=(*below, *charged))
    public = {"size": above + len(answers), "T": 0, "N": 1, "sigma": sigma, "eps": 1}
    one, other = (
        given(q=[level] * above + [rest] * len(answers), **public)
        for level, rest in ((200, 1), (201, 0))
    )
    assert are_neighbours(program, one, other)
    for broken, about in (
        (False, program),
        (True, replace(program, body=less_noise(program.body, site))),
    ):
        likely, rare = (compute_event_probability(about, side, (event,)) for side in (one, other))
        exact = math.log(approximate(likely)) - math.log(approximate(rare))
        assert exact == pytest.approx(loss if broken else 1, abs=2e-4)
        assert exact <= 1 or broken
        if broken:
            witness = Counterexample(about, one, other, (event,), likely, rare)
            assert witness.replay() == witness
            assert witness.loss > loss


@pytest.mark.parametrize(
    ("name", "arguments", "events"),
    [
        (
            "above_threshold",
            {"q": [1, 0, 2], "size": 3, "T": 1, "N": 2, "eps": 2},
            [
                OutputEvent(3, values=((0, False), (1, False), (2, True))),
                OutputEvent(2, values=((0, True), (1, True))),
            ],
        ),
        (
            "noisy_max",
            {"q": [1, 0, 2], "size": 3, "eps": 1},
            [
                OutputEvent(1, ranges=(OutputRange(((0, Fraction(1)),), Fraction(k), Fraction(k)),))
                for k in (0, 2)
            ],
        ),
        (
            "bad_noisy_max_value",
            {"q": [1, 0], "size": 2, "eps": 1},
            [OutputEvent(1, ranges=(OutputRange(((0, Fraction(1)),), high=Fraction(1)),))],
        ),
        (
            "gap_above_threshold",
            {"q": [0, 1], "size": 2, "T": 0, "N": 1, "eps": 1},
            [
                OutputEvent(
                    2,
                    ranges=(
                        OutputRange(((0, Fraction(1)),), Fraction(0), Fraction(0)),
                        OutputRange(((1, Fraction(1)),), low=Fraction(2)),
                    ),
                )
            ],
        ),
        (
            "geometric_mechanism",
            {"x": 3, "eps": 1},
            [OutputEvent(1, ranges=(OutputRange(((0, Fraction(1)),), low=Fraction(4)),))],
        ),
        (
            "classical_gaussian",
            {"x": 0},
            [OutputEvent(1, ranges=(OutputRange(((0, Fraction(1)),), low=Fraction(3)),))],
        ),
        (
            "prefix_sum",
            {"q": [0, 1], "size": 2, "eps": 1},
            [
                OutputEvent(
                    2, ranges=(OutputRange(((0, Fraction(1)), (1, Fraction(1))), low=Fraction(2)),)
                )
            ],
        ),
    ],
)
def test_probabilities_agree_with_running_the_program(
    name: str, arguments: dict[str, object], events: list[OutputEvent]
) -> None:
    """By Hoeffding's inequality a share of n runs is farther than sqrt(ln(2/a)/(2n)) from its
    probability with a chance of at most a.
    """
    program, runs, alarm = GALLERY[name], 20_000, 1e-10
    told = [run_program(program, arguments) for _ in range(runs)]
    for event in events:
        exact = approximate(
            PathProbability().compute_sum(
                restrict_paths([event], enumerate_paths(program, given(**arguments)))
            )
        )
        share = sum(_holds(event, outputs) for outputs in told) / runs
        assert 0.05 < exact < 0.95, "an event that can tell"
        assert abs(share - exact) < math.sqrt(math.log(2 / alarm) / (2 * runs))


def _holds(event: OutputEvent, outputs: list[int | float | bool]) -> bool:
    if len(outputs) != event.length or any(
        outputs[place] is not value for place, value in event.values
    ):
        return False
    for one_range in event.ranges:
        value = sum(float(factor) * outputs[place] for place, factor in one_range.combination)
        if (one_range.low is not None and value < one_range.low) or (
            one_range.high is not None and value > one_range.high
        ):
            return False
    return True
