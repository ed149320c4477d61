"""Relations of the same customer on made-up neighbours: the marks that IN, EXISTS and LEFT JOIN
leave in the rows of one customer depend on nobody else.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from database.attacks import shop
from database.attacks.seam import versions
from database.attacks.seeking import Found, look
from database.attacks.shop_grammar import SAME_CUSTOMER

PAIRS = 25  # tests/slow looks at 2,000
STATEMENTS = (
    *(
        f"SELECT COUNT(*), SUM({value}) FROM {words.source} WHERE {test}"
        for (words, tests), value in zip(SAME_CUSTOMER, ("minutes", "price"), strict=True)
        for test in tests
    ),
    "SELECT COUNT(*) FROM visits v LEFT JOIN (SELECT customer AS who FROM orders) o ON o.who ="
    " v.customer WHERE o.who IS NULL",
    "SELECT COUNT(o.customer), COUNT(DISTINCT o.customer) FROM visits v LEFT JOIN orders o ON"
    " o.customer = v.customer AND o.amount > 5",
    "SELECT region, COUNT(*) FROM (SELECT customer AS who, region FROM visits INTERSECT SELECT"
    " customer, region FROM orders) GROUP BY region",
    "SELECT COUNT(*), SUM(minutes) FROM (SELECT customer, minutes FROM visits EXCEPT SELECT"
    " customer, amount FROM orders)",
    "SELECT t.zone, COUNT(v.minutes), COUNT(DISTINCT v.customer) FROM towns t LEFT JOIN visits v ON"
    " v.region = t.region GROUP BY t.zone",
)


def look_at_all(
    name: str, world: shop.Shop, statements: Sequence[str], pairs: int, found: Found
) -> None:
    """Ask statements on made-up tables and all their neighbours, the same ones for a name."""
    random = Random(name)
    data = shop.base(random, world)
    near = shop.neighbours(random, world, data, pairs)
    with versions(world, [data, *near], asked=2) as opened:
        for sql in statements:
            before = found.pairs
            look(opened, sql, found)
            assert found.pairs >= before + pairs, sql


@pytest.mark.long
def test_no_neighbour_moves_a_condition_further_than_declared() -> None:
    found = Found()
    world = shop.Shop("change-one", 2, 3, "laplace", "integer")
    look_at_all("same customer", world, STATEMENTS, PAIRS, found)
    assert found.violations == []
    assert found.refused == 0
    assert found.told * 5 > found.pairs
