"""The choice of a protocol and of the number of clients, from public numbers before collection.

A value is *detected* if it passes the family-wise test among all values of the domain. The clients
needed for a share, and the share detectable with a number of clients, follow from the protocol's
exact variance and a normal approximation.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from math import ceil, exp, sqrt

from scipy.special import ndtri

from hedgerow.errors import InvalidArgument, Unsupported
from hedgerow.local.fixed_point import check_domain, check_epsilon, check_integer
from hedgerow.local.protocols import (
    MEAN_PROTOCOLS,
    Hadamard,
    KAry,
    LocalProtocol,
    LongitudinalUnary,
    Projective,
    Unary,
)
from hedgerow.local.protocols.pure_frequency import MAX_CLIENTS
from hedgerow.numeric.exact_number import Number, parse_probability

__all__ = [
    "ProtocolChoice",
    "choose_mean_protocol",
    "choose_protocol",
    "clients_needed",
    "detectable_frequency",
]

_VARIANCE_TOLERANCE = 1.05  # variances within this factor count as equal; then report size decides
_DEFAULT_REPORT_BYTES = 4096  # the largest report unless the caller says otherwise


@dataclass(frozen=True, slots=True)
class ProtocolChoice:
    """A protocol, and the reason for choosing it."""

    scheme: LocalProtocol
    reason: str


def choose_protocol(
    *,
    domain: int,
    epsilon: Number,
    report_bytes: int | None = None,
    repeats: bool = False,
    lifetime: Number | None = None,
) -> ProtocolChoice:
    """Choose the protocol for counting values.

    With ``repeats``, clients report repeatedly and lose at most ``lifetime`` for each value.
    """
    size, limit = check_domain(domain), check_epsilon(epsilon)
    room = (
        _DEFAULT_REPORT_BYTES
        if report_bytes is None
        else check_integer(report_bytes, "report_bytes", 1, 1 << 30)
    )
    if repeats:
        total = 2 * limit if lifetime is None else lifetime
        return _choose_smallest(
            [LongitudinalUnary.calibrate(domain=size, epsilon=epsilon, lifetime=total)],
            room,
            "repeated reports: a remembered answer for each value bounds the loss of all its"
            " reports",
        )
    if lifetime is not None:
        raise InvalidArgument("lifetime", "is for repeated reports; pass repeats=True", lifetime)
    if size < 3 * exp(float(limit)) + 2:
        return _choose_smallest(
            [KAry.calibrate(domain=size, epsilon=epsilon)],
            room,
            "few values: with fewer than 3 e^epsilon + 2 values it is more accurate than one bit"
            " for each, and the client is the simplest",
        )
    hadamard = Hadamard.calibrate(domain=size, epsilon=epsilon)
    schemes: list[LocalProtocol] = [Unary.optimised(domain=size, epsilon=epsilon), hadamard]
    with suppress(InvalidArgument):  # the domain may exceed its tables
        projective = Projective.calibrate(domain=size, epsilon=epsilon)
        # With a field of two elements it is as accurate as Hadamard response, but slower.
        if projective.field > 2 or hadamard.record_size > room:
            schemes.append(projective)
    return _choose_smallest(
        schemes, room, "many values: the smallest report within 5 % of the least variance"
    )


def choose_mean_protocol(*, domain: int, epsilon: Number) -> ProtocolChoice:
    """Choose the protocol for a mean with the least variance in the worst case."""
    schemes = [kind.calibrate(domain=domain, epsilon=epsilon) for kind in MEAN_PROTOCOLS]
    return ProtocolChoice(
        min(schemes, key=lambda scheme: max(scheme.variance(x, 1) for x in (0.0, 0.5, 1.0))),
        "least variance in the worst case",
    )


def clients_needed(
    scheme: LocalProtocol, frequency: Number, *, level: Number = 0.05, power: Number = 0.9
) -> int:
    """Return the clients needed to detect a share ``frequency`` with probability ``power``."""
    share = float(parse_probability(frequency, "frequency"))
    far, near = _compute_quantiles(scheme, level, power)
    clients = (
        (far * sqrt(scheme.variance(0.0, 1)) + near * sqrt(scheme.variance(share, 1))) / share
    ) ** 2
    if clients > MAX_CLIENTS:
        raise InvalidArgument(
            "frequency", "is too small for any number of clients; name a larger share", frequency
        )
    return max(1, ceil(clients))


def detectable_frequency(
    scheme: LocalProtocol, clients: int, *, level: Number = 0.05, power: Number = 0.9
) -> float:
    """Return the least share that ``clients`` detect with probability ``power``.

    Infinite if not even a value that all clients hold would be detected.
    """
    n = check_integer(clients, "clients", 1, MAX_CLIENTS)
    far, near = _compute_quantiles(scheme, level, power)

    def is_detected(share: float) -> bool:
        return n * share >= far * sqrt(scheme.variance(0.0, n)) + near * sqrt(
            scheme.variance(share, n)
        )

    if not is_detected(1.0):
        return float("inf")
    low, high = 0.0, 1.0
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if is_detected(middle) else (middle, high)
    return high


def _compute_quantiles(scheme: LocalProtocol, level: Number, power: Number) -> tuple[float, float]:
    if isinstance(scheme, MEAN_PROTOCOLS):
        raise InvalidArgument(
            "scheme", "must count values; for a mean, use its variance instead", scheme.name
        )
    false_alarm, detection = (
        float(parse_probability(level, "level")) / scheme.domain,
        float(parse_probability(power, "power")),
    )
    return float(-ndtri(false_alarm)), float(ndtri(detection))


def _choose_smallest(schemes: list[LocalProtocol], room: int, reason: str) -> ProtocolChoice:
    fitting = [scheme for scheme in schemes if scheme.record_size <= room]
    if not fitting:
        least = min(scheme.record_size for scheme in schemes)
        raise Unsupported(
            f"No protocol fits reports of {room} bytes. Allow {least} bytes, or group the values."
        )
    best = min(scheme.variance(0.0, 1) for scheme in fitting)
    good = [scheme for scheme in fitting if scheme.variance(0.0, 1) <= _VARIANCE_TOLERANCE * best]
    return ProtocolChoice(
        min(good, key=lambda scheme: (scheme.record_size, scheme.variance(0.0, 1))), reason
    )
