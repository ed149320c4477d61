"""The stability histogram: exact loss on all small data sets, including keys of a single unit."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, date, datetime
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from hedgerow.mechanisms import Laplace
from hedgerow.mechanisms.data_dependent.stability_histogram import StabilityHistogram
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.privacy.unit import Unit
from hedgerow.verify.divergence import epsilon_distance, is_private, ln
from hedgerow.verify.laws import LawBroken, check_mechanism
from mechanisms import helpers_exact_distributions as exactly
from mechanisms.data_dependent.helpers_histogram_laws import (
    DELTA,
    RELATIONS,
    Clipped,
    NotCut,
    SpentOnce,
    counted,
    cut_distance,
    cut_law,
    end,
    key_law,
    law,
    small,
)


@pytest.mark.parametrize("neighbours", RELATIONS)
@pytest.mark.parametrize("max_keys", [1, 2])
@pytest.mark.parametrize("per_key", [1, 2])
def test_every_pair_of_small_data_sets_keeps_epsilon_and_delta_exactly(
    neighbours: str, max_keys: int, per_key: int
) -> None:
    q, moved = Fraction(1, 2), max_keys * per_key * (2 if neighbours == "change-one" else 1)
    threshold = per_key + exactly.threshold(q, DELTA / max_keys)
    data = small(neighbours, max_keys, per_key)
    table = {rows: law(q, threshold, counted(rows), "ab", threshold + 2) for rows in data}
    verdict = is_private(
        table,
        moved * ln(1 / q),
        DELTA,
        Unit(neighbours),  # type: ignore[arg-type]
    )
    assert verdict.private, str(verdict)
    lower = {rows: law(q, threshold - 1, counted(rows), "ab", threshold + 2) for rows in data}
    # One less, and a key that one unit has alone comes through too often. (With two keys the bound
    # leaves out that both may.)
    assert max_keys == 2 or not is_private(
        lower,
        moved * ln(1 / q),
        DELTA,
        Unit(neighbours),  # type: ignore[arg-type]
    )


def test_a_delta_that_forgets_the_number_of_keys_is_refuted() -> None:
    q, keys = Fraction(1, 2), "abcd"
    threshold = 1 + exactly.threshold(q, DELTA)
    one, other = (
        law(q, threshold, {}, keys, threshold),
        law(q, threshold, dict.fromkeys(keys, 1), keys, threshold),
    )
    assert epsilon_distance(one, other, 4 * ln(1 / q)).value > DELTA
    enough = 1 + exactly.threshold(q, DELTA / 4)
    other = law(q, enough, dict.fromkeys(keys, 1), keys, enough)
    assert epsilon_distance(one, other, 4 * ln(1 / q)).value <= DELTA


# Noise that is cut: the last values of one world have no counterpart in the other, also in keys
# that both have.


@pytest.mark.long
@pytest.mark.parametrize(
    ("q", "m", "cut"),
    [(Fraction(1, 2), 1, 6), (Fraction(3, 4), 2, 9), (Fraction(9, 10), 1, 5)],
    ids=str,
)
@pytest.mark.parametrize("swap", [False, True])
def test_truncated_noise_hides_moved_and_lone_keys(
    q: Fraction, m: int, cut: int, swap: bool
) -> None:
    """All moves by up to m of counts from 0 to far above the threshold cost at most h c(m).

    The bound is attained up to second order where keys are large, on either side. A delta charged
    for one side, as for a threshold, or with a cut one lower, would be too small.
    """
    sizes, h = (0, 1, m + 1, cut, cut + 1, 2 * cut + 1, 4 * cut), 2 if swap else 1
    delta = h * end(q, cut, m)
    worst = Fraction(0)
    for first, second in product(sizes, sizes if swap else (0,)):
        for s in range(1, m + 1):
            worst = max(
                worst, cut_distance(q, cut, (first, second + s * swap), (first + s, second))
            )
    assert worst <= delta
    assert worst >= delta - delta**2 / 4
    assert worst > h * end(q, cut + 1, m)
    assert not swap or worst > delta / 2


@pytest.mark.long
@pytest.mark.parametrize("q", [Fraction(1, 2), Fraction(9, 10)], ids=str)
def test_a_group_in_one_key_is_the_worst_case_of_truncated_noise(q: Fraction) -> None:
    cut, size = 9, 40
    each = [
        cut_distance(q, cut, (size,) * len(moves), tuple(size + s for s in moves))
        for moves in ((3,), (2, 1), (1, 1, 1))
    ]
    assert max(each) == each[0] == end(q, cut, 3)
    assert each[0] > 3 * end(q, cut, 1) > each[2]  # three times what one may do is too little
    assert cut_distance(q, cut, (0,), (3,)) == each[0]


@pytest.mark.long
@pytest.mark.parametrize(
    ("planted", "law"),
    [
        (SpentOnce(Fraction(8), 50, "change-one", cut=True), "delta covers neighbours"),
        (NotCut(Fraction(5), 8, "add-remove", cut=True), "sample follows log_prob"),
        (Clipped(Fraction(5), 8, "add-remove", cut=True), "sample follows log_prob"),
    ],
    ids=lambda x: type(x).__name__,
)
def test_the_laws_detect_wrong_truncated_noise(planted: StabilityHistogram, law: str) -> None:
    with pytest.raises(LawBroken) as broken:
        check_mechanism(planted, draws=20_000)
    assert broken.value.law == law


def test_truncated_draws_follow_their_distribution() -> None:
    """60,000 keys: within seven standard errors for each count."""
    mechanism, n = StabilityHistogram(Fraction(2), 6, "add-remove", cut=True), 60_000
    published = mechanism.sample(dict.fromkeys(range(n), 5))
    seen: Counter[Any] = Counter(published.values())
    seen[None] = n - len(published)
    law = cut_law(exactly.q_of(Fraction(2)), 5, 5)
    assert set(seen) <= set(law)
    for outcome, weight in law.items():
        assert (
            abs(seen[outcome] - n * float(weight)) < 7 * (n * float(weight * (1 - weight))) ** 0.5
        )
    for count in range(1, 15):
        assert mechanism.publish_probability(count) == pytest.approx(
            float(1 - cut_law(exactly.q_of(Fraction(2)), 5, count)[None]), rel=1e-12
        )
    assert mechanism.publish_probability(11) == mechanism.publish_probability(10**400) == 1
    assert mechanism.error(Fraction(1, 10**30)) == 5  # all of it is within the cut


def test_the_noise_of_add_remove_is_too_small_for_change_one() -> None:
    q, threshold = Fraction(1, 2), 1 + exactly.threshold(Fraction(1, 2), Fraction(1, 1000))
    one, other = (law(q, threshold, {"a": a, "b": 24 - a}, "ab", 18) for a in (12, 11))
    assert epsilon_distance(one, other, ln(1 / q)).value > Fraction(1, 10)
    assert epsilon_distance(one, other, 2 * ln(1 / q)).value == 0


def test_a_group_may_have_many_small_keys_or_few_large_ones() -> None:
    for q, k in ((Fraction(9, 10), 3), (Fraction(1, 3), 3)):
        alone, together = 1 + exactly.threshold(q, DELTA / k), k + exactly.threshold(q, DELTA)
        threshold = max(alone, together)
        for counts in ({"a": 3}, {"a": 2, "b": 1}, {"a": 1, "b": 1, "c": 1}):
            one, other = (law(q, threshold, data, "abc", threshold) for data in ({}, counts))
            assert epsilon_distance(one, other, k * ln(1 / q)).value <= DELTA
        assert (alone > together) is (q > Fraction(1, 2))


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(3)], ids=str)
@pytest.mark.parametrize("neighbours", RELATIONS)
@pytest.mark.parametrize(
    ("max_keys", "per_key", "group"), [(1, 1, 1), (3, 5, 1), (2, 1, 4), (2, 3, 10)]
)
def test_calibration_is_enough_and_not_a_step_more(
    epsilon: Fraction, neighbours: str, max_keys: int, per_key: int, group: int
) -> None:
    delta = Fraction(1, 10**9)
    mechanism = StabilityHistogram.calibrate(
        epsilon=epsilon,
        delta=delta,
        neighbours=neighbours,
        max_keys=max_keys,
        per_key=per_key,
        group=group,
    )
    loss = mechanism.loss(group)
    cells = max_keys * (2 if neighbours == "change-one" else 1)
    assert mechanism.scale == group * cells * per_key / epsilon
    assert loss.epsilon == epsilon
    assert loss.delta <= delta
    assert (
        loss.rho == Laplace(mechanism.scale).loss(Sensitivity.each(cells, per_key).group(group)).rho
    )
    assert replace(mechanism, threshold=mechanism.threshold - 1).loss(group).delta > delta
    other = replace(
        mechanism, threshold=mechanism.threshold - (not mechanism.cut), cut=not mechanism.cut
    )
    assert other.loss(group).delta > delta  # it is cut just where that is lower


def test_known_values_are_reproduced() -> None:
    mechanism = StabilityHistogram.calibrate(epsilon=1, delta=1e-6, neighbours="add-remove")
    assert (mechanism.scale, mechanism.threshold) == (1, 15)
    other = StabilityHistogram.calibrate(epsilon=1, delta=1e-6, neighbours="change-one")
    assert (other.scale, other.threshold) == (2, 28)
    q = exactly.q_of(Fraction(2))
    assert exactly.at_least(q, 27) <= Fraction(1, 10**6) < exactly.at_least(q, 26)
    assert mechanism.error(0.05) == Laplace(Fraction(1)).error(0.05) == 3
    assert not mechanism.cut
    # 133 and 264 where noise is not cut
    for neighbours, scale, threshold in (("add-remove", 10, 110), ("change-one", 20, 218)):
        small = StabilityHistogram.calibrate(epsilon=0.1, delta=1e-6, neighbours=neighbours)
        assert (small.scale, small.threshold, small.cut) == (scale, threshold, True)


def test_a_group_that_reaches_the_threshold_has_no_delta_left() -> None:
    mechanism = StabilityHistogram.calibrate(epsilon=1, delta=1e-6, neighbours="add-remove")
    assert mechanism.loss(14).delta < 1
    assert mechanism.loss(15).delta == 1
    # ten keys, nearly even each
    assert StabilityHistogram(Fraction(100), 3, "add-remove", 10).loss().delta == 1


def test_publish_probability_matches_the_exact_tail() -> None:
    mechanism = StabilityHistogram(Fraction(3), 12, "add-remove")
    q = exactly.q_of(Fraction(3))
    for count in range(1, 60):
        assert mechanism.publish_probability(count) == pytest.approx(
            float(exactly.at_least(q, 12 - count)), rel=1e-12
        )
    assert mechanism.publish_probability(10**400) == 1


def test_draws_follow_the_distribution() -> None:
    mechanism, n = StabilityHistogram(Fraction(2), 6, "add-remove"), 60_000
    counts = dict.fromkeys(range(n), 5)
    published = mechanism.sample(counts)
    law = key_law(exactly.q_of(Fraction(2)), 6, 5, 10)
    seen = Counter(y if y < 10 else "more" for y in published.values())
    seen[None] = n - len(published)  # type: ignore[index]
    for outcome, weight in law.items():
        p = float(weight)
        assert abs(seen[outcome] - n * p) < 7 * (n * p * (1 - p)) ** 0.5
    assert min(published.values()) == 6


def test_published_keys_are_sorted_whatever_the_input_order() -> None:
    still = StabilityHistogram(Fraction(1, 1000), 5, "add-remove")
    counts = {
        "b": 9,
        10: 8,
        "a": 7,
        9: 6,
        None: 5,
        ("b", 1): 5,
        ("a", 2): 5,
        ("a", None): 5,
        b"x": 5,
        2.5: 5,
        "rare": 4,
        (): 6,
    }
    counts |= {
        date(2026, 1, 2): 5,
        date(2025, 1, 2): 6,
        datetime(2025, 6, 1, tzinfo=UTC): 7,
        True: 5,
        np.int64(3): 5,
        np.str_("c"): 5,
    }
    expected = {
        b"x": 5,
        date(2025, 1, 2): 6,
        datetime(2025, 6, 1, tzinfo=UTC): 7,
        date(2026, 1, 2): 5,
        None: 5,
        True: 5,
        2.5: 5,
    }
    expected |= {
        3: 5,
        9: 6,
        10: 8,
        "a": 7,
        "b": 9,
        "c": 5,
        (): 6,
        ("a", None): 5,
        ("a", 2): 5,
        ("b", 1): 5,
    }
    for order in (counts, dict(reversed(counts.items()))):
        published = still.sample(order)
        assert list(published.items()) == list(expected.items())
    assert all(type(y) is int for y in published.values())


def test_no_keys_and_huge_counts_are_accepted() -> None:
    mechanism = StabilityHistogram.calibrate(epsilon=1, delta=1e-6, neighbours="add-remove")
    assert mechanism.sample({}) == {}
    assert abs(mechanism.sample({"a": 10**30})["a"] - 10**30) < 100
    assert abs(mechanism.sample(Counter("a" * 1000))["a"] - 1000) < 100
