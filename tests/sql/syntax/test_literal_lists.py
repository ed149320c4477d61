"""Lists of literals and tuples mean what they mean in SQL, and quantiles become columns."""

from __future__ import annotations

import pytest

from hedgerow.errors import Unsupported
from sql.helpers_calls import list_calls
from sql.helpers_fixtures import ask
from sql.helpers_three_readers import open_readers


def test_membership_means_what_duckdb_says() -> None:
    with open_readers({"calls": list_calls()}) as readers:
        for condition in (
            "seconds IN [0, 37, 74]",
            "seconds = ANY([0, 37, -1])",
            "LIST_CONTAINS([0, 37], seconds)",
            "url = ANY(['a', 'a.b'])",
            "(url, seconds) IN (('a', 74), ('a.b', 111), ('x', 1))",
            "NOT (url, seconds) IN (('a', 74), ('a.b', 111))",
        ):
            assert readers.read(f"SELECT COUNT(*) AS n FROM calls WHERE {condition}") != [(0,)]


def test_a_sum_of_conditions_counts_what_is_true() -> None:
    with open_readers({"calls": list_calls()}) as readers:
        readers.read("SELECT SUM(CAST(url = 'a' AS INTEGER)) AS n FROM calls")
        found = ask("SELECT SUM(url = 'a') AS n FROM calls").plan
        assert found == ask("SELECT SUM(CAST(url = 'a' AS INTEGER)) AS n FROM calls").plan


def test_quantiles_of_a_list_are_columns() -> None:
    question = ask(
        "SELECT QUANTILE(age, [0.005, 0.25, 1e-1]), PERCENTILE_CONT([0.5, 0.9]) WITHIN GROUP"
        " (ORDER BY Cost) AS p FROM visits"
    )
    names = [output.name for output in question.outputs]
    assert names == ["quantile_0_5", "quantile_25", "quantile_10", "p_50", "p_90"]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(*) FROM visits WHERE age IN [region]",
        "SELECT COUNT(*) FROM visits WHERE [1][1] = 1",
        "SELECT COUNT(*) FROM visits WHERE city[1] = 'a'",
        "SELECT [1, 2], COUNT(*) FROM visits",
        "SELECT SUM([1, 2]) FROM visits",
        "SELECT COUNT(*) FROM visits WHERE age = ANY([])",
        "SELECT QUANTILE(age, [" + "0.5, " * 21 + "0.5]) FROM visits",
        "SELECT COUNT(*) FROM visits WHERE (age, 1) IN (SELECT 1, 2)",
        "SELECT COUNT(*) FROM visits WHERE (age, age) IN (" + "(1, 2), " * 300 + "(1, 2))",
    ],
)
def test_other_lists_are_refused(sql: str) -> None:
    with pytest.raises(Unsupported):
        ask(sql)
