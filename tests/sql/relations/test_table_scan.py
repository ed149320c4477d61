"""Tables in FROM."""

from __future__ import annotations

import pytest

from hedgerow.errors import Unsupported
from hedgerow.plan.nodes import Table
from sql.helpers_fixtures import REGIONS, VISITS, ask


@pytest.mark.parametrize(
    "source", ["visits", "VISITS", '"Visits"', "visits v", "visits AS v", "'visits'"]
)
def test_one_table_by_its_name(source: str) -> None:
    question = ask(f"SELECT COUNT(*) FROM {source}")
    rows = question.plan.bound.source
    while not isinstance(rows, Table):
        rows = rows.source  # type: ignore[union-attr]
    assert rows.schema == VISITS


def test_an_alias_hides_the_name() -> None:
    assert ask("SELECT COUNT(v.age) FROM visits v").aggregates
    with pytest.raises(Unsupported, match=r"Write v\.age"):
        ask("SELECT COUNT(visits.age) FROM visits v")


def test_a_public_table_alone_has_no_price() -> None:
    assert REGIONS.unit is None
    with pytest.raises(Unsupported, match="Use query instead"):
        ask("SELECT COUNT(*) FROM regions")


def test_a_near_table_is_suggested() -> None:
    with pytest.raises(Unsupported, match=r"Did you mean visits\?"):
        ask("SELECT COUNT(*) FROM visit")
    with pytest.raises(Unsupported, match="The tables are visits, answers, regions"):
        ask("SELECT COUNT(*) FROM q")
