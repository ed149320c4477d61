"""The stability histogram: counts of keys that are not declared, published where enough units share
them.

Statement
    Add discrete Laplace noise to the count of every key in the data, and publish key and noisy
    count where the sum reaches the threshold. The noise may be truncated (``cut``) just below it:
    redrawn while |Z| > k, k = threshold - 1. One unit is in at most ``max_keys`` counts, l0, and
    contributes at most ``per_key``, m, to each. With the scale l0 m/epsilon under add-remove, twice
    that under change-one, and the threshold of ``calibrate``, this is (epsilon, delta)-DP.

Symbols
    | symbol | meaning |
    |---|---|
    | l0, m | ``max_keys`` and ``per_key`` |
    | h | the keys that one unit moves: l0, or 2 l0 under change-one |
    | g | the number of units in a group |
    | k | threshold - 1, where truncated noise ends |
    | q | e^(-1/scale) |
    | c(s) | Pr[Z > k - s], the mass of the s largest values of truncated noise |

Proof
    Call a key *lone* if only one of two neighbours has it: at most l0 on either side, each with a
    count of at most m. The noise of the other keys is independent of theirs. There the counts move
    by at most m in h keys (under change-one one unit goes and another comes), which is epsilon-DP.
    Some lone key is published with probability at most l0 Pr[m + Z >= threshold] <= delta, on
    either side: remove that part from both, and the common keys are the good pair of ``Loss``, with
    the epsilon and the rho of the noise. A ``group`` of g units moves g times as much. Its lone
    keys may be g l0 with m in each, or fewer with more: a key that a of them share has weight f(a)
    ~ e^(a m/scale) and uses a of g l0 shares, and f(a)/a is largest at a = 1 or g: delta is max(g
    l0 f(1), l0 f(g)).

    Truncated noise: where a key has n in one data set and n + s in the other, 0 < s <= k, let E be
    the event that its noisy count lies where both can be, in n + s - k … n + k. Either misses E
    with probability c(s), by its s lowest or its s highest values. On E the masses are within
    e^(s/scale) of each other, as both are divided by the same number, and E is equally likely in
    both: given E, they have the epsilon of the noise, and its rho (docs/decisions/0013). A lone
    key, n = 0, is published with probability Pr[s + Z > k] = c(s). Keys are independent: except for
    the sum of c(s) over all keys that move, either data set gives the good pair. A group moves a
    key by at most g m, and all keys together by g h m. c(s) is q^(k+1) (q^-s - 1) times a constant:
    convex, and 0 at 0. So h moves by g m are the worst: delta is h c(g m).

Accuracy
    ``publish_probability(count)`` is exact. ``error(beta)`` is the radius that the noise of a count
    exceeds with probability at most beta, published or not; given that a small count is published,
    its noise was large. Truncation lowers the threshold by about scale ln(scale/m): from 133 to 110
    at epsilon 0.1 and delta 10^-6. Where it would not, noise is not truncated.

Arithmetic
    Whole counts, exact noise, and the smallest threshold that the discrete tail allows.

Edges
    Counts of 0 and less are refused: an empty key in the list would be a key that the data do not
    have. The contribution of one unit must be *bounded before*. Published keys are sorted (numbers,
    text, bytes, dates, None, tuples of these), since the order of the data would reveal who came
    first; 1, 1.0 and True are one key, so write keys consistently. The running time reveals the
    number of keys. A truncation far below the scale is refused: nearly every draw would be
    rejected.

Source
    Korolova, Kenthapadi, Mishra, Ntoulas (WWW 2009); Bun, Nissim, Stemmer (ITCS 2016); Vadhan
    (2017), section 3.3. Truncated noise: Desfontaines, Voss, Gipson, Mandayam (PoPETs 2022), for
    one count that moves by one.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import (
    Number,
    parse_delta,
    parse_epsilon,
    parse_positive,
    parse_probability,
    parse_whole,
)
from hedgerow.numeric.private_integers import parse_private_whole
from hedgerow.numeric.samplers.laplace_sampler import discrete_laplace
from hedgerow.numeric.samplers.truncated_laplace_sampler import (
    truncated_laplace,
    truncated_laplace_radius,
    truncated_laplace_tail,
)
from hedgerow.numeric.tails.laplace import (
    laplace_radius,
    laplace_tail,
    laplace_tail_double,
    laplace_threshold,
    laplace_truncation,
    truncated_end_mass,
)
from hedgerow.numeric.vectorised import check_scale
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.privacy.zcdp import compute_laplace_rho
from hedgerow.sensitivity.sample import check_relation

__all__ = ["StabilityHistogram"]


@dataclass(frozen=True, slots=True)
class StabilityHistogram:
    """A histogram of noisy counts of at least ``threshold``; usually made by ``calibrate``.

    With ``cut`` the noise is truncated below the threshold.
    """

    shape: ClassVar[str] = "tested"
    scale: Fraction
    threshold: int
    neighbours: str
    max_keys: int = 1
    per_key: int = 1
    cut: bool = False

    def __init__(
        self,
        scale: Number,
        threshold: int,
        neighbours: str,
        max_keys: int = 1,
        per_key: int = 1,
        cut: bool = False,
    ) -> None:
        object.__setattr__(self, "scale", check_scale(parse_positive(scale, "scale")))
        sizes = {"threshold": threshold, "max_keys": max_keys, "per_key": per_key}
        for name, number in sizes.items():
            object.__setattr__(self, name, parse_whole(number, name))
        object.__setattr__(self, "neighbours", check_relation(neighbours))
        object.__setattr__(self, "cut", cut)
        if type(cut) is not bool or (cut and 4 * (self.threshold - 1) < self.scale):
            raise InvalidArgument(
                "cut",
                "must be True or False, and False unless the threshold is above a quarter of the"
                " scale",
                cut,
            )

    @classmethod
    def calibrate(
        cls,
        *,
        epsilon: Number,
        delta: Number,
        neighbours: str,
        max_keys: int = 1,
        per_key: int = 1,
        group: int = 1,
    ) -> StabilityHistogram:
        """Return the least noise and the lowest threshold for ``epsilon`` and ``delta``.

        Both bound the loss towards a group of this many units.
        """
        total, limit, k = parse_epsilon(epsilon), parse_delta(delta), parse_whole(group, "group")
        plain = cls(Fraction(1), 1, neighbours, max_keys, per_key)
        keys, m = plain.max_keys, plain.per_key
        scale = check_scale(plain._sensitivity(k).l1 / total)
        alone = m + laplace_threshold(scale, limit / (k * keys))
        uncut = max(alone, k * m + laplace_threshold(scale, limit / keys))
        cut = laplace_truncation(scale, k * m, limit / plain._sensitivity(1).l0) + 1
        return cls(scale, min(uncut, cut), neighbours, keys, m, cut < uncut)

    def _sensitivity(self, group: int) -> Sensitivity:
        keys = self.max_keys * (2 if self.neighbours == "change-one" else 1)
        return Sensitivity.each(keys, self.per_key).group(group)

    def loss(self, group: int = 1) -> Loss:
        """Return the loss of one histogram towards a group of this many units."""
        k, moved = parse_whole(group, "group"), self._sensitivity(group)
        delta = self._compute_delta(k) if self.threshold > k * self.per_key else Fraction(1)
        rho = compute_laplace_rho(1 / self.scale, moved)
        return Loss(moved.l1 / self.scale, min(delta, Fraction(1)), rho)

    def _compute_delta(self, group: int) -> Fraction:
        if self.cut:
            return self._sensitivity(1).l0 * truncated_end_mass(
                self.scale, self.threshold - 1, group * self.per_key
            )
        alone, together = (
            laplace_tail(self.scale, self.threshold - n * self.per_key) for n in (1, group)
        )
        return self.max_keys * max(group * alone, together)

    def sample(self, counts: Mapping[Any, Any]) -> dict[Any, int]:
        """Return the published keys, sorted, with their noisy counts."""
        if not isinstance(counts, Mapping):
            raise InvalidArgument("counts", "must be a mapping from keys to counts")
        sort_keys = {key: _sort_key(key) for key in counts}
        exact = [
            parse_private_whole(count, "counts", 1, "must be whole numbers of at least 1")
            for count in counts.values()
        ]
        noise = (
            truncated_laplace(self.scale, self.threshold - 1, len(exact))
            if self.cut
            else discrete_laplace(self.scale, len(exact))
        )
        noisy = dict(zip(sort_keys, map(int.__add__, exact, noise.tolist()), strict=True))
        published = [key for key in noisy if noisy[key] >= self.threshold]
        return {key: noisy[key] for key in sorted(published, key=sort_keys.__getitem__)}

    def publish_probability(self, count: Any) -> float:
        """Return the probability that a key with this count is published."""
        above = self.threshold - parse_private_whole(
            count, "count", 1, "must be a whole number of at least 1"
        )
        return (
            truncated_laplace_tail(self.scale, self.threshold - 1, above)
            if self.cut
            else laplace_tail_double(self.scale, above)
        )

    def error(self, beta: Number) -> int:
        """Return the smallest radius that noise exceeds with probability at most ``beta``."""
        level = parse_probability(beta, "beta")
        return (
            truncated_laplace_radius(self.scale, self.threshold - 1, level)
            if self.cut
            else laplace_radius(self.scale, level)
        )


def _sort_key(key: Hashable) -> tuple[str, Any]:
    """Return a sort key that orders keys of all supported types; refuse other types."""
    if isinstance(key, tuple):
        return "tuple", tuple(_sort_key(part) for part in key)
    if isinstance(key, (int, float, np.integer, np.floating, np.bool_)) and key == key:
        return "number", key
    if isinstance(key, (str, bytes)):
        return ("text" if isinstance(key, str) else "bytes"), key
    if key is None or isinstance(key, date):
        return ("date", key.isoformat()) if key else ("none", "")
    raise InvalidArgument(
        "counts", "must have numbers, text, bytes, dates, None or tuples of these as keys"
    )
