"""Which protocol, and how many clients: decided from public numbers, before anything is collected.

A value is *seen* when it passes the family-wise test among all values of the domain. How many clients that takes, and which share so many
clients can show, follow from the exact variance of the protocol by the normal law.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from math import ceil, exp, sqrt

from scipy.special import ndtri

from hedgerow.errors import InvalidArgument, Unsupported
from hedgerow.local.protocols import Duchi, Hadamard, Hybrid, KAry, LongitudinalUnary, Piecewise, Projective, Protocol, Unary
from hedgerow.local.thresholds import check_domain, check_whole, wished
from hedgerow.numeric.number import Number, probability

__all__ = ["Choice", "choose", "choose_mean", "clients_needed", "detectable_frequency"]

_AS_GOOD = 1.05  # variances this close are as good as each other: then bytes decide
_REPORT = 4096  # bytes that a client will send without being asked
_MOST_CLIENTS = 1 << 62


@dataclass(frozen=True, slots=True)
class Choice:
    """A protocol, and why it."""

    scheme: Protocol
    reason: str


def choose(
    *, domain: int, epsilon: Number, report_bytes: int | None = None, repeats: bool = False, lifetime: Number | None = None
) -> Choice:
    """The protocol for counting values: with ``repeats`` clients report again and again, at most ``lifetime`` in all for each value."""
    size, limit = check_domain(domain), wished(epsilon)
    room = _REPORT if report_bytes is None else check_whole(report_bytes, "report_bytes", 1, 1 << 30)
    if repeats:
        return _memoised(size, epsilon, 2 * limit if lifetime is None else lifetime, room)
    if lifetime is not None:
        raise InvalidArgument("lifetime", "is for repeated reports; say repeats=True", lifetime)
    if size < 3 * exp(float(limit)) + 2:
        reason = "few values: below 3 e^epsilon + 2 of them this is more accurate than a bit for each, and the simplest client"
        return _fitting([KAry.calibrate(domain=size, epsilon=epsilon)], room, reason)
    hadamard = Hadamard.calibrate(domain=size, epsilon=epsilon)
    schemes: list[Protocol] = [Unary.optimised(domain=size, epsilon=epsilon), hadamard]
    with suppress(InvalidArgument):  # a domain beyond its tables
        projective = Projective.calibrate(domain=size, epsilon=epsilon)
        if projective.field > 2 or hadamard.record > room:  # over two elements it is as accurate as Hadamard's, and more work
            schemes.append(projective)
    return _fitting(schemes, room, "many values: the smallest report within 5 % of the least variance")


def choose_mean(*, domain: int, epsilon: Number) -> Choice:
    """The protocol for a mean with the least variance in the worst case."""
    schemes = [kind.calibrate(domain=domain, epsilon=epsilon) for kind in (Duchi, Piecewise, Hybrid)]
    return Choice(min(schemes, key=lambda scheme: max(scheme.variance(x, 1) for x in (0.0, 0.5, 1.0))), "least variance in the worst case")


def clients_needed(scheme: Protocol, frequency: Number, *, level: Number = 0.05, power: Number = 0.9) -> int:
    """How many clients show a value that a share ``frequency`` of them holds, with probability ``power``."""
    share = float(probability(frequency, "frequency"))
    far, near = _quantiles(scheme, level, power)
    clients = ((far * sqrt(scheme.variance(0.0, 1)) + near * sqrt(scheme.variance(share, 1))) / share) ** 2
    if clients > _MOST_CLIENTS:
        raise InvalidArgument("frequency", "is too small: no number of clients would do", frequency)
    return max(1, ceil(clients))


def detectable_frequency(scheme: Protocol, clients: int, *, level: Number = 0.05, power: Number = 0.9) -> float:
    """The smallest share that so many clients show with probability ``power``; infinite where not even everybody's value would be seen."""
    n = check_whole(clients, "clients", 1, _MOST_CLIENTS)
    far, near = _quantiles(scheme, level, power)

    def seen(share: float) -> bool:
        return n * share >= far * sqrt(scheme.variance(0.0, n)) + near * sqrt(scheme.variance(share, n))

    if not seen(1.0):
        return float("inf")
    low, high = 0.0, 1.0
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if seen(middle) else (middle, high)
    return high


def _quantiles(scheme: Protocol, level: Number, power: Number) -> tuple[float, float]:
    if isinstance(scheme, (Duchi, Piecewise, Hybrid)):
        raise InvalidArgument("scheme", "must count values; a mean has its variance", scheme.name)
    alarm, chance = float(probability(level, "level")) / scheme.domain, float(probability(power, "power"))
    return float(-ndtri(alarm)), float(ndtri(chance))


def _memoised(domain: int, epsilon: Number, lifetime: Number, room: int) -> Choice:
    reason = "repeated reports: a remembered answer for each value bounds what all of them give away"
    return _fitting([LongitudinalUnary.calibrate(domain=domain, epsilon=epsilon, lifetime=lifetime)], room, reason)


def _fitting(schemes: list[Protocol], room: int, reason: str) -> Choice:
    fitting = [scheme for scheme in schemes if scheme.record <= room]
    if not fitting:
        least = min(scheme.record for scheme in schemes)
        raise Unsupported(f"no protocol has reports of {room} bytes here; allow {least}, or group the values.")
    best = min(scheme.variance(0.0, 1) for scheme in fitting)
    good = [scheme for scheme in fitting if scheme.variance(0.0, 1) <= _AS_GOOD * best]
    return Choice(min(good, key=lambda scheme: (scheme.record, scheme.variance(0.0, 1))), reason)
