"""Answers and questions become a policy, without a terminal."""

from __future__ import annotations

import tomllib
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from hedgerow.cli.interview import (
    DataFile,
    PolicyDraft,
    StepBack,
    draft_policy,
    draft_with_steps_back,
    read_answers,
)
from hedgerow.cli.policy_questions import PolicyQuestion
from hedgerow.engines.data_source import PhysicalColumn
from hedgerow.errors import InvalidArgument

COLUMNS = ("patient_id", "age", "cost", "region", "day")
VISITS = DataFile("visits", "visits.csv", tuple(PhysicalColumn(name, "text") for name in COLUMNS))
WHOLE = """
[budget]
epsilon = 0.1
delta = 1e-9
[tables.visits]
unit = "patient_id"
neighbours = "add-remove"
max_units = 100_000
max_groups = 2
max_rows_per_group = 1
[tables.visits.columns]
age = { type = "integer", min = 0, max = 110 }
region = { values = ["north", "south"] }
"""


def asked(text: str = "", *data: DataFile, **options: Any) -> PolicyDraft:
    answers = tomllib.loads(text, parse_float=Decimal)
    return draft_policy(answers, data or (VISITS,), name="clinic", written=text, **options)


class Custodian:
    """Answers by the key, and remembers what was asked."""

    def __init__(self, **said: str) -> None:
        self.said = said
        self.asked: list[str] = []

    def __call__(self, blank: PolicyQuestion) -> str:
        self.asked.append(".".join(blank.place))
        return self.said.get("_".join(blank.place[3:]) or blank.key, "")


def test_a_whole_answers_file_needs_no_question() -> None:
    draft = asked(WHOLE)
    assert draft.policy.name == "clinic"
    assert draft.policy.budget("people").epsilon == Fraction(1, 10)
    table = draft.policy.table("visits")
    assert table is not None
    assert (table.source, table.unit, table.max_units) == ("visits.csv", "patient_id", 100_000)
    assert draft.undeclared == {"visits": ("cost", "day")}
    assert "# " in draft.text


def test_all_missing_answers_are_reported_at_once_with_their_lines() -> None:
    with pytest.raises(InvalidArgument) as caught:
        asked('[tables.visits]\nunit = "patient_id"\n')
    lines = str(caught.value).splitlines()
    assert [line.split(" = ")[0].strip() for line in lines[1:-1]] == [
        "[tables.visits]", "neighbours", "max_units", "max_groups", "max_rows_per_group",
        "[budget]", "epsilon",
    ]  # fmt: skip
    assert "--answers" in lines[-1]


def test_rows_need_fewer_answers() -> None:
    draft = asked(
        '[budget]\nepsilon = 1\n[tables.visits]\nunit = "row"\nneighbours = "change-one"\n'
    )
    table = draft.policy.table("visits")
    assert table is not None
    assert (table.unit, table.max_groups) == ("row", 1)


def test_a_custodian_is_asked_for_every_bound() -> None:
    said = Custodian(
        unit="patient_id", neighbours="add", max_units="1000", max_groups="3",
        max_rows_per_group="2",
        age_type="integer", age_min="0", age_max="110", region_type="text",
        region_values="north, south", day_type="date", day_values="2026-01 … 2026-12",
        cost_type="real", epsilon="1.5", delta="1e-6",
    )  # fmt: skip
    draft = asked(ask=said)
    table = draft.policy.table("visits")
    assert table is not None
    age, region, day, cost = (table.column(name) for name in ("age", "region", "day", "cost"))
    assert all((age, region, day, cost))
    assert (age.low, age.high) == (0, 110)
    assert region.values == ("north", "south")
    assert len(day.values) == 12
    assert (cost.type, cost.low) == ("real", None)
    assert draft.undeclared == {"visits": ("cost",)}
    assert said.asked[-2:] == ["budget.epsilon", "budget.delta"]
    assert "tables.visits.columns.patient_id.type" not in said.asked


def test_parts_of_an_id_are_asked_for_since_they_may_be_columns_as_well() -> None:
    said = Custodian(
        unit="region, patient_id", neighbours="add", max_units="1000", max_groups="3",
        max_rows_per_group="2", region_type="text", region_values="north, south", epsilon="1.5",
    )  # fmt: skip
    draft = asked(ask=said)
    table = draft.policy.table("visits")
    assert table is not None
    assert table.unit_columns == ("region", "patient_id")
    region = table.column("region")
    assert region is not None
    assert region.values == ("north", "south")
    assert not {"region", "patient_id"} & set(draft.undeclared.get("visits", ()))


def test_a_unit_with_an_unknown_part_is_refused() -> None:
    with pytest.raises(InvalidArgument, match=r"visits\.csv has no column 'ward'"):
        asked(WHOLE.replace('"patient_id"', '["patient_id", "ward"]'))


def test_given_answers_are_not_asked_for() -> None:
    said = Custodian(age_type="hide", cost_type="real", day_type="-")
    draft = asked(WHOLE, ask=said)
    asked_for = [name.removeprefix("tables.visits.columns.") for name in said.asked]
    assert asked_for == ["cost.type", "day.type", "cost.min"]
    assert draft.undeclared == {"visits": ("cost", "day")}


def test_one_key_confirms_all_types() -> None:
    data = DataFile(
        "visits",
        "visits.parquet",
        (
            PhysicalColumn("patient_id", "integer"),
            PhysicalColumn("age", "integer"),
            PhysicalColumn("tags", None),
            PhysicalColumn("day", "date"),
        ),
    )
    text = WHOLE.split("[tables.visits.columns]")[0]
    said = Custodian(age_type="a")
    table = asked(text, data, ask=said).policy.table("visits")
    assert table is not None
    assert {column.name: column.type for column in table.columns} == {
        "age": "integer",
        "day": "date",
    }
    assert [name for name in said.asked if name.endswith("type")] == [
        "tables.visits.columns.age.type"
    ]


def test_a_step_back_asks_again() -> None:
    typed = iter(["<", "integer", "<", "text", *[""] * 8])
    seen: list[str] = []

    def ask(question: PolicyQuestion) -> str:
        seen.append(".".join(question.place[3:]))
        answer = next(typed)
        if answer == "<":
            raise StepBack
        return answer

    text = WHOLE.replace('age = { type = "integer", min = 0, max = 110 }\n', "")
    draft = draft_with_steps_back(ask, lambda ask: asked(text, ask=ask))
    assert seen[:5] == ["age.type", "age.type", "cost.type", "age.type", "cost.type"]
    table = draft.policy.table("visits")
    assert table is not None
    assert table.column("age").type == "text"


def test_a_public_table_protects_nobody_and_is_asked_no_more() -> None:
    regions = DataFile("regions", "regions.csv", (PhysicalColumn("region", "text"),))
    answer = Custodian(unit="public")
    draft = asked(WHOLE, VISITS, regions, ask=answer)
    assert [name for name in answer.asked if "regions" in name] == ["tables.regions.unit"]
    table = draft.policy.table("regions")
    assert table is not None
    assert table.public
    assert "regions" not in draft.undeclared


def test_a_table_may_have_another_name_than_its_file() -> None:
    draft = asked(
        WHOLE.replace("tables.visits", "tables.stays").replace(
            "unit =", 'source = "visits.csv"\nunit ='
        )
    )
    assert [table.name for table in draft.policy.tables] == ["stays"]
    assert draft.undeclared == {"stays": ("cost", "day")}


def test_named_populations_bring_their_own_budgets() -> None:
    text = WHOLE.replace("[budget]", "[budgets.patients]").replace(
        "unit =", 'population = "patients"\nunit ='
    )
    assert [rule.population for rule in asked(text).policy.budgets] == ["patients"]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("max = 110", "max = -1", r"line 12: max must be above min \(0\)"),
        (
            'unit = "patient_id"',
            'unit = "patientid"',
            "line 6: visits.csv has no column 'patientid'; did you mean 'patient_id'",
        ),
        ("region =", "zzz =", "line 13: visits.csv has no column 'zzz'; it has patient_id"),
        ("epsilon = 0.1", "epsilon = 0", "line 3: epsilon"),
        ("epsilon = 0.1", "epsilon = 0.1\nepsilom = 2", "did you mean 'epsilon'"),
    ],
)
def test_mistakes_name_their_line(old: str, new: str, told: str) -> None:
    with pytest.raises(InvalidArgument, match=told):
        asked(WHOLE.replace(old, new))


@pytest.mark.parametrize(
    "text",
    [
        "tables = 3\n[budget]\nepsilon = 1",
        "[tables]\nvisits = 3\n[budget]\nepsilon = 1",
        'database = "x"',
    ],
)
def test_sections_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(InvalidArgument, match="answers"):
        asked(text)


def test_answers_come_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "answers.toml"
    file.write_text(WHOLE, encoding="utf-8")
    found, text = read_answers(file)
    assert found["budget"]["epsilon"] == Decimal("0.1")
    assert text == WHOLE
    with pytest.raises(InvalidArgument, match="No such file"):
        read_answers(tmp_path / "gone.toml")
    for spoilt in (b"[budget", b"\xff", b"x = 1e99999999999999999999"):
        file.write_bytes(spoilt)
        with pytest.raises(InvalidArgument, match="TOML"):
            read_answers(file)
