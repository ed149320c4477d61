from __future__ import annotations

import base64
import hashlib
import hmac

import pytest

from hedgerow.service.accounts.records import Account, Caller, Role
from hedgerow.service.accounts.tokens import SCRAM_ROUNDS, derive_scram_keys
from hedgerow.service.wire.scram import ScramExchange, ScramFailed, start_scram

ANA = Caller(Account("ana", Role.analyst, False, ""))
BEN = Caller(Account("ben", Role.analyst, False, ""))
SALT = b"sixteen byte sal"
FIRST = b"n,,n=,r=client-nonce"


def prove(exchange: ScramExchange, secret: str, *, nonce: str | None = None) -> bytes:
    """Return the final message of a client, written from RFC 5802."""
    fields = dict(part.split("=", 1) for part in exchange.server_first.split(","))
    salt = base64.b64decode(fields["s"])
    salted = hashlib.pbkdf2_hmac("sha256", secret.encode(), salt, int(fields["i"]))
    bare = f"c=biws,r={nonce or fields['r']}"
    signed = f"n=,r=client-nonce,{exchange.server_first},{bare}".encode()
    client_key = hmac.digest(salted, b"Client Key", "sha256")
    signature = hmac.digest(hashlib.sha256(client_key).digest(), signed, "sha256")
    proof = bytes(a ^ b for a, b in zip(client_key, signature, strict=True))
    return f"{bare},p={base64.b64encode(proof).decode()}".encode()


def test_the_token_of_a_client_is_found_among_those_of_its_account() -> None:
    tokens = [(BEN, derive_scram_keys("one", SALT)), (ANA, derive_scram_keys("two", SALT))]
    exchange = start_scram(FIRST, SALT, tokens)
    assert f"i={SCRAM_ROUNDS}" in exchange.server_first
    caller, signature = exchange.finish(prove(exchange, "two"))
    assert caller is ANA
    assert signature.startswith(b"v=")
    assert start_scram(FIRST, SALT, tokens).nonce != exchange.nonce


@pytest.mark.parametrize("secret", ["", "three", "on"])
def test_a_wrong_secret_fails(secret: str) -> None:
    exchange = start_scram(FIRST, SALT, [(ANA, derive_scram_keys("one", SALT))])
    with pytest.raises(ScramFailed):
        exchange.finish(prove(exchange, secret))


def test_an_unknown_account_looks_like_a_known_one_and_fails() -> None:
    exchange = start_scram(FIRST, SALT, [])
    for secret in ("", "one"):
        with pytest.raises(ScramFailed):
            exchange.finish(prove(exchange, secret))


@pytest.mark.parametrize(
    "first", [b"", b"n,,", b"n,,n=,r=short", b"p=tls-unique,,n=,r=client-nonce", b"\xff" * 40]
)
def test_a_first_message_that_breaks_the_rules_fails(first: bytes) -> None:
    with pytest.raises(ScramFailed):
        start_scram(first, SALT, [])


def test_a_final_message_that_breaks_the_rules_fails() -> None:
    exchange = start_scram(FIRST, SALT, [(ANA, derive_scram_keys("one", SALT))])
    right = prove(exchange, "one")
    for wrong in (
        prove(exchange, "one", nonce="client-nonce"),
        right.replace(b"c=biws", b"c=eSws"),
        right[:-8] + b"????????",
        b"c=biws",
        right[: right.index(b",p=") + 3] + base64.b64encode(b"short"),
    ):
        with pytest.raises(ScramFailed):
            exchange.finish(wrong)
    assert exchange.finish(right)[0] is ANA
