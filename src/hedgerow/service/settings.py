"""The settings of a service: addresses, TLS, limits and the promise about time."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from hedgerow.client.service_address import is_loopback
from hedgerow.errors import InvalidArgument
from hedgerow.service.departures import Departures

__all__ = ["RequestLimits", "ServiceSettings"]


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """Limits of what one caller may ask at once, and of all of them together."""

    engines: int = 2
    questions_per_caller: int = 2  # that run at the same time; more wait their turn
    waiting_per_caller: int = 8  # beyond this a request is refused at once
    requests_per_minute: int = 300
    body_bytes: int = 262_144
    connections: int = 600


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """The settings of one ``hedgerow serve``."""

    policy: Path
    host: str = "127.0.0.1"
    port: int = 8800
    pg_port: int = 5433
    certificate: Path | None = None
    key: Path | None = None
    departures: Departures = field(default_factory=Departures)
    limits: RequestLimits = field(default_factory=RequestLimits)

    def __post_init__(self) -> None:
        if (self.certificate is None) != (self.key is None):
            raise InvalidArgument("tls", "needs both --tls-cert and --tls-key")
        if self.certificate is None and not is_loopback(self.host):
            raise InvalidArgument(
                "host",
                "must be a loopback address without TLS: add --tls-cert and --tls-key, or put a"
                " proxy in front",
                self.host,
            )

    @property
    def has_tls(self) -> bool:
        """True if connections are encrypted by the service itself."""
        return self.certificate is not None
