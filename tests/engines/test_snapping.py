from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from engines.test_terms import back
from hedgerow.engines.snapping import snapped
from hedgerow.engines.terms import null, real, whole
from hedgerow.plan import reference
from hedgerow.plan.functions import half_away
from hedgerow.plan.measures import Snap
from hedgerow.plan.values import Range

STEPS = st.fractions(min_value=Fraction(1, 10**9), max_value=10**6, max_denominator=10**9)
ENDS = st.tuples(st.integers(-(2**53), 2**53), st.integers(-(2**53), 2**53)).map(sorted)


@given(st.floats(allow_nan=False), STEPS, ENDS)
def test_reals_are_snapped_as_the_reference_snaps(value: float, step: Fraction, ends: list[int]) -> None:
    snap = Snap(step, *ends)
    assert back(snapped(real(value), Range("real"), snap))[0] == reference.snapped(value, snap)


@given(st.integers(-(2**63), 2**63 - 1), st.one_of(st.just(Fraction(1)), STEPS), ENDS)
def test_whole_numbers_are_snapped_as_the_reference_snaps(value: int, step: Fraction, ends: list[int]) -> None:
    snap = Snap(step, *ends)
    assert back(snapped(whole(value), Range("integer"), snap))[0] == reference.snapped(value, snap)


def test_the_second_clamp_stands_where_it_can_do_something() -> None:
    value = real(1e300)
    even, uneven = Snap(Fraction(1, 4), 0, 400), Snap(Fraction(1, 3), 0, 2**53 - 1)
    assert snapped(value, Range("real"), even).sql("duckdb").count("CASE") == 1
    # A third has no double: 2^53 - 1 of them, divided by one again, are 2^53.
    assert half_away(float(uneven.high * uneven.step) / float(uneven.step)) == uneven.high + 1
    assert back(snapped(value, Range("real"), uneven))[0] == uneven.high


def test_nothing_stays_nothing_and_what_has_no_end_goes_to_the_ends() -> None:
    for snap in (Snap(Fraction(1), -3, 4), Snap(Fraction(1, 3), -3, 4), Snap(Fraction(1, 3), 2**53 - 9, 2**53 - 1)):
        assert back(snapped(null("real"), Range("real"), snap))[0] is None
        assert back(snapped(null("integer"), Range("integer"), snap))[0] is None
        ends = [back(snapped(real(end), Range("real"), snap))[0] for end in (float("-inf"), float("inf"))]
        assert ends == [snap.low, snap.high]


def test_halves_go_away_from_zero() -> None:
    values = [
        back(snapped(real(value), Range("real"), Snap(Fraction(1), -9, 9)))[0] for value in (-2.5, -0.5, 0.5, 1.5, 0.49999999999999994)
    ]
    assert values == [-3, -1, 1, 2, 0]
