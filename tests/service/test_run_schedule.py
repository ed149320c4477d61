from __future__ import annotations

from pathlib import Path

import pytest

from hedgerow.database import open
from hedgerow.policy import read_policy
from hedgerow.service.departures import Departures, TimingPromise
from hedgerow.service.run_schedule import RunSchedule
from service.helpers_service import POLICY, write_clinic


def write_schedule(folder: Path, departures: Departures, max_units: str = "1000") -> RunSchedule:
    path = write_clinic(folder)
    path.write_text(
        POLICY.replace("max_units = 1000", f"max_units = {max_units}").replace(
            "max_rows_per_group = 1", "max_rows_per_group = 1\nmax_rows = 2_000_000"
        )
    )
    return RunSchedule.from_policy(departures, read_policy(path))


@pytest.mark.parametrize(
    ("sql", "seconds"),
    [
        ("SELECT region, COUNT(*), AVG(age) FROM visits GROUP BY region", 12),
        ("SELECT MEDIAN(age) FROM visits", 30),
        ("SELECT COUNT(DISTINCT age) FROM visits", 30),
        ("SELECT COUNT(*) FROM visits JOIN shifts ON visits.patient = shifts.patient", 30),
        ("SELECT COUNT(*) FROM shifts", 3),
    ],
)
def test_a_slot_follows_from_the_class_of_the_plan_and_the_declared_rows(
    tmp_path: Path, sql: str, seconds: float
) -> None:
    schedule = write_schedule(tmp_path, Departures(), "15_000_000")
    with open(tmp_path / "clinic.toml", in_process=True) as db:
        plan = db.resolver.resolve(sql).question.plan
    assert schedule.find_seconds(plan) == seconds


def test_the_data_and_the_price_are_no_part_of_a_slot(tmp_path: Path) -> None:
    schedule = write_schedule(tmp_path, Departures())
    few = open(tmp_path / "clinic.toml", in_process=True)
    (tmp_path / "more").mkdir()
    write_schedule(tmp_path / "more", Departures())
    with (tmp_path / "more" / "visits.csv").open("a") as file:
        file.writelines(f"{number},7,south\n" for number in range(1_000, 3_000))
    more = open(tmp_path / "more" / "clinic.toml", in_process=True)
    sql = "SELECT COUNT(*) FROM visits"
    with few, more:
        plans = [db.resolver.resolve(sql).question.plan for db in (few, more)]
    assert len({schedule.find_seconds(plan) for plan in plans}) == 1


def test_a_slot_may_be_fixed_for_all_questions(tmp_path: Path) -> None:
    schedule = write_schedule(tmp_path, Departures(run_seconds=7.0))
    assert set(schedule.list_seconds("visits").values()) == {7.0}


def test_the_longest_slot_ends_the_ladder() -> None:
    schedule = RunSchedule(Departures(), {"visits": 10**12})
    assert set(schedule.list_seconds("visits").values()) == {3000}


def test_the_custodian_sees_what_the_promise_costs(tmp_path: Path) -> None:
    lines = write_schedule(tmp_path, Departures()).describe()
    assert [line.split(":")[0] for line in lines] == ["shifts", "visits"]
    assert "counts, sums and averages 3 s" in lines[1]
    untimed = write_schedule(tmp_path, Departures(TimingPromise.none))
    assert untimed.describe() == []
