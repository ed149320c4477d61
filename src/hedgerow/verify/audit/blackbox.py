"""The black-box auditor: how much privacy a mechanism loses at least, measured from its outputs
alone.

**Statement.** Let ``audit(mechanism, one, other, ...)`` return epsilon e > 0 at confidence c and
delta d. If independent runs of the mechanism on the neighbouring data sets ``one`` and ``other``
satisfy (e', d)-differential privacy, then e <= e' with probability at least c. So a claim below e
is refuted, up to a chance of 1 - c. The converse does not hold: an audit shows a loss, never its
absence. A leak through events rarer than about one in ``samples``, or through a pair of data sets
not tried, stays unseen.

**Method.** A tenth of the runs teaches scores (``scores.py``: values, bit patterns of doubles,
likelihood ratios, a logistic blend). A quarter chooses one event, one direction and one rule: those
with the largest certified bound there. The rest, fresh runs whose data set is decided by a fair
coin each, count that event.

**Proof.** Given the first two parts, event, direction and rule are fixed, and the rest is
independent of them; so the bound of ``confidence.py`` on the counts of the rest holds with
probability at least c, whatever was chosen and however many events were tried.

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
    Floats,
    HitCount,
    parse_confidence,
    parse_delta,
    parse_whole,
)
from hedgerow.verify.audit.event_selection import AuditEvent, choose_event
from hedgerow.verify.audit.features import Coordinate, Feature
from hedgerow.verify.audit.learned_scores import learn_scores
from hedgerow.verify.audit.outputs import Outputs, RawOutputs, read_outputs

__all__ = ["Audit", "EventCounts", "Progress", "audit"]

MIN_SAMPLES = 100
_LEARNING_DIVISOR, _CHOICE_DIVISOR = 10, 4  # one run in so many teaches, one in so many chooses
# the level of the choice is stricter by this: the best of many events looks better than it is, a
# rare one most of all
_SELECTION_CORRECTION = 300
_CHUNK_RUNS = 8192  # runs between two reports of progress

Progress = Callable[[int, int], None]


class EventCounts(NamedTuple):
    """The event on either data set, counted on the certifying runs."""

    one: HitCount
    other: HitCount


@dataclass(frozen=True)
class Audit:
    """What an audit found.

    ``epsilon`` is the certified lower bound (0.0: nothing found) at ``delta``, with probability
    ``confidence``; ``event`` the event that shows it, in words; ``direction`` the side on which it
    is likelier; ``counts`` how often it was seen on the certifying runs; ``samples`` the runs asked
    for on each data set.
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
        """Whether this audit shows that the mechanism is not (epsilon, delta)-DP, at its
        confidence.
        """
        return self.epsilon > parse_exact(epsilon, "epsilon")

    def plot(self, epsilon: float | None = None) -> str:
        """F_one(t) / F_other(t) on a log scale against t, and the band of ±epsilon (by default
        the certified one), as text.
        """
        return draw_cdf_ratio(
            *self.curves,
            self.epsilon if epsilon is None else float(parse_exact(epsilon, "epsilon")),
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
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
            (
                "An audit shows a loss, never its absence: rarer events and other neighbours may"
                " lose more."
            ),
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
) -> Audit:
    """A certified lower bound on the epsilon of ``mechanism``, from runs on the neighbouring data
    sets ``one`` and ``other``.

    ``mechanism(data)`` returns one output: a number, truth value, text, None, array, or a tuple or
    mapping of those. With ``batch=True`` it is called as ``mechanism(data, n)`` and returns n
    independent outputs, in an array (one per row) or a list. Runs must be independent: an answer
    that is remembered and given again voids the certificate. ``samples`` runs are made on each data
    set (on average: coins decide). ``progress`` is called with the runs done and the runs in all.
    """
    if not callable(mechanism):
        raise InvalidArgument("mechanism", "must be callable")
    samples = parse_whole(samples, "samples", MIN_SAMPLES)
    error, slack = parse_confidence(confidence), parse_delta(delta)
    runs = _MechanismRuns(mechanism, batch, 2 * samples, progress)
    taught, chosen = samples // _LEARNING_DIVISOR, samples // _CHOICE_DIVISOR
    certifying = 2 * (samples - taught - chosen)
    # Outputs may hold any double: sums and spreads of the wildest overflow to inf, which scores
    # order like any other value.
    with np.errstate(over="ignore", invalid="ignore"):
        first = runs.collect(one, taught), runs.collect(other, taught)
        event = choose_event(
            learn_scores(*first),
            runs.collect(one, chosen),
            runs.collect(other, chosen),
            error / _SELECTION_CORRECTION,
            slack,
        )
        curve = _choose_plot_feature(event, *first)
        on_one = draw_integer(certifying).bit_count()  # heads of so many fair coins
        count_one, curve_one = _count_event(event, curve, runs.iterate_chunks(one, on_one))
        count_other, curve_other = _count_event(
            event, curve, runs.iterate_chunks(other, certifying - on_one)
        )
    return Audit(
        epsilon=max(0.0, event.bound(count_one, count_other, error, slack)),
        delta=slack,
        confidence=float(confidence),
        event=event.description,
        direction="one" if event.is_likelier_on_one else "other",
        counts=EventCounts(count_one, count_other),
        samples=samples,
        curves=(curve_one, curve_other),
    )


class _MechanismRuns:
    """Runs of the mechanism, in chunks."""

    def __init__(
        self, mechanism: Callable[..., Any], batch: bool, total: int, progress: Progress | None
    ) -> None:
        self._mechanism, self._batch = mechanism, batch
        self._done, self._total, self._progress = 0, total, progress

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
                "must return an array or a list of as many outputs as it is asked for when batch"
                " is set",
            )
        return cast(RawOutputs, outputs)


def _count_event(
    event: AuditEvent, curve: Feature, chunks: Iterator[RawOutputs]
) -> tuple[HitCount, Floats]:
    """Count the event, and keep the column that the picture shows."""
    hits, kept = 0, [np.empty(0)]
    for chunk in chunks:
        outputs = read_outputs(chunk)
        hits += int(event.holds(outputs).sum())
        kept.append(curve.compute(outputs))
    values = np.concatenate(kept)
    return HitCount(hits, len(values)), values


def _choose_plot_feature(event: AuditEvent, *seen: Outputs) -> Feature:
    """The output itself where it is one number, else the score behind the event: either way a
    half-line is an event.
    """
    single = all(outputs.width == 1 and not np.isnan(outputs.numbers).any() for outputs in seen)
    return Coordinate(0, "output") if single else event.score
