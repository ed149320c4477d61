"""A plot of the guarantee in plain text: the log ratio of two cumulative distributions.

Under epsilon-differential privacy e^-epsilon <= F_one(t) / F_other(t) <= e^epsilon for every t,
because {output <= t} is an event.
"""

from __future__ import annotations

import numpy as np

from hedgerow.verify.audit.confidence import Floats

__all__ = ["draw_cdf_ratio"]

_WIDTH, _HEIGHT = 64, 13  # an odd height has a middle line, for zero
# The least number of outputs below t on either side: with fewer a ratio is mostly chance.
_MIN_HITS = 25
_LABEL_WIDTH = 8


def draw_cdf_ratio(one: Floats, other: Floats, epsilon: float) -> str:
    """Draw ``ln(F_one(t) / F_other(t))`` as dots and ``±epsilon`` as lines."""
    one, other = np.sort(one[np.isfinite(one)]), np.sort(other[np.isfinite(other)])
    rank = max(_MIN_HITS, len(one) // 500, len(other) // 500)
    if min(len(one), len(other)) < 2 * rank:
        return "too few outputs to plot; use more runs."
    start = max(float(one[rank - 1]), float(other[rank - 1]))
    stop = max(float(one[-rank]), float(other[-rank]), start)
    if start == stop:
        return f"every output is {start:g}; there is no curve to plot."
    ticks = np.linspace(start, stop, _WIDTH)
    shares = [np.searchsorted(side, ticks, side="right") / len(side) for side in (one, other)]
    ratios = np.log(shares[0] / shares[1])
    top = max(1.25 * epsilon, float(np.abs(ratios).max()), 1e-3)
    canvas = [[" "] * _WIDTH for _ in range(_HEIGHT)]
    for level, mark in ((0.0, "·"), (epsilon, "─"), (-epsilon, "─")):
        canvas[_canvas_line(level, top)] = [mark] * _WIDTH
    for place, ratio in enumerate(ratios):
        canvas[_canvas_line(float(ratio), top)][place] = "●"
    labels = {_canvas_line(level, top): f"{level:+.2f}" for level in (0.0, epsilon, -epsilon)}
    lines = [
        f"{labels.get(row, ''):>{_LABEL_WIDTH}} │{''.join(cells).rstrip()}"
        for row, cells in enumerate(canvas)
    ]
    left, right = f"t = {start:.4g}", f"{stop:.4g}"
    axis = " " * _LABEL_WIDTH + " └" + "─" * _WIDTH
    return "\n".join(
        [
            "ln(F_one(t) / F_other(t))",
            *lines,
            axis,
            " " * (_LABEL_WIDTH + 2) + left + right.rjust(_WIDTH - len(left)),
        ]
    )


def _canvas_line(level: float, top: float) -> int:
    middle = _HEIGHT // 2
    return middle - round(level / top * middle)
