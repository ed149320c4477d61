"""A small provider of OpenID Connect on loopback: real HTTP, real keys, real signatures."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote_plus, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa

RSA_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
EC_KEY = ec.generate_private_key(ec.SECP256R1())
SECRET = "a client secret + with &odd characters"


def _list_keys() -> list[dict[str, Any]]:
    first = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(RSA_KEY.public_key()))
    second = json.loads(jwt.algorithms.ECAlgorithm.to_jwk(EC_KEY.public_key()))
    return [
        first | {"kid": "first", "use": "sig", "alg": "RS256"},
        second | {"kid": "second", "use": "sig"},
    ]


@dataclass
class Provider:
    """The provider; ``change`` may spoil the claims, ``sign`` replaces the signature."""

    claims: dict[str, Any] = field(default_factory=lambda: {"preferred_username": "ana"})
    change: Callable[[dict[str, Any]], None] = lambda claims: None
    sign: Callable[[dict[str, Any]], str] | None = None
    keys: list[dict[str, Any]] = field(default_factory=_list_keys)
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    issuer: str = ""
    wrong_issuer: str | None = None

    def start(self) -> None:
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.respond(provider.show(urlsplit(self.path).path))

            def do_POST(self) -> None:
                size = int(self.headers["content-length"])
                form = {
                    key: one[0] for key, one in parse_qs(self.rfile.read(size).decode()).items()
                }
                self.respond(provider.redeem(form, self.headers.get("authorization", "")))

            def respond(self, document: object) -> None:
                body = json.dumps(document).encode()
                self.send_response(400 if document is None else 200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.issuer = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def show(self, path: str) -> object:
        self.requests.append(path)
        if path == "/keys":
            return {"keys": self.keys}
        return {
            "issuer": self.wrong_issuer or self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
        }

    def authorize(self, url: str) -> str:
        """Do what a person's browser and the provider do; return the path to come back to."""
        query = {key: one[0] for key, one in parse_qs(urlsplit(url).query).items()}
        assert url.startswith(f"{self.issuer}/authorize?")
        assert query["response_type"] == "code"
        assert query["code_challenge_method"] == "S256"
        assert "openid" in query["scope"].split()
        code = secrets.token_urlsafe(16)
        self.codes[code] = query
        back = urlsplit(query["redirect_uri"])
        return f"{back.path}?{urlencode({'code': code, 'state': query['state']})}"

    def redeem(self, form: Mapping[str, str], authorization: str) -> object:
        self.requests.append("/token")
        query = self.codes.pop(form.get("code", ""), None)
        if query is None or form["redirect_uri"] != query["redirect_uri"]:
            return None
        digest = hashlib.sha256(form["code_verifier"].encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        pair = base64.b64decode(authorization.removeprefix("Basic ")).decode().split(":")
        if challenge != query["code_challenge"] or unquote_plus(pair[1]) != SECRET:
            return None
        now = int(time.time())
        claims: dict[str, Any] = {
            "iss": self.issuer,
            "aud": query["client_id"],
            "sub": "248289761001",
            "iat": now,
            "exp": now + 300,
            "nonce": query["nonce"],
            **({"auth_time": now} if query.get("max_age") == "0" else {}),
            **self.claims,
        }
        self.change(claims)
        token = self.sign(claims) if self.sign else sign(claims)
        return {"id_token": token, "access_token": "unused", "token_type": "Bearer"}


def sign(claims: dict[str, Any], key: Any = RSA_KEY, kid: str = "first", alg: str = "RS256") -> str:
    return jwt.encode(claims, key, algorithm=alg, headers={"kid": kid})
