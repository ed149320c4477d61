"""The picture of docs/publishing.md: ``python -m bench.histogram_figures`` draws it anew. The data
stay the same; the noise does not.

A thousand times the mean of 1,000 values, asked directly and read off a published histogram, all
for the same epsilon.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final

import numpy as np

from bench.figures import Picture
from hedgerow.mechanisms.laplace import Laplace
from hedgerow.plan.contingency_table import ContingencyTable
from hedgerow.publish.domain import Attribute, Domain
from hedgerow.publish.histogram_statistics import Histogram
from hedgerow.publish.kinds.histogram import specify_histogram
from hedgerow.publish.privacy_parameters import PrivacyParameters
from hedgerow.release.private_table import PrivateTable

__all__ = ["main", "means"]

RUNS: Final = 1000
ROWS: Final = 1000
WIDTH: Final = 100
EPSILON: Final = Fraction(1, 2)
BINS: Final = (5, 20, 100)
COLOURS: Final = ("#6b7280", "#2563eb", "#059669", "#d97706")


def values() -> np.ndarray:
    """Skewed, between 0 and 100."""
    return np.minimum(np.random.default_rng(8).gamma(2, 14, ROWS), WIDTH)


def means(bins: int, runs: int = RUNS) -> list[float]:
    """What so many published histograms say the mean is, one unit a row that may be replaced."""
    attribute = Attribute(
        "x", "real", edges=tuple(Fraction(WIDTH * place, bins) for place in range(bins + 1))
    )
    domain, terms = Domain((attribute,)), PrivacyParameters(EPSILON, relation="change-one")
    codes = np.minimum((values() * bins / WIDTH).astype(np.int64), bins - 1)
    table, sketch = (
        ContingencyTable.from_codes(codes[:, None], domain.sizes),
        specify_histogram(terms, domain),
    )
    found = []
    for _ in range(runs):
        made = sketch.build(PrivateTable(table, sketch.cost, rows=1, relation=terms.relation))
        counts = Histogram.from_publication(domain, made.table, made.facts).counts
        found.append(
            float(counts @ [float(middle) for middle in attribute.midpoints or ()] / counts.sum())
        )
    return found


def direct(runs: int = RUNS) -> list[float]:
    """The mean with the noise that one row of 1,000 asks for: W/(n epsilon)."""
    law, exact = (
        Laplace.calibrate(sensitivity=Fraction(WIDTH, ROWS), epsilon=EPSILON),
        float(values().mean()),
    )
    return [float(law.sample(exact)) for _ in range(runs)]


def main() -> None:
    """Draws it, and prints the errors."""
    exact = float(values().mean())
    drawn = {"asked directly": direct()} | {f"{bins} bins": means(bins) for bins in BINS}
    left, width, top = 120, 500, 30
    reach = float(
        max(
            abs(value - exact)
            for values_ in drawn.values()
            for value in np.quantile(values_, [0.002, 0.998])
        )
    )
    picture = Picture(720, top + 70 + 62 * len(drawn))
    jitter = np.random.default_rng(1)

    def at(value: float) -> float:
        return left + width * (0.5 + (value - exact) / (2.1 * reach))

    picture.words(left + width + 90, top - 4, "rms error", anchor="end", size=11)
    for place, (name, answers) in enumerate(drawn.items()):
        y = top + 30 + 62 * place
        picture.words(left - 12, y + 4, name, anchor="end", colour=COLOURS[place], bold=True)
        inside = [value for value in answers if abs(value - exact) <= 1.05 * reach]
        picture.dots(
            ((at(value), y + jitter.uniform(-20, 20)) for value in inside),
            COLOURS[place],
            1.6,
            0.35,
        )
        off = math.sqrt(float(np.mean(np.square(np.array(answers) - exact))))
        picture.words(left + width + 90, y + 4, f"{off:.2f}", anchor="end")
        print(f"{name:>16}: rms {off:.3f}, mean {np.mean(answers) - exact:+.3f}")
    bottom = top + 62 * len(drawn)
    picture.line([(at(exact), top - 10), (at(exact), bottom)], "#dc2626", 1.2, "4 3")
    picture.line([(left, bottom), (left + width, bottom)], "#94a3b8")
    step = 1 if reach < 6 else 2
    for tick in range(math.ceil(exact - reach), math.floor(exact + reach) + 1, step):
        picture.words(at(tick), bottom + 16, str(tick), anchor="middle", size=10)
    title = (
        f"A thousand means of {ROWS:,} values at epsilon {float(EPSILON):g}, directly and from"
        " histograms; the dashed line is the exact one"
    )
    picture.words(
        left, bottom + 40, "the mean, as told a thousand times each; dashed: the exact one", size=11
    )
    picture.write("histogram-means.svg", title)


if __name__ == "__main__":
    main()
