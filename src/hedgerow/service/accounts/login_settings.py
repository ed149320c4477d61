"""The settings of logins: reverse proxies that are trusted, and a provider of OpenID Connect."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from hedgerow.client.service_address import is_loopback
from hedgerow.errors import InvalidArgument

__all__ = ["OpenIdSettings", "ProxySettings", "check_public_url", "is_safe_url"]

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


@dataclass(frozen=True, slots=True)
class ProxySettings:
    """The addresses of reverse proxies, which may say for whom they ask (``X-Forwarded-For``) and,
    in ``user_header``, who has logged in there."""

    networks: tuple[Network, ...] = ()
    user_header: str | None = None

    def __post_init__(self) -> None:
        if self.user_header is not None and not self.networks:
            raise InvalidArgument(
                "proxy.user_header", "needs proxy.addresses: whose header is to be believed?"
            )

    def is_proxy(self, address: str) -> bool:
        """Return whether an address is that of a proxy."""
        try:
            parsed = ipaddress.ip_address(address)
        except ValueError:
            return False
        mapped = getattr(parsed, "ipv4_mapped", None)
        return any((mapped or parsed) in network for network in self.networks)

    def find_client(self, peer: str, forwarded: str) -> str:
        """Return the address of the client: the last one that no proxy has."""
        if not self.is_proxy(peer):
            return peer
        for part in reversed(forwarded.split(",")):
            address = part.strip()
            try:
                ipaddress.ip_address(address)
            except ValueError:
                return peer
            if not self.is_proxy(address):
                return address
        return peer


@dataclass(frozen=True, slots=True)
class OpenIdSettings:
    """A provider of OpenID Connect, and which account a login there has: that whose name is in a
    claim, or that which ``accounts`` gives for the claim's value."""

    issuer: str
    client_id: str
    client_secret: str | None = field(default=None, repr=False)
    claim: str = "preferred_username"
    accounts: Mapping[str, str] | None = None
    scope: str = "openid profile email"
    ca_file: Path | None = None

    def __post_init__(self) -> None:
        if not is_safe_url(self.issuer):
            raise InvalidArgument("openid.issuer", "must begin with https://", self.issuer)


def is_safe_url(url: str) -> bool:
    """Return whether nobody on the way to a URL can read or change what is sent."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return False
    is_plain = bool(host) and "@" not in parts.netloc and not parts.fragment
    return is_plain and (parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host)))


def check_public_url(url: str) -> str:
    """Return the URL under which people reach the service, without a path."""
    parts = urlsplit(url)
    if not is_safe_url(url) or parts.path not in ("", "/") or parts.query:
        raise InvalidArgument(
            "public_url", "must be https:// and a host, such as https://data.example", url
        )
    return f"{parts.scheme}://{parts.netloc.lower()}"
