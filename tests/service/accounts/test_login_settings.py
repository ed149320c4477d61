from __future__ import annotations

import ipaddress

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.service.accounts.login_settings import (
    ProxySettings,
    check_public_url,
    is_safe_url,
)

PROXIES = ProxySettings((ipaddress.ip_network("10.0.0.0/8"), ipaddress.ip_network("::1")))


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("10.0.0.1", "198.51.100.7", "198.51.100.7"),
        ("10.0.0.1", "198.51.100.7, 10.0.0.2", "198.51.100.7"),
        (
            "10.0.0.1",
            "203.0.113.9, 198.51.100.7",
            "198.51.100.7",
        ),  # the first one anybody may write
        ("::1", "2001:db8::1", "2001:db8::1"),
        ("::ffff:10.0.0.1", "198.51.100.7", "198.51.100.7"),
        ("198.51.100.9", "10.0.0.1", "198.51.100.9"),  # not a proxy
        ("10.0.0.1", "", "10.0.0.1"),
        ("10.0.0.1", "nonsense", "10.0.0.1"),
        ("10.0.0.1", "198.51.100.7, nonsense", "10.0.0.1"),
        ("10.0.0.1", "10.0.0.2", "10.0.0.1"),
        ("", "198.51.100.7", ""),
    ],
)
def test_the_client_is_the_last_address_that_no_proxy_has(
    peer: str, forwarded: str, client: str
) -> None:
    assert PROXIES.find_client(peer, forwarded) == client


def test_a_header_without_a_proxy_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="needs proxy"):
        ProxySettings((), "X-Remote-User")


@pytest.mark.parametrize(
    ("url", "is_safe"),
    [
        ("https://login.example/realms/one", True),
        ("http://127.0.0.1:9000", True),
        ("http://localhost", True),
        ("http://login.example", False),
        ("https://user@login.example", False),
        ("https://login.example/#x", False),
        ("https://", False),
        ("https://[", False),
        ("file:///etc/passwd", False),
    ],
)
def test_only_encrypted_or_local_addresses_are_safe(url: str, is_safe: bool) -> None:
    assert is_safe_url(url) == is_safe


def test_a_public_url_is_a_scheme_and_a_host() -> None:
    assert check_public_url("https://Data.Example:8443/") == "https://data.example:8443"
    for url in ("https://data.example/hedgerow", "http://data.example", "data.example"):
        with pytest.raises(InvalidArgument, match="such as https"):
            check_public_url(url)
