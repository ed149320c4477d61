"""Four synthetic databases, with their policies beside this file: the same rows on every run."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

HERE = Path(__file__).parent
Tables = dict[str, dict[str, object]]


def _dates(stream: np.random.Generator, first: str, last: str, count: int) -> np.ndarray:
    days = np.arange(np.datetime64(first), np.datetime64(last) + 1)
    return stream.choice(days, count)


def _holes(values: np.ndarray, stream: np.random.Generator, share: float) -> pa.Array:
    """Return the values with some of them missing."""
    return pa.array(values, mask=stream.random(len(values)) < share)


def clinic(stream: np.random.Generator) -> Tables:
    """1,200 patients with two or three visits each."""
    people, visits, diagnoses = 1200, 3000, 1800
    ids = np.arange(1, people + 1)
    return {
        "patients": {
            "patient_id": ids,
            "sex": stream.choice(["f", "m", "x"], people, p=[0.5, 0.48, 0.02]),
            "birth_year": stream.integers(1930, 2024, people),
            "region": _holes(
                stream.choice(["north", "south", "east", "west"], people), stream, 0.02
            ),
            "smoker": _holes(stream.random(people) < 0.2, stream, 0.05),
            "joined": _dates(stream, "2020-01-01", "2026-10-31", people),
            "height": stream.normal(168, 14, people),
            "weight": _holes(stream.normal(72, 16, people), stream, 0.03),
            "insurer": stream.choice(["Alpha", "Beta", "Gamma Mutual", "Delta"], people),
            "full_name": [f"Person {n}" for n in ids],
        },
        "visits": {
            "patient_id": stream.choice(ids, visits),
            "day": _dates(stream, "2026-01-01", "2026-12-31", visits),
            "department": stream.choice(
                ["surgery", "cardiology", "paediatrics", "oncology", "emergency"], visits
            ),
            "cost": stream.gamma(2.0, 150, visits),
            "minutes": stream.integers(5, 180, visits),
            "urgent": stream.random(visits) < 0.15,
            "doctor": stream.choice(["Dr Ash", "Dr Birch", "Dr Cedar", "Prof. Elm"], visits),
            "note": ["private"] * visits,
        },
        "diagnoses": {
            "patient_id": stream.choice(ids, diagnoses),
            "code": stream.choice(["E11.9", "E10.1", "I10", "I21.4", "J45.0", "C50.9"], diagnoses),
            "severity": stream.integers(1, 6, diagnoses),
            "found": _dates(stream, "2026-01-01", "2026-12-31", diagnoses),
        },
        "regions": {
            "region": ["north", "south", "east", "west"],
            "country": ["Aland", "Aland", "Bland", "Bland"],
            "inhabitants": [1_200_000, 800_000, 2_500_000, 400_000],
            "urban": [True, False, True, False],
        },
    }


def adverts(stream: np.random.Generator) -> Tables:
    """1,500 users, what they saw and what they clicked."""
    people, shown, clicked = 1500, 6000, 1200
    ids = np.array([f"u{n:05d}" for n in range(people)])
    return {
        "users": {
            "user_id": ids,
            "country": stream.choice(["DE", "FR", "PL", "SE"], people),
            "age_band": stream.choice(["18-24", "25-34", "35-49", "50+"], people),
            "device": stream.choice(["phone", "tablet", "desktop"], people),
            "signup": _dates(stream, "2024-01-01", "2026-08-31", people),
        },
        "impressions": {
            "user_id": stream.choice(ids, shown),
            "campaign_id": stream.integers(1, 13, shown),
            "day": _dates(stream, "2026-09-01", "2026-11-30", shown),
            "hour": stream.integers(0, 24, shown),
            "placement": stream.choice(["feed", "search", "video", "banner"], shown),
            "seconds": _holes(stream.exponential(8.0, shown), stream, 0.1),
            "bid": stream.gamma(2.0, 0.6, shown),
            "page": stream.choice(
                ["/news/today", "/news/sport", "/shop/shoes", "/shop/hats"], shown
            ),
        },
        "clicks": {
            "user_id": stream.choice(ids, clicked),
            "campaign_id": stream.integers(1, 13, clicked),
            "day": _dates(stream, "2026-09-01", "2026-11-30", clicked),
            "price": stream.gamma(2.0, 0.4, clicked),
            "converted": stream.random(clicked) < 0.12,
        },
        "campaigns": {
            "campaign_id": np.arange(1, 13),
            "title": [f"Campaign {n}" for n in range(1, 13)],
            "channel": ["brand", "retail", "travel"] * 4,
            "started": np.array(["2026-08-01"] * 6 + ["2026-10-01"] * 6, dtype="datetime64[D]"),
            "daily_budget": np.linspace(100, 2000, 12),
        },
    }


def school(stream: np.random.Generator) -> Tables:
    """1,000 pupils of eight schools who answered eight questions."""
    people = 1000
    ids = np.arange(1, people + 1)
    items = ["safety", "friends", "teachers", "lessons", "homework", "lunch", "sports", "noise"]
    replies = people * len(items)
    return {
        "pupils": {
            "pupil_id": ids,
            "school_id": stream.integers(1, 9, people),
            "grade": stream.integers(5, 13, people),
            "gender": stream.choice(["girl", "boy", "other"], people, p=[0.49, 0.49, 0.02]),
            "born": _dates(stream, "2008-01-01", "2015-12-31", people),
            "language": stream.choice(["English", "Polish", "Turkish", "Welsh"], people),
            "siblings": stream.poisson(1.3, people),
            "travel_minutes": _holes(stream.gamma(2.0, 10, people), stream, 0.05),
        },
        "answers": {
            "pupil_id": np.repeat(ids, len(items)),
            "item": np.tile(items, people),
            "score": _holes(stream.integers(1, 6, replies), stream, 0.08),
            "seconds": stream.exponential(20, replies),
            "asked": _dates(stream, "2026-03-01", "2026-03-31", replies),
        },
        "schools": {
            "school_id": np.arange(1, 9),
            "title": [f"School {n}" for n in range(1, 9)],
            "kind": ["public"] * 6 + ["private"] * 2,
            "city": ["Arden", "Belmont", "Corby", "Arden", "Belmont", "Corby", "Arden", "Belmont"],
            "places": [900, 700, 1200, 450, 640, 820, 300, 260],
        },
    }


def payments(stream: np.random.Generator) -> Tables:
    """900 customers; accounts, cards and payments hang on one another by foreign keys."""
    customers, accounts, cards, paid = 900, 1100, 1500, 6000
    return {
        "accounts": {
            "account_id": np.arange(1, accounts + 1),
            "customer_id": stream.integers(1, customers + 1, accounts),
            "segment": stream.choice(["private", "student", "business"], accounts),
            "opened": _dates(stream, "2018-01-01", "2026-06-30", accounts),
            "country": stream.choice(["DE", "FR", "IT", "ES"], accounts),
            "balance": stream.normal(3000, 4000, accounts),
        },
        "cards": {
            "card_id": np.arange(1, cards + 1),
            "account_id": stream.integers(1, accounts + 1, cards),
            "scheme": stream.choice(["debit", "credit", "prepaid"], cards),
            "issued": _dates(stream, "2020-01-01", "2026-06-30", cards),
            "blocked": stream.random(cards) < 0.05,
        },
        "payments": {
            "card_id": stream.integers(1, cards + 1, paid),
            "merchant_id": stream.integers(1, 41, paid),
            "paid": _dates(stream, "2026-07-01", "2026-09-30", paid),
            "amount": stream.gamma(1.5, 40, paid),
            "currency": stream.choice(["EUR", "USD", "GBP", "CHF"], paid, p=[0.7, 0.15, 0.1, 0.05]),
            "online": stream.random(paid) < 0.4,
            "status": stream.choice(["settled", "refused", "refunded"], paid, p=[0.9, 0.07, 0.03]),
            "reference": stream.choice(["RF-100", "RF-200", "XX-300"], paid),
        },
        "merchants": {
            "merchant_id": np.arange(1, 41),
            "title": [f"Merchant {n}" for n in range(1, 41)],
            "category": ["food", "travel", "clothes", "fuel", "gambling"] * 8,
            "country": ["DE", "FR", "IT", "ES", "US", "DE", "FR", "IT"] * 5,
        },
        "currencies": {"currency": ["EUR", "USD", "GBP", "CHF"], "rate": [1.0, 0.92, 1.17, 1.05]},
    }


WORLDS: dict[str, Callable[[np.random.Generator], Tables]] = {
    "clinic": clinic,
    "adverts": adverts,
    "school": school,
    "payments": payments,
}


def write(name: str, folder: Path) -> Path:
    """Write the files of a world, and return the path of its policy."""
    for table, columns in WORLDS[name](np.random.default_rng(20261116)).items():
        pq.write_table(pa.table(columns), folder / f"{table}.parquet")
    return Path(shutil.copy(HERE / f"{name}.toml", folder))
