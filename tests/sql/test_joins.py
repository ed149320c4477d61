"""Several sources: the pairs in joins.sql."""

from __future__ import annotations

import pytest

from hedgerow.errors import Unsupported
from hedgerow.sql.joins import MAX_PARTS
from sql.fixtures import ask, check_answered, check_refused, pairs


@pytest.mark.parametrize(("sql", "told"), pairs("joins"))
def test_what_is_read(sql: str, told: str) -> None:
    check_answered(sql, told)


@pytest.mark.parametrize(("sql", "told"), pairs("joins__refused"))
def test_what_is_refused(sql: str, told: str) -> None:
    check_refused(sql, told)


def test_the_order_of_the_tables_does_not_matter() -> None:
    one = ask("SELECT SUM(amount) FROM orders o, lines l WHERE o.order_id = l.order_id AND urgent")
    two = ask("SELECT SUM(amount) FROM orders JOIN lines USING (order_id) WHERE urgent")
    assert one.plan == two.plan


def test_too_many_sources_are_refused() -> None:
    def sources(count: int) -> str:
        return "SELECT COUNT(*) FROM visits v0" + "".join(f" JOIN visits v{i} USING (patient_id)" for i in range(1, count))

    assert ask(sources(MAX_PARTS)).tables == ("visits",)
    with pytest.raises(Unsupported, match="more than 30 sources"):
        ask(sources(MAX_PARTS + 1))


def test_caps_are_the_largest_of_the_tables() -> None:
    bound = ask("SELECT kind, city, COUNT(*) FROM visits JOIN labs USING (patient_id) GROUP BY kind, city").plan.bound
    assert (bound.max_groups, bound.max_rows) == (3, 7)
