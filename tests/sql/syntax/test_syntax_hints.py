"""Syntax errors are refused with the intended SQL."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hedgerow.errors import Unsupported
from hedgerow.plan.schema import Column
from hedgerow.sql.catalog import Catalog
from hedgerow.sql.parser import parse_question
from hedgerow.sql.syntax.source_text import MAX_BYTES
from hedgerow.sql.syntax.syntax_hints import find_unquoted_name, suggest_keyword
from sql.helpers_fixtures import CATALOG, VISITS

ODD = (
    Column("Date of Birth", "date"),
    Column("when", "date"),
    Column("Height (cm)", "integer"),
    Column("Smoker?", "boolean"),
    Column("secret name", "text"),
)
NAMED = Catalog(
    {
        "visits": replace(
            CATALOG.tables["visits"],
            schema=replace(VISITS, columns=(*VISITS.columns, *ODD)),
            hidden=frozenset({"secret name"}),
        )
    }
)


def refused(sql: str) -> list[str]:
    """Return the problem, the line, the marks and the fix."""
    with pytest.raises(Unsupported) as caught:
        parse_question(sql, NAMED)
    return str(caught.value).split("\n")


@pytest.mark.parametrize(
    ("sql", "marked", "instead"),
    [
        ("SELECT COUNT(*) FORM visits", "FORM", "Did you mean FROM?"),
        ("SELECT COUNT(*) FROM visits WERE age > 5", "WERE", "Did you mean WHERE?"),
        ("SELECT region, COUNT(*) FROM visits GRUOP BY region", "GRUOP", "Did you mean GROUP?"),
        ("SELCT COUNT(*) FROM visits", "SELCT", "Did you mean SELECT?"),
        ("SELECT COUNT(*) FROM `visits` WHERE `age` > 5", "`visits`", "Write visits."),
        ("SELECT COUNT(`Date of Birth`) FROM visits", "`Date of Birth`", 'Write "Date of Birth".'),
        (
            "SELECT COUNT(*) FROM visits WHERE Date of Birth IS NULL",
            "Date of Birth",
            'Write "Date of Birth".',
        ),
        ("SELECT AVG(Height (cm)) FROM visits", "Height (cm)", 'Write "Height (cm)".'),
        ("SELECT COUNT(*) FROM visits WHERE smoker? IS NULL", "smoker?", 'Write "Smoker?".'),
        (
            "SELECT when, COUNT(*) FROM visits GROUP BY when",
            "when",
            'when is a reserved word; as a name it needs double quotes: "when".',
        ),
        (
            "SELECT COUNT(*) FROM visits WHERE secret name IS NULL",
            "name",
            'Names with spaces need double quotes: "secret name".',
        ),
        ("SELECT DIV(age, 10) AS d, COUNT(*) FROM visits GROUP BY d", "DIV", "Write FLOOR(a / b)."),
        (
            "SELECT COUNT(*) FROM visits WHERE city = \u2018ulm\u2019",
            "\u2018ulm\u2019",
            "Text takes straight single quotes: 'ulm'.",
        ),
        (
            "SELECT COUNT(*) FROM visits WHERE DATEDIFF(day, month) > 3",
            "DATEDIFF",
            "with 'day', 'month' or 'year'.",
        ),
        (
            "SELECT COUNT(*) FROM visits WHERE DATE_DIFF('day', day, month) > 3 GRUOP BY age",
            "GRUOP",
            "Did you mean GROUP?",
        ),
        (
            "SELECT COUNT(*) FROM visits WHERE",
            "WHERE",
            "Write one SELECT: SELECT … FROM table WHERE … GROUP BY ….",
        ),
    ],
)
def test_a_syntax_error_suggests_the_intended_sql(sql: str, marked: str, instead: str) -> None:
    _, line, marks, fix = refused(sql)
    assert line[marks.index("^") : len(marks)] == marked
    assert fix.endswith(instead)


def test_hidden_names_are_not_suggested() -> None:
    """Names of the catalog are shown in its spelling, hidden ones as they were typed."""
    assert (
        refused("SELECT COUNT(*) FROM visits WHERE DATE of BIRTH IS NULL")[-1]
        == 'Write "Date of Birth".'
    )
    assert refused("SELECT COUNT(*) FROM visits WHERE SECRET NAME IS NULL")[-1].endswith(
        '"SECRET NAME".'
    )


def test_text_that_holds_a_name_is_not_taken_for_it() -> None:
    for sql in (
        "SELECT nothing FROM visits WHERE city = 'Date of Birth'",
        'SELECT "Date of Birth", COUNT(*) FROM visits -- Date of Birth',
    ):
        assert "takes double quotes" not in refused(sql)[0]


def test_keywords_are_not_taken_for_typos() -> None:
    assert suggest_keyword("from") is None
    assert suggest_keyword("region") is None
    assert suggest_keyword("Form") == "FROM"


@pytest.mark.parametrize("sign", ["/*", "'", "''", '"', "--", "`", "Date of "])
def test_hostile_text_is_looked_at_once(sign: str) -> None:
    assert find_unquoted_name(sign * (MAX_BYTES // len(sign)), ["Date of Birth", "when"]) is None
    # too long to look at
    assert find_unquoted_name("Date of Birth " + sign * MAX_BYTES, ["Date of Birth"]) is None
    assert find_unquoted_name(f"a 'x' {sign}", ["x"]) is None
