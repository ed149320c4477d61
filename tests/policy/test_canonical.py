from __future__ import annotations

import json

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.policy import Policy, parse_policy
from hedgerow.policy.canonical import FORMAT, decode_policy
from policy.helpers_page import policy

VARIED = """\
[database]
name = "varied"
[budget]
epsilon = 0.1
[tables.t]
source = "t.csv"
unit = "row"
neighbours = "change-one"
[tables.t.columns]
rate = { values = [0.1, 0.25], min = 0, max = 1, type = "real" }
stars = { values = [1, 2] }
flag = { type = "boolean" }
day = { values = [2026-01-01] }
"é" = { values = ["ü", ""] }
"""


@pytest.mark.parametrize("one", [policy(), parse_policy(VARIED)], ids=["clinic", "varied"])
def test_the_text_gives_the_policy_back(one: Policy) -> None:
    back = Policy.from_canonical(one.canonical())
    assert back == one
    assert {table.name: table for table in back.tables}.keys() == {
        table.name for table in one.tables
    }
    for table in one.tables:
        other = back.table(table.name)
        assert other is not None
        assert sorted(other.columns, key=lambda column: column.name) == sorted(
            table.columns, key=lambda column: column.name
        )
        assert [type(value) for column in other.columns for value in column.values or ()] == [
            type(value)
            for column in sorted(table.columns, key=lambda column: column.name)
            for value in column.values or ()
        ]


def test_numbers_are_exact_and_the_text_is_plain() -> None:
    text = policy().canonical()
    assert text.isascii()
    assert " " not in text
    assert json.loads(text)["budgets"][0]["default_epsilon"] == "1/10"
    assert json.loads(text)["budgets"][0]["default_delta"] == "1/1000000000000"


def test_the_text_never_changes_its_meaning() -> None:
    """Ledgers keep digests for years: if this fails, FORMAT must grow and the old text must
    still be read.
    """
    assert FORMAT == 1
    assert policy().digest == "9f4814030a806d278d7f731325236f9ef16da796aea652a39cc51d32dd783950"


def test_a_line_that_came_later_is_written_only_where_it_says_something() -> None:
    assert "max_failures" not in policy(('engine = "duckdb"', "max_failures = 20")).canonical()
    other = policy(('engine = "duckdb"', "max_failures = 7"))
    assert (
        json.loads(other.canonical())["max_failures"]
        == Policy.from_canonical(other.canonical()).max_failures
        == 7
    )
    assert (
        "auto_bounds"
        not in policy(
            ("max_rows_per_group = 5", "max_rows_per_group = 5\nauto_bounds = false")
        ).canonical()
    )
    assert (
        '"auto_bounds":true'
        in policy(
            ("max_rows_per_group = 5", "max_rows_per_group = 5\nauto_bounds = true")
        ).canonical()
    )
    assert (
        "multiline" not in policy(("public = true", "public = true\nmultiline = false")).canonical()
    )
    assert (
        '"multiline":true'
        in policy(("public = true", "public = true\nmultiline = true")).canonical()
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "3",
        "{}",
        '{"format": 1}',
        '{"format":1,"name":"a","engine":"duckdb","ledger":null,"budgets":[3],"tables":[],"analysts":[]}',
    ],
)
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(InvalidArgument, match="policy text is not the canonical text"):
        decode_policy(text)


def test_a_later_format_is_named() -> None:
    with pytest.raises(
        InvalidArgument, match="must have format 1; a newer Hedgerow may have written it; got 2"
    ):
        decode_policy('{"format": 2}')


@pytest.mark.parametrize("where", ["budgets", "tables", "analysts"])
def test_fields_are_these_and_no_others(where: str) -> None:
    body = json.loads(policy().canonical())
    body[where][0]["extra"] = 1
    with pytest.raises(InvalidArgument, match="has other fields than a"):
        decode_policy(json.dumps(body))
