"""The invented people: the same everywhere, within what the policy declares, and with something
to find in them.
"""

from __future__ import annotations

import hashlib

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from hedgerow.demo import sample_data as people
from hedgerow.demo.sample_data import COMMON, PATIENTS, RARE, REGIONS

VISITS = 204_004
DIGESTS = ("f0308a6dacac2eb0", "d5c0377655b7ea6e")


@pytest.fixture(scope="module")
def patients() -> pa.Table:
    return people.invent_patients()


@pytest.fixture(scope="module")
def visits(patients: pa.Table) -> pa.Table:
    return people.invent_visits(patients)


def digest(table: pa.Table) -> str:
    text = "\n".join(",".join(map(str, row.values())) for row in table.slice(0, 2000).to_pylist())
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def test_they_are_the_same_everywhere(patients: pa.Table, visits: pa.Table) -> None:
    assert (patients.num_rows, visits.num_rows) == (100_000, VISITS)
    assert (digest(patients), digest(visits)) == DIGESTS
    assert people.invent_visits(people.invent_patients()).equals(visits)


def test_values_are_the_declared_ones(patients: pa.Table, visits: pa.Table) -> None:
    assert patients["patient_id"].to_pylist() == list(range(1, PATIENTS + 1))
    for table in (patients, visits):
        assert set(table["region"].to_pylist()) == set(REGIONS)
        assert 0 <= pc.min(table["age"]).as_py() <= pc.max(table["age"]).as_py() <= 110
    assert set(visits["diagnosis"].to_pylist()) == {*COMMON, *RARE}
    assert 10 <= pc.min(patients["bmi"]).as_py() <= pc.max(patients["bmi"]).as_py() <= 60
    assert 0 <= pc.min(visits["cost"]).as_py() <= pc.max(visits["cost"]).as_py() <= 10_000
    assert str(pc.min(visits["day"]).as_py()) >= "2026-01-01"
    assert str(pc.max(visits["day"]).as_py()) <= "2026-12-31"


def test_the_caps_of_the_policy_leave_nobody_out(visits: pa.Table) -> None:
    grouped = visits.group_by("patient_id").aggregate(
        [("cost", "count"), ("diagnosis", "count_distinct"), ("region", "count_distinct")]
    )
    assert grouped.num_rows == PATIENTS
    assert pc.max(grouped["cost_count"]).as_py() <= 5
    assert pc.max(grouped["diagnosis_count_distinct"]).as_py() <= 3
    assert pc.max(grouped["region_count_distinct"]).as_py() == 1


def test_a_visit_is_that_of_its_patient(patients: pa.Table, visits: pa.Table) -> None:
    whose = visits["patient_id"].to_numpy() - 1
    for name in ("age", "smoker", "region"):
        assert (
            patients[name].to_numpy(zero_copy_only=False)[whose]
            == visits[name].to_numpy(zero_copy_only=False)
        ).all()


def test_there_is_something_to_find(visits: pa.Table) -> None:
    """These are facts of one fixed table, not chances."""
    age, smoker, cost = (
        visits[name].to_numpy(zero_copy_only=False) for name in ("age", "smoker", "cost")
    )
    sick, region = (visits[name].to_numpy(zero_copy_only=False) for name in ("diagnosis", "region"))
    assert age[sick == "heart failure"].mean() > age[sick == "flu"].mean() + 20
    assert smoker[sick == "lung cancer"].mean() > 2 * smoker.mean()
    means = [cost[region == name].mean() for name in ("south", "north", "east", "west")]
    assert means == sorted(means)
    assert means[3] > 1.5 * means[0]
    assert all(0 < (sick == name).sum() < 200 for name in RARE)
    assert all((sick == name).sum() > 2000 for name in COMMON)


def test_throws_are_even_and_depend_on_their_name() -> None:
    throws = people._draw_uniform("any", np.arange(100_000))
    assert ((throws >= 0) & (throws < 1)).all()
    assert np.abs(np.histogram(throws, bins=10)[0] - 10_000).max() < 500
    assert not (people._draw_uniform("other", np.arange(10)) == throws[:10]).any()
    assert people._choose_weighted((1, 0, 2), np.array([0.0, 0.32, 0.34, 0.999])).tolist() == [
        0,
        0,
        2,
        2,
    ]


def test_regions_are_a_small_file() -> None:
    lines = people.invent_regions().splitlines()
    assert lines[0] == "region,name,hospitals"
    assert {line.split(",")[0] for line in lines[1:]} == set(REGIONS)
