"""The auditor at the door: many groups are many runs, since each has noise of its own, so one
question is a whole sample.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from database.attacks.mutants import believed
from database.attacks.wider_mutants import parts_for_each_question, pick_for_one_row
from depth import many
from hedgerow import protect
from hedgerow.database import open_database as opening
from hedgerow.database.inspected_sources import inspect_files
from hedgerow.engines.duckdb.engine import DuckDB
from hedgerow.errors import InvalidArgument
from hedgerow.policy.toml.reader import parse_policy
from hedgerow.release import noise as release_noise
from hedgerow.release.group_selection import Threshold
from hedgerow.verify import audit

CONFIDENCE = 1 - 1e-10
ENOUGH = 1 - 1e-5  # to say that a planted mistake was found; more would miss it now and then
SAMPLES = 40_000
SIDE = 220  # groups by two keys: 48,400 of them
GROUPS = np.arange(SIDE * SIDE)
SPAN = 10


@dataclass(frozen=True)
class Pair:
    """In every group the same: ``one`` and ``other`` are the values of its rows on two neighbours;
    -10 … -7 are one unit's, -6 … -3 the next one's and so on."""

    sql: str
    one: tuple[int, ...]
    other: tuple[int, ...]
    relation: str = "add-remove"
    unit: str = "row"
    max_rows: int = 1
    open: bool = False


GROUPED = " FROM data GROUP BY a, c"
PAIRS = {
    "count": Pair("SELECT a, c, COUNT(*)" + GROUPED, (1, 1), (1,)),
    "count of a person's rows": Pair(
        "SELECT a, c, COUNT(*)" + GROUPED, (1,), (1, 2, 2, 2, 2, 2), unit="id", max_rows=3
    ),
    "sum": Pair("SELECT a, c, SUM(v)" + GROUPED, (3,), (3, -SPAN)),
    "sum of a person replaced": Pair(
        "SELECT a, c, SUM(v)" + GROUPED, (SPAN, SPAN), (-SPAN, -SPAN), "change-one", "id", 2
    ),
    "mean": Pair("SELECT a, c, AVG(v)" + GROUPED, (0, 4), (0, 4, SPAN)),
    "different values of a person": Pair(
        "SELECT a, c, COUNT(DISTINCT v)" + GROUPED, (1,), (1, 2, 3, 4), unit="id", max_rows=3
    ),
    "rows beside each other": Pair(
        "SELECT x.a, x.c, COUNT(*) FROM data x JOIN data y ON x.id = y.id GROUP BY x.a, x.c",
        (1,),
        (1, 2, 2),
        unit="id",
        max_rows=3,
    ),
    "open groups": Pair("SELECT n, COUNT(*) FROM data GROUP BY n", (1,) * 13, (1,) * 12, open=True),
}


def table(values: tuple[int, ...]) -> pa.Table:
    group = np.repeat(GROUPS, len(values))
    value = np.tile(np.array(values, dtype=np.int64), len(GROUPS))
    return pa.table(
        {
            "id": group * 100 + (value + SPAN) // 4,
            "a": group // SIDE,
            "c": group % SIDE,
            "n": group,
            "v": value,
        }
    )


def ask(pair: Pair, data: tuple[int, ...]) -> tuple[NDArray[np.float64], Fraction, Fraction]:
    """The noisy numbers of every group, a row for each, NaN where a group is not shown; and the
    epsilon and delta that were charged.
    """
    columns: dict[str, Any] = {"a": (0, SIDE - 1), "c": (0, SIDE - 1), "v": (-SPAN, SPAN)}
    caps = {} if pair.unit == "row" else {"max_groups": 1, "max_rows_per_group": pair.max_rows}
    if pair.unit == "row":
        columns["id"] = {"hidden": True}
    arguments = {
        "unit": pair.unit,
        "neighbours": pair.relation,
        "columns": columns,
        "epsilon": 1,
        "delta": 0.1,
        "max_units": 9,
        **caps,
    }
    with protect(table(data), **arguments) as db:
        # the answer is cut after the noise; the ledger has all of it
        db.query(pair.sql + " LIMIT 1", epsilon=1)
        charge, answer = db.ledger.entries()[-2:]
    held = json.loads(answer.body["payload"])
    found = np.full((len(GROUPS), len(held["numbers"])), np.nan)
    places = [key[0] for key in held["keys"]] if pair.open else GROUPS
    found[places] = np.array(held["numbers"], dtype=np.float64).T
    (loss,) = charge.body["charges"].values()
    return found, Fraction(loss["epsilon"]), Fraction(loss["delta"])


def pool(
    pair: Pair,
) -> tuple[Callable[[tuple[int, ...], int], NDArray[np.float64]], dict[str, Fraction]]:
    """A mechanism for the auditor: hands out groups that nobody saw yet, and asks anew when
    there are none left.
    """
    left: dict[tuple[int, ...], NDArray[np.float64]] = {}
    charged: dict[str, Fraction] = {}

    def draw(data: tuple[int, ...], count: int) -> NDArray[np.float64]:
        while len(left.get(data, ())) < count:
            fresh, charged["epsilon"], charged["delta"] = ask(pair, data)
            left[data] = np.concatenate([left[data], fresh]) if data in left else fresh
        taken, left[data] = left[data][:count], left[data][count:]
        return taken

    return draw, charged


# The loss of the others is held by laws and by the sensitivity of what is recorded at the door;
# `make slow` audits all of them.
AUDITED = list(PAIRS) if many(1) > 1 else ["count", "sum", "mean", "open groups"]


@pytest.mark.long
@pytest.mark.parametrize("name", AUDITED)
def test_the_measured_loss_is_close_to_and_within_the_charge(name: str) -> None:
    draw, charged = pool(PAIRS[name])
    found = audit(
        draw, PAIRS[name].one, PAIRS[name].other, samples=SAMPLES, confidence=CONFIDENCE, batch=True
    )
    assert charged["epsilon"] == 1
    assert not found.refutes(1)
    assert found.epsilon > 0.8


@pytest.mark.long
@pytest.mark.parametrize("name", AUDITED)
def test_a_fifth_too_little_noise_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The loss of each pair is all that was charged, so this build loses 1.2 where it charges 1."""
    noisy = release_noise._add_noise
    monkeypatch.setattr(
        release_noise,
        "_add_noise",
        lambda law, *rest: noisy(replace(law, scale=law.scale * Fraction(5, 6)), *rest),
    )
    draw, charged = pool(PAIRS[name])
    found = audit(
        draw, PAIRS[name].one, PAIRS[name].other, samples=SAMPLES, confidence=ENOUGH, batch=True
    )
    assert charged["epsilon"] == 1
    assert found.refutes(1)


def shown(data: tuple[int, ...] = (1,)) -> tuple[int, float]:
    """How many groups of one unit are shown, and with what chance each may be."""
    found, _, delta = ask(PAIRS["open groups"], data)
    return int(np.isfinite(found[:, 0]).sum()), float(delta)


@pytest.mark.long
def test_groups_of_one_unit_are_shown_as_rarely_as_charged() -> None:
    count, delta = shown()
    assert 0 < delta <= 1e-4
    assert binom.sf(count - 1, len(GROUPS), delta) > 1e-10


@pytest.mark.long
def test_a_threshold_that_is_too_low_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three below, which shows e^3 times as many groups of one unit."""
    calibrate = Threshold.calibrate

    def low(*arguments: Any, max_count: int, **rest: Any) -> Threshold:
        whole = calibrate(*arguments, max_count=max_count, **rest)
        return replace(whole, minimum_count=whole.minimum_count - 3 * max_count)

    monkeypatch.setattr(Threshold, "calibrate", low)
    with pytest.raises(InvalidArgument, match="states its full delta"):
        shown()
    believed(monkeypatch)
    count, delta = shown()
    assert binom.sf(count - 1, len(GROUPS), delta) < 1e-10


FEW = 450  # groups, where every draw is slow


def medians(values: tuple[int, ...], count: int) -> NDArray[np.float64]:
    """Medians of these values, all of one person, who may have twelve."""
    found: list[int] = []
    group = np.arange(FEW)
    table = pa.table(
        {
            "id": np.repeat(group, len(values)),
            "g": np.repeat(group, len(values)),
            "v": np.tile(values, len(group)).astype(np.int64),
        }
    )
    columns = {"g": (0, FEW - 1), "v": (-SPAN, SPAN)}
    arguments: dict[str, Any] = {
        "unit": "id",
        "neighbours": "add-remove",
        "max_groups": 1,
        "max_rows_per_group": 12,
    }
    while len(found) < count:
        with protect(table, columns=columns, epsilon=1, **arguments) as db:
            db.query("SELECT g, MEDIAN(v) FROM data GROUP BY g LIMIT 1", epsilon=1)
            charge, answer = db.ledger.entries()[-2:]
        (loss,) = charge.body["charges"].values()
        assert Fraction(loss["epsilon"]) == 1
        found += json.loads(answer.body["payload"])["numbers"][0]
    return np.array(found[:count], dtype=np.float64)[:, None]


@pytest.mark.long
def test_a_median_calibrated_for_one_row_exceeds_its_charge(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept = {"samples": 2 * FEW, "confidence": CONFIDENCE, "batch": True}
    assert not audit(medians, (), (SPAN,) * 12, **kept).refutes(1)
    pick_for_one_row(monkeypatch)
    assert audit(medians, (), (SPAN,) * 12, **kept).refutes(1)


PARTED = """
[database]
name = "parts"
[budget]
epsilon = 2
[tables.data]
source = "data.parquet"
unit = "id"
neighbours = "add-remove"
max_units = 100_000
max_groups = 1
max_rows_per_group = 1
[tables.data.columns]
a = { type = "integer", min = 0, max = 19 }
c = { type = "integer", min = 0, max = 219 }
v = { values = [1, 2, 3] }
[tables.data.partition]
column = "v"
max_parts_per_unit = 1
"""


def two_parts(values: tuple[int, ...], count: int) -> NDArray[np.float64]:
    """What two questions tell about a person with these parts: one about each of two parts, at
    an epsilon of 1, of which she pays one.
    """
    group = np.repeat(np.arange(count), len(values))
    rows = pa.table(
        {
            "id": group,
            "a": group // SIDE,
            "c": group % SIDE,
            "v": np.tile(np.array(values, dtype=np.int64), count),
        }
    )
    columns: list[list[int]] = []
    policy = replace(parse_policy(PARTED), ledger=None)
    with opening._open_database(inspect_files(policy, DuckDB, {"data": rows}), None) as db:
        for part in (1, 2):
            db.query(
                f"SELECT a, c, COUNT(*) FROM data WHERE v = {part} GROUP BY a, c LIMIT 1", epsilon=1
            )
            columns += json.loads(db.ledger.entries()[-1].body["payload"])["numbers"]
        assert db.budget.spent == 1
    return np.array(columns, dtype=np.float64).T[:count]


@pytest.mark.long
def test_two_disjoint_parts_together_lose_the_price_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = {"samples": 4_000, "confidence": CONFIDENCE, "batch": True}
    once = audit(two_parts, (), (1, 2), **kept)
    assert not once.refutes(1)
    assert once.epsilon > 0.3
    parts_for_each_question(monkeypatch)
    assert audit(two_parts, (), (1, 2), **kept).refutes(1)
