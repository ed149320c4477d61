"""A made-up county: forty districts, a copper works in the east, older people in the western hills,
patients and their visits.

Everything is generated from a fixed seed, so that the study can be compared with the truth. Planted
effects: the risk of bronchitis grows with age and with the dust of the works. Height above the sea
has no effect, but people in the hills are older.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

DISTRICTS = (
    *("Arnhill", "Birkholm", "Thorpe", "Selby", "Marlow", "Norwick"),
    *("Cragend", "Harrow", "Denby", "Linton", "Milford", "Oxley", "Redmoor"),
    *("Stonely", "Kirkby", "Ashton", "Carrow", "Barford", "Holme", "Eastry"),
    *("Highfell", "Tarnley", "Upton", "Wexham", "Cope", "Furness", "Slagford"),
    *("Ravensby", "Fellgate", "Yarrow", "Brook", "Hatch", "Ingham", "Quarley"),
    *("Moorend", "Glenby", "Pendle", "Lowick", "Sandon", "Wick"),
)
ROWS = (6, 7, 7, 7, 7, 6)  # tiles of the map in each of its rows
WORKS = (5.25, 2.6)  # column and row of the copper works
DIAGNOSES = ("bronchitis", "infection", "injury", "heart", "other")
AGES = ("0 to 19", "20 to 39", "40 to 59", "60 to 74", "75 and up")
_EDGES = (20, 40, 60, 75)
# of bronchitis within the year, by age, where the air is clean
_RISK = (0.008, 0.013, 0.032, 0.075, 0.115)
_PUBLIC = {"district": "name", "kilometres": "kilometres", "height": "height", "dust": "dust"}
_YEAR = np.datetime64("2026-01-01")


@dataclass(frozen=True)
class District:
    """A tile of the map with its public facts."""

    name: str
    column: float
    row: int
    kilometres: float  # from the works
    height: int  # metres above the sea
    dust: float  # micrograms in a cubic metre of air, as the county publishes it

    @property
    def risk(self) -> float:
        """The planted relative risk of bronchitis at the same age, compared with clean air; the
        study does not know it."""
        return 1 + 0.042 * max(self.dust - 9, 0)


def districts() -> list[District]:
    """Build the forty districts; the wind carries dust to the north-east."""
    found = []
    for name, (column, row) in zip(DISTRICTS, _places(), strict=True):
        east, north = 5 * (column - WORKS[0]), 4.3 * (WORKS[1] - row)
        along, across = (east + north) / 2**0.5, (east - north) / 2**0.5
        reach = np.hypot(max(along, 0) / 7 + min(along, 0) / 3.5, across / 3.8)
        height = round(max(20, 620 - 118 * column - 35 * abs(row - 3)), -1)
        found.append(
            District(
                name,
                column,
                row,
                round(float(np.hypot(east, north)), 1),
                int(height),
                round(8 + 70 * float(np.exp(-reach)), 1),
            )
        )
    return found


def _places() -> list[tuple[float, int]]:
    return [
        (column + (7 - many) / 2 + (0.5 if row % 2 else 0), row)
        for row, many in enumerate(ROWS)
        for column in range(many)
    ]


def age_group(age: np.ndarray) -> np.ndarray:
    """Return indices into ``AGES``."""
    return np.digitize(age, _EDGES)


def write_county(folder: Path, people: int) -> None:
    """Write three files: patients and their visits, which are private, and the districts, which are
    public."""
    draw = np.random.default_rng(1854)
    known = districts()
    size = np.exp(draw.normal(0, 0.35, len(known))) * np.array(
        [1 + 0.8 * np.exp(-abs(each.column - 3.5)) for each in known]
    )
    place = draw.choice(len(known), people, p=size / size.sum())
    older = np.clip(np.array([each.height for each in known])[place] / 450, 0, 1)
    age = np.clip(
        draw.gamma(2.6, 14, people) * (1 - older) + draw.normal(60, 19, people) * older, 0, 100
    ).astype(int)
    risk = np.array([each.risk for each in known])[place] * np.array(_RISK)[age_group(age)]
    ill = draw.random(people) < risk
    number = draw.permutation(people)  # so that neighbours in the file are not neighbours in life
    pq.write_table(
        pa.table(
            {
                "patient_id": number,
                "district": np.array(DISTRICTS)[place],
                "age": age,
                "sex": np.array(["f", "m"])[draw.integers(0, 2, people)],
            }
        ),
        folder / "patients.parquet",
    )
    pq.write_table(_visits(draw, number, ill), folder / "visits.parquet")
    pyarrow.csv.write_csv(
        pa.table(
            {
                name: [getattr(each, attribute) for each in known]
                for name, attribute in _PUBLIC.items()
            }
        ),
        folder / "districts.csv",
    )


def relative_risks(folder: Path) -> dict[str, float]:
    """Return the ratio of cases to expected cases in each district without random variation."""
    people = pq.read_table(folder / "patients.parquet", columns=["district", "age"])
    place = np.searchsorted(
        np.sort(DISTRICTS), people["district"].to_numpy(zero_copy_only=False).astype(str)
    )
    risk = np.array([each.risk for each in sorted(districts(), key=lambda each: each.name)])
    many = np.zeros((len(DISTRICTS), len(AGES)))
    np.add.at(many, (place, age_group(people["age"].to_numpy())), 1)
    clean = many * np.array(_RISK)  # cases if the air were clean
    county_wide = (risk[:, None] * clean).sum(axis=0) / clean.sum(axis=0)
    ratio = risk * clean.sum(axis=1) / (clean * county_wide).sum(axis=1)
    return dict(zip(sorted(DISTRICTS), ratio.tolist(), strict=True))


def _visits(draw: np.random.Generator, number: np.ndarray, ill: np.ndarray) -> pa.Table:
    """Draw one to about eight visits a year for everybody, and one to three more for those who are
    ill."""
    for_it = np.where(ill, 1 + draw.binomial(2, 0.4, len(ill)), 0)
    for_else = 1 + draw.poisson(1.6, len(ill))
    diagnosis = np.concatenate(
        [np.zeros(for_it.sum(), dtype=int), draw.integers(1, len(DIAGNOSES), for_else.sum())]
    )
    who = np.concatenate([np.repeat(number, for_it), np.repeat(number, for_else)])
    order = draw.permutation(len(who))
    day = _YEAR + draw.integers(0, 365, len(who))
    return pa.table(
        {"patient_id": who[order], "day": day, "diagnosis": np.array(DIAGNOSES)[diagnosis[order]]}
    )
