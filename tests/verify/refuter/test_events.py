from __future__ import annotations

from fractions import Fraction

import pytest

from hedgerow.verify.divergence.amount import Amount
from hedgerow.verify.refuter.beyond import Beyond
from hedgerow.verify.refuter.chances import Chances
from hedgerow.verify.refuter.events import Event, Range, regions
from hedgerow.verify.refuter.paths import paths
from hedgerow.verify.refuter.quantity import Real
from hedgerow.verify.refuter.values import Word
from verify.refuter.programs import gallery, given, one

GALLERY = gallery()
FIRST = ((0, Fraction(1)),)


def chance(program: str, arguments: dict[str, object], *events: Event) -> Real:
    return Chances().sum(regions(events, paths(GALLERY[program], given(**arguments))))


def test_half_lines_intervals_and_points() -> None:
    mechanism, arguments = "laplace_mechanism", {"x": 2, "eps": 1}
    assert chance(mechanism, arguments, Event(1, ranges=(Range(FIRST, low=Fraction(2)),))) == Fraction(1, 2)
    assert chance(mechanism, arguments, Event(1, ranges=(Range(FIRST, high=Fraction(1)),))) == Amount(((Fraction(-1), Fraction(1, 2)),))
    assert chance(mechanism, arguments, Event(1, ranges=(Range(FIRST, Fraction(2), Fraction(2)),))) == 0
    assert chance(mechanism, arguments, Event(1, ranges=(Range(FIRST),))) == 1
    assert chance(mechanism, arguments, Event(2)) == 0, "the number of outputs is public"
    assert chance(mechanism, arguments, Event(1, values=((0, True),))) == 0


def test_combinations_of_outputs() -> None:
    difference = ((0, Fraction(-1)), (1, Fraction(1)))
    event = Event(2, ranges=(Range(difference, low=Fraction(4)),))
    assert chance("prefix_sum", {"q": [2, 3], "size": 2, "eps": 1}, event) == Amount(((Fraction(-1), Fraction(1, 2)),))
    told_twice = one("z = laplace(1)\noutput(x + z)\noutput(z)")
    exact = Event(2, ranges=(Range(((0, Fraction(1)), (1, Fraction(-1))), Fraction(3), Fraction(3)),))
    assert Chances().sum(regions([exact], paths(told_twice, given(x=3, eps=1)))) == 1
    assert Chances().sum(regions([exact], paths(told_twice, given(x=4, eps=1)))) == 0


def test_constants_and_noise_in_the_same_place() -> None:
    arguments = {"q": [0], "size": 1, "T": 0, "N": 1, "eps": 1}
    gap, zero = Event(1, ranges=(Range(FIRST, apart=frozenset({Fraction(0)})),)), Event(1, ranges=(Range(FIRST, Fraction(0), Fraction(0)),))
    assert chance("gap_above_threshold", arguments, gap) == Fraction(1, 2)
    assert chance("gap_above_threshold", arguments, zero) == Fraction(1, 2)
    assert chance("gap_above_threshold", arguments, gap, zero) == 1
    assert chance("gap_above_threshold", arguments, Event(1, ranges=(Range(FIRST, high=Fraction(-1)),))) == 0
    assert chance("gap_above_threshold", arguments, Event(1, ranges=(Range(FIRST),)), zero) == 1, "what overlaps is counted once"
    half, other = (Event(1, ranges=(Range(FIRST, low=Fraction(low)),)) for low in (1, 2))
    with pytest.raises(Beyond, match="overlap"):
        chance("gap_above_threshold", arguments, half, other)


def test_whole_noise_has_points() -> None:
    point = Event(1, ranges=(Range(FIRST, Fraction(3), Fraction(3)),))
    apart = Event(1, ranges=(Range(FIRST, apart=frozenset({Fraction(3)})),))
    assert float(Chances().sum(regions([point], paths(GALLERY["geometric_mechanism"], given(x=3, eps=1)))).low) > 0.4  # type: ignore[union-attr]
    with pytest.raises(Beyond, match="whole noise"):
        chance("geometric_mechanism", {"x": 3, "eps": 1}, apart)


def test_words_and_their_bits() -> None:
    arguments: dict[str, object] = {"m": Word(2, 1), "n": 2}
    assert chance("one_time_pad_any_length", arguments, Event(1, values=((0, Word(2, 3)),))) == Fraction(1, 4)
    assert chance("one_time_pad_any_length", arguments, Event(1, bits=((0, 1, True),))) == Fraction(1, 2)
    assert chance("one_time_pad_any_length", arguments, Event(1, bits=((0, 7, True),))) == 0
    assert chance("one_time_pad_any_length", arguments, Event(1, ranges=(Range(FIRST),))) == 0, "a word is no number"


def test_events_in_words() -> None:
    assert str(Event(0)) == "no output at all"
    assert str(Event(2, values=((0, True), (1, False)))) == "the outputs are True, False"
    assert str(Event(1, ranges=(Range(FIRST, low=Fraction(1)),))) == "1 output: output 1 >= 1"
    assert str(Range(((0, Fraction(-1)), (1, Fraction(2))), high=Fraction(1, 2))) == "-output 1 + 2 output 2 <= 1/2"
    assert str(Range(FIRST, Fraction(1), Fraction(2))) == "1 <= output 1 <= 2"
    assert str(Range(FIRST, Fraction(1), Fraction(1))) == "output 1 = 1"
    assert str(Range(FIRST, apart=frozenset({Fraction(0)}))) == "output 1 is not 0"
    assert str(Range(FIRST)) == "output 1 is any number"
    assert str(Event(1, bits=((0, 3, True),))) == "1 output: bit 3 of output 1 is 1"


def test_whole_noise_in_parts_of_one_hits_single_numbers() -> None:
    """A quarter of a whole number is one of countably many: each has a chance, as much as the whole number has."""
    quarters, whole = (one(f"return (x + geometric(1)) / {parts}") for parts in (4, 1))
    for steps in range(-2, 3):
        events = (Event(1, ranges=(Range(FIRST, value, value),)) for value in (Fraction(steps, 4), Fraction(steps)))
        found = [
            Chances().sum(regions([event], paths(program, given(x=1, eps=1))))
            for event, program in zip(events, (quarters, whole), strict=True)
        ]
        assert found[0] == found[1] != 0
    between = Event(1, ranges=(Range(FIRST, Fraction(1, 8), Fraction(1, 8)),))
    assert Chances().sum(regions([between], paths(quarters, given(x=1, eps=1)))) == 0
