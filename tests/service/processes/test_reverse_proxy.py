"""The reverse proxy of docs/serve.md, as nginx runs it."""

from __future__ import annotations

import http.client
import ipaddress
import re
import shutil
import ssl
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import urlencode

import pytest

from hedgerow.service.accounts.login_settings import ProxySettings
from hedgerow.service.server import find_free_port
from service.helpers_service import (
    PASSWORD,
    HttpAnswer,
    RunningService,
    make_service,
    write_certificate,
)

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
PAGE = Path(__file__).parents[3] / "docs" / "serve.md"
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(NGINX is None, reason="nginx is not installed: the proxy is not tested"),
]


@pytest.fixture(scope="module")
def behind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service that believes a proxy on this machine, also about who has logged in."""
    loopback = ipaddress.ip_network("127.0.0.0/8")
    more = {
        "public_url": "https://data.example",
        "proxy": ProxySettings((loopback,), "X-Remote-User"),
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hedgerow.service.accounts.passwords._COST", 2)
        server = RunningService(make_service(tmp_path_factory.mktemp("behind"), more=more))
        server.service.accounts.set_password("ana", PASSWORD, "test")
        yield server
        server.stop()


@pytest.fixture(scope="module")
def proxy(behind: RunningService, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of nginx with the configuration of the page."""
    folder = tmp_path_factory.mktemp("nginx")
    certificate, key = write_certificate(folder)
    port = find_free_port("127.0.0.1", behind.port + 5)
    found = re.search(r"```text\n(server {.*?)```", PAGE.read_text(), re.DOTALL)
    assert found is not None
    server = found[1]
    for written, here in (
        ("listen 443 ssl", f"listen 127.0.0.1:{port} ssl"),
        ("/etc/ssl/data.example.pem", str(certificate)),
        ("/etc/ssl/data.example.key", str(key)),
        ("127.0.0.1:8800", f"127.0.0.1:{behind.port}"),
    ):
        assert written in server
        server = server.replace(written, here)
    paths = "".join(
        f"{name}_temp_path {folder / name};\n"
        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (folder / "nginx.conf").write_text(
        f"daemon off; master_process off; pid {folder / 'pid'}; error_log stderr;\n"
        f"events {{}}\nhttp {{\naccess_log off;\n{paths}{server}}}\n"
    )
    command = [str(NGINX), "-p", str(folder), "-c", str(folder / "nginx.conf")]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        until = time.monotonic() + 30
        while True:
            try:
                fetch(port, "GET", "/healthz")
                break
            except OSError:
                assert process.poll() is None, "nginx could not be started"
                assert time.monotonic() < until
                time.sleep(0.05)
        yield port
        process.terminate()


def fetch(
    port: int, method: str, path: str, form: Mapping[str, str] | None = None, **headers: str
) -> HttpAnswer:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=30, context=context)
    sent = {"Host": "data.example"} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    body = None
    if form is not None:
        body = urlencode(form)
        sent |= {
            "Content-Type": "application/x-www-form-urlencoded",
            "Origin": "https://data.example",
        }
    try:
        connection.request(method, path, body, sent)
        response = connection.getresponse()
        return HttpAnswer(response.status, response.headers, response.read())
    finally:
        connection.close()


def test_people_log_in_through_the_proxy(proxy: int) -> None:
    form = {"name": "ana", "password": PASSWORD}
    answer = fetch(proxy, "POST", "/login", form)
    assert (answer.status, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("__Host-hedgerow_session=")
    assert "Secure" in cookie
    page = fetch(proxy, "GET", "/ask", Cookie=cookie.split(";")[0])
    assert page.status == 200
    assert page.headers["strict-transport-security"] == "max-age=31536000"
    assert "https://data.example/api/v1/query" not in page.text  # nothing was asked


def test_nobody_says_through_the_proxy_who_or_where_they_are(
    proxy: int, behind: RunningService
) -> None:
    answer = fetch(proxy, "GET", "/login", X_Remote_User="carl")
    assert answer.status == 200
    assert answer.headers.get("set-cookie") is None
    form = {"name": "nobody", "password": "wrong"}
    assert fetch(proxy, "POST", "/login", form, X_Forwarded_For="203.0.113.9").status == 401
    subjects = behind.service.accounts._select("SELECT subject FROM login_failures")
    addresses = [row["subject"] for row in subjects if row["subject"].startswith("address")]
    assert "address 203.0.113.9" not in addresses
    assert "address 127.0.0.1" in addresses


def test_other_names_and_large_bodies_end_at_the_proxy_or_the_service(proxy: int) -> None:
    assert fetch(proxy, "GET", "/login", Host="evil.example").status == 421
    assert fetch(proxy, "POST", "/login", {"name": "x" * 300_000}).status == 413
