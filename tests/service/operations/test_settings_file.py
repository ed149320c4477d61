from __future__ import annotations

from pathlib import Path

import pytest

from hedgerow.errors import InvalidArgument, SourceError
from hedgerow.service.operations.settings_file import read_settings_file
from hedgerow.service.settings import ServiceSettings

FULL = """
public_url = "https://data.example"
password_login = false

[proxy]
addresses = ["127.0.0.1", "10.1.0.0/16"]
user_header = "X-Remote-User"

[openid]
issuer = "https://login.example/realms/hospital"
client_id = "hedgerow"
client_secret_file = "openid.secret"
claim = "sub"
scope = "openid"
[openid.accounts]
"248289761001" = "ana"

[alerts]
command = ["/usr/local/bin/tell", "custodian"]
webhook_file = "webhook.url"

[metrics]
port = 9100
"""


def read(folder: Path, text: str) -> ServiceSettings:
    file = folder / "service.toml"
    file.write_text(text)
    return read_settings_file(file, ServiceSettings(folder / "clinic.toml"))


def test_a_file_holds_everything_but_secrets(tmp_path: Path) -> None:
    (tmp_path / "openid.secret").write_text("hush\n")
    (tmp_path / "webhook.url").write_text("https://chat.example/hooks/hush\n")
    found = read(tmp_path, FULL)
    assert found.public_url == "https://data.example"
    assert found.is_private
    assert not found.password_login
    assert found.proxy.is_proxy("10.1.2.3")
    assert found.proxy.user_header == "X-Remote-User"
    assert found.openid is not None
    assert (found.openid.client_secret, found.openid.claim) == ("hush", "sub")
    assert found.openid.accounts == {"248289761001": "ana"}
    assert found.alerts.command == ("/usr/local/bin/tell", "custodian")
    assert found.alerts.webhook == "https://chat.example/hooks/hush"
    assert found.metrics_port == 9100
    assert "hush" not in repr(found)


def test_a_secret_may_come_from_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = '[openid]\nissuer = "https://a.example"\nclient_id = "x"\n'
    assert read(tmp_path, text).openid is not None
    text += 'client_secret_variable = "HEDGEROW_TEST_SECRET"\n'
    with pytest.raises(InvalidArgument, match="must be set"):
        read(tmp_path, text)
    monkeypatch.setenv("HEDGEROW_TEST_SECRET", "hush")
    found = read(tmp_path, text).openid
    assert found is not None
    assert found.client_secret == "hush"


def test_an_empty_file_changes_nothing(tmp_path: Path) -> None:
    assert read(tmp_path, "") == ServiceSettings(tmp_path / "clinic.toml")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("public_ulr = 'x'", r"public_ulr is unknown here; there are public_url, password_login"),
        ("[alert]", r"unknown here"),
        ("proxy = 1", r"must be a section, \[proxy\]"),
        ("public_url = 1", "must be text"),
        ("public_url = 'http://data.example'", "https"),
        ("password_login = 'no'", "true or false"),
        ("password_login = false", "without another way"),
        ("[proxy]\naddresses = ['here']", "such as 10.0.0.0/24"),
        ("[proxy]\naddresses = [1]", "text that is not empty"),
        ("[proxy]\nuser_header = 'X'", "needs proxy.addresses"),
        ("[openid]\nissuer = 'https://a.example'", r"openid.client_id is missing"),
        ("[openid]\nclient_id = 'x'", r"openid.issuer is missing"),
        ("[openid]\nclient_secret = 'x'", "unknown here"),
        ("[openid.accounts]\nx = 1", "text that is not empty"),
        ("[alerts]\nwebhook = 'http://chat.example'", "https"),
        ("[alerts]\nwebhook_file = 'missing'", "one line of text"),
        ("[alerts]\ncommand = []", "not empty"),
        ("[metrics]\nport = true", "whole number"),
        ("[metrics]\nport = 70000", "must be 1 to 65535"),
        ("public_url", "must be TOML"),
    ],
)
def test_a_mistake_is_named_with_its_fix(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(InvalidArgument, match=words):
        read(tmp_path, text)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be read"):
        read_settings_file(tmp_path / "none.toml", ServiceSettings(tmp_path / "clinic.toml"))
