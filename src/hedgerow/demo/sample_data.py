"""The data of the sample clinic: 100,000 made-up patients and their visits, the same on every
machine.

Nobody here is real, so nothing needs to be random: every value is a hash of its name and number,
computed with arithmetic that rounds alike everywhere. (Noise is another matter; it always comes
from the operating system.)
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

__all__ = [
    "COMMON",
    "PATIENTS",
    "RARE",
    "REGIONS",
    "invent_patients",
    "invent_regions",
    "invent_visits",
]

PATIENTS = 100_000
REGIONS = ("north", "south", "east", "west")
RARE = ("Fabry disease", "leprosy", "sarcoidosis")
# Frequency among children, adults and the old; how much likelier smokers have it, in quarters; the
# cost of a visit.
COMMON = {
    "COPD": ((0, 3, 12), 16, 900),
    "asthma": ((8, 4, 3), 6, 300),
    "back pain": ((0, 14, 8), 4, 260),
    "depression": ((3, 9, 5), 6, 420),
    "diabetes": ((2, 6, 15), 4, 700),
    "flu": ((25, 14, 9), 4, 150),
    "fracture": ((12, 6, 8), 4, 1500),
    "heart failure": ((0, 2, 14), 6, 2400),
    "hypertension": ((0, 10, 20), 5, 200),
    "lung cancer": ((0, 1, 3), 40, 4200),
    "migraine": ((5, 8, 2), 4, 180),
    "pneumonia": ((6, 3, 9), 8, 1900),
}

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]


def _hash_words(name: str, numbers: Integers) -> npt.NDArray[np.uint64]:
    """Return 64 bits for each number: SplitMix64, started at a hash of the name."""
    start = np.uint64(int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big"))
    with np.errstate(over="ignore"):
        z = (numbers.astype(np.uint64) + start) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def _draw_uniform(name: str, numbers: Integers) -> Floats:
    """Return a number between 0 and 1 for each number."""
    return (_hash_words(name, numbers) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def _draw_bell(name: str, numbers: Integers) -> Floats:
    """Return roughly normal numbers between -3 and 3, with standard deviation 1."""
    a, b, c = (2 * _draw_uniform(f"{name}/{turn}", numbers) - 1 for turn in range(3))
    return a + b + c


def _floor(values: Any) -> Integers:
    wholes: Integers = np.floor(values).astype(np.int64)
    return wholes


def _choose_weighted(weights: Any, throws: Floats) -> Integers:
    """Return an index for each throw, with probability in proportion to its weight."""
    steps = np.cumsum(np.asarray(weights, dtype=np.float64))
    return _floor(np.searchsorted(steps, throws * steps[-1], side="right"))


def _invent_ages(number: Integers) -> Integers:
    """Return ages of children, adults and the old, more common in the middle of each band."""
    band = _choose_weighted((18, 47, 35), _draw_uniform("band", number))
    youngest, years = np.array([0, 16, 48])[band], np.array([25, 57, 51])[band]
    return _floor(
        youngest + years * (_draw_uniform("age", number) + _draw_uniform("age again", number)) / 2
    )


def invent_patients() -> pa.Table:
    """Return a table with one row per patient."""
    number = np.arange(1, PATIENTS + 1)
    age, female = _invent_ages(number), _draw_uniform("sex", number) < 0.51
    region = _choose_weighted((40, 30, 20, 10), _draw_uniform("region", number))
    smoking = np.where(
        (age >= 16) & (age < 75), np.where(female, 0.19, 0.27), np.where(age < 16, 0.0, 0.08)
    )
    smoker = _draw_uniform("smoker", number) < smoking + 0.05 * (region == 3) * (age >= 16)
    bmi = (
        np.where(age < 18, 16.0 + age / 4, 24.5 + age / 30)
        + 3.8 * _draw_bell("bmi", number)
        - 0.9 * smoker
    )
    return pa.table(
        {
            "patient_id": number,
            "age": age,
            "sex": np.where(female, "female", "male"),
            "region": np.array(REGIONS)[region],
            "smoker": smoker,
            "bmi": np.round(np.clip(bmi, 11.0, 58.0), 1),
            "insurance_number": pa.array(
                [f"{word:016x}" for word in _hash_words("insurance", number).tolist()]
            ),
        }
    )


def invent_visits(patients: pa.Table) -> pa.Table:
    """Return one to five visits of each patient, for at most three different diagnoses."""
    age, smoker = (patients[name].to_numpy() for name in ("age", "smoker"))
    person = np.arange(PATIENTS)
    throws = np.clip(_draw_uniform("visits", person) + (age - 45) / 400, 0, 0.999999)
    counts = 1 + _choose_weighted((46, 26, 15, 8, 5), throws)
    who = np.repeat(person, counts)
    turn = np.arange(len(who)) - np.repeat(np.cumsum(counts) - counts, counts)
    name = 8 * who + turn
    sick = _invent_diagnoses(age, smoker, who, turn)
    home = patients["region"].to_numpy(zero_copy_only=False)
    region = np.searchsorted(np.sort(REGIONS), home)[who]
    dearer = np.array([1.15, 1.0, 0.8, 1.35])[region]  # east, north, south, west
    base = np.array([cost for _, _, cost in COMMON.values()] + [2800.0] * len(RARE))[sick]
    cost = (
        base
        * dearer
        * (0.35 + 1.3 * _draw_uniform("cost", name) * (0.5 + _draw_uniform("cost again", name)))
        * (1 + age[who] / 300)
    )
    days = 1 + 12 * _draw_uniform("stay", name) * _draw_uniform("stay again", name) + age[who] / 30
    stay = np.where(base > 800, _floor(days), 0)
    day = np.datetime64("2026-01-01") + _floor(365 * _draw_uniform("day", name))
    return pa.table(
        {
            "patient_id": patients["patient_id"].to_numpy()[who],
            "day": day.astype("datetime64[D]"),
            "region": np.sort(REGIONS)[region],
            "age": age[who],
            "smoker": smoker[who],
            "diagnosis": np.array([*COMMON, *RARE])[sick],
            "cost": np.round(np.clip(cost, 20.0, 9900.0), 2),
            "length_of_stay": stay,
        }
    )


def _invent_diagnoses(age: Integers, smoker: Booleans, who: Integers, turn: Integers) -> Integers:
    """Return the diagnosis of each visit, by age and smoking; later visits repeat earlier ones."""
    band = np.searchsorted([16, 60], age, side="right")
    throws = _draw_uniform("diagnosis", 8 * who + turn % 3)
    diagnoses = np.zeros(len(who), dtype=np.int64)
    for group in range(6):
        years, smokes = divmod(group, 2)
        weights: list[float] = [
            often[years] * (more if smokes else 4) for often, more, _ in COMMON.values()
        ]
        # A few visits in ten thousand are for a rare disease.
        weights += [sum(weights) * share for share in (0.00003, 0.00012, 0.0005)]
        here = (band[who] == years) & (smoker[who] == bool(smokes))
        diagnoses[here] = _choose_weighted(weights, throws[here])
    return diagnoses


def invent_regions() -> str:
    """Return the public table of regions as CSV."""
    rows = [
        ("north", "Northmoor", 9),
        ("south", "Southbank", 7),
        ("east", "Eastvale", 5),
        ("west", "Westisles", 2),
    ]
    return "region,name,hospitals\n" + "".join(
        f"{region},{name},{hospitals}\n" for region, name, hospitals in rows
    )
