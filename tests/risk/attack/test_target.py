"""The secret column of a policy's table: found, made binary, or refused in words; its ledger is
never looked at.
"""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from hedgerow.errors import InvalidArgument, Refused, SourceError
from hedgerow.risk.attack.target import read_attack_target

POLICY = """
[database]
name = "clinic"

[budget]
epsilon = 1.0
delta = 1e-9

[tables.visits]
source = "visits.csv"
unit = "patient"
neighbours = "add-remove"
max_units = 100_000
max_groups = 1
max_rows_per_group = 2
[tables.visits.columns]
region = { values = ["north", "south"] }
age = { type = "integer", min = 0, max = 110 }
note = { hidden = true }

[tables.cities]
source = "cities.csv"
public = true
"""
SECOND = """
[budgets.others]
epsilon = 2.0

[tables.people]
source = "people.csv"
unit = "row"
population = "others"
neighbours = "add-remove"
max_units = 100_000
[tables.people.columns]
smoker = { type = "boolean" }
"""


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    """Sixty patients with two visits each, forty of them in the south once; a row without a
    patient and one without a region.
    """
    rows = [f"{n},{('north', 'south')[n < 40 and k]},{n},x" for n in range(60) for k in (0, 1)]
    (tmp_path / "visits.csv").write_text(
        "patient,region,age,note\n" + "\n".join([*rows, ",south,5,x", "99,,5,x"]) + "\n"
    )
    (tmp_path / "cities.csv").write_text("city\nBonn\n")
    (tmp_path / "people.csv").write_text("smoker\n" + "true\n" * 30 + "false\n" * 300)
    file = tmp_path / "clinic.toml"
    file.write_text(POLICY)
    return file


def test_the_only_column_with_two_values(policy: Path) -> None:
    found = read_attack_target(policy)
    assert (found.table.name, found.column, found.description) == (
        "visits",
        "region",
        "which of its two values region has",
    )
    assert (int(found.crowd.secrets.sum()), found.crowd.secrets.size, found.crowd.people) == (
        40,
        60,
        20,
    )
    assert not list(policy.parent.glob("*.ledger*"))


def test_rows_are_people_where_they_are_the_units(policy: Path) -> None:
    policy.write_text(POLICY + SECOND)
    found = read_attack_target(policy, table="PEOPLE", people=50)
    assert (int(found.crowd.secrets.sum()), found.crowd.secrets.size, found.crowd.people) == (
        30,
        80,
        30,
    )
    assert float(found.budget.epsilon) == 2
    with pytest.raises(InvalidArgument, match="table must be named: visits, people are protected"):
        read_attack_target(policy)


def test_made_binary(policy: Path) -> None:
    assert (
        read_attack_target(policy, secret="Age", above=Decimal(35)).description
        == "whether age is above 35"
    )
    assert (
        int(read_attack_target(policy, secret="age", above=Decimal(35)).crowd.secrets.sum()) == 24
    )
    assert (
        read_attack_target(policy, secret="region", equals="south").description
        == "whether region is south"
    )


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        (
            {"secret": "nothing"},
            InvalidArgument,
            "have no 'nothing': there are patient, region, age, note",
        ),
        ({"secret": "regoin"}, InvalidArgument, "have no 'regoin': did you mean region"),
        (
            {"secret": "region", "equals": "West"},
            Refused,
            "Nobody in visits has this secret: no value of region matches",
        ),
        (
            {"secret": "age"},
            Refused,
            "age has more than two values. Define the secret with --is VALUE",
        ),
        ({"secret": "note"}, Refused, "note is hidden"),
        ({"secret": "patient"}, InvalidArgument, "must not be the privacy id"),
        ({"secret": "age", "above": Decimal(58)}, Refused, "too few people"),
        ({"secret": "region", "equals": "north"}, Refused, "too few people"),
        ({"table": "cities"}, Refused, "it has no budget to attack"),
        ({"table": "towns"}, InvalidArgument, "table must be one of visits; got 'towns'"),
        ({"people": 5}, InvalidArgument, "people must be at least 20"),
        ({"equals": "x", "above": Decimal(1)}, InvalidArgument, "cannot both be given"),
    ],
)
def test_columns_and_tables_that_cannot_be_attacked_are_refused(
    policy: Path, given: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error) as told:
        read_attack_target(policy, **given)
    assert words in str(told.value)


def test_no_column_or_several_have_two_values(policy: Path) -> None:
    policy.write_text(
        POLICY.replace('values = ["north", "south"]', 'values = ["north", "south", "east"]')
    )
    with pytest.raises(InvalidArgument, match="no column of visits is declared with two values"):
        read_attack_target(policy)
    policy.write_text(POLICY.replace("age = {", "smoker = { type = 'boolean' }\nage = {"))
    with pytest.raises(InvalidArgument, match="region, smoker have two values"):
        read_attack_target(policy)


def test_one_value_only(policy: Path) -> None:
    (policy.parent / "visits.csv").write_text(
        "patient,region\n" + "\n".join(f"{n},north" for n in range(60))
    )
    with pytest.raises(
        Refused, match="region has the same value in every row, so it holds no secret"
    ):
        read_attack_target(policy)
    (policy.parent / "visits.csv").write_text("patient,region\n1,\n2, \n")
    with pytest.raises(Refused, match="region has no values at all"):
        read_attack_target(policy)
    (policy.parent / "visits.csv").write_text("patient,region\n")
    with pytest.raises(SourceError, match=r"visits\.csv has no rows"):
        read_attack_target(policy)
    (policy.parent / "visits.csv").write_text("patient,region\n1,north,3\n2\n")
    with pytest.raises(SourceError, match=r"visits\.csv cannot be read"):
        read_attack_target(policy)


def test_a_source_that_does_not_fit(policy: Path) -> None:
    (policy.parent / "visits.csv").write_text("region\nnorth\nsouth\n")
    with pytest.raises(SourceError, match="has no column patient, its unit"):
        read_attack_target(policy)
    (policy.parent / "visits.csv").unlink()
    with pytest.raises(SourceError, match=r"visits\.csv, the source of visits, does not exist"):
        read_attack_target(policy)
    (policy.parent / "visits.parquet").write_text("nothing of the kind")
    policy.write_text(POLICY.replace("visits.csv", "visits.parquet"))
    with pytest.raises(SourceError, match=r"visits\.parquet cannot be read"):
        read_attack_target(policy)


def test_a_unit_in_another_table(policy: Path) -> None:
    linked = SECOND.replace(
        'unit = "row"', 'unit = "visit -> visits.number, visits.patient"'
    ).replace("max_units = 100_000", "max_units = 100_000\nmax_groups = 1\nmax_rows_per_group = 1")
    policy.write_text(
        POLICY
        + linked.replace('population = "others"', "").replace("[budgets.others]\nepsilon = 2.0", "")
    )
    with pytest.raises(Refused, match="have their owner in another table"):
        read_attack_target(policy, table="people")
