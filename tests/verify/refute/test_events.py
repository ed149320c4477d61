from __future__ import annotations

from fractions import Fraction

import pytest

from hedgerow.verify.divergence.exponential_sum import ExponentialSum
from hedgerow.verify.refute.events import OutputEvent, OutputRange, restrict_paths
from hedgerow.verify.refute.interval_arithmetic import RealNumber
from hedgerow.verify.refute.out_of_scope import OutOfScope
from hedgerow.verify.refute.path_probability import PathProbability
from hedgerow.verify.refute.path_values import BitWord
from hedgerow.verify.refute.paths import enumerate_paths
from verify.refute.programs import gallery, given, one

GALLERY = gallery()
FIRST = ((0, Fraction(1)),)


def chance(program: str, arguments: dict[str, object], *events: OutputEvent) -> RealNumber:
    return PathProbability().compute_sum(
        restrict_paths(events, enumerate_paths(GALLERY[program], given(**arguments)))
    )


def test_half_lines_intervals_and_points() -> None:
    mechanism, arguments = "laplace_mechanism", {"x": 2, "eps": 1}
    assert chance(
        mechanism, arguments, OutputEvent(1, ranges=(OutputRange(FIRST, low=Fraction(2)),))
    ) == Fraction(1, 2)
    assert chance(
        mechanism, arguments, OutputEvent(1, ranges=(OutputRange(FIRST, high=Fraction(1)),))
    ) == ExponentialSum(((Fraction(-1), Fraction(1, 2)),))
    assert (
        chance(
            mechanism,
            arguments,
            OutputEvent(1, ranges=(OutputRange(FIRST, Fraction(2), Fraction(2)),)),
        )
        == 0
    )
    assert chance(mechanism, arguments, OutputEvent(1, ranges=(OutputRange(FIRST),))) == 1
    assert chance(mechanism, arguments, OutputEvent(2)) == 0, "the number of outputs is public"
    assert chance(mechanism, arguments, OutputEvent(1, values=((0, True),))) == 0


def test_combinations_of_outputs() -> None:
    difference = ((0, Fraction(-1)), (1, Fraction(1)))
    event = OutputEvent(2, ranges=(OutputRange(difference, low=Fraction(4)),))
    assert chance("prefix_sum", {"q": [2, 3], "size": 2, "eps": 1}, event) == ExponentialSum(
        ((Fraction(-1), Fraction(1, 2)),)
    )
    revealed = one("z = laplace(1)\noutput(x + z)\noutput(z)")
    exact = OutputEvent(
        2, ranges=(OutputRange(((0, Fraction(1)), (1, Fraction(-1))), Fraction(3), Fraction(3)),)
    )
    assert (
        PathProbability().compute_sum(
            restrict_paths([exact], enumerate_paths(revealed, given(x=3, eps=1)))
        )
        == 1
    )
    assert (
        PathProbability().compute_sum(
            restrict_paths([exact], enumerate_paths(revealed, given(x=4, eps=1)))
        )
        == 0
    )


def test_constants_and_noise_in_the_same_place() -> None:
    arguments = {"q": [0], "size": 1, "T": 0, "N": 1, "eps": 1}
    gap, zero = (
        OutputEvent(1, ranges=(OutputRange(FIRST, excluded=frozenset({Fraction(0)})),)),
        OutputEvent(1, ranges=(OutputRange(FIRST, Fraction(0), Fraction(0)),)),
    )
    assert chance("gap_above_threshold", arguments, gap) == Fraction(1, 2)
    assert chance("gap_above_threshold", arguments, zero) == Fraction(1, 2)
    assert chance("gap_above_threshold", arguments, gap, zero) == 1
    assert (
        chance(
            "gap_above_threshold",
            arguments,
            OutputEvent(1, ranges=(OutputRange(FIRST, high=Fraction(-1)),)),
        )
        == 0
    )
    assert (
        chance("gap_above_threshold", arguments, OutputEvent(1, ranges=(OutputRange(FIRST),)), zero)
        == 1
    ), "what overlaps is counted once"
    half, other = (
        OutputEvent(1, ranges=(OutputRange(FIRST, low=Fraction(low)),)) for low in (1, 2)
    )
    with pytest.raises(OutOfScope, match="overlap"):
        chance("gap_above_threshold", arguments, half, other)


def test_whole_noise_has_points() -> None:
    point = OutputEvent(1, ranges=(OutputRange(FIRST, Fraction(3), Fraction(3)),))
    apart = OutputEvent(1, ranges=(OutputRange(FIRST, excluded=frozenset({Fraction(3)})),))
    assert (
        float(
            PathProbability()
            .compute_sum(
                restrict_paths(
                    [point], enumerate_paths(GALLERY["geometric_mechanism"], given(x=3, eps=1))
                )
            )
            .low
        )
        > 0.4
    )  # type: ignore[union-attr]
    with pytest.raises(OutOfScope, match="integer noise"):
        chance("geometric_mechanism", {"x": 3, "eps": 1}, apart)


def test_words_and_their_bits() -> None:
    arguments: dict[str, object] = {"m": BitWord(2, 1), "n": 2}
    assert chance(
        "one_time_pad_any_length", arguments, OutputEvent(1, values=((0, BitWord(2, 3)),))
    ) == Fraction(1, 4)
    assert chance(
        "one_time_pad_any_length", arguments, OutputEvent(1, bits=((0, 1, True),))
    ) == Fraction(1, 2)
    assert chance("one_time_pad_any_length", arguments, OutputEvent(1, bits=((0, 7, True),))) == 0
    assert (
        chance("one_time_pad_any_length", arguments, OutputEvent(1, ranges=(OutputRange(FIRST),)))
        == 0
    ), "a word is no number"


def test_events_in_words() -> None:
    assert str(OutputEvent(0)) == "no output at all"
    assert str(OutputEvent(2, values=((0, True), (1, False)))) == "the outputs are True, False"
    assert (
        str(OutputEvent(1, ranges=(OutputRange(FIRST, low=Fraction(1)),)))
        == "1 output: output 1 >= 1"
    )
    assert (
        str(OutputRange(((0, Fraction(-1)), (1, Fraction(2))), high=Fraction(1, 2)))
        == "-output 1 + 2 output 2 <= 1/2"
    )
    assert str(OutputRange(FIRST, Fraction(1), Fraction(2))) == "1 <= output 1 <= 2"
    assert str(OutputRange(FIRST, Fraction(1), Fraction(1))) == "output 1 = 1"
    assert str(OutputRange(FIRST, excluded=frozenset({Fraction(0)}))) == "output 1 is not 0"
    assert str(OutputRange(FIRST)) == "output 1 is any number"
    assert str(OutputEvent(1, bits=((0, 3, True),))) == "1 output: bit 3 of output 1 is 1"


def test_whole_noise_in_parts_of_one_hits_single_numbers() -> None:
    """A quarter of a whole number is one of countably many: each has a chance, as much as the
    whole number has.
    """
    quarters, whole = (one(f"return (x + geometric(1)) / {parts}") for parts in (4, 1))
    for steps in range(-2, 3):
        events = (
            OutputEvent(1, ranges=(OutputRange(FIRST, value, value),))
            for value in (Fraction(steps, 4), Fraction(steps))
        )
        found = [
            PathProbability().compute_sum(
                restrict_paths([event], enumerate_paths(program, given(x=1, eps=1)))
            )
            for event, program in zip(events, (quarters, whole), strict=True)
        ]
        assert found[0] == found[1] != 0
    between = OutputEvent(1, ranges=(OutputRange(FIRST, Fraction(1, 8), Fraction(1, 8)),))
    assert (
        PathProbability().compute_sum(
            restrict_paths([between], enumerate_paths(quarters, given(x=1, eps=1)))
        )
        == 0
    )
