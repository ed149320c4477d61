"""The auditor at the door: many groups are many runs, since each has noise of its own, so one question is a whole sample."""

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

from hedgerow import protect
from hedgerow import release as door
from hedgerow.verify import audit

CONFIDENCE = 1 - 1e-10
SAMPLES = 40_000
SIDE = 220  # groups by two keys: 48,400 of them
GROUPS = np.arange(SIDE * SIDE)
SPAN = 10


@dataclass(frozen=True)
class Pair:
    """In every group the same: ``one`` and ``other`` are the values of its rows on two neighbours; a unit has all rows of one value."""

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
    "count of a person's rows": Pair("SELECT a, c, COUNT(*)" + GROUPED, (1,), (1, 2, 2, 2, 2, 2), unit="id", max_rows=3),
    "sum": Pair("SELECT a, c, SUM(v)" + GROUPED, (3,), (3, -SPAN)),
    "sum of a person replaced": Pair("SELECT a, c, SUM(v)" + GROUPED, (SPAN, SPAN), (-SPAN, -SPAN), "change-one", "id", 2),
    "mean": Pair("SELECT a, c, AVG(v)" + GROUPED, (0, 4), (0, 4, SPAN)),
    "open groups": Pair("SELECT n, COUNT(*) FROM data GROUP BY n", (1,) * 9, (1,) * 8, open=True),
}


def table(values: tuple[int, ...]) -> pa.Table:
    group = np.repeat(GROUPS, len(values))
    value = np.tile(np.array(values, dtype=np.int64), len(GROUPS))
    return pa.table({"id": group * 100 + value + SPAN, "a": group // SIDE, "c": group % SIDE, "n": group, "v": value})


def ask(pair: Pair, data: tuple[int, ...]) -> tuple[NDArray[np.float64], Fraction, Fraction]:
    """The noisy numbers of every group, a row for each, NaN where a group is not shown; and the epsilon and delta that were charged."""
    columns: dict[str, Any] = {"a": (0, SIDE - 1), "c": (0, SIDE - 1), "v": (-SPAN, SPAN)}
    caps = {} if pair.unit == "row" else {"max_groups": 1, "max_rows_per_group": pair.max_rows}
    if pair.unit == "row":
        columns["id"] = {"hidden": True}
    arguments = {"unit": pair.unit, "neighbours": pair.relation, "columns": columns, "epsilon": 1, "delta": 0.1, "max_units": 9, **caps}
    with protect(table(data), **arguments) as db:
        db.query(pair.sql + " LIMIT 1", epsilon=1)  # the answer is cut after the noise; the ledger has all of it
        charge, answer = db.ledger.entries()[-2:]
    held = json.loads(answer.body["payload"])
    found = np.full((len(GROUPS), len(held["numbers"])), np.nan)
    places = [key[0] for key in held["keys"]] if pair.open else GROUPS
    found[places] = np.array(held["numbers"], dtype=np.float64).T
    (loss,) = charge.body["charges"].values()
    return found, Fraction(loss["epsilon"]), Fraction(loss["delta"])


def pool(pair: Pair) -> tuple[Callable[[tuple[int, ...], int], NDArray[np.float64]], dict[str, Fraction]]:
    """A mechanism for the auditor: hands out groups that nobody saw yet, and asks anew when there are none left."""
    left: dict[tuple[int, ...], NDArray[np.float64]] = {}
    charged: dict[str, Fraction] = {}

    def draw(data: tuple[int, ...], count: int) -> NDArray[np.float64]:
        while len(left.get(data, ())) < count:
            fresh, charged["epsilon"], charged["delta"] = ask(pair, data)
            left[data] = np.concatenate([left[data], fresh]) if data in left else fresh
        taken, left[data] = left[data][:count], left[data][count:]
        return taken

    return draw, charged


@pytest.mark.long
@pytest.mark.parametrize("name", PAIRS)
def test_the_loss_is_at_most_what_was_charged_and_nearly_that(name: str) -> None:
    draw, charged = pool(PAIRS[name])
    found = audit(draw, PAIRS[name].one, PAIRS[name].other, samples=SAMPLES, confidence=CONFIDENCE, batch=True)
    assert charged["epsilon"] == 1
    assert not found.refutes(1)
    assert found.epsilon > 0.8


@pytest.mark.long
@pytest.mark.parametrize("name", PAIRS)
def test_a_fifth_too_little_noise_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The loss of each pair is all that was charged, so this build loses 1.2 where it charges 1."""
    noisy = door._noisy
    monkeypatch.setattr(door, "_noisy", lambda law, exact: noisy(replace(law, scale=law.scale * Fraction(5, 6)), exact))
    draw, charged = pool(PAIRS[name])
    found = audit(draw, PAIRS[name].one, PAIRS[name].other, samples=SAMPLES, confidence=CONFIDENCE, batch=True)
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
    calibrate = door.Threshold.calibrate

    def low(*arguments: Any, most: int, **rest: Any) -> door.Threshold:
        whole = calibrate(*arguments, most=most, **rest)
        return replace(whole, least=whole.least - 3 * most)

    monkeypatch.setattr(door.Threshold, "calibrate", low)
    count, delta = shown()
    assert binom.sf(count - 1, len(GROUPS), delta) < 1e-10
