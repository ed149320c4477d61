"""The address of a service: a URL, and whether a token may travel there."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import Self
from urllib.parse import urlsplit

from hedgerow.errors import InvalidArgument

__all__ = ["ServiceAddress", "is_loopback", "is_service_url"]

_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class ServiceAddress:
    """The address of a service; ``path`` is the prefix under which a proxy serves it."""

    scheme: str
    host: str
    port: int
    path: str

    @classmethod
    def parse(cls, url: str) -> Self:
        """Read a URL such as https://host:8800; refuse one over which a token could be read."""
        if not is_service_url(url):
            raise InvalidArgument("url", "must begin with https:// or http://", url)
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError:
            host = port = None
        if not host or "@" in parts.netloc or parts.query or parts.fragment:
            raise InvalidArgument(
                "url", "must be a scheme, a host and a port, such as https://host:8800"
            )
        if parts.scheme == "http" and not is_loopback(host):
            raise InvalidArgument(
                "url",
                f"must begin with https://: anybody on the way to {host} could read the token",
            )
        return cls(
            parts.scheme,
            host,
            _PORTS[parts.scheme] if port is None else port,
            parts.path.rstrip("/"),
        )

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}{self.path}"


def is_service_url(text: object) -> bool:
    """Return whether this is the URL of a service, not the path of a policy file."""
    return isinstance(text, str) and text.startswith(("http://", "https://"))


def is_loopback(host: str) -> bool:
    """Return whether a host is reached from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
