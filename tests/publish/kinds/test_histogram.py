"""Histograms: the golden table, the price, the noise that was promised, and intervals no wider
than they must be.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.mechanisms import Gaussian, Laplace
from hedgerow.plan.contingency_table import ContingencyTable
from hedgerow.privacy.loss import Loss
from hedgerow.publish.domain import Attribute, Domain
from hedgerow.publish.kinds.histogram import (
    build_noise_facts,
    specify_histogram,
    specify_sparse_histogram,
)
from hedgerow.publish.privacy_parameters import PrivacyParameters
from hedgerow.publish.specification import BuiltTable, Specification
from hedgerow.release.private_table import PrivateTable

TEN = ("000", "101", "010", "101", "000", "001", "110", "000", "010", "101")
BITS = Domain(tuple(Attribute(name, "boolean", (False, True)) for name in ("a", "b", "c")))
ROWS = np.array([[int(bit) for bit in row] for row in TEN])


def made(sketch: Specification, codes: np.ndarray, terms: PrivacyParameters) -> BuiltTable:
    table = ContingencyTable.from_codes(codes, sketch.domain.sizes)
    return sketch.build(
        PrivateTable(
            table, sketch.cost, rows=terms.rows, relation=terms.relation, group=terms.group
        )
    )


@pytest.mark.parametrize("relation", ["add-remove", "change-one"])
def test_the_golden_table(relation: str) -> None:
    """At an epsilon of 200 noise is 0, but for e^-100: what is left are the exact marginals and
    the exact CDF.
    """
    terms = PrivacyParameters(Fraction(200), relation=relation)
    table = made(specify_histogram(terms, BITS), ROWS, terms).table
    shares = table.column("count").to_numpy() / 10
    for name, share in (("a", 0.4), ("b", 0.3), ("c", 0.4)):
        assert shares[table.column(name).to_numpy()].sum() == pytest.approx(share)
    assert np.cumsum(shares).round(9).tolist() == [0.3, 0.4, 0.6, 0.6, 0.6, 0.9, 1.0, 1.0]
    assert table.column("count_clean").to_pylist() == table.column("count").to_pylist()


@pytest.mark.parametrize(
    ("terms", "scale"),
    [
        (PrivacyParameters(Fraction(1, 2)), 2),
        (PrivacyParameters(Fraction(1, 2), relation="change-one"), 4),
        (PrivacyParameters(Fraction(1, 2), rows=3), 6),
        (PrivacyParameters(Fraction(1, 2), rows=3, relation="change-one", group=2), 24),
    ],
)
def test_the_price_buys_the_noise_that_the_relation_asks_for(
    terms: PrivacyParameters, scale: int
) -> None:
    sketch = specify_histogram(terms, BITS)
    assert sketch.cost.epsilon == Fraction(1, 2)
    facts = made(sketch, ROWS, terms).facts
    assert facts == {
        "noise": "laplace",
        "scale": str(scale),
        "draws": 1,
        "radius": int(Laplace(Fraction(scale)).error(Fraction(1, 20))),
    }
    assert str(scale) in sketch.strategy


def test_gaussian_noise_costs_its_rho() -> None:
    terms = PrivacyParameters(rho=Fraction(1, 18), relation="change-one")
    sketch = specify_histogram(terms, BITS)
    assert (sketch.cost.epsilon, sketch.cost.rho <= Fraction(1, 18)) == (math.inf, True)
    assert float(Fraction(made(sketch, ROWS, terms).facts["scale"])) == pytest.approx(math.sqrt(18))


@pytest.mark.parametrize("planted", ["half the noise", "twice for one payment"])
def test_a_step_that_is_not_paid_for_is_refused(planted: str) -> None:
    honest, greedy = PrivacyParameters(Fraction(1)), PrivacyParameters(Fraction(2))
    sketch = specify_histogram(honest, BITS)
    purse = PrivateTable(
        ContingencyTable.from_codes(ROWS, BITS.sizes), sketch.cost, rows=1, relation="add-remove"
    )
    if planted == "twice for one payment":
        sketch.build(purse)
    with pytest.raises(Refused, match="exceeds the"):
        (sketch if planted == "twice for one payment" else specify_histogram(greedy, BITS)).build(
            purse
        )


LARGE = Domain(
    (Attribute("x", "integer", tuple(range(1000))), Attribute("y", "integer", tuple(range(1000))))
)


@pytest.mark.parametrize(
    "terms",
    [
        PrivacyParameters(Fraction(1)),
        PrivacyParameters(Fraction(1, 3), relation="change-one"),
        PrivacyParameters(rho=Fraction(1, 8)),
    ],
)
def test_a_million_cells_have_the_error_and_the_coverage_that_were_promised(
    terms: PrivacyParameters,
) -> None:
    """Alarm below 1e-9: six and a half standard errors. One step less than the radius would miss
    too often.
    """
    sketch = specify_histogram(terms, LARGE)
    table = made(sketch, np.zeros((0, 2), dtype=np.int64), terms).table
    noise = table.column("count").to_numpy().astype(float)
    squares = noise**2
    assert abs(squares.mean() - sketch.accuracy[0].rms ** 2) < 6.5 * squares.std() / 1000
    radius = (table.column("count_high").to_numpy() - noise)[0]
    assert radius == sketch.accuracy[0].radius
    room = 6.5 * math.sqrt(0.05 * 0.95) / 1000
    assert (np.abs(noise) > radius).mean() <= 0.05 + room
    assert (np.abs(noise) > radius - 1).mean() > 0.05 + room
    clean = table.column("count_clean").to_numpy()
    assert clean.min() >= 0
    assert clean.sum() == pytest.approx(max(noise.sum(), 0))


def test_a_domain_that_is_too_large_says_what_to_leave_out() -> None:
    huge = Domain((*LARGE.attributes, Attribute("z", "integer", tuple(range(21)))))
    with pytest.raises(
        Refused,
        match=r"21,000,000 combinations; the limit is 20,000,000. Leave out x \(1,000 codes\)",
    ):
        specify_histogram(PrivacyParameters(Fraction(1)), huge)


def test_an_empty_table_is_published_like_any_other() -> None:
    terms = PrivacyParameters(Fraction(1))
    assert (
        made(specify_histogram(terms, BITS), np.zeros((0, 3), dtype=np.int64), terms).table.num_rows
        == 8
    )


HUGE = Domain(tuple(Attribute(name, "integer", tuple(range(10_000))) for name in "abcde"))


@pytest.mark.parametrize(
    "terms",
    [
        PrivacyParameters(Fraction(1)),
        PrivacyParameters(rho=Fraction(1, 50)),
        PrivacyParameters(Fraction(2), rows=4, relation="change-one"),
    ],
)
def test_a_sparse_histogram_of_1e20_cells_shows_only_frequent_ones(
    terms: PrivacyParameters,
) -> None:
    codes = np.concatenate(
        [
            np.tile([9999, 0, 5, 77, 1], (2000, 1)),
            np.tile([3, 3, 3, 3, 3], (1500, 1)),
            [[1, 2, 3, 4, 5]],
        ]
    )
    sketch = specify_sparse_histogram(terms, HUGE, delta=Fraction(1, 10**12))
    found = made(sketch, codes, terms)
    assert found.table.column("a").to_pylist() == [3, 9999]
    assert np.abs(found.table.column("count").to_numpy() - [1500, 2000]).max() < 500
    assert found.facts["threshold"] > 1
    assert 0 < sketch.cost.delta <= Fraction(1, 10**12)
    assert f"{found.facts['threshold']:,} or more" in sketch.strategy


def test_the_note_on_shown_combinations_holds() -> None:
    """Alarm below 1e-9. Of counts as large as the note says, 95 % are shown; of those two steps
    smaller, fewer.
    """
    terms, delta = PrivacyParameters(Fraction(1, 4)), Fraction(1, 10**6)
    domain = Domain((Attribute("x", "integer", tuple(range(20_000))),))
    sketch = specify_sparse_histogram(terms, domain, delta=delta)
    often = int(sketch.notes[0].split("A combination of ")[1].split(" ")[0].replace(",", ""))
    room = 6.5 * math.sqrt(0.05 * 0.95 / 20_000)
    shown = {}
    for count in (often, often - 3):
        shown[count] = (
            made(sketch, np.repeat(np.arange(20_000), count)[:, None], terms).table.num_rows
            / 20_000
        )
    assert shown[often] > 0.95 - room
    assert shown[often - 3] < 0.95 - room


def test_the_sparse_one_needs_a_delta_that_was_paid() -> None:
    terms = PrivacyParameters(Fraction(1))
    sketch = specify_sparse_histogram(terms, BITS, delta=Fraction(1, 1000))
    with pytest.raises(Refused, match="exceeds the"):
        sketch.build(
            PrivateTable(
                ContingencyTable.from_codes(ROWS, BITS.sizes),
                Loss(Fraction(1)),
                rows=1,
                relation="add-remove",
            )
        )
    with pytest.raises(InvalidArgument, match="delta"):
        specify_sparse_histogram(terms, BITS, delta=0)


def test_the_scale_is_stated_exactly() -> None:
    told = {"noise": "gaussian", "scale": "10/3"}
    assert build_noise_facts(Gaussian(Fraction(10, 3)), PrivacyParameters(Fraction(1))) == told
    fine = PrivacyParameters(Fraction(1), parts_per_row=4, truncation_bounds=(9, 20))
    assert build_noise_facts(Gaussian(Fraction(40, 3)), fine) == {
        **told,
        "fine": 4,
        "losing": [9, 20],
    }
