"""Terms: what a price buys, and that it is never more than was paid."""

from __future__ import annotations

from fractions import Fraction
from math import inf

import pytest

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.mechanisms import Gaussian, Laplace
from hedgerow.privacy.loss import Loss, compute_pure_rho
from hedgerow.publish.privacy_parameters import PrivacyParameters
from hedgerow.release.linear_queries import BinSums, QueryBlock, ResidualQueries

BLOCKS = (
    QueryBlock(((0, BinSums(5)),)),
    QueryBlock(((0, ResidualQueries(5)),)),
    QueryBlock(((0, BinSums(5, 5)),)),
)


@pytest.mark.parametrize("relation", ["add-remove", "change-one"])
@pytest.mark.parametrize("price", [{"epsilon": Fraction(1, 2)}, {"rho": Fraction(1, 10)}])
def test_a_block_alone_costs_the_whole_price(price: dict[str, Fraction], relation: str) -> None:
    terms = PrivacyParameters(**price, rows=2, relation=relation)
    for block in BLOCKS:
        law = terms.calibrate(block)
        cost = terms.measurement_cost(block, law)
        (name, value), *_ = price.items()
        assert Fraction(999, 1000) * value <= getattr(cost, name) <= value
        assert terms.calibrate_all([block], [1.0]) == (law,)


@pytest.mark.parametrize("price", [{"epsilon": Fraction(1, 3)}, {"rho": Fraction(1, 7)}])
def test_several_blocks_share_the_price_as_asked_and_never_exceed_it(
    price: dict[str, Fraction],
) -> None:
    terms = PrivacyParameters(**price, rows=3, group=2)
    spreads = [1.0, 7.3, 0.4]
    laws = terms.calibrate_all(BLOCKS, spreads)
    total = sum(
        (terms.measurement_cost(block, law) for block, law in zip(BLOCKS, laws, strict=True)),
        Loss(Fraction(0), rho=Fraction(0)),
    )
    (name, value), *_ = price.items()
    assert Fraction(999_999, 1_000_000) * value <= getattr(total, name) <= value
    ratios = [float(law.scale) / spread for law, spread in zip(laws, spreads, strict=True)]
    assert max(ratios) / min(ratios) < 1 + 1e-6
    assert all(isinstance(law, Gaussian if terms.is_gaussian else Laplace) for law in laws)


def test_an_epsilon_buys_laplace_or_gaussian_noise_by_the_policy() -> None:
    assert PrivacyParameters.from_epsilon(Fraction(1), "laplace").total == Loss(Fraction(1))
    bought = PrivacyParameters.from_epsilon(
        Fraction(1), "gaussian", rows=2, relation="change-one", group=3
    )
    assert bought.total == Loss(inf, rho=compute_pure_rho(Fraction(1)))
    assert (bought.is_gaussian, bought.epsilon) == (True, None)
    assert bought.with_share(Fraction(1, 2)).rho == compute_pure_rho(Fraction(1)) / 2
    assert PrivacyParameters(epsilon=Fraction(1)).with_share(Fraction(1, 4)).epsilon == Fraction(
        1, 4
    )


def test_wrong_prices_spreads_and_relations_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="but not both"):
        PrivacyParameters()
    with pytest.raises(InvalidArgument, match="but not both"):
        PrivacyParameters(epsilon=Fraction(1), rho=Fraction(1))
    with pytest.raises(InvalidArgument, match="relation"):
        PrivacyParameters(epsilon=Fraction(1), relation="near")
    with pytest.raises(InvalidArgument, match="rows"):
        PrivacyParameters(epsilon=Fraction(1), rows=0)
    with pytest.raises(InvalidArgument, match="for each block"):
        PrivacyParameters(epsilon=Fraction(1)).calibrate_all(BLOCKS, [1.0, 2.0])
    with pytest.raises(InvalidArgument, match="for each block"):
        PrivacyParameters(epsilon=Fraction(1)).calibrate_all(BLOCKS, [1.0, 0.0, 1.0])
    with pytest.raises(Refused, match="more noise than can be drawn"):
        PrivacyParameters(epsilon=Fraction(1, 10**6)).calibrate_all(BLOCKS, [1e-9, 1e9, 1.0])
    with pytest.raises(Refused, match="more noise than can be drawn"):
        PrivacyParameters(epsilon=Fraction(1, 10**11), rows=10**6).calibrate(BLOCKS[0])


def test_parts_of_a_row_take_as_many_times_the_noise_and_cost_the_same() -> None:
    for price in ({"epsilon": Fraction(1, 3)}, {"rho": Fraction(1, 7)}):
        rows, parts = (
            PrivacyParameters(**price, rows=3),
            PrivacyParameters(**price, rows=3, parts_per_row=2**20, truncation_bounds=(5, 12)),
        )
        for block in BLOCKS:
            assert parts.sensitivity(block).l1 == 2**20 * rows.sensitivity(block).l1
            assert parts.sensitivity(block).l2_squared == 2**40 * rows.sensitivity(block).l2_squared
        several = [terms.calibrate_all(BLOCKS, [1.0, 7.3, 0.4]) for terms in (rows, parts)]
        assert [law.scale for law in several[1]] == [2**20 * law.scale for law in several[0]]
        for block, law in zip(BLOCKS, several[1], strict=True):
            cost, name = parts.measurement_cost(block, law), next(iter(price))
            assert getattr(cost, name) == getattr(
                rows.measurement_cost(block, type(law)(law.scale / 2**20)), name
            )
        assert (
            parts.with_share(Fraction(1, 2)).parts_per_row,
            parts.with_share(Fraction(1, 2)).truncation_bounds,
        ) == (2**20, (5, 12))


def test_truncation_grows_with_combinations_up_to_the_rows() -> None:
    terms = PrivacyParameters(Fraction(1), parts_per_row=4, truncation_bounds=(5, 12))
    assert [terms.truncation_error(many) for many in (1, 2, 3, 10**40)] == [5 / 4, 10 / 4, 3, 3]
    assert terms.facts == {"fine": 4, "losing": [5, 12]}
    assert (
        PrivacyParameters(Fraction(1)).facts,
        PrivacyParameters(Fraction(1)).truncation_error(7),
    ) == ({}, 0)
    with pytest.raises(InvalidArgument, match="parts_per_row"):
        PrivacyParameters(Fraction(1), parts_per_row=0)
