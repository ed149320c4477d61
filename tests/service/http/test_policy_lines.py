from __future__ import annotations

from pathlib import Path

import pytest

from hedgerow.policy import Policy, parse_policy
from hedgerow.service.http.policy_lines import diff_policies, explain_policy_lines
from service.helpers_service import POLICY


def find_meaning(text: str, line: str) -> str:
    return next(one.meaning for one in explain_policy_lines(text) if one.text.startswith(line))


def test_every_declaration_of_a_policy_has_a_meaning() -> None:
    lines = explain_policy_lines(POLICY)
    assert [one.text for one in lines] == POLICY.splitlines()
    assert [one.text for one in lines if one.text and not one.meaning] == []


def test_a_key_is_explained_by_its_section() -> None:
    assert "all questions" in find_meaning("[budget]\nepsilon = 1", "epsilon")
    assert "all questions" in find_meaning("[budgets.staff]\nepsilon = 1", "epsilon")
    assert find_meaning("[analysts.ana]\nepsilon = 1", "epsilon") == ""
    partition = '[tables.visits.partition]\ncolumn = "month"\n'
    assert "are the parts" in find_meaning(partition, "column")


@pytest.mark.parametrize(
    ("declaration", "words"),
    [
        ("age = { type = 'integer', min = 0, max = 9 }", "clamped"),
        ("cost = { min = 0, max = 9, step = 0.1 }", "rounded"),
        ('region = { values = ["n"] }', "no others"),
        ("note = { hidden = true }", "No question"),
        ('name = { type = "text" }', "Only the type"),
        ("# max = 3", ""),
    ],
)
def test_a_column_is_explained_by_its_facts(declaration: str, words: str) -> None:
    meaning = find_meaning(f"[tables.visits.columns]\n{declaration}", declaration)
    assert (words in meaning) if words else meaning == ""


def test_the_difference_shows_changed_lines_only() -> None:
    ruling = parse_policy(POLICY, folder=Path())
    written = parse_policy(POLICY.replace("max = 110", "max = 115"), folder=Path())
    lines = diff_policies(ruling, written)
    assert [("115" in one.text, one.kind) for one in lines if one.kind in ("added", "removed")] == [
        (False, "removed"),
        (True, "added"),
    ]
    assert len(lines) < 10
    stored = Policy.from_canonical(ruling.canonical())
    assert diff_policies(stored, written) == lines  # the order of a stored policy is no change
    assert diff_policies(ruling, ruling) == []
