from __future__ import annotations

from pathlib import Path

import pytest

from hedgerow.client.service_address import is_loopback
from hedgerow.errors import InvalidArgument
from hedgerow.service.settings import ServiceSettings

FILE = Path("clinic.toml")


@pytest.mark.parametrize("host", ["127.0.0.1", "127.3.2.1", "::1", "localhost"])
def test_loopback_needs_no_tls(host: str) -> None:
    assert is_loopback(host)
    assert not ServiceSettings(FILE, host=host).has_tls


@pytest.mark.parametrize("host", ["0.0.0.0", "10.0.0.1", "::", "db.example"])
def test_every_other_address_does(host: str) -> None:
    with pytest.raises(InvalidArgument, match="--tls-cert"):
        ServiceSettings(FILE, host=host)
    settings = ServiceSettings(FILE, host=host, certificate=Path("c"), key=Path("k"))
    assert settings.has_tls


def test_a_certificate_comes_with_its_key() -> None:
    with pytest.raises(InvalidArgument, match="both"):
        ServiceSettings(FILE, certificate=Path("c"))
