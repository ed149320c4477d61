"""Budgets that a loop spends."""

from __future__ import annotations

from hedgerow.verify.language.program import Name, format_expression
from hedgerow.verify.prove.search.budget_candidates import list_budget_candidates
from hedgerow.verify.prove.search.loops import list_loops
from verify.language.reading import read


def candidates(change: str) -> list[str]:
    about = read(
        f"""
        left = eps / 2
        i = 0
        while left >= eps / 8 and i < n:
            if x + laplace(8 / eps) > 0:
                left = {change}
            i += 1
        """
    )
    ((loop, defined),) = list_loops(about.body, frozenset(one.name for one in about.parameters))
    return [
        format_expression(one)
        for one in list_budget_candidates(about, loop, defined, [Name("@cost0")])
    ]


def test_the_cost_is_bounded_by_what_was_spent() -> None:
    found = candidates("left - eps / 8")
    assert "0 <= left@1@0 - left@1" in found
    assert "@cost0 * (eps / 8) <= 2 * (left@1@0 - left@1)" in found
    assert "eps / 8 - eps / 8 <= left@1" in found


def test_other_changes_make_no_budget() -> None:
    assert candidates("left / 2") == []
    assert candidates("left - x") == []
