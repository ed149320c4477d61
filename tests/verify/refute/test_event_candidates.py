from __future__ import annotations

from fractions import Fraction

from hedgerow.verify.refute.event_candidates import (
    bound_tails,
    compute_signature,
    count_changes,
    increment_constants,
    iterate_base_events,
    repeat_first_output,
    vary_bounds,
)
from hedgerow.verify.refute.events import OutputEvent, OutputRange
from hedgerow.verify.refute.paths import ProgramPath, enumerate_paths
from verify.refute.programs import gallery, given, one

GALLERY = gallery()


def sides(
    name: str, one_list: list[int], other_list: list[int], **public: object
) -> tuple[list[ProgramPath], list[ProgramPath]]:
    first, second = (
        enumerate_paths(GALLERY[name], given(q=q, size=len(q), eps=1, **public))
        for q in (one_list, other_list)
    )
    return first, second


def test_one_event_for_each_thing_that_can_be_seen() -> None:
    first, second = sides("above_threshold", [0, 0], [1, 1], T=0, N=1)
    found = {str(event) for event, _, _ in iterate_base_events(first, second)}
    assert found == {
        "the outputs are True",
        "the outputs are False, True",
        "the outputs are False, False",
    }
    assert {compute_signature(path) for path in first} == {
        compute_signature(path) for path in second
    }


def test_noise_of_earlier_outputs_is_cancelled() -> None:
    first, second = sides("prefix_sum", [0, 0, 0], [0, 0, 1])
    ((event, path, partner),) = iterate_base_events(first, second)
    assert [str(one) for one in event.ranges] == [
        "output 1 is any number",
        "-output 1 + output 2 is any number",
        "-output 2 + output 3 is any number",
    ]
    own, other = bound_tails(event, path, partner)
    assert [str(one) for one in own.ranges[:2]] == [
        "output 1 is any number",
        "-output 1 + output 2 is any number",
    ]
    assert str(own.ranges[2]) == "-output 2 + output 3 <= 0"
    assert [str(one) for one in other.ranges] == [
        "output 1 >= 4",
        "-output 1 + output 2 >= 4",
        "-output 2 + output 3 <= 1",
    ]
    assert bound_tails(event, path, None) == []


def test_outputs_without_noise_of_their_own_are_points() -> None:
    first, second = sides("bad_smart_sum", [0, 2, 0], [0, 2, 1], T=3, M=2)
    (event, _, _), *_ = iterate_base_events(first, second)
    assert str(event.ranges[0]) == "output 1 = 0"
    assert str(event.ranges[2]) == "-output 2 + output 3 = 0"


def test_a_gap_stays_apart_from_the_constants_beside_it() -> None:
    first, second = sides("gap_above_threshold", [0], [1], T=0, N=1)
    found = sorted(str(event) for event, _, _ in iterate_base_events(first, second))
    assert found == ["1 output: output 1 = 0", "1 output: output 1 is not 0"]


def test_variants_change_one_bound_at_a_time() -> None:
    first, second = sides("partial_sum", [0], [1])
    ((event, _, _),) = iterate_base_events(first, second)
    found = list(vary_bounds(event, first, second))
    assert OutputEvent(1, ranges=(OutputRange(((0, Fraction(1)),), low=Fraction(1)),)) in found
    assert OutputEvent(1, ranges=(OutputRange(((0, Fraction(1)),), high=Fraction(0)),)) in found
    further = list(
        vary_bounds(
            OutputEvent(1, ranges=(OutputRange(((0, Fraction(1)),), low=Fraction(1)),)),
            first,
            second,
        )
    )
    assert OutputEvent(1, ranges=(OutputRange(((0, Fraction(1)),), low=Fraction(3)),)) in further
    assert OutputEvent(1, ranges=(OutputRange(((0, Fraction(1)),)),)) in further
    assert not list(vary_bounds(OutputEvent(3), first, second)), (
        "an event that cannot happen has none"
    )
    point = OutputEvent(1, ranges=(OutputRange(((0, Fraction(1)),), Fraction(0), Fraction(0)),))
    assert not list(vary_bounds(point, *(enumerate_paths(one("return x"), given(x=0, eps=1)),) * 2))


def test_longer_and_raised_events() -> None:
    event = OutputEvent(2, values=((0, False), (1, True)))
    assert repeat_first_output(event) == OutputEvent(3, values=((0, False), (1, False), (2, True)))
    gap = OutputEvent(
        2,
        ranges=(
            OutputRange(((0, Fraction(1)),), Fraction(0), Fraction(0)),
            OutputRange(((1, Fraction(1)),), low=Fraction(5)),
        ),
    )
    extended = repeat_first_output(gap)
    assert extended is not None
    assert str(extended) == "3 outputs: output 1 = 0, output 2 = 0, output 3 >= 5"
    assert (
        repeat_first_output(OutputEvent(1, ranges=(OutputRange(((0, Fraction(1)),)),))) is None
    ), "a noisy output is not repeated"
    assert repeat_first_output(OutputEvent(0)) is None
    assert increment_constants(gap) == OutputEvent(
        2, ranges=(OutputRange(((0, Fraction(1)),), Fraction(1), Fraction(1)), gap.ranges[1])
    )
    assert increment_constants(event) is None


def test_runs_of_equal_answers_come_first() -> None:
    plain, mixed = (
        OutputEvent(3, values=((0, False), (1, False), (2, True))),
        OutputEvent(3, values=((0, True), (1, False), (2, True))),
    )
    assert count_changes(plain) == (1, 3)
    assert count_changes(mixed) == (2, 3)
