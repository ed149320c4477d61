"""What frequency protocols have in common."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.local.protocols import KAry
from hedgerow.local.protocols.pure_frequency import PureFrequencyProtocol, check_counters


def test_estimates_and_variance_by_enumeration_of_two_clients() -> None:
    scheme = KAry(3, 30000)
    p, q = scheme.own_support, scheme.other_support
    assert p + 2 * q == 1
    mean = square = Fraction(0)
    law = {0: p, 1: q, 2: q}, {0: q, 1: p, 2: q}  # one client holds 0, the other 1
    for a, first in law[0].items():
        for b, second in law[1].items():
            state = np.append(np.bincount([a, b], minlength=3), 2)
            count = Fraction(float(scheme.estimate(state).counts[0]))
            mean += first * second * count
            square += first * second * (count - 1) ** 2
    assert float(mean) == pytest.approx(1, abs=1e-12)
    assert float(square) == pytest.approx(scheme.variance(0.5, 2), rel=1e-12)


def test_some_values_can_be_asked_for() -> None:
    scheme, state = KAry(4, 30000), np.array([5, 3, 2, 0, 10])
    every, some = scheme.estimate(state), scheme.estimate(state, [3, 0])
    assert some.counts.tolist() == every.counts[[3, 0]].tolist()
    assert some.n == 10
    with pytest.raises(InvalidArgument, match="from 0 to 3"):
        scheme.estimate(state, [4])


@pytest.mark.parametrize(
    "state",
    [
        np.zeros(4, np.int64),
        np.zeros(5, np.float64),
        np.array([0, 0, 0, 0, -1]),
        np.zeros((1, 5), np.int64),
    ],
)
def test_a_state_of_another_form_is_refused(state: object) -> None:
    with pytest.raises(InvalidArgument, match="counters must be 5"):
        KAry(4, 30000).estimate(state)
    with pytest.raises(InvalidArgument, match="counters must be 5"):
        check_counters(state, 5)


def test_variance_guards() -> None:
    for frequency in (-0.1, 1.1, float("nan")):
        with pytest.raises(InvalidArgument, match="frequency"):
            KAry(4, 30000).variance(frequency, 5)
    with pytest.raises(InvalidArgument, match="n must"):
        KAry(4, 30000).variance(0.5, -1)


def test_a_protocol_must_define_the_abstract_methods() -> None:
    with pytest.raises(TypeError, match="abstract"):
        PureFrequencyProtocol()  # type: ignore[abstract]
    assert PureFrequencyProtocol.__abstractmethods__ == {
        "own_support",
        "other_support",
        "epsilon",
        "aggregate",
    }
