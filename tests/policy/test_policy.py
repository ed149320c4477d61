from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.policy import ColumnRule, Policy
from hedgerow.policy.mistake import Mistake
from hedgerow.policy.policy import build_policy_error
from policy.helpers_page import policy

F = Fraction
FRAME = {
    "patient_id": np.array([1, 2]),
    "age": np.array([30, 41]),
    "region": np.array(["north", "south"]),
}
COLUMNS = {"age": (0, 110), "region": ["north", "south"]}


def test_a_frame_in_one_line() -> None:
    found = Policy.for_frame(
        FRAME,
        unit="patient_id",
        max_groups=3,
        max_rows_per_group=1,
        neighbours="add-remove",
        columns=COLUMNS,
        epsilon=1.0,
    )
    (budget,), (table,) = found.budgets, found.tables
    assert (budget.epsilon, budget.max_epsilon_per_query, budget.delta, budget.noise) == (
        1,
        1,
        None,
        "laplace",
    )
    assert (table.name, table.unit, table.version, table.population) == (
        "data",
        "patient_id",
        "1",
        "people",
    )
    assert (table.max_units, table.max_groups, table.max_rows_per_group) == (10_000_000, 3, 1)
    assert table.columns == (
        ColumnRule("age", "integer", F(0), F(110), F(1)),
        ColumnRule("region", "text", values=("north", "south")),
    )
    assert found.ledger is None
    assert found.ledger_path is None
    assert found.warnings == ()


def test_everything_about_a_frame_can_be_stated(tmp_path: Path) -> None:
    found = Policy.for_frame(
        FRAME,
        unit="row",
        neighbours="change-one",
        columns=COLUMNS,
        epsilon=np.float32(0.5),
        delta=1e-9,
        noise="gaussian",
        max_units=1000,
        version="2026-11",
        ledger=tmp_path / "frame.ledger",
    )
    assert found.budgets[0].default_delta == F(1, 10**12)
    assert (found.tables[0].max_units, found.tables[0].max_groups, found.tables[0].version) == (
        1000,
        1,
        "2026-11",
    )
    assert found.ledger_path == tmp_path / "frame.ledger"


def test_wrong_arguments_are_reported_all_at_once() -> None:
    with pytest.raises(InvalidArgument) as caught:
        Policy.for_frame(
            FRAME,
            unit="patient_id",
            max_groups=3,
            max_rows_per_group=1,
            neighbours="both",
            columns={"age": (5, 5)},
            epsilon=np.bool_(True),
        )
    told = str(caught.value)
    assert "policy has 3 mistakes:" in told
    assert "budget.epsilon: epsilon must be a number" in told
    assert (
        "tables.data.neighbours: neighbours must be 'add-remove' or 'change-one'; got 'both'"
        in told
    )
    assert "tables.data.columns.age.max: max must be above min (5); got 5" in told


def test_a_frame_of_rows_has_one_row_in_one_group() -> None:
    with pytest.raises(InvalidArgument, match="a row is in one group, once"):
        Policy.for_frame(
            FRAME,
            unit="row",
            neighbours="add-remove",
            columns=COLUMNS,
            epsilon=1,
            max_rows_per_group=2,
        )


def test_no_policy_exists_that_did_not_pass() -> None:
    sound = policy()
    with pytest.raises(
        InvalidArgument, match=r"has a mistake:\n  database\.name: name may only contain letters"
    ):
        replace(sound, name="a/b")
    with pytest.raises(InvalidArgument, match=r"budgets\.patients\.noise: noise must be"):
        replace(sound, budgets=(replace(sound.budgets[0], noise="none"),))  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match=r"tables\.visits\.unit: unit is missing"):
        replace(sound, tables=(replace(sound.tables[0], unit=None),))
    with pytest.raises(InvalidArgument, match=r"analysts\.ana\.max_epsilon"):
        replace(sound, analysts=(replace(sound.analysts[0], max_epsilon=F(0)),))
    with pytest.raises(InvalidArgument, match="has no budget"):
        replace(sound, budgets=())
    with pytest.raises(FrozenInstanceError):
        sound.name = "other"  # type: ignore[misc]


def test_equal_when_they_decide_the_same() -> None:
    one = policy()
    shuffled = replace(one, tables=one.tables[::-1], folder=Path("elsewhere"))
    assert one == shuffled
    assert hash(one) == hash(shuffled)
    assert one.digest == shuffled.digest
    other = policy(("epsilon = 3.0", "epsilon = 3.1"))
    assert one != other
    assert one.digest != other.digest
    assert one != "clinic"


def test_the_digest_is_that_of_the_text_and_travels() -> None:
    one = policy()
    assert len(one.digest) == 64
    assert pickle.loads(pickle.dumps(one)).digest == one.digest
    assert Policy.from_canonical(one.canonical(), Path("there")).folder == Path("there")


def test_text_of_the_wrong_types_is_no_policy() -> None:
    text = policy().canonical()
    assert '"name":"clinic"' in text
    with pytest.raises(InvalidArgument, match="not the canonical text"):
        Policy.from_canonical(text.replace('"name":"clinic"', '"name":3'))


def test_rules_are_looked_up_ignoring_case() -> None:
    one = policy()
    assert one.table("Regions") is one.tables[1]
    assert one.table("gone") is None
    with pytest.raises(InvalidArgument, match="must have a budget in this policy; got 'staff'"):
        one.budget("staff")


def test_warnings_are_reported() -> None:
    assert "is large for 2000000 units" in policy(("delta   = 1e-9", "delta   = 1e-7")).warnings[0]


def test_mistakes_are_sorted_by_line_and_fall_back_to_the_table_that_is_there() -> None:
    found = [
        Mistake(("b", "x"), "second"),
        Mistake(("a", "gone"), "first"),
        Mistake(("c",), "nowhere"),
    ]
    assert (
        str(build_policy_error(found, {("a",): 2, ("b",): 3, ("b", "x"): 4}))
        == "policy has 3 mistakes:\n  line 1: nowhere\n  line 2: first\n  line 4: second."
    )


def test_partitions_are_described_for_the_ledger() -> None:
    months = [f"2026-{month:02}" for month in range(1, 13)]
    assert policy().partitions == {
        "visits": {"population": "patients", "column": "month", "most": 12, "parts": months}
    }
    assert (
        policy(
            ('[tables.visits.partition]\ncolumn = "month"\nmax_parts_per_unit = 12\n', "")
        ).partitions
        == {}
    )
