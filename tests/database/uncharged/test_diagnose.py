"""What is wrong with a question about public tables is said in plain words, whatever they hold."""

from __future__ import annotations

import re

import pytest

from hedgerow.database.uncharged.diagnose import refuse_invalid_query
from hedgerow.errors import Unsupported
from hedgerow.plan.schema import Column, Schema
from hedgerow.sql.catalog import Catalog, TableEntry
from hedgerow.sql.public_tables.statement import read_public_query

COLUMNS = (Column("Région", "text"), Column("Total Cost", "integer"), Column("day", "date"))
CATALOG = Catalog(
    {
        "hist": TableEntry(Schema("hist", COLUMNS, None, "1")),
        "other": TableEntry(Schema("other", COLUMNS[:2], None, "1")),
    }
)


def checked(sql: str) -> None:
    found = read_public_query(sql, CATALOG)
    assert found is not None
    refuse_invalid_query(found, CATALOG)


@pytest.mark.parametrize(
    ("sql", "what", "instead"),
    [
        ("SELECT region FROM hist", "hist has no column region", "Did you mean Région?"),
        ("SELECT h.region FROM hist h", "hist has no column region", "Did you mean Région?"),
        (
            "SELECT TotalCost FROM hist",
            "hist has no column TotalCost",
            'Did you mean "Total Cost"?',
        ),
        (
            "SELECT nonsense FROM hist",
            "hist has no column nonsense",
            'The columns are Région, "Total Cost", day.',
        ),
        (
            "SELECT nonsense FROM hist, other",
            "hist and other have no column nonsense",
            "The columns are",
        ),
        (
            "SELECT * FROM hist JOIN other USING (zzz)",
            "hist and other have no column zzz",
            "The columns are",
        ),
        (
            "SELECT made2 FROM (SELECT day AS made1 FROM hist)",
            "The FROM clause has no column made2",
            "Did you mean made1?",
        ),
        (
            "SELECT Région, COUNT(*) FROM hist",
            "Région is neither in GROUP BY nor inside",
            "Add Région to GROUP BY",
        ),
        (
            "SELECT Région FROM hist, other",
            "Région is ambiguous",
            "a dot before it",
        ),
        ("SELECT SUM(Région) FROM hist", "SUM does not accept text", "CAST"),
        (
            "SELECT day FROM hist WHERE COUNT(*) > 1",
            "WHERE clause cannot contain aggregates",
            "Change that",
        ),
        ("SELECT day FROM hist LIMIT 'x'", "Could not convert string 'x' to INT64", "Change that"),
        ("SELECT h FROM hist h", "hist has no column h", "The columns are"),
        ("SELECT user FROM hist", "hist has no column user", "The columns are"),
        ("SELECT hist.z FROM hist", "hist has no column z", "The columns are"),
        ("SELECT Région.x FROM hist", "Referenced table Région not found", "Change that"),
        (
            "SELECT Région FROM hist UNION SELECT Région, day FROM hist",
            "Set operations can only apply",
            "Change that",
        ),
    ],
)
def test_a_refusal_names_the_problem_and_the_alternative(sql: str, what: str, instead: str) -> None:
    with pytest.raises(Unsupported) as caught:
        checked(sql)
    first, *_, last = str(caught.value).splitlines()
    assert first.startswith(what)
    assert instead in last
    assert not re.search("(name|public) [0-9]", str(caught.value))


def test_a_question_that_the_engine_can_prepare_passes() -> None:
    assert checked('SELECT Région, SUM("Total Cost") FROM hist GROUP BY 1') is None
    assert checked("SELECT CAST(Région AS INT) FROM hist") is None
