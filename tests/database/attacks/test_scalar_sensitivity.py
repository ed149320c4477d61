"""Sensitivity at the release, for timestamps, conversions and regular expressions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from random import Random
from typing import Any

import pyarrow as pa
import pytest

from database.attacks import neighbours
from database.attacks.neighbours import Row, World
from database.attacks.seam import versions
from database.attacks.seeking import Scene, seek
from hedgerow.plan.values import DAY

QUESTIONS = (
    "SELECT HOUR(at) AS h, COUNT(*) FROM data GROUP BY h",
    "SELECT DATE_TRUNC('hour', at) AS h, SUM(age) FROM data WHERE at < '2024-02-26' GROUP BY h",
    "SELECT CAST(at AS DATE) AS d, COUNT(*) FROM data GROUP BY d",
    "SELECT DATE_TRUNC('minute', late) AS m, COUNT(*) FROM data GROUP BY m",
    "SELECT SUM(LEAST(GREATEST(DATE_DIFF('minute', at, late), -50), 50)) FROM data",
    "SELECT AVG(EXTRACT(EPOCH FROM (at - TIMESTAMP '2024-02-25 00:00:00'))) FROM data",
    "SELECT COUNT(*) FROM data WHERE late >= CURRENT_DATE - INTERVAL 1 MONTH",
    r"SELECT REGEXP_REPLACE(city, '^(.)[^m]*', '\1') AS k, COUNT(*) FROM data GROUP BY k",
    "SELECT REGEXP_EXTRACT(region, 'o|t') AS k, SUM(age) FROM data GROUP BY k",
    "SELECT COUNT(*) FROM data WHERE city ~ '[a-z]+$' AND NOT REGEXP_MATCHES(city, 'o{1,3}')",
    "SELECT CAST(score AS TEXT) AS k, SUM(CAST(cost AS DECIMAL(10, 1))) FROM data GROUP BY k",
    "SELECT SUM(CAST(flag AS INTEGER)) FROM data WHERE flag = 1 AND level > '1'",
    "SELECT COUNT(DISTINCT at) FROM data WHERE at + INTERVAL 90 MINUTE > late",
)
AT = {"type": "timestamp", "min": date(2024, 2, 25), "max": date(2024, 3, 3)}


@dataclass(frozen=True)
class TimedWorld(World):
    """Rows whose days also have times: ``at`` with bounds, ``late`` without."""

    @property
    def arguments(self) -> dict[str, Any]:
        found = super().arguments
        return found | {"columns": {**found["columns"], "at": AT}, "as_of": date(2024, 3, 9)}

    def tables(self, rows: Sequence[Row]) -> dict[str, pa.Table]:
        table = super().tables(rows)["data"]
        at, late = (
            pa.array([_time(row[name], row["n"]) for row in rows], pa.int64())
            for name in ("day", "seen")
        )
        unit = pa.timestamp("us")
        return {
            "data": table.append_column("at", at.view(unit)).append_column("late", late.view(unit))
        }


def _time(day: int | None, number: int | None) -> int | None:
    """A time on a day, as Arrow counts it; days without an end become such times."""
    if day is None:
        return None
    if abs(day) >= neighbours.ENDLESS:
        return (2**63 - 1) * (1 if day > 0 else -1)
    return min(max(day, -719_162), 2_932_896) * DAY + (number or 0) * 7_777_777_777 % DAY


SCENE = Scene(
    TimedWorld.draw, neighbours.base, neighbours.neighbours, lambda random: random.choice(QUESTIONS)
)


@pytest.mark.long
def test_scalars_move_no_further_than_declared() -> None:
    found = seek("scalars", 50, SCENE)
    assert found.violations == []
    assert found.told > 0


def test_every_question_is_answered() -> None:
    world = TimedWorld("id", "add-remove", 2, 2, "laplace", "integer")
    with versions(world, [neighbours.base(Random(1), world, 0.5)]) as opened:
        assert [opened.ask(0, sql).status for sql in QUESTIONS] == ["answered"] * len(QUESTIONS)
