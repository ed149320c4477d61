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
    [
        ("hedgerow.epsilon", "much"),
        ("hedgerow.epsilon", "0"),
        ("hedgerow.delta", "-1"),
        ("hedgerow.intervals", "maybe"),
        ("hedgerow.epsilom", "1"),
    ],
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


def test_a_setting_that_is_not_there_is_not_found() -> None:
    settings = SessionSettings()
    assert settings.find("nothing") is None
    assert settings.find("hedgerow.nothing") is None
    assert settings.find("hedgerow.intervals") == "off"


@pytest.mark.parametrize(("keeps", "plain", "local"), [(True, "b", "x"), (False, "a", "x")])
def test_a_transaction_takes_back_what_was_set_in_it(keeps: bool, plain: str, local: str) -> None:
    settings = SessionSettings()
    settings.change("plain", "a")
    settings.change("local", "x")
    settings.begin()
    settings.change("plain", "b")
    settings.change("local", "y", is_local=True)
    settings.change("new", "z", is_local=True)
    assert settings.read("local") == "y"
    settings.end(keeps=keeps)
    assert (settings.read("plain"), settings.read("local")) == (plain, local)
    assert settings.find("new") is None
    settings.change("plain", "c")
    settings.end(keeps=False)  # no transaction runs
    assert settings.read("plain") == "c"
