"""Visits of patients that name a doctor, and doctors, who are a population of their own; neighbours
differ in one patient or in one doctor, and each may move an answer as far as it is charged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from random import Random

import pyarrow as pa

from database.attacks.judging import Distance, columns, moved
from database.attacks.neighbours import Row, array
from database.attacks.seam import Versions, versions
from database.attacks.statements import run
from hedgerow.engines.data_source import Cells
from hedgerow.plan.nodes import Aggregate
from hedgerow.policy import Policy
from hedgerow.policy.toml.reader import parse_policy
from hedgerow.privacy.unit import Unit

Data = dict[str, list[Row]]
PAGE = """
[database]
name = "wards"
[budgets.patients]
epsilon = 10_000
delta = 0.1
noise = "{noise}"
[budgets.doctors]
epsilon = 10_000
delta = 0.1
noise = "{noise}"
[tables.visits]
source = "visits.parquet"
unit = "patient"
neighbours = "{patients}"
population = "patients"
max_units = 9
max_groups = {max_groups}
max_rows_per_group = {max_rows}
columns.doctor = {{ type = "integer" }}
columns.month = {{ values = ["may", "june", "july"] }}
columns.cost = {{ type = "integer", min = -2, max = 5 }}
[tables.doctors]
source = "doctors.parquet"
unit = "doctor"
neighbours = "{doctors}"
population = "doctors"
max_units = 9
max_groups = {doctor_groups}
max_rows_per_group = {doctor_rows}
columns.ward = {{ values = ["a", "b"] }}
columns.fee = {{ type = "integer", min = -1, max = 3 }}
"""
TYPES: Mapping[str, Mapping[str, pa.DataType]] = {
    "visits": {
        "patient": pa.int64(),
        "doctor": pa.int64(),
        "month": pa.string(),
        "cost": pa.int64(),
    },
    "doctors": {"doctor": pa.int64(), "ward": pa.string(), "fee": pa.int64()},
}


@dataclass(frozen=True)
class Wards:
    """How both tables are protected."""

    patients: str
    doctors: str
    noise: str
    max_groups: int
    max_rows: int
    doctor_groups: int
    doctor_rows: int

    @classmethod
    def draw(cls, random: Random) -> Wards:
        relations = [random.choice(["add-remove", "change-one"]) for _ in range(2)]
        caps = [random.randint(1, 4) for _ in range(4)]
        return cls(*relations, random.choice(["laplace", "gaussian"]), *caps)

    def policy(self, _: Mapping[str, pa.Table]) -> Policy:
        terms = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return replace(parse_policy(PAGE.format(**terms)), ledger=None)

    def tables(self, data: Data) -> dict[str, pa.Table]:
        return {
            table: pa.table(
                {
                    name: array([row[name] for row in data[table]], type_)
                    for name, type_ in types.items()
                }
            )
            for table, types in TYPES.items()
        }


def draw_visits(random: Random, patient: int | None, most: int) -> list[Row]:
    rows = [
        {
            "patient": patient,
            "doctor": random.choice([None, 1, 1, 1, 2, 3, 4, 5, 6, 99]),
            "month": random.choice(["may", "june", "july", "may", None, "x"]),
            "cost": random.choice([-2, 0, 1, 5, 5, None, 2**62, -(2**63)]),
        }
        for _ in range(random.randrange(most + 1))
    ]
    return rows[:1] * random.choice([2, 9]) if random.random() < 0.2 else rows


def draw_doctor(random: Random, doctor: int | None) -> list[Row]:
    return [
        {
            "doctor": doctor,
            "ward": random.choice(["a", "b", "a", "b", None, "z"]),
            "fee": random.choice([-1, 0, 1, 3, 3, None, 2**63 - 1]),
        }
        for _ in range(random.choice([0, 1, 1, 1, 2, 3]))
    ]


def draw_data(random: Random) -> Data:
    visits = [draw_visits(random, n, 6) for n in (1, 2, 3, 4, None)]
    doctors = [draw_doctor(random, n) for n in (1, 2, 3, 4, 5, None)]
    return {"visits": [*chain(*visits)], "doctors": [*chain(*doctors)]}


def draw_neighbours(
    random: Random, world: Wards, data: Data, count: int
) -> Iterator[tuple[str, Data]]:
    """Tables that differ in one unit, with the population of that unit."""
    for turn in range(count):
        table, column, relation = (
            ("visits", "patient", world.patients)
            if turn % 2
            else ("doctors", "doctor", world.doctors)
        )
        rows, who = data[table], 1 + turn // 2 % 5
        left = [row for row in rows if row[column] != who]
        new = who if relation == "change-one" and random.random() < 0.5 else 6
        added = draw_visits(random, new, 12) if table == "visits" else draw_doctor(random, new)
        if relation == "change-one":
            changed = left + added
        else:
            changed = left if turn // 2 % 2 else rows + added
        yield f"{column}s", {**data, table: random.sample(changed, len(changed))}


JOINS = (
    "visits JOIN doctors USING (doctor)",
    "visits v JOIN doctors d ON v.doctor = d.doctor",
    "doctors d JOIN visits v ON d.doctor = v.doctor AND month <> 'may'",
    "(SELECT * FROM visits WHERE cost > 0) v JOIN doctors d ON v.doctor = d.doctor",
)


def build_question(random: Random) -> str:
    keys = random.choice(
        [[], ["ward"], ["month"], ["ward", "month"], ["CASE WHEN fee > 0 THEN 1 ELSE 0 END"]]
    )
    numbers = ("cost", "fee", "cost + fee", "cost * fee", "LEAST(cost, 1)")
    asked = ["COUNT(*)"] + [f"{name}({random.choice(numbers)})" for name in ("SUM", "SUM", "COUNT")]
    outputs = random.sample(asked, random.choice([1, 2]))
    if random.random() < 0.2:
        outputs[0] += " FILTER (WHERE fee > 0)"
    where = random.choice(
        ["", "", " WHERE ward = 'a'", " WHERE cost > fee", " WHERE month = 'may' OR fee > 1"]
    )
    group = f" GROUP BY {', '.join(keys)}" if keys else ""
    return f"SELECT {', '.join([*keys, *outputs])} FROM {random.choice(JOINS)}{where}{group}"


def find_far_moves(plan: Aggregate, unit: Unit, one: Cells, other: Cells) -> Iterator[str]:
    """Find numbers that a doctor moved further than doctors are charged."""
    declared = plan.second_population_sensitivity(unit)
    for index, places in columns(plan.measures):  # type: ignore[arg-type]
        distance = Distance.of(one, other, places)
        if not distance.within(declared[index]):
            yield f"distance: a doctor moved {distance}, declared {declared[index]}"


def seek_wards(name: str, pairs: int) -> tuple[dict[str, int], list[str]]:
    """So many pairs of neighbours or a few more, by population, with those that moved; and what was
    wrong. The same ones for the same name."""
    random, problems = Random(name), list[str]()
    counts = {"patients": 0, "doctors": 0, "moved": 0}
    while counts["patients"] + counts["doctors"] < pairs:
        world, data = Wards.draw(random), draw_data(random)
        others = list(draw_neighbours(random, world, data, 12))
        with versions(world, [data, *(other for _, other in others)], asked=3) as opened:
            for _ in range(5):
                sql = build_question(random)
                wrong = _look(opened, [population for population, _ in others], sql, counts)
                problems += [f"{world}: {sql}: {problem}" for problem in wrong]
    return counts, problems


def _look(
    opened: Versions, populations: list[str], sql: str, counts: dict[str, int]
) -> Iterator[str]:
    units = {str(t.population): t.privacy_unit for t in opened.policy.tables}
    found = run(opened, 0, sql)
    for version in (1, 2):
        other = run(opened, version, sql)
        if other.seen != found.seen:
            yield f"two neighbours look different: {found.seen}, {other.seen}"
    for plan, cells in found.ran:
        if plan.population_join is None:
            continue
        if set(found.charges[0]["charges"]) != {"patients", "doctors"}:
            yield "only one population is charged"
        compiled = opened.statement(plan)
        for version, population in enumerate(populations, 1):
            there, unit = opened.cells(version, compiled, plan), units[population]
            assert unit is not None
            counts[population] += 1
            counts["moved"] += any(
                list(a) != list(b) for a, b in zip(cells.numbers, there.numbers, strict=True)
            )
            if population == "patients":
                yield from moved(plan, unit, cells, there)
            else:
                yield from find_far_moves(plan, unit, cells, there)
