"""The settings of a service: addresses, TLS, limits and the promise about time."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from hedgerow.client.service_address import is_loopback
from hedgerow.errors import InvalidArgument
from hedgerow.service.accounts.login_settings import OpenIdSettings, ProxySettings
from hedgerow.service.departures import Departures
from hedgerow.service.operations.budget_alerts import AlertSettings

__all__ = ["RequestLimits", "ServiceSettings"]


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """Limits of what one caller may ask at once, and of all of them together. Beyond them a
    request is refused at once."""

    engines: int = 2
    requests_per_caller: int = 16  # questions that run or wait, and as many that only read
    questions: int = 128  # of all callers, that run or wait
    requests_per_minute: int = 600  # of one caller and one kind, as above
    wait_seconds: float = 60.0  # for an engine, or for somebody who asks the same
    body_bytes: int = 262_144
    connections: int = 600  # of each protocol, by people who have shown who they are
    connections_per_caller: int = 550  # PostgreSQL protocol
    half_open: int = 512  # connections that have not shown who they are
    half_open_per_address: int = 64
    request_seconds: float = 20.0  # until a request or a login must have arrived

    @property
    def threads(self) -> int:
        """The threads of the service: some are left when all questions sleep until they depart."""
        return self.questions + 64


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
    public_url: str | None = None  # under which people reach it, through a proxy
    password_login: bool = True
    proxy: ProxySettings = field(default_factory=ProxySettings)
    openid: OpenIdSettings | None = None
    alerts: AlertSettings = field(default_factory=AlertSettings)
    metrics_port: int | None = None

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
        if self.openid is not None and self.public_url is None and not is_loopback(self.host):
            raise InvalidArgument("openid", "needs public_url, to come back to")
        if self.metrics_port is not None and not 0 < self.metrics_port < 2**16:
            raise InvalidArgument("metrics.port", "must be 1 to 65535", self.metrics_port)
        if not (self.password_login or self.openid or self.proxy.user_header):
            raise InvalidArgument("password_login", "must be true without another way to log in")

    @property
    def has_tls(self) -> bool:
        """True if connections are encrypted by the service itself."""
        return self.certificate is not None

    @property
    def is_private(self) -> bool:
        """True if nobody between a browser and the service, or its proxy, can read along."""
        return self.has_tls or (self.public_url or "").startswith("https://")
