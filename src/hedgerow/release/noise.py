"""The noise of one release: a mechanism for each measure, its loss, and the noisy numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from hedgerow.mechanisms.gaussian import Gaussian
from hedgerow.mechanisms.laplace import Laplace
from hedgerow.plan.contribution_limits import compute_rounding_loss
from hedgerow.plan.measures import Measure
from hedgerow.plan.nodes import Aggregate
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.values import Value
from hedgerow.privacy.gaussian_composition import bound_lone_group_deltas, compute_gaussian_loss
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.release.candidate_selection import CalibratedSelection
from hedgerow.release.group_selection import Threshold

__all__ = [
    "AdditiveNoise",
    "CentredCounts",
    "CountingStep",
    "NoiseMechanism",
    "ReleaseCells",
    "ReleaseNoise",
    "list_counting_steps",
]

AdditiveNoise = Laplace | Gaussian
NoiseMechanism = AdditiveNoise | CalibratedSelection


class ReleaseCells(Protocol):
    """The exact result of a plan: a column for each key, a column of whole numbers for each number
    of each measure, and a column of sorted samples for each order statistic.
    """

    @property
    def keys(self) -> Sequence[Sequence[Value]]: ...
    @property
    def numbers(self) -> Sequence[Any]: ...


@dataclass(frozen=True, slots=True)
class CentredCounts:
    """Counts measured from the middle of their range.

    Where one unit adds between 0 and b to a number x, noise is added to 2 x - b p instead of x; p
    is the count of units, the measure at ``units``. ``bounds`` holds the index and the b of each
    such measure.

    A unit in a group moves 2 x - b p by 2 x - b, at most b either way, just as it moves x. Since x
    = (2 x - b p + b p)/2, all of these counts share the noise of p, and their own noise is halved
    (Lebeda, SOSA 2025). This holds for add-remove neighbours, not for change-one.
    """

    units: int
    bounds: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class CountingStep:
    """The unit in which the numbers of a measure are counted: each step has ``parts_per_step``
    parts, and a number lacks at most ``lost_parts`` of them.
    """

    parts_per_step: int = 1
    lost_parts: int = 0


@dataclass(frozen=True, slots=True)
class ReleaseNoise:
    """The mechanism of each measure, in order, and the threshold of undeclared groups.

    Gaussian measures cost their rho; with a ``gaussian_epsilon``, they cost that epsilon with its
    delta, and their rho. Without ``counting_steps`` all measures are counted in whole steps.
    """

    mechanisms: tuple[NoiseMechanism, ...]
    threshold: Threshold | None = None
    centre: CentredCounts | None = None
    gaussian_epsilon: Fraction | None = None
    counting_steps: tuple[CountingStep, ...] = ()

    def loss(self, sensitivities: Sequence[Sensitivity]) -> Loss:
        """Return the loss of one release, given the sensitivity of each measure."""
        pairs = list(zip(self.mechanisms, sensitivities, strict=True))
        gaussian = [one.cells(moved) for one, moved in pairs if isinstance(one, Gaussian)]
        others = [
            one.loss() if isinstance(one, CalibratedSelection) else one.loss(moved)
            for one, moved in pairs
            if not isinstance(one, Gaussian)
        ]
        rest, threshold = sum(others, Loss(Fraction(0))), self.threshold
        total = rest + compute_gaussian_loss(gaussian, self.gaussian_epsilon) if gaussian else rest
        if threshold is None:
            return total
        if self.gaussian_epsilon is None or not gaussian or threshold.truncation is not None:
            return Loss(total.epsilon, total.delta + threshold.delta, total.rho)
        touched = sensitivities[threshold.measure_index].l0
        alone = bound_lone_group_deltas(gaussian, self.gaussian_epsilon, threshold.groups, touched)
        worst = max(delta + threshold.delta * j / threshold.groups for j, delta in alone)
        return Loss(total.epsilon, rest.delta + worst, total.rho)

    def sample(
        self, cells: ReleaseCells, measures: Sequence[Measure | OrderStatistic]
    ) -> tuple[list[tuple[Value, ...]], list[list[int | None]]]:
        """Return the published keys, in the order of the source, and their noisy numbers.

        Every number has noise of its own. Order statistics are computed in published groups only.
        """
        widths = [1 if isinstance(one, OrderStatistic) else one.width for one in measures]
        starts = [sum(widths[:index]) for index in range(len(measures))]
        keys, threshold = list_keys(cells), self.threshold
        shown, decided = list(range(len(keys))), list[int]()
        if threshold is not None:
            counts = _add_noise(
                self.mechanisms[threshold.measure_index],
                cells.numbers[starts[threshold.measure_index]],
                threshold.truncation,
            )
            shown = [place for place, count in enumerate(counts) if threshold.admits(count)]
            decided = [counts[place] for place in shown]
        noisy: list[list[int | None]] = []
        for index, (mechanism, measure) in enumerate(zip(self.mechanisms, measures, strict=True)):
            if threshold is not None and index == threshold.measure_index:
                noisy.append(list(decided))
            else:
                columns = self._centre_columns(index, starts, cells)
                noisy.extend(_release_measure(mechanism, measure, columns, shown))
        return [keys[place] for place in shown], noisy

    def _centre_columns(
        self, index: int, starts: Sequence[int], cells: ReleaseCells
    ) -> Sequence[Any]:
        """Return the columns from those of a measure on, the first one centred if it should be."""
        columns = cells.numbers[starts[index] :]
        bound = None if self.centre is None else dict(self.centre.bounds).get(index)
        if self.centre is None or bound is None:
            return columns
        # Python integers: a product beyond 64 bits would wrap round, farther than any noise hides.
        units = cells.numbers[starts[self.centre.units]].astype(object)
        return [2 * columns[0].astype(object) - bound * units]


def list_keys(cells: ReleaseCells) -> list[tuple[Value, ...]]:
    """Return the key of each group; a plan without keys has one group with an empty key."""
    return list(zip(*cells.keys, strict=True)) if cells.keys else [()]


def list_counting_steps(plan: Aggregate) -> tuple[CountingStep, ...]:
    """Return the counting step of each measure, or nothing if all count whole steps."""
    steps = tuple(
        CountingStep(getattr(measure, "resolution", 1), lost)
        for measure, lost in zip(plan.measures, compute_rounding_loss(plan), strict=True)
    )
    return steps if any(step != CountingStep() for step in steps) else ()


def _release_measure(
    mechanism: NoiseMechanism,
    measure: Measure | OrderStatistic,
    columns: Sequence[Any],
    shown: Sequence[int],
) -> list[list[int | None]]:
    """Return the noisy numbers of a measure in the published groups."""
    if isinstance(mechanism, CalibratedSelection):
        chosen = [mechanism.sample(columns[0][place]) for place in shown]
        return [[values[i] for values in chosen] for i in range(mechanism.values_per_group)]
    return [list(_add_noise(mechanism, columns[i][list(shown)])) for i in range(measure.width)]


def _add_noise(mechanism: NoiseMechanism, exact: Any, truncation: int | None = None) -> list[int]:
    """Add independent noise to each number, and draw again where it exceeds the truncation.

    How often noise is drawn does not depend on the numbers.
    """
    # `release` has checked that selections stand at order statistics, and nowhere else.
    assert not isinstance(mechanism, CalibratedSelection)
    if len(exact) == 0:
        return []
    noisy = (
        [mechanism.sample(int(number)) for number in exact]  # Python integers, beyond 64 bits
        if exact.dtype == np.object_
        else mechanism.sample(exact).tolist()
    )
    if truncation is not None:
        differences = zip(noisy, exact.tolist(), strict=True)
        far = [place for place, (a, b) in enumerate(differences) if abs(a - b) > truncation]
        for place, redrawn in zip(far, _add_noise(mechanism, exact[far], truncation), strict=True):
            noisy[place] = redrawn
    return noisy
