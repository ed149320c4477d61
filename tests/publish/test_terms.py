"""Terms: what a price buys, and that it is never more than was paid."""

from __future__ import annotations

from fractions import Fraction
from math import inf

import pytest

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.linear import Bins, Block, Rest
from hedgerow.mechanisms import Gaussian, Laplace
from hedgerow.privacy.loss import Loss, rho_of_pure
from hedgerow.publish.terms import Terms

BLOCKS = (Block(((0, Bins(5)),)), Block(((0, Rest(5)),)), Block(((0, Bins(5, 5)),)))


@pytest.mark.parametrize("relation", ["add-remove", "change-one"])
@pytest.mark.parametrize("price", [{"epsilon": Fraction(1, 2)}, {"rho": Fraction(1, 10)}])
def test_a_block_alone_costs_the_whole_price(price: dict[str, Fraction], relation: str) -> None:
    terms = Terms(**price, rows=2, relation=relation)
    for block in BLOCKS:
        law = terms.law(block)
        cost = terms.price(block, law)
        (name, value), *_ = price.items()
        assert Fraction(999, 1000) * value <= getattr(cost, name) <= value
        assert terms.laws([block], [1.0]) == (law,)


@pytest.mark.parametrize("price", [{"epsilon": Fraction(1, 3)}, {"rho": Fraction(1, 7)}])
def test_several_blocks_share_the_price_as_asked_and_never_exceed_it(price: dict[str, Fraction]) -> None:
    terms = Terms(**price, rows=3, group=2)
    spreads = [1.0, 7.3, 0.4]
    laws = terms.laws(BLOCKS, spreads)
    total = sum((terms.price(block, law) for block, law in zip(BLOCKS, laws, strict=True)), Loss(Fraction(0), rho=Fraction(0)))
    (name, value), *_ = price.items()
    assert Fraction(999_999, 1_000_000) * value <= getattr(total, name) <= value
    ratios = [float(law.scale) / spread for law, spread in zip(laws, spreads, strict=True)]
    assert max(ratios) / min(ratios) < 1 + 1e-6
    assert all(isinstance(law, Laplace if terms.pure else Gaussian) for law in laws)


def test_what_an_epsilon_buys_under_a_policy() -> None:
    assert Terms.question(Fraction(1), "laplace").total == Loss(Fraction(1))
    bought = Terms.question(Fraction(1), "gaussian", rows=2, relation="change-one", group=3)
    assert bought.total == Loss(inf, rho=rho_of_pure(Fraction(1)))
    assert (bought.gaussian, bought.pure) == (True, False)
    assert bought.share(Fraction(1, 2)).rho == rho_of_pure(Fraction(1)) / 2
    assert Terms(epsilon=Fraction(1)).share(Fraction(1, 4)).epsilon == Fraction(1, 4)


def test_what_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="and not both"):
        Terms()
    with pytest.raises(InvalidArgument, match="and not both"):
        Terms(epsilon=Fraction(1), rho=Fraction(1))
    with pytest.raises(InvalidArgument, match="relation"):
        Terms(epsilon=Fraction(1), relation="near")
    with pytest.raises(InvalidArgument, match="rows"):
        Terms(epsilon=Fraction(1), rows=0)
    with pytest.raises(InvalidArgument, match="one for each block"):
        Terms(epsilon=Fraction(1)).laws(BLOCKS, [1.0, 2.0])
    with pytest.raises(InvalidArgument, match="one for each block"):
        Terms(epsilon=Fraction(1)).laws(BLOCKS, [1.0, 0.0, 1.0])
    with pytest.raises(Refused, match="more noise than can be drawn"):
        Terms(epsilon=Fraction(1, 10**6)).laws(BLOCKS, [1e-9, 1e9, 1.0])
    with pytest.raises(Refused, match="more noise than can be drawn"):
        Terms(epsilon=Fraction(1, 10**11), rows=10**6).law(BLOCKS[0])


def test_parts_of_a_row_take_as_many_times_the_noise_and_cost_the_same() -> None:
    for price in ({"epsilon": Fraction(1, 3)}, {"rho": Fraction(1, 7)}):
        rows, parts = Terms(**price, rows=3), Terms(**price, rows=3, fine=2**20, losing=(5, 12))
        for block in BLOCKS:
            assert parts.reach(block).l1 == 2**20 * rows.reach(block).l1
            assert parts.reach(block).l2_squared == 2**40 * rows.reach(block).l2_squared
        several = [terms.laws(BLOCKS, [1.0, 7.3, 0.4]) for terms in (rows, parts)]
        assert [law.scale for law in several[1]] == [2**20 * law.scale for law in several[0]]
        for block, law in zip(BLOCKS, several[1], strict=True):
            cost, name = parts.price(block, law), next(iter(price))
            assert getattr(cost, name) == getattr(rows.price(block, type(law)(law.scale / 2**20)), name)
        assert (parts.share(Fraction(1, 2)).fine, parts.share(Fraction(1, 2)).losing) == (2**20, (5, 12))


def test_what_is_lost_grows_with_combinations_up_to_the_rows_there_are() -> None:
    terms = Terms(Fraction(1), fine=4, losing=(5, 12))
    assert [terms.lost(many) for many in (1, 2, 3, 10**40)] == [5 / 4, 10 / 4, 3, 3]
    assert terms.facts == {"fine": 4, "losing": [5, 12]}
    assert (Terms(Fraction(1)).facts, Terms(Fraction(1)).lost(7)) == ({}, 0)
    with pytest.raises(InvalidArgument, match="fine"):
        Terms(Fraction(1), fine=0)
