from __future__ import annotations

from decimal import Decimal

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.service.wire.session_settings import SessionSettings


def test_our_settings_are_read_exactly() -> None:
    settings = SessionSettings()
    assert (settings.epsilon, settings.delta, settings.intervals) == (None, None, False)
    settings.change("hedgerow.epsilon", "'0.1'")
    settings.change("hedgerow.delta", "1e-9")
    settings.change("hedgerow.intervals", "on")
    assert settings.epsilon == Decimal("0.1")
    assert settings.delta == Decimal("1e-9")
    assert settings.intervals
    settings.change("hedgerow.epsilon", "DEFAULT")
    assert settings.epsilon is None
    settings.reset("all")
    assert not settings.intervals


@pytest.mark.parametrize(
    ("name", "value"),
    [("hedgerow.epsilon", "much"), ("hedgerow.intervals", "maybe"), ("hedgerow.epsilom", "1")],
)
def test_a_wrong_setting_of_ours_is_refused(name: str, value: str) -> None:
    with pytest.raises(InvalidArgument, match="hedgerow"):
        SessionSettings().change(name, value)


def test_settings_of_clients_are_kept_as_they_are() -> None:
    settings = SessionSettings()
    assert settings.read("client_encoding") == "UTF8"
    assert settings.read("unknown") == ""
    settings.change("application_name", "'it''s me'")
    assert settings.read("application_name") == "it's me"
    settings.reset("application_name")
    assert settings.read("application_name") == ""
