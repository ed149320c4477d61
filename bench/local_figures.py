"""The pictures of docs/home-pages.md and docs/local-or-central.md: ``python -m
bench.local_figures`` draws them and prints their figures.

Clients and noise are drawn anew each time.
"""

from __future__ import annotations

from fractions import Fraction
from math import log10, sqrt
from time import perf_counter
from typing import Final

import numpy as np

from bench.figures import FOLDER, Picture, Point
from bench.local import pages
from hedgerow.local.accounting import compute_shuffled_epsilon
from hedgerow.local.decode.chart import draw_estimates
from hedgerow.local.planning.simulated_frequencies import (
    draw_holders,
    simulate_frequencies,
    simulate_rappor,
)
from hedgerow.local.protocols import KAry
from hedgerow.mechanisms.laplace import Laplace

__all__ = ["main"]

CLIENTS: Final = 14_000_000
CANDIDATES: Final = 8_616
COHORTS: Final = 32
ANSWERS: Final = 4
DELTA: Final = 1e-9
SIZES: Final = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
COLOURS: Final = {
    "by every client": "#d97706",
    "by every client, shuffled": "#2563eb",
    "by a custodian": "#059669",
}


def home_pages() -> None:
    """The study: fourteen million clients, and which of the candidates they show."""
    held = dict(
        zip(
            [f"page-{place}.example" for place in range(1, CANDIDATES + 1)],
            draw_holders("zipf", CANDIDATES, CLIENTS).tolist(),
            strict=True,
        )
    )
    start = perf_counter()
    found = simulate_rappor(pages(COHORTS), held)
    seconds, seen = perf_counter() - start, found.list_detected("fwer", 0.05)
    truths = found.find_true_counts(seen)
    title = f"Home pages that are detected among {CLIENTS:,} simulated clients"
    (FOLDER / "home-pages.svg").write_text(draw_estimates(seen, title, truths), encoding="utf-8")
    held_by = [row.low <= truths[row.value] <= row.high for row in seen]
    print(
        f"{len(seen)} detected in {seconds:.1f} s, {sum(truths[row.value] == 0 for row in seen)} of"
        " them held by nobody"
    )
    print(
        f"the least has a share of {min(truths.values()) / CLIENTS:.2%}; {sum(held_by)} intervals"
        " hold the truth"
    )
    print(
        f"error {found.root_mean_square_error:,.0f}, foretold {found.expected_error:,.0f};"
        f" {found.coverage:.1%} of all intervals hold the truth"
    )


def by_clients(clients: int, epsilon: float, turns: int) -> float:
    """The error of a count, root mean square, where every client randomises."""
    scheme = KAry.calibrate(domain=ANSWERS, epsilon=epsilon)
    return sqrt(
        float(
            np.mean(
                [
                    simulate_frequencies(scheme, clients).root_mean_square_error ** 2
                    for _ in range(turns)
                ]
            )
        )
    )


def by_custodian(turns: int) -> float:
    """The same where somebody counts, and tells noisy counts: one client who answers otherwise
    moves two counts by 1.
    """
    law = Laplace.calibrate(sensitivity=2, epsilon=1)
    return sqrt(
        float(np.mean([float(law.sample(1_000) - 1_000) ** 2 for _ in range(turns * ANSWERS)]))
    )


def shuffled(clients: int) -> float:
    """The epsilon of single reports whose shuffled crowd gives away 1; never less than 1."""
    low, high = Fraction(1), Fraction(11)
    while high - low > Fraction(1, 50):
        middle = (low + high) / 2
        fits = (
            compute_shuffled_epsilon(KAry.calibrate(domain=ANSWERS, epsilon=middle), clients, DELTA)
            <= 1
        )
        low, high = (middle, high) if fits else (low, middle)
    return float(low)


def errors() -> dict[str, list[float]]:
    """By how many clients a count is off, for each way and size."""
    found: dict[str, list[float]] = {name: [] for name in COLOURS}
    for clients in SIZES:
        turns = max(40, min(400, 10_000_000 // clients))
        at = shuffled(clients)
        found["by every client"].append(by_clients(clients, 1, turns))
        found["by every client, shuffled"].append(by_clients(clients, at, turns))
        found["by a custodian"].append(by_custodian(1_000))
        print(
            f"{clients:>12,}: "
            + ", ".join(f"{name} {values[-1]:,.1f}" for name, values in found.items())
            + f" (reports at {at:.2f})"
        )
    return found


def local_or_central() -> None:
    """Errors against the number of clients."""
    image, left, top, width, height = Picture(720, 380), 70, 50, 430, 270

    def at(clients: float, off: float) -> Point:
        return left + (log10(clients) - 3) / 4 * width, top + height - log10(off) / 4 * height

    for power in range(5):
        y = at(1_000, 10.0**power)[1]
        image.line([(left, y), (left + width, y)], "#e2e8f0")
        image.words(left - 6, y + 4, f"{10**power:,}", anchor="end", size=10)
    for clients in SIZES:
        image.words(at(clients, 1)[0], top + height + 16, f"{clients:,}", anchor="middle", size=10)
    image.words(
        left, top - 22, "by how many clients a count of four answers is off, epsilon 1", bold=True
    )
    image.words(left + width / 2, top + height + 36, "clients", anchor="middle", size=11)
    for name, values in errors().items():
        points = [at(clients, off) for clients, off in zip(SIZES, values, strict=True)]
        image.line(points, COLOURS[name], 2)
        image.dots(points, COLOURS[name])
        image.words(
            points[-1][0] + 10,
            points[-1][1] + (0 if "shuffled" in name else 4),
            f"noise {name}",
            colour=COLOURS[name],
        )
    image.write(
        "local-or-central.svg",
        "Error of a count against the number of clients: randomised by each, the same shuffled, and"
        " by a custodian",
    )


def main() -> None:
    """Both."""
    home_pages()
    local_or_central()


if __name__ == "__main__":
    main()
