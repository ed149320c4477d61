from __future__ import annotations

import pytest

from hedgerow.service.statement_clauses import is_explanation, names_epsilon

NAMED = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.5) COUNT(*) FROM visits"


@pytest.mark.parametrize(
    ("sql", "explains", "names"),
    [
        (NAMED, False, True),
        (f"EXPLAIN PRIVACY {NAMED}", True, True),
        ("explain /* so */ privacy SELECT COUNT(*) FROM visits", True, False),
        ("SELECT COUNT(*) FROM visits -- EXPLAIN PRIVACY OPTIONS(epsilon = 1)", False, False),
        ('SELECT COUNT(*) AS "OPTIONS(epsilon = 1)" FROM visits', False, False),
        ("SELECT COUNT(*) FROM visits WHERE region = 'EXPLAIN PRIVACY'", False, False),
        (NAMED.replace("epsilon = 0.5", "max_groups_contributed = 1"), False, False),
        (NAMED.replace("0.5", "nonsense"), False, False),
        ("'", False, False),
        ("", False, False),
    ],
)
def test_only_the_privacy_clause_counts(sql: str, explains: bool, names: bool) -> None:
    assert (is_explanation(sql), names_epsilon(sql)) == (explains, names)
