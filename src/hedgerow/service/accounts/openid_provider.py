"""A login at a provider of OpenID Connect: authorization code with PKCE, and the checks of the
token that tells who it was.

Nothing in a token chooses how it is checked: algorithms, issuer, audience and keys come from the
settings and from the provider's own documents, which are fetched over TLS.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import http.client
import json
import ssl
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote_plus, urlencode

import jwt

from hedgerow.errors import SourceError
from hedgerow.service.accounts.login_settings import OpenIdSettings, is_safe_url
from hedgerow.service.problems import NotAuthenticated

__all__ = ["OpenIdProvider"]

_ALGORITHMS: Final = ("RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "EdDSA")
_KEY_KINDS: Final = {"RS": "RSA", "PS": "RSA", "ES": "EC", "Ed": "OKP"}
_SECONDS: Final = 10.0  # of a request
_MAX_BYTES: Final = 1_000_000
_DOCUMENT_SECONDS: Final = 3600.0  # that the provider's documents are kept
_KEY_PAUSE: Final = 30.0  # between two looks for a key that is not known
_CLOCK_SECONDS: Final = 60  # by which clocks may differ
_FRESH_SECONDS: Final = 300  # since somebody showed the provider again who they are


class OpenIdProvider:
    """The provider of the settings."""

    def __init__(self, settings: OpenIdSettings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._documents: dict[str, tuple[float, dict[str, Any]]] = {}
        self._keys_read = 0.0
        tls = ssl.create_default_context(cafile=settings.ca_file)
        # No redirects: an address that was checked must be the one that is asked.
        self._opener = urllib.request.build_opener(
            urllib.request.HTTPSHandler(context=tls), _NoRedirects()
        )

    def build_login_url(
        self, state: str, nonce: str, verifier: str, redirect_url: str, *, confirms: bool
    ) -> str:
        """Return the address at the provider where somebody logs in; ``confirms`` asks it to let
        them show again who they are."""
        digest = hashlib.sha256(verifier.encode()).digest()
        query = {
            "response_type": "code",
            "client_id": self._settings.client_id,
            "redirect_uri": redirect_url,
            "scope": self._settings.scope,
            "state": state,
            "nonce": nonce,
            "code_challenge": base64.urlsafe_b64encode(digest).decode().rstrip("="),
            "code_challenge_method": "S256",
        }
        if confirms:
            query |= {"prompt": "login", "max_age": "0"}
        endpoint = self._find_endpoint("authorization_endpoint")
        return endpoint + ("&" if "?" in endpoint else "?") + urlencode(query)

    def find_account_name(
        self,
        answer: Mapping[str, str],
        nonce: str,
        verifier: str,
        redirect_url: str,
        *,
        confirms: bool,
    ) -> str:
        """Return the name of the account that the provider's answer to a login names."""
        if "error" in answer or not answer.get("code"):
            raise NotAuthenticated("The login was not finished at the provider. Try again.")
        # RFC 9207: an answer of another provider must not be redeemed at this one.
        if answer.get("iss", self._settings.issuer) != self._settings.issuer:
            raise NotAuthenticated("The login was finished at another provider. Try again.")
        token = self._redeem_code(answer["code"], verifier, redirect_url)
        claims = self._check_token(token, nonce)
        if confirms:
            _check_freshness(claims)
        return self._map_claims(claims)

    def _redeem_code(self, code: str, verifier: str, redirect_url: str) -> str:
        settings = self._settings
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect_url,
            "code_verifier": verifier,
        }
        headers = {}
        if settings.client_secret is None:
            form["client_id"] = settings.client_id
        else:
            pair = f"{quote_plus(settings.client_id)}:{quote_plus(settings.client_secret)}"
            headers["Authorization"] = "Basic " + base64.b64encode(pair.encode()).decode()
        endpoint = self._find_endpoint("token_endpoint")
        answer = self._fetch(endpoint, urlencode(form).encode(), headers)
        token = answer.get("id_token")
        if not isinstance(token, str):
            raise SourceError("The login provider sent no id_token. Ask for the scope openid.")
        return token

    # The token

    def _check_token(self, token: str, nonce: str) -> dict[str, Any]:
        """Return the claims of a token whose signature, issuer, audience, times and nonce hold."""
        settings = self._settings
        try:
            head = jwt.get_unverified_header(token)
            algorithm = head.get("alg")
            if algorithm not in _ALGORITHMS:
                raise jwt.InvalidAlgorithmError(algorithm)
            key = self._find_key(head.get("kid"), algorithm)
            claims: dict[str, Any] = jwt.decode(
                token,
                key,
                algorithms=[algorithm],
                audience=settings.client_id,
                issuer=settings.issuer,
                leeway=_CLOCK_SECONDS,
                options={"require": ["exp", "iat", "iss", "aud", "sub"]},
            )
        except (jwt.PyJWTError, ValueError, TypeError):
            raise _build_refusal() from None
        audiences = claims["aud"]
        is_shared = isinstance(audiences, list) and len(audiences) > 1
        if (is_shared or "azp" in claims) and claims.get("azp") != settings.client_id:
            raise _build_refusal()
        if not hmac.compare_digest(str(claims.get("nonce", "")).encode(), nonce.encode()):
            raise _build_refusal()
        return claims

    def _find_key(self, key_id: object, algorithm: str) -> jwt.PyJWK:
        """Return the provider's key for a token; keys are read again for one that is new."""
        found = self._match_key(key_id, algorithm)
        if found is None and self._forget_keys():
            found = self._match_key(key_id, algorithm)
        if found is None:
            raise jwt.InvalidKeyError
        return found

    def _match_key(self, key_id: object, algorithm: str) -> jwt.PyJWK | None:
        keys = self._read_document(self._find_endpoint("jwks_uri")).get("keys", [])
        fitting = [
            key
            for key in keys
            if isinstance(key, dict)
            # The key says for which algorithms it is, not the token: a public RSA key must never
            # become the secret of an HMAC.
            and key.get("kty") == _KEY_KINDS[algorithm[:2]]
            and key.get("alg", algorithm) == algorithm
            and key.get("use", "sig") == "sig"
            and (key_id is None or key.get("kid") == key_id)
        ]
        # A token that names no key is checked only where there is one key.
        return jwt.PyJWK(fitting[0], algorithm) if len(fitting) == 1 else None

    def _forget_keys(self) -> bool:
        """Forget the provider's keys, at most once in a while: a token could name any."""
        with self._lock:
            now = time.monotonic()
            if self._keys_read and now - self._keys_read < _KEY_PAUSE:
                return False
            self._keys_read = now
            self._documents.pop(self._documents[self._address][1]["jwks_uri"], None)
            return True

    def _map_claims(self, claims: Mapping[str, Any]) -> str:
        settings = self._settings
        value = claims.get(settings.claim)
        if settings.claim == "email" and claims.get("email_verified") is not True:
            value = None
        if settings.accounts is not None:
            value = settings.accounts.get(value) if isinstance(value, str) else None
        if not isinstance(value, str) or not value:
            raise NotAuthenticated(
                f"The login provider names no account in '{settings.claim}'. Ask the custodian."
            )
        return value

    # The provider's documents

    @property
    def _address(self) -> str:
        return self._settings.issuer.rstrip("/") + "/.well-known/openid-configuration"

    def _find_endpoint(self, name: str) -> str:
        found = self._read_document(self._address)
        if found.get("issuer") != self._settings.issuer:
            raise SourceError(
                "The login provider calls itself another issuer. Set openid.issuer to its own name."
            )
        url = found.get(name)
        if not isinstance(url, str) or not is_safe_url(url):
            raise SourceError(f"The login provider has no {name} with https. Check openid.issuer.")
        return url

    def _read_document(self, url: str) -> dict[str, Any]:
        with self._lock:
            known = self._documents.get(url)
        if known is not None and time.monotonic() - known[0] < _DOCUMENT_SECONDS:
            return known[1]
        document = self._fetch(url)
        with self._lock:
            self._documents[url] = time.monotonic(), document
        return document

    def _fetch(
        self, url: str, form: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        request = urllib.request.Request(
            url, form, {"Accept": "application/json", **(headers or {})}
        )
        try:
            with self._opener.open(request, timeout=_SECONDS) as response:
                found = json.loads(response.read(_MAX_BYTES))
        except urllib.error.HTTPError as error:
            error.close()
            if form is not None and error.code in (400, 401):
                raise NotAuthenticated(
                    "The login provider refused the login. Log in again."
                ) from None
            raise SourceError("The login provider failed. Try again later.") from None
        except (OSError, ValueError, http.client.HTTPException):
            raise SourceError("The login provider cannot be reached. Try again later.") from None
        if not isinstance(found, dict):
            raise SourceError("The login provider sent no JSON object. Check openid.issuer.")
        return found


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


def _check_freshness(claims: Mapping[str, Any]) -> None:
    """Refuse a login that the provider did not ask for anew."""
    moment = claims.get("auth_time")
    is_number = isinstance(moment, int | float) and not isinstance(moment, bool)
    if not is_number or time.time() - float(moment or 0) > _FRESH_SECONDS:
        raise NotAuthenticated(
            "The login provider did not ask you again who you are. Log in there again."
        )


def _build_refusal() -> NotAuthenticated:
    """Return the one refusal of a token: which check failed helps nobody who is honest."""
    return NotAuthenticated("The login provider's token does not hold. Log in again.")
