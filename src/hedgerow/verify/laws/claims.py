"""Laws about the stated loss of a mechanism. They are computed; draws are used only for a mechanism
that states no distribution.
"""

from __future__ import annotations

from math import exp, inf, isinf

import numpy as np
from scipy.signal import fftconvolve

from hedgerow.numeric.vectorised import Floats
from hedgerow.verify.laws.case import LawBroken, LawCase, LawFinding
from hedgerow.verify.laws.empirical_claims import check_claim_by_draws
from hedgerow.verify.laws.neighbours.data_sets import DistributionPair, NeighbourPair
from hedgerow.verify.laws.neighbours.worst_case import list_worst_neighbours

__all__ = [
    "delta_covers_neighbours",
    "epsilon_covers_neighbours",
    "losses_add_up",
    "probabilities_sum_to_one",
    "rho_covers_neighbours",
]

_ORDERS = (1.5, 2.0, 4.0, 8.0, 32.0)
_EPSILONS = (0.1, 0.5, 1.0, 2.0, 4.0)
# the losses of several cells are rounded down to multiples of this before they are added
_LOSS_STEP = 2e-4
_LOSS_STEPS = 1 << 16
_ROUNDING_ERROR = 1e-12  # of the sums and Fourier transforms behind a delta


def probabilities_sum_to_one(case: LawCase) -> LawFinding:
    """Check that the probabilities of all outputs sum to one on each input."""
    worst = 0.0
    if not list_worst_neighbours(case):
        return LawFinding("probabilities sum to one", "none are stated")
    for found in list_worst_neighbours(case):
        for pair, _ in found.cells:
            off = abs(pair.first.sum_logs(pair.first.log))
            if not off <= 1e-9 + pair.first.tolerance + pair.first.mass_beyond:
                raise LawBroken(
                    "probabilities sum to one",
                    "a sum of 1",
                    f"{exp(pair.first.sum_logs(pair.first.log)):.9g}",
                )
            worst = max(worst, off)
    return LawFinding("probabilities sum to one", f"off by at most {worst:.1e}")


def epsilon_covers_neighbours(case: LawCase) -> LawFinding:
    """Check that no output is more than e^epsilon times as likely on one neighbour as on
    the other.
    """
    law, loss = "epsilon covers neighbours", case.loss
    if isinf(loss.epsilon) or loss.delta:
        return LawFinding(law, "no pure epsilon is claimed")
    if not list_worst_neighbours(case):
        return LawFinding(law, check_claim_by_draws(case, law))
    epsilon = float(loss.epsilon)
    reached = 0.0
    for found in list_worst_neighbours(case):
        largest = sum(count * float(pair.losses.max()) for pair, count in found.cells)
        if not largest <= epsilon + 1e-9 * max(1.0, epsilon):
            raise LawBroken(
                law,
                f"a log ratio of at most {epsilon:.6g}",
                f"{largest:.6g} for {found.description}",
            )
        reached = max(reached, largest)
    return LawFinding(law, f"the worst pair found reaches {reached / epsilon:.1%} of {epsilon:.6g}")


def rho_covers_neighbours(case: LawCase) -> LawFinding:
    """Check that the Renyi divergence of each order, divided by the order, is at most rho; order 1
    is the Kullback-Leibler divergence.
    """
    law, loss = "rho covers neighbours", case.loss
    if isinf(loss.rho) or loss.delta or not list_worst_neighbours(case):
        has_neighbours = bool(list_worst_neighbours(case))
        return LawFinding(
            law, "no rho is claimed" if has_neighbours else "no probabilities are stated"
        )
    rho = float(loss.rho)
    reached = 0.0
    for found in list_worst_neighbours(case):
        slack = max(pair.first.tolerance + pair.second.tolerance for pair, _ in found.cells)
        for order in (1.0, *_ORDERS):
            divergence = sum(count * _renyi_divergence(pair, order) for pair, count in found.cells)
            largest = divergence / order
            if not largest <= rho * (1 + slack) + 1e-12:
                raise LawBroken(
                    law,
                    f"D_a/a of at most {rho:.6g}",
                    f"{largest:.6g} at order {order:g} for {found.description}",
                )
            reached = max(reached, largest)
    return LawFinding(law, f"the worst pair found reaches {reached / rho:.1%} of {rho:.6g}")


def _renyi_divergence(pair: DistributionPair, order: float) -> float:
    p, q = pair.first, pair.second
    if order == 1.0:
        return p.mean(pair.losses)
    return (p.sum_logs(order * p.log + (1 - order) * q.log) - p.sum_logs(p.log)) / (order - 1)


def delta_covers_neighbours(case: LawCase) -> LawFinding:
    """Check Pr[output in S] <= e^epsilon Pr'[output in S] + delta for each event S, for the given
    claim, the loss, or the method ``delta``.
    """
    law, loss, claims = "delta covers neighbours", case.loss, []
    if case.claim:
        claims = [(float(case.claim[0]), float(case.claim[1]))]
    elif loss.delta and not isinf(loss.epsilon):
        claims = [(float(loss.epsilon), float(loss.delta))]
    elif isinf(loss.epsilon) and hasattr(case.mechanism, "delta"):
        claims = [
            (epsilon, float(case.mechanism.delta(epsilon, case.sensitivity)))
            for epsilon in _EPSILONS
        ]
    if not claims:
        return LawFinding(law, "no delta is claimed")
    if not list_worst_neighbours(case):
        return LawFinding(law, check_claim_by_draws(case, law))
    reached = 0.0
    for found in list_worst_neighbours(case):
        losses, masses = _loss_distribution(found)
        for epsilon, delta in claims:
            largest = float(np.sum(masses * -np.expm1(np.minimum(epsilon - losses, 0.0))))
            if not largest <= delta * (1 + 1e-6) + _ROUNDING_ERROR:
                raise LawBroken(
                    law,
                    f"a delta of at most {delta:.6g} at epsilon {epsilon:g}",
                    f"{largest:.6g} for {found.description}",
                )
            reached = max(reached, (largest - _ROUNDING_ERROR) / delta)
    return LawFinding(law, f"the worst pair found reaches {reached:.1%} of the delta claimed")


def _loss_distribution(found: NeighbourPair) -> tuple[Floats, Floats]:
    """Return the privacy losses ln(p/p') and their probabilities; with several cells, each loss is
    rounded down a little before they are added.
    """
    if len(found.cells) == 1 and found.cells[0][1] == 1:
        pair = found.cells[0][0]
        return pair.losses, pair.first.weights * np.exp(pair.first.log)
    masses = np.zeros(2 * _LOSS_STEPS + 1)
    masses[_LOSS_STEPS] = 1.0
    for pair, count in found.cells:
        for _ in range(count):
            masses = _add_cell_loss(masses, pair)
    return np.arange(-_LOSS_STEPS, _LOSS_STEPS + 1) * np.float64(_LOSS_STEP), masses


def _add_cell_loss(masses: Floats, pair: DistributionPair) -> Floats:
    """Return the distribution of the loss with one more cell; losses that are too large are clamped
    to the end, and those that are too small are dropped.
    """
    places = np.floor(pair.losses / _LOSS_STEP).astype(np.int64) + _LOSS_STEPS
    cell = np.zeros(2 * _LOSS_STEPS + 1)
    np.add.at(
        cell,
        np.minimum(places, 2 * _LOSS_STEPS)[places >= 0],
        (pair.first.weights * np.exp(pair.first.log))[places >= 0],
    )
    total: Floats = np.maximum(fftconvolve(masses, cell), 0.0)
    inside = total[_LOSS_STEPS : 3 * _LOSS_STEPS + 1].copy()
    inside[-1] += total[3 * _LOSS_STEPS + 1 :].sum()
    return inside


def losses_add_up(case: LawCase) -> LawFinding:
    """Check that n uses cost exactly the sum of their losses, and that a larger sensitivity never
    costs less.
    """
    law, loss = "losses add up", case.loss
    for n in (2, 3, 10):
        total = loss
        for _ in range(n - 1):
            total = total + loss
        if n * loss != total:
            raise LawBroken(law, f"{n} * loss to be the sum of {n} losses, {total}", str(n * loss))
    smaller = loss
    for larger in (
        *(case.sensitivity.group(k) for k in (2, 3)),
        case.sensitivity.group(3) + case.sensitivity,
    ):
        now = case.cost(larger)
        if (
            now.epsilon < smaller.epsilon
            or now.delta < smaller.delta
            or now.rho < smaller.rho
            or now.rho <= loss.rho < inf
        ):
            raise LawBroken(law, f"more than {smaller} for a larger sensitivity", str(now))
        smaller = now
    return LawFinding(
        law, f"{loss}; three times the sensitivity costs {case.cost(case.sensitivity.group(3))}"
    )
