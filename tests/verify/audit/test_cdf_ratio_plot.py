"""The picture shows the ratio of the two distribution functions, inside the band where the
guarantee holds.
"""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow.verify.audit.cdf_ratio_plot import draw_cdf_ratio


def rows(text: str) -> list[str]:
    return [line.split("│", 1)[1] for line in text.splitlines() if "│" in line]


def exact_laplace(centre: float, n: int = 20_000) -> np.ndarray:
    u = (np.arange(n) + 0.5) / n
    return centre + np.where(u < 0.5, np.log(2 * u), -np.log(2 - 2 * u))


def test_laplace_touches_its_band_and_stays_inside() -> None:
    lines = rows(draw_cdf_ratio(exact_laplace(0), exact_laplace(1), 1.0))
    band = [i for i, line in enumerate(lines) if "─" in line]
    dots = [i for i, line in enumerate(lines) if "●" in line]
    assert len(band) == 2
    assert min(dots) == band[0]  # ln(F_0 / F_1) = 1 for t <= 0
    assert max(dots) == len(lines) // 2  # and falls to 0
    assert lines[band[0]].startswith("●●●")


def test_sides_swapped_turn_the_picture_over() -> None:
    lines = rows(draw_cdf_ratio(exact_laplace(1), exact_laplace(0), 1.0))
    assert lines[max(i for i, line in enumerate(lines) if "●" in line)].startswith("●●●")


def test_a_violation_leaves_the_band() -> None:
    lines = rows(draw_cdf_ratio(exact_laplace(0), exact_laplace(1), 0.5))
    band = [i for i, line in enumerate(lines) if "─" in line]
    assert min(i for i, line in enumerate(lines) if "●" in line) < band[0]


def test_labels_and_axis() -> None:
    text = draw_cdf_ratio(exact_laplace(0), exact_laplace(1), 1.0)
    assert text.startswith("ln(F_one(t) / F_other(t))")
    for part in ("+1.00", "-1.00", "+0.00", "t = "):
        assert part in text
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (np.zeros(0), "too few"),
        (np.full(500, 3.0), "every output is 3"),
        (np.full(500, -np.inf), "too few"),
    ],
)
def test_nothing_to_draw(one: np.ndarray, words: str) -> None:
    assert words in draw_cdf_ratio(one, one, 1.0)
