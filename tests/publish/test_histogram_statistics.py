"""What is read off a histogram: means, variances, quantiles and densities are inside their
intervals as often as these say.
"""

from __future__ import annotations

import itertools
import math
from datetime import date
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from hedgerow.errors import InvalidArgument, Unsupported
from hedgerow.mechanisms import Gaussian, Laplace
from hedgerow.plan.contingency_table import ContingencyTable
from hedgerow.publish.domain import Attribute, Domain
from hedgerow.publish.histogram_statistics import (
    DerivedStatistic,
    Histogram,
    read_noise_mechanism,
    read_parts_per_row,
    read_truncation_error,
)
from hedgerow.publish.kinds.histogram import (
    build_noise_facts,
    specify_histogram,
    specify_sparse_histogram,
)
from hedgerow.publish.privacy_parameters import PrivacyParameters
from hedgerow.publish.strategies.strategy import AdditiveNoise
from hedgerow.release.private_table import PrivateTable

BINS = 10
REAL = Attribute("x", "real", edges=tuple(Fraction(10 * i) for i in range(BINS + 1)))
VALUES = np.minimum(np.random.default_rng(4).gamma(2, 15, 500), 100)
COUNTS = np.histogram(VALUES, np.linspace(0, 100, BINS + 1))[0]
NONE = Laplace(Fraction(1, 1000))  # noise that is never there
LAWS = [Laplace(Fraction(5)), Gaussian(Fraction(7))]
RUNS = 150


def at_most(beta: float, runs: int = RUNS) -> float:
    """More misses come by chance once in 10^9."""
    return runs * beta + 6.5 * math.sqrt(runs * beta * (1 - beta))


def noisy(
    law: AdditiveNoise, attribute: Attribute = REAL, counts: np.ndarray = COUNTS
) -> Histogram:
    return Histogram(attribute, law.sample(counts), law)


def inside(found: DerivedStatistic, value: float) -> bool:
    return bool(found.low <= value <= found.high)


def test_without_noise_all_is_as_the_bins_have_it() -> None:
    middles = np.arange(5, 100, 10)
    exact = Histogram(REAL, COUNTS, NONE)
    mean, variance = middles @ COUNTS / 500, None
    assert exact.mean().value == pytest.approx(mean)
    variance = np.square(middles - mean) @ COUNTS / 500
    assert exact.variance().value == pytest.approx(variance)
    assert exact.variance().noise_high - exact.variance().noise_low < 0.01 * variance
    assert (exact.mean().noise_low, exact.mean().noise_high) == pytest.approx(
        (mean, mean), abs=1e-4
    )
    assert (exact.mean().low, exact.mean().high) == pytest.approx((mean - 5, mean + 5), abs=1e-3)
    assert exact.density().column("density").to_numpy() == pytest.approx(COUNTS / 500 / 10)
    for part in (0.1, 0.5, 0.9):
        value = np.sort(VALUES)[math.ceil(part * 500) - 1]
        found = exact.quantile(part)
        assert found.low <= value <= found.high <= found.low + 10
        assert found.low <= found.value <= found.high


@pytest.mark.long
@pytest.mark.parametrize("law", LAWS, ids=str)
def test_the_exact_mean_and_quantiles_are_inside(law: AdditiveNoise) -> None:
    wanted = {part: np.sort(VALUES)[math.ceil(part * 500) - 1] for part in (0.25, 0.5, 0.9)}
    middle = float(np.arange(5, 100, 10) @ COUNTS / 500)
    missed = {"mean": 0, "middles": 0} | dict.fromkeys(wanted, 0)
    for _ in range(RUNS):
        found = noisy(law)
        mean = found.mean(0.8)
        missed["mean"] += not inside(mean, VALUES.mean())
        missed["middles"] += not mean.noise_low <= middle <= mean.noise_high
        for part, value in wanted.items():
            missed[part] += not inside(found.quantile(part, 0.8), value)
    assert max(missed.values()) <= at_most(0.2)
    # at 0.8, forty are expected: an interval that never misses would be too wide
    assert missed["middles"] > 0


@pytest.mark.long
@pytest.mark.parametrize("law", LAWS, ids=str)
def test_the_exact_variance_and_densities_are_inside(law: AdditiveNoise) -> None:
    runs, middles = 60, np.arange(5, 100, 10)
    bins = np.square(middles - middles @ COUNTS / 500) @ COUNTS / 500
    missed, apart = {"all": 0, "middles": 0}, 0.0
    for _ in range(runs):
        found = noisy(law)
        variance, density = found.variance(0.8), found.density(0.8)
        missed["all"] += not inside(variance, VALUES.var())
        missed["middles"] += not variance.noise_low <= bins <= variance.noise_high
        low, high = (density.column(name).to_numpy() for name in ("density_low", "density_high"))
        apart += ((low > COUNTS / 5000) | (high < COUNTS / 5000)).sum()
    assert max(missed.values()) <= at_most(0.2, runs)
    assert 0 < apart <= at_most(0.2, BINS * runs)


def test_the_ends_of_bins_are_the_worst_that_can_be() -> None:
    """All values at one end of their bins: still inside with the bins, outside for the noise
    alone.
    """
    for end in (0, 10):
        values = np.repeat(np.arange(0, 100, 10) + end, COUNTS)
        exact = Histogram(REAL, COUNTS, NONE)
        assert exact.mean().low - 1e-6 <= values.mean() <= exact.mean().high + 1e-6
        assert not exact.mean().noise_low - 1 <= values.mean() <= exact.mean().noise_high + 1
        assert exact.variance().low - 1e-6 <= values.var() <= exact.variance().high + 1e-6


@pytest.mark.parametrize("part", [Fraction(1, 2), Fraction(1, 3)])
def test_a_bin_that_is_left_out_of_a_quantile_is_caught(part: Fraction) -> None:
    """Planted: an eighth of the interval, around its middle. That misses four times in five:
    twelve standard deviations too often.
    """
    law, counts = Laplace(Fraction(6)), np.full(40, 5)
    attribute = Attribute("n", "integer", tuple(range(40)))
    value = math.ceil(part * 200 / 5) - 1
    missed = shrunk = 0
    for _ in range(RUNS):
        found = noisy(law, attribute, counts).quantile(part, 0.8)
        middle, half = (found.low + found.high) / 2, (found.high - found.low) / 16
        missed += not inside(found, value)
        shrunk += not middle - half <= value <= middle + half
    assert missed <= at_most(0.2)
    assert shrunk > at_most(0.2)


def test_whole_numbers_and_dates() -> None:
    ages = Histogram(
        Attribute("age", "integer", edges=(Fraction(0), Fraction(10), Fraction(30))),
        np.array([10, 30]),
        NONE,
    )
    assert ages.mean().value == pytest.approx((4.5 * 10 + 19.5 * 30) / 40)
    assert (ages.quantile(0.2).low, ages.quantile(0.2).high) == (0, 9)
    assert ages.density().column("density").to_pylist() == pytest.approx(
        [10 / 40 / 10, 30 / 40 / 20]
    )
    single = Histogram(Attribute("n", "integer", (1, 2, 4)), np.array([1, 1, 2]), NONE)
    assert (single.mean().low, single.mean().high) == pytest.approx((2.75, 2.75), abs=1e-4)
    assert single.quantile(0.5).value == 2
    days = Histogram(
        Attribute("day", "date", (date(2024, 1, 1), date(2024, 1, 2), date(2024, 1, 3))),
        np.array([1, 0, 1]),
        NONE,
    )
    assert days.mean().value == date(2024, 1, 2)
    assert days.quantile(0.9).low == date(2024, 1, 3)
    assert days.mean().low <= date(2024, 1, 2) <= days.mean().high
    alone = Histogram(Attribute("n", "integer", (7,)), np.array([5]), NONE)
    assert (alone.mean().value, alone.variance().value, alone.quantile(0.5).value) == (7, 0, 7)


def test_nothing_but_noise_is_said_to_be_that() -> None:
    drowned = Histogram(REAL, np.full(BINS, -3), Laplace(Fraction(20)))
    assert (drowned.mean().value, drowned.variance().value, drowned.quantile(0.5).value) == (
        None,
        None,
        None,
    )
    assert (drowned.mean().low, drowned.mean().high) == (0, 100)
    assert (drowned.quantile(0.3).low, drowned.quantile(0.3).high) == (0, 100)
    assert drowned.variance().high == 2500
    assert np.isnan(drowned.density().column("density").to_numpy()).all()
    # Whatever the noisy counts are, some bin is left.
    for counts in ([-1000, 100], [100, -1000], [-5, -5], [0, 0]):
        wild = Histogram(Attribute("n", "integer", (1, 2)), np.array(counts), Laplace(Fraction(1)))
        assert {wild.quantile(0.3).low, wild.quantile(0.3).high} <= {1, 2}


def test_a_published_histogram_sums_out_other_attributes() -> None:
    domain = Domain((Attribute("group", "text", ("a", "b", "c")), REAL))
    codes = np.stack([np.arange(500) % 3, np.repeat(np.arange(BINS), COUNTS)], axis=1)
    terms = PrivacyParameters(Fraction(200))
    sketch = specify_histogram(terms, domain)
    made = sketch.build(
        PrivateTable(
            ContingencyTable.from_codes(codes, domain.sizes),
            sketch.cost,
            rows=1,
            relation="add-remove",
        )
    )
    found = Histogram.from_publication(domain, made.table, made.facts, "x")
    assert found.counts.tolist() == COUNTS.tolist()
    assert found.draws == 3
    assert found.mechanism == Laplace(Fraction(1, 200))
    with pytest.raises(Unsupported, match="is not numeric"):
        Histogram.from_publication(domain, made.table, made.facts, "group")
    with pytest.raises(InvalidArgument, match="columns"):
        Histogram.from_publication(domain, made.table, made.facts)
    with pytest.raises(Unsupported, match="all cells"):
        Histogram.from_publication(domain, made.table.slice(1), made.facts, "x")
    less = specify_sparse_histogram(terms, domain, delta=Fraction(1, 100))
    told = less.build(
        PrivateTable(
            ContingencyTable.from_codes(codes, domain.sizes),
            less.cost,
            rows=1,
            relation="add-remove",
        )
    )
    with pytest.raises(Unsupported, match="all cells"):
        Histogram.from_publication(domain, told.table, told.facts, "x")


def test_noise_of_several_draws_widens_the_intervals() -> None:
    one, nine = (Histogram(REAL, COUNTS, Gaussian(Fraction(4)), draws) for draws in (1, 9))
    assert (nine.mean().noise_high - nine.mean().noise_low) > 2.5 * (
        one.mean().noise_high - one.mean().noise_low
    )


def test_a_law_is_what_the_facts_say() -> None:
    for law, fine in itertools.product(
        (Laplace(Fraction(7, 3)), Gaussian(Fraction(5, 9))), (1, 64)
    ):
        assert (
            read_noise_mechanism(
                build_noise_facts(law, PrivacyParameters(Fraction(1), parts_per_row=fine))
            )
            == law
        )


def test_wrong_counts_and_text_attributes_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="one finite number for each bin"):
        Histogram(REAL, np.zeros(3), NONE)
    with pytest.raises(InvalidArgument, match="one finite number for each bin"):
        Histogram(REAL, np.full(BINS, np.nan), NONE)
    for level in (0, 1, 1.5):
        with pytest.raises(InvalidArgument, match="level"):
            Histogram(REAL, COUNTS, NONE).mean(level)
    with pytest.raises(InvalidArgument, match="part"):
        Histogram(REAL, COUNTS, NONE).quantile(1)


@pytest.mark.parametrize("part", [0.25, 0.5, 0.9])
def test_lost_parts_widen_what_is_read_off(part: float) -> None:
    """All bins but the last lack as much as they may, and there is no noise: without room for
    that the truth would be outside.
    """
    lost = 3.0
    lacking = COUNTS - lost * (np.arange(BINS) < BINS - 1)
    found, blind = (Histogram(REAL, lacking, NONE, truncation_error=each) for each in (lost, 0.0))
    middles = np.arange(5, 100, 10)
    mean = middles @ COUNTS / 500
    variance = np.square(middles - mean) @ COUNTS / 500
    assert found.mean().noise_low <= mean <= found.mean().noise_high
    assert not blind.mean().noise_low <= mean <= blind.mean().noise_high
    assert found.variance().noise_low <= variance <= found.variance().noise_high
    assert inside(found.quantile(part), np.sort(VALUES)[math.ceil(part * 500) - 1])
    density = found.density()
    for place, count in enumerate(COUNTS):
        assert (
            density["density_low"][place].as_py()
            <= count / 500 / 10
            <= density["density_high"][place].as_py()
        )


def test_counts_are_read_in_the_parts_that_they_were_made_of() -> None:
    facts = {"noise": "laplace", "scale": "5/4", "fine": 8, "losing": [3, 20], "draws": 1}
    pair = Domain(
        (Attribute("a", "integer", (0, 1, 2)), Attribute("b", "integer", tuple(range(10))))
    )
    table = pa.table({"count": np.arange(30) / 8})
    found = Histogram.from_publication(pair, table, facts, "a")
    assert found.counts.tolist() == [45, 145, 245]
    assert (found.mechanism, found.draws, found.truncation_error) == (Laplace(10), 10, 20.0)
    assert Histogram.from_publication(pair, table, facts, "b").truncation_error == 9.0
    assert (read_parts_per_row({}), read_truncation_error({}, 5)) == (1, 0)
