"""The file of ``hedgerow serve --settings``: what an operator decides about logins, alerts and
metrics. It holds no secret; secrets are in files of their own or in the environment."""

from __future__ import annotations

import ipaddress
import os
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from hedgerow.errors import InvalidArgument, SourceError
from hedgerow.service.accounts.login_settings import OpenIdSettings, ProxySettings, check_public_url
from hedgerow.service.operations.budget_alerts import AlertSettings
from hedgerow.service.settings import ServiceSettings

__all__ = ["read_settings_file"]

_KINDS: Final[dict[str, dict[str, type]]] = {
    "": {"public_url": str, "password_login": bool},
    "proxy": {"addresses": list, "user_header": str},
    "openid": {
        "issuer": str,
        "client_id": str,
        "client_secret_file": str,
        "client_secret_variable": str,
        "claim": str,
        "accounts": dict,
        "scope": str,
        "ca_file": str,
    },
    "alerts": {"command": list, "webhook_file": str, "webhook": str},
    "metrics": {"port": int},
}


def read_settings_file(file: Path, settings: ServiceSettings) -> ServiceSettings:
    """Return settings with those of a file."""
    try:
        found = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError:
        raise SourceError(f"The settings file '{file}' cannot be read. Check its path.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidArgument("settings", f"must be TOML: {error}", str(file)) from None
    sections = {name: found.pop(name) for name in list(_KINDS)[1:] if name in found}
    _check_keys("", found)
    for name, section in sections.items():
        if not isinstance(section, dict):
            raise InvalidArgument(name, f"must be a section, [{name}]")
        _check_keys(name, section)
    public_url = found.get("public_url")
    return replace(
        settings,
        public_url=None if public_url is None else check_public_url(public_url),
        password_login=found.get("password_login", True),
        proxy=_read_proxy(sections.get("proxy", {})),
        openid=_read_openid(sections["openid"], file.parent) if "openid" in sections else None,
        alerts=_read_alerts(sections.get("alerts", {}), file.parent),
        metrics_port=sections.get("metrics", {}).get("port"),
    )


def _check_keys(section: str, held: dict[str, Any]) -> None:
    known = _KINDS[section]
    for key, value in held.items():
        name = f"{section}.{key}" if section else key
        if key not in known:
            places = [*known, *([f"[{one}]" for one in _KINDS if one] if not section else [])]
            raise InvalidArgument(name, f"is unknown here; there are {', '.join(places)}")
        if type(value) is not known[key]:
            raise InvalidArgument(name, f"must be {_NOUNS[known[key]]}", value)
        items: list[Any] = value if isinstance(value, list) else []
        if isinstance(value, dict):
            items = list(value.values())
        if any(not isinstance(item, str) or not item for item in items) or value in ("", []):
            raise InvalidArgument(name, "must hold text that is not empty", value)


_NOUNS: Final = {
    str: "text",
    bool: "true or false",
    list: "a list of texts",
    dict: "a section of texts",
    int: "a whole number",
}


def _read_proxy(section: dict[str, Any]) -> ProxySettings:
    networks = []
    for text in section.get("addresses", []):
        try:
            networks.append(ipaddress.ip_network(text))
        except ValueError:
            raise InvalidArgument(
                "proxy.addresses", "must be addresses or networks, such as 10.0.0.0/24", text
            ) from None
    return ProxySettings(tuple(networks), section.get("user_header"))


def _read_openid(section: dict[str, Any], folder: Path) -> OpenIdSettings:
    for key in ("issuer", "client_id"):
        if key not in section:
            raise InvalidArgument(f"openid.{key}", "is missing")
    ca_file = section.get("ca_file")
    return OpenIdSettings(
        section["issuer"],
        section["client_id"],
        _read_secret(section, folder),
        section.get("claim", "preferred_username"),
        section.get("accounts"),
        section.get("scope", "openid profile email"),
        None if ca_file is None else folder / ca_file,
    )


def _read_secret(section: dict[str, Any], folder: Path) -> str | None:
    """Return the client secret from its file or its variable; a public client has none."""
    if "client_secret_file" in section:
        return _read_line(folder / section["client_secret_file"], "openid.client_secret_file")
    name = section.get("client_secret_variable")
    if name is None:
        return None
    if not os.environ.get(name):
        raise InvalidArgument("openid.client_secret_variable", "must be set", name)
    return os.environ[name]


def _read_line(file: Path, name: str) -> str:
    try:
        text = file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        text = ""
    if not text:
        raise InvalidArgument(name, "must be a file with one line of text", str(file))
    return text


def _read_alerts(section: dict[str, Any], folder: Path) -> AlertSettings:
    webhook = section.get("webhook")
    if "webhook_file" in section:
        webhook = _read_line(folder / section["webhook_file"], "alerts.webhook_file")
    return AlertSettings(tuple(section.get("command", ())), webhook)
