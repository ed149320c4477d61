"""The suite of laws, for any object that has the members of its shape
(``hedgerow.mechanisms.interface``).

    from hedgerow.mechanisms import Laplace
    from hedgerow.verify.laws import check_mechanism

    print(check_mechanism(Laplace.calibrate(sensitivity=1, epsilon=0.5)))

Three things check each other: the proof of a mechanism is about ``log_prob``; some laws compare
``loss``, ``error`` and ``delta`` with ``log_prob`` on the worst neighbours; others compare
``sample`` with it. Mechanisms that test before they release state probabilities of release instead,
and where nothing is stated the loss is compared with draws on neighbours. The laws cannot see a
mistake that all of them share: a ``log_prob`` that is wrong in the same way as the draws, or a
wrong sensitivity.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hedgerow.numeric.exact_number import Number
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.verify.laws.accuracy import error_covers
from hedgerow.verify.laws.case import LawCase, LawFinding, make_case
from hedgerow.verify.laws.claims import (
    delta_covers_neighbours,
    epsilon_covers_neighbours,
    losses_add_up,
    probabilities_sum_to_one,
    rho_covers_neighbours,
)
from hedgerow.verify.laws.input_validation import bad_input_is_refused
from hedgerow.verify.laws.sampling import (
    cells_are_independent,
    forks_differ,
    low_bits_reveal_nothing,
    outputs_lie_on_grid,
    sample_follows_log_prob,
)

__all__ = ["LAWS", "Law", "LawReport", "check_mechanism"]

Law = Callable[[LawCase], LawFinding]

LAWS: tuple[Law, ...] = (
    bad_input_is_refused,
    probabilities_sum_to_one,
    epsilon_covers_neighbours,
    rho_covers_neighbours,
    delta_covers_neighbours,
    losses_add_up,
    error_covers,
    # first, since the laws below treat the cells of one large array as independent draws
    cells_are_independent,
    low_bits_reveal_nothing,
    outputs_lie_on_grid,
    sample_follows_log_prob,
    forks_differ,
)


@dataclass(frozen=True, slots=True)
class LawReport:
    """The report on a mechanism that keeps all laws, with the figures of each."""

    mechanism: Any
    findings: tuple[LawFinding, ...]

    def __str__(self) -> str:
        return "\n".join(
            [
                f"{self.mechanism} keeps {len(self.findings)} laws:",
                *(f"  {finding}" for finding in self.findings),
            ]
        )


def check_mechanism(
    mechanism: Any,
    sensitivity: Number | Sensitivity = 1,
    *,
    draws: int = 200_000,
    claim: tuple[Number, Number] | None = None,
) -> LawReport:
    """Test every law on a mechanism calibrated for ``sensitivity``; raise ``LawBroken`` at the
    first it breaks.

    For a mechanism that sees the data themselves, ``sensitivity`` is the number of rows or units
    that change.

    ``draws`` is the minimum number of draws; more are made where that many would miss a scale that
    is 2 % off. ``claim`` is an (epsilon, delta) that one use claims to satisfy, for mechanisms
    whose loss does not state it.
    """
    case = make_case(mechanism, sensitivity, draws, claim)
    return LawReport(mechanism, tuple(law(case) for law in LAWS))
