"""The checks of a provider's token, each tripped by a token of a real provider."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from hedgerow.errors import HedgerowError, InvalidArgument, SourceError
from hedgerow.service.accounts.login_settings import OpenIdSettings
from hedgerow.service.accounts.openid_provider import OpenIdProvider
from hedgerow.service.problems import NotAuthenticated
from service.helpers_openid import EC_KEY, RSA_KEY, SECRET, Provider, sign

CALLBACK = "http://localhost/login/openid/callback"
Claims = dict[str, Any]


@pytest.fixture
def provider() -> Iterator[Provider]:
    running = Provider()
    running.start()
    yield running
    running.stop()


def log_in(provider: Provider, *, confirms: bool = False, **settings: Any) -> str:
    """Log in with fixed secrets, and return the name of the account."""
    found = OpenIdProvider(OpenIdSettings(provider.issuer, "hedgerow", SECRET, **settings))
    nonce, verifier = "n" * 43, "v" * 43
    url = found.build_login_url("state", nonce, verifier, CALLBACK, confirms=confirms)
    code = provider.authorize(url).split("code=")[1].split("&")[0]
    return found.find_account_name({"code": code}, nonce, verifier, CALLBACK, confirms=confirms)


def test_a_login_names_the_account_of_its_claim(provider: Provider) -> None:
    assert log_in(provider) == "ana"
    provider.sign = lambda claims: sign(claims, EC_KEY, "second", "ES256")
    assert log_in(provider) == "ana"
    provider.sign = lambda claims: sign(claims, RSA_KEY, "first", "RS256")
    provider.claims = {"preferred_username": "x", "groups": ["y"], "email": "ana@example.org"}
    assert log_in(provider, claim="sub", accounts={"248289761001": "ben"}) == "ben"
    for claim in ("nobody", "groups"):
        with pytest.raises(NotAuthenticated, match="names no account"):
            log_in(provider, claim=claim)
    with pytest.raises(NotAuthenticated, match="names no account"):
        log_in(provider, accounts={"somebody": "carl"})


def test_an_address_counts_only_if_the_provider_has_checked_it(provider: Provider) -> None:
    provider.claims = {"email": "ana"}
    for verified in (None, False, "true", 1):
        provider.claims["email_verified"] = verified
        with pytest.raises(NotAuthenticated, match="names no account"):
            log_in(provider, claim="email")
    provider.claims["email_verified"] = True
    assert log_in(provider, claim="email") == "ana"


def spoil(**values: Any) -> Callable[[Claims], None]:
    """Return a change of claims: a value of None removes one."""

    def change(claims: Claims) -> None:
        for name, value in values.items():
            claims.pop(name, None)
            if value is not None:
                claims[name] = value

    return change


@pytest.mark.parametrize(
    "change",
    [
        spoil(nonce="m" * 43),
        spoil(nonce=None),
        spoil(aud="another"),
        spoil(aud=["another", "third"]),
        spoil(aud=["hedgerow", "another"]),  # and nobody says who it was for
        spoil(azp="another"),
        spoil(aud=None),
        spoil(iss="https://evil.example"),
        spoil(iss=None),
        spoil(exp=int(time.time()) - 61),
        spoil(exp=None),
        spoil(exp="never"),
        spoil(iat=int(time.time()) + 600),
        spoil(iat=None),
        spoil(nbf=int(time.time()) + 600),
        spoil(sub=None),
    ],
)
def test_a_token_with_a_wrong_claim_does_not_hold(
    provider: Provider, change: Callable[[Claims], None]
) -> None:
    provider.change = change
    with pytest.raises(NotAuthenticated, match="does not hold"):
        log_in(provider)


def unsigned(claims: Claims) -> str:
    parts = ({"alg": "none", "typ": "JWT", "kid": "first"}, claims)
    texts = (base64.urlsafe_b64encode(json.dumps(part).encode()).decode() for part in parts)
    return ".".join(text.rstrip("=") for text in texts) + "."


def keyed_by_the_public_key(claims: Claims) -> str:
    """Sign with HMAC, with the provider's public key as the secret."""
    pem = RSA_KEY.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    head = {"alg": "HS256", "typ": "JWT", "kid": "first"}
    texts = (
        base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=") for part in (head, claims)
    )
    signed = b".".join(texts)
    digest = jwt.algorithms.HMACAlgorithm(jwt.algorithms.HMACAlgorithm.SHA256)
    signature = base64.urlsafe_b64encode(digest.sign(signed, pem)).rstrip(b"=")
    return (signed + b"." + signature).decode()


def with_its_own_key(claims: Claims) -> str:
    """Sign with a new key, and send it along."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    own = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key()))
    return jwt.encode(claims, key, algorithm="RS256", headers={"kid": "first", "jwk": own})


@pytest.mark.parametrize(
    "forge",
    [
        unsigned,
        keyed_by_the_public_key,
        with_its_own_key,
        lambda claims: sign(claims, EC_KEY, "first", "ES256"),  # the key of another kind
        lambda claims: sign(claims, RSA_KEY, "second"),
        lambda claims: sign(claims, RSA_KEY, "nobody's"),
        lambda claims: sign(claims, RSA_KEY, "first", "RS512"),  # the key is for RS256
        lambda claims: sign(claims, ec.generate_private_key(ec.SECP256R1()), "second", "ES256"),
        lambda claims: sign(claims)[:-8] + "AAAAAAAA",
        lambda claims: sign(claims) + ".x",
        lambda claims: "nonsense",
    ],
)
def test_a_forged_token_does_not_hold(provider: Provider, forge: Callable[[Claims], str]) -> None:
    provider.sign = forge
    with pytest.raises(NotAuthenticated, match="does not hold"):
        log_in(provider)


def test_a_new_key_is_looked_for_once_in_a_while(provider: Provider) -> None:
    found = OpenIdProvider(OpenIdSettings(provider.issuer, "hedgerow", SECRET))

    def try_with(kid: str) -> str:
        provider.sign = lambda claims: sign(claims, RSA_KEY, kid)
        url = found.build_login_url("s", "n", "v" * 43, CALLBACK, confirms=False)
        code = provider.authorize(url).split("code=")[1].split("&")[0]
        return found.find_account_name({"code": code}, "n", "v" * 43, CALLBACK, confirms=False)

    assert try_with("first") == "ana"
    provider.keys[0]["kid"] = "rotated"
    assert try_with("rotated") == "ana"
    for number in range(5):
        with pytest.raises(NotAuthenticated):
            try_with(f"guess{number}")
    assert provider.requests.count("/keys") == 2
    assert try_with("rotated") == "ana"


def test_showing_oneself_again_needs_a_fresh_login(provider: Provider) -> None:
    assert log_in(provider, confirms=True) == "ana"
    for moment in (None, int(time.time()) - 301, "now", True):
        provider.change = spoil(auth_time=moment)
        with pytest.raises(NotAuthenticated, match="did not ask you again"):
            log_in(provider, confirms=True)


def test_a_login_that_was_given_up_or_mixed_up_is_refused(provider: Provider) -> None:
    found = OpenIdProvider(OpenIdSettings(provider.issuer, "hedgerow", SECRET))
    for answer, words in (
        ({"error": "access_denied", "code": "x"}, "not finished"),
        ({}, "not finished"),
        ({"code": "x", "iss": "https://evil.example"}, "another provider"),
        ({"code": "unknown"}, "refused the login"),
    ):
        with pytest.raises(NotAuthenticated, match=words):
            found.find_account_name(answer, "n", "v" * 43, CALLBACK, confirms=False)


def test_a_provider_that_fails_is_named(provider: Provider) -> None:
    provider.wrong_issuer = "https://evil.example"
    with pytest.raises(SourceError, match="itself another issuer"):
        log_in(provider)
    for issuer in ("http://login.example", "https://a@login.example", "ftp://x", "https://"):
        with pytest.raises(InvalidArgument, match="https"):
            OpenIdSettings(issuer, "hedgerow")
    gone = OpenIdProvider(OpenIdSettings("http://127.0.0.1:9", "hedgerow"))
    with pytest.raises(SourceError, match="cannot be reached"):
        gone.build_login_url("s", "n", "v", CALLBACK, confirms=False)


def test_a_secret_is_never_shown(provider: Provider) -> None:
    settings = OpenIdSettings(provider.issuer, "hedgerow", SECRET)
    assert SECRET not in repr(settings)
    provider.sign = lambda claims: "x"
    with pytest.raises(HedgerowError) as refusal:
        log_in(provider)
    assert SECRET not in str(refusal.value)
