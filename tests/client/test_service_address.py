from __future__ import annotations

import pytest

from hedgerow.client.service_address import ServiceAddress, is_loopback, is_service_url
from hedgerow.errors import InvalidArgument


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://data.example:8800", "https://data.example:8800"),
        ("https://data.example", "https://data.example:443"),
        ("https://data.example/hedgerow/", "https://data.example:443/hedgerow"),
        ("http://127.0.0.1:8800", "http://127.0.0.1:8800"),
        ("http://[::1]:8800", "http://[::1]:8800"),
        ("http://localhost", "http://localhost:80"),
    ],
)
def test_addresses_are_read(url: str, shown: str) -> None:
    assert str(ServiceAddress.parse(url)) == shown


@pytest.mark.parametrize(
    "url",
    [
        *("https://", "https://host:port", "https://host:99999", "https://ana:secret@host"),
        *("https://host?token=x", "https://host#x", "ftp://host", "host:8800", "https://[::1"),
    ],
)
def test_other_text_is_refused(url: str) -> None:
    with pytest.raises(InvalidArgument, match="url must") as refusal:
        ServiceAddress.parse(url)
    assert "secret" not in str(refusal.value)


@pytest.mark.parametrize("host", ["data.example", "10.0.0.1", "0.0.0.0", "localhost.example"])
def test_a_token_does_not_travel_in_the_clear(host: str) -> None:
    assert not is_loopback(host)
    with pytest.raises(InvalidArgument, match="could read the token"):
        ServiceAddress.parse(f"http://{host}:8800")


def test_a_url_is_not_a_file() -> None:
    assert is_service_url("https://host")
    assert not is_service_url("clinic.toml")
    assert not is_service_url(None)
