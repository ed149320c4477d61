"""The pictures of docs/risk.md: ``python -m bench.risk_figures`` draws them anew. Coins and
noise of the attacks are new each time.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from bench.figures import FOLDER
from hedgerow.charts.svg import build_standalone_svg
from hedgerow.risk.attack.attack_bounds import Ceiling
from hedgerow.risk.attack.charts import build_attack_figure, build_belief_figure
from hedgerow.risk.attack.comparison import Crowd, compare_attacks
from hedgerow.risk.attack.hedgerow_publisher import HedgerowPublisher

__all__ = ["main"]

RUNS = 40
ATTACKED = ("0.1", "0.3", "1", "3", "10")
BELIEVED = ("0.1", "0.3", "1", "2")


def attacked() -> None:
    """200 people: what each habit of publishing gives away, and what Hedgerow does at several
    totals.
    """
    guards = [HedgerowPublisher("add-remove", Fraction(epsilon)) for epsilon in ATTACKED]
    found = compare_attacks(Crowd(np.arange(400) % 2 == 0), guards, runs=RUNS)
    assert not found.find_above_ceiling(1e-9)
    (FOLDER / "risk-attack.svg").write_text(
        build_standalone_svg(build_attack_figure(found).drawing), encoding="utf-8"
    )


def believed() -> None:
    """What somebody can believe at most afterwards, by what she believed before. It is computed."""
    curves = [
        (f"epsilon {epsilon}", Ceiling("add-remove", "attribute", Fraction(epsilon)))
        for epsilon in BELIEVED
    ]
    (FOLDER / "risk-belief.svg").write_text(
        build_standalone_svg(build_belief_figure(curves).drawing), encoding="utf-8"
    )


def main() -> None:
    """Both pictures."""
    believed()
    attacked()


if __name__ == "__main__":
    main()
