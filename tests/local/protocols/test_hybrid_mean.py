"""The hybrid protocol for means."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.local.protocols import Hybrid
from local import channel
from local.mean_laws import hybrid_laws


def test_hybrid_follows_a_law_whose_ratios_reach_the_larger_epsilon() -> None:
    for scheme in (Hybrid(5, 2, 50000, 40000, 30000), Hybrid(5, 2, 40000, 50000, 30000)):
        channel.holds(scheme, hybrid_laws(scheme))


def test_the_hybrid_is_worth_it_from_0_61_on() -> None:
    assert [
        Hybrid.calibrate(domain=20_001, epsilon=epsilon).mix > 0 for epsilon in (0.6, 0.62)
    ] == [False, True]


def test_states_add_up() -> None:
    scheme = Hybrid(5, 2, 50000, 40000, 30000)
    records = scheme.encode([0, 1, 2, 3, 4, 4])
    assert (
        scheme.aggregate(records[:2]) + scheme.aggregate(records[2:]) == scheme.aggregate(records)
    ).all()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Hybrid(5, 3, 40000, 0, 5), "coin"),
        (lambda: Hybrid(5, 3, 40000, 5, 65537), "mix"),
        (
            lambda: Hybrid(5, 3, 40000, 30000, 5).aggregate(np.array([[9]], dtype=np.uint8)),
            "not below 9",
        ),
    ],
)
def test_bad_input(make: object, message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        make()  # type: ignore[operator]
