"""A made-up campaign, from a fixed seed: a month of advertisements for walking boots, who saw them,
and who clicked.

Planted effects: click rates by age and gender, busy weekends, a new film from the 16th on that
people over 50 like, and a fault: from the 20th to the 22nd most clicks from the lakes are lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

REGIONS = ("capital", "coast", "lakes", "midlands", "north", "south")
AGES = ("18 to 24", "25 to 34", "35 to 49", "50 to 64", "65 and up")
GENDERS = ("female", "male")
DAYS = tuple(date(2026, 11, 1) + timedelta(days=each) for each in range(30))
FILM = date(2026, 11, 16)  # from here on
FAULT = (date(2026, 11, 20), date(2026, 11, 21), date(2026, 11, 22))
# nobody is shown the advertisement on more days of the month, or more often on a day
MOST_DAYS, MOST_A_DAY = 3, 2

_RATE_BY_AGE = (0.105, 0.085, 0.06, 0.045, 0.035)
_RATE_BY_REGION = (1.1, 1.25, 1.0, 0.9, 0.8, 1.0)


def write_days(folder: Path, people: int, days: Sequence[date]) -> None:
    """Write one file with a row for each impression of the advertisement on these days."""
    draw = np.random.default_rng(1126)
    age = draw.choice(len(AGES), people, p=(0.16, 0.24, 0.28, 0.2, 0.12))
    gender = draw.integers(0, len(GENDERS), people)
    region = draw.choice(len(REGIONS), people, p=(0.24, 0.14, 0.12, 0.2, 0.14, 0.16))
    shuffled = np.argsort(draw.random((people, len(days))), axis=1)[:, :MOST_DAYS]  # different days
    kept = np.arange(MOST_DAYS) < draw.choice((1, 2, 3), people, p=(0.3, 0.4, 0.3))[:, None]
    user, day = np.nonzero(kept)[0], shuffled[kept]
    often = draw.choice((1, 2), len(user), p=(0.6, 0.4))
    user, day = np.repeat(user, often), np.repeat(day, often)
    clicked = draw.random(len(user)) < _rates(
        age[user], gender[user], region[user], np.array(days, dtype="datetime64[D]")[day]
    )
    order = np.argsort(day, kind="stable")
    columns = {
        "user_id": user,
        "day": np.array(days, dtype="datetime64[D]")[day],
        "region": np.array(REGIONS)[region[user]],
        "age_group": np.array(AGES)[age[user]],
        "gender": np.array(GENDERS)[gender[user]],
        "clicked": clicked.astype(np.int8),
    }
    pq.write_table(
        pa.table({name: values[order] for name, values in columns.items()}),
        folder / "impressions.parquet",
    )


def _rates(age: np.ndarray, gender: np.ndarray, region: np.ndarray, day: np.ndarray) -> np.ndarray:
    """Return the probability of a click for each row."""
    rate = np.array(_RATE_BY_AGE)[age] * np.array(_RATE_BY_REGION)[region]
    rate *= np.where(np.is_busday(day), 1.0, 1.3)
    rate *= np.where((gender == 0) & (age < 2), 1.2, 1.0)
    rate *= np.where((day >= np.datetime64(FILM)) & (age >= 3), 2.0, 1.0)
    return rate * np.where(
        np.isin(day, np.array(FAULT, dtype="datetime64[D]")) & (region == REGIONS.index("lakes")),
        0.08,
        1.0,
    )
