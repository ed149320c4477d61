"""Glue code, right and wrong, such as people write around mechanisms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from hedgerow.mechanisms import Exponential, Laplace, Quantiles, SparseVector

AGES = [34, 41, 29, 65, 52, 38, 90]
LAW = Laplace.calibrate(sensitivity=1, epsilon=1)


def mean(ages: list[int]) -> float:
    total = Laplace.calibrate(sensitivity=100, epsilon=0.5).sample(int(np.clip(ages, 0, 100).sum()))
    count = Laplace.calibrate(sensitivity=1, epsilon=0.5).sample(len(ages))
    return float(total / max(count, 1))


def unscaled(ages: list[int]) -> Any:
    return Laplace.calibrate(sensitivity=1, epsilon=1).sample(int(np.clip(ages, 0, 100).sum()))


def unscaled_elsewhere(ages: list[int]) -> Any:
    return LAW.sample(int(np.clip(ages, 0, 100).sum()))


def unscaled_rows(ages: list[int]) -> Any:
    """Every row counts ten times, and no unit is asked how many rows it has."""
    return Quantiles.calibrate(at=0.5, neighbours="add-remove", epsilon=1).sample(
        ages * 10, lower=0, upper=100
    )


def private_value(ages: list[int]) -> dict[str, Any]:
    return {"noisy": LAW.sample(len(ages)), "exact": sum(ages) / len(ages)}


def number_of_calls(ages: list[int]) -> list[Any]:
    return [LAW.sample(1) for age in ages if age > 40]


def scale(ages: list[int]) -> Any:
    return Laplace.calibrate(sensitivity=max(ages), epsilon=1).sample(sum(ages))


def reused(ages: list[int]) -> list[Any]:
    noise = LAW.sample(0)
    return [sum(age > 40 for age in ages) + noise, sum(age <= 40 for age in ages) + noise]


def cached(ages: list[int], _kept: dict[str, Any] = {}) -> Any:  # noqa: B006
    """Draws once, and remembers."""
    if "noisy" not in _kept:
        _kept["noisy"] = LAW.sample(len(ages))
    return _kept["noisy"]


def bounds(ages: list[int]) -> Any:
    return Quantiles.calibrate(at=0.5, neighbours="add-remove", epsilon=1).sample(
        ages, lower=min(ages), upper=max(ages)
    )


def another_mechanism(ages: list[int]) -> Any:
    if len(ages) > 6:
        return LAW.sample(len(ages))
    return Exponential.calibrate(sensitivity=1, epsilon=1).sample([len(ages), 3])


def cells(ages: list[int]) -> Any:
    return LAW.sample(np.array(ages))


def candidates(ages: list[int]) -> Any:
    return Exponential.calibrate(sensitivity=100, epsilon=1).sample(ages)


def own_randomness(ages: list[int]) -> float:
    return len(ages) + np.random.default_rng().laplace()


def fails_on_few(ages: list[int]) -> Any:
    if len(ages) < 7:
        raise ValueError("too few")
    return LAW.sample(len(ages))


def hidden_failure(ages: list[int]) -> Any:
    """Catches whatever goes wrong; a run that goes another way is still stopped."""
    found = []
    for _ in ages:
        try:
            found.append(LAW.sample(0))
        except Exception:
            break
    return found


def frame(table: pd.DataFrame) -> pd.DataFrame:
    """Counts by region: parts that share no row."""
    regions = ["east", "north", "south"]
    counts = table.groupby("region").size().reindex(regions, fill_value=0)
    return pd.DataFrame(
        {
            "region": regions,
            "n": [Laplace.calibrate(sensitivity=1, epsilon=1).sample(int(n)) for n in counts],
        }
    )


def threshold(ages: list[int]) -> list[Any]:
    """Asks one question after another, each in view of the verdicts before."""
    seen: list[Any] = []

    def answers() -> Iterator[int]:
        for _ in range(5):
            bar = 30 + 10 * len(seen)
            yield sum(age > bar for age in ages)

    for verdict in SparseVector.calibrate(sensitivity=1, epsilon=1).sample(answers(), 3):
        seen.append(verdict)  # noqa: PERF402  (the answers read it meanwhile)
    return seen


def threshold_by_row(ages: list[int]) -> list[Any]:
    return list(SparseVector.calibrate(sensitivity=1, epsilon=1).sample(iter(ages), 1000))


def threshold_stops_early(ages: list[int]) -> Any:
    run = SparseVector.calibrate(sensitivity=1, epsilon=1, cutoff=3).sample([0] * 20, 1000)
    return [next(run) for _ in range(len(ages))]
