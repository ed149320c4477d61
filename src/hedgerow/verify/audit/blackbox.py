"""The black-box auditor: a lower bound on the privacy loss of a mechanism, from its outputs alone.

**Statement.** Let ``audit(mechanism, one, other, ...)`` return epsilon e > 0 at confidence c and
delta d. If independent runs of the mechanism on the neighbouring data sets ``one`` and ``other``
satisfy (e', d)-differential privacy, then e <= e' with probability at least c. A claim below e is
thus refuted, up to an error probability of 1 - c. The converse does not hold: an audit shows a
loss, never its absence. It misses leaks through events rarer than about one in ``samples``, and
through data sets that were not tried.

**Method.** A tenth of the runs trains scores (``learned_scores``: values, bit patterns of doubles,
likelihood ratios, a logistic combination). A quarter chooses one event, one direction and one rule:
those with the largest certified bound there. The rest, fresh runs whose data set is decided by a
fair coin each, count that event.

**Proof.** Given the first two parts, event, direction and rule are fixed, and the rest is
independent of them; so the bound of ``confidence`` on the counts of the rest holds with probability
at least c, whatever was chosen and however many events were tried. An event that the caller fixes
in advance needs no choice: then all runs count it.

**Source.** Ding et al. (CCS 2018), Bichsel et al. (S&P 2021) for choosing on one part and
certifying on another; here the threshold maximises the exact bound itself, which needs far fewer
runs than a fixed small probability.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.bits import draw_integer
from hedgerow.numeric.exact_number import parse_exact
from hedgerow.verify.audit.cdf_ratio_plot import draw_cdf_ratio
from hedgerow.verify.audit.confidence import (
    SPLIT_SHARES,
    Floats,
    HitCount,
    parse_confidence,
    parse_delta,
    parse_integer,
)
from hedgerow.verify.audit.event_selection import AuditEvent, choose_event
from hedgerow.verify.audit.features import Coordinate, Feature, GivenEvent
from hedgerow.verify.audit.learned_scores import learn_scores
from hedgerow.verify.audit.outputs import Outputs, RawOutputs, read_outputs

__all__ = ["Audit", "EventCounts", "Progress", "audit"]

MIN_SAMPLES = 100
_LEARNING_DIVISOR, _CHOICE_DIVISOR = 10, 4  # a tenth of the runs trains, a quarter chooses
# The choice uses a stricter level, since the best of many events looks better than it is, rare ones
# most of all.
_SELECTION_CORRECTION = 300
_CHUNK_RUNS = 8192  # runs between two reports of progress

Progress = Callable[[int, int], None]


class EventCounts(NamedTuple):
    """The counts of the event on both data sets, over the certifying runs."""

    one: HitCount
    other: HitCount


@dataclass(frozen=True)
class Audit:
    """The result of an audit.

    ``epsilon`` is the certified lower bound (0.0 if nothing was found) at ``delta``, with
    probability ``confidence``; ``event`` describes the event that shows it; ``direction`` is the
    data set on which the event is likelier; ``counts`` has its frequencies on the certifying runs;
    ``samples`` is the requested number of runs on each data set.
    """

    epsilon: float
    delta: float
    confidence: float
    event: str
    direction: str
    counts: EventCounts
    samples: int
    curves: tuple[Floats, Floats] = field(repr=False, compare=False)

    def refutes(self, epsilon: float) -> bool:
        """Return whether this audit shows, at its confidence, that the mechanism is not (epsilon,
        delta)-DP.
        """
        return self.epsilon > parse_exact(epsilon, "epsilon")

    def plot(self, epsilon: float | None = None) -> str:
        """Return a text plot of F_one(t) / F_other(t) on a log scale against t, with the band of
        ±epsilon (by default the certified one).
        """
        return draw_cdf_ratio(
            *self.curves,
            self.epsilon if epsilon is None else float(parse_exact(epsilon, "epsilon")),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, for JSON."""
        counts = {name: count._asdict() for name, count in self.counts._asdict().items()}
        plain = {
            name: getattr(self, name)
            for name in ("epsilon", "delta", "confidence", "event", "direction", "samples")
        }
        return plain | {"counts": counts}

    def __str__(self) -> str:
        found = f"epsilon >= {self.epsilon:.4f}" if self.epsilon > 0 else "no loss found"
        seen = ", ".join(
            f"{name} {c.hits:,} of {c.samples:,} ({c.rate:.3%})"
            for name, c in self.counts._asdict().items()
        )
        lines = [
            f"{found} at delta {self.delta:g}, confidence {self.confidence:.4g}",
            f"  event    {self.event}",
            f"  likelier on {self.direction}: {seen}",
            f"  samples  {self.samples:,} on each data set",
            "An audit shows a loss, never its absence: rarer events and other neighbours may lose"
            " more.",
        ]
        return "\n".join(lines)


def audit(
    mechanism: Callable[..., Any],
    one: Any,
    other: Any,
    samples: int = 100_000,
    confidence: float = 0.95,
    delta: float = 0.0,
    *,
    batch: bool = False,
    progress: Progress | None = None,
    event: Callable[[Any], bool] | None = None,
) -> Audit:
    """Certify a lower bound on the epsilon of ``mechanism``, from runs on the neighbouring data
    sets ``one`` and ``other``.

    ``mechanism(data)`` returns one output: a number, Boolean, text, None, array, or a tuple or
    mapping of these. With ``batch=True`` it is called as ``mechanism(data, n)`` and returns n
    independent outputs, in an array (one per row) or a list. Runs must be independent: a cached
    answer voids the certificate. ``samples`` runs are made on each data set (on average: coins
    decide). ``progress`` is called with the number of finished runs and of all runs. ``event`` is
    an event that is fixed in advance, as a function of one output, and likelier on ``one``.
    """
    if not callable(mechanism):
        raise InvalidArgument("mechanism", "must be callable")
    samples = parse_integer(samples, "samples", MIN_SAMPLES)
    error, slack = parse_confidence(confidence), parse_delta(delta)
    runs = _MechanismRuns(mechanism, batch, 2 * samples, progress)
    # Outputs may hold any double: sums of extreme ones overflow to inf, which scores order like any
    # other value.
    with np.errstate(over="ignore", invalid="ignore"):
        if event is None:
            chosen, curve = _choose_event(runs, one, other, samples, error, slack)
        else:
            chosen = AuditEvent(GivenEvent(event), 1.0, True, True, SPLIT_SHARES[-1])
            curve = chosen.score
        certifying = runs.left
        on_one = draw_integer(certifying).bit_count()  # number of heads among fair coins
        count_one, curve_one = _count_event(chosen, curve, runs.iterate_chunks(one, on_one))
        count_other, curve_other = _count_event(
            chosen, curve, runs.iterate_chunks(other, certifying - on_one)
        )
    return Audit(
        epsilon=max(0.0, chosen.bound(count_one, count_other, error, slack)),
        delta=slack,
        confidence=float(confidence),
        event=chosen.description,
        direction="one" if chosen.is_likelier_on_one else "other",
        counts=EventCounts(count_one, count_other),
        samples=samples,
        curves=(curve_one, curve_other),
    )


def _choose_event(
    runs: _MechanismRuns, one: Any, other: Any, samples: int, error: float, delta: float
) -> tuple[AuditEvent, Feature]:
    """Choose the event to certify, and what the plot shows, from runs of their own."""
    training, choosing = samples // _LEARNING_DIVISOR, samples // _CHOICE_DIVISOR
    first = runs.collect(one, training), runs.collect(other, training)
    scores = learn_scores(*first)
    second = runs.collect(one, choosing), runs.collect(other, choosing)
    event = choose_event(scores, *second, error / _SELECTION_CORRECTION, delta)
    return event, _choose_plot_feature(event, *first)


class _MechanismRuns:
    """The runs of the mechanism, in chunks."""

    def __init__(
        self, mechanism: Callable[..., Any], batch: bool, total: int, progress: Progress | None
    ) -> None:
        self._mechanism, self._batch = mechanism, batch
        self._done, self._total, self._progress = 0, total, progress

    @property
    def left(self) -> int:
        """The number of runs that have not been made."""
        return self._total - self._done

    def iterate_chunks(self, data: Any, count: int) -> Iterator[RawOutputs]:
        for start in range(0, count, _CHUNK_RUNS):
            size = min(_CHUNK_RUNS, count - start)
            yield self._run(data, size)
            self._done += size
            if self._progress:
                self._progress(self._done, self._total)

    def collect(self, data: Any, count: int) -> Outputs:
        chunks = list(self.iterate_chunks(data, count))
        arrays = [chunk for chunk in chunks if isinstance(chunk, np.ndarray)]
        if len(arrays) == len(chunks) and len({array.shape[1:] for array in arrays}) == 1:
            return read_outputs(np.concatenate(arrays))
        return read_outputs([output for chunk in chunks for output in chunk])

    def _run(self, data: Any, size: int) -> RawOutputs:
        if not self._batch:
            return [self._mechanism(data) for _ in range(size)]
        outputs: Any = self._mechanism(data, size)
        countable = (
            outputs.ndim > 0 if isinstance(outputs, np.ndarray) else isinstance(outputs, list)
        )
        if not countable or len(outputs) != size:
            raise InvalidArgument(
                "mechanism",
                "must return an array or a list of n outputs for mechanism(data, n) under batch",
            )
        return cast(RawOutputs, outputs)


def _count_event(
    event: AuditEvent, curve: Feature, chunks: Iterator[RawOutputs]
) -> tuple[HitCount, Floats]:
    """Count the event, and keep the values that the plot shows."""
    hits, kept = 0, [np.empty(0)]
    for chunk in chunks:
        outputs = read_outputs(chunk)
        hits += int(event.holds(outputs).sum())
        kept.append(curve.compute(outputs))
    values = np.concatenate(kept)
    return HitCount(hits, len(values)), values


def _choose_plot_feature(event: AuditEvent, *seen: Outputs) -> Feature:
    """Return the output itself if it is one number, and otherwise the score of the event."""
    single = all(outputs.width == 1 and not np.isnan(outputs.numbers).any() for outputs in seen)
    return Coordinate(0, "output") if single else event.score
