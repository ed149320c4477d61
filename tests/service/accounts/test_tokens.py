from __future__ import annotations

import hashlib
import hmac

from hedgerow.service.accounts.tokens import (
    SCRAM_ROUNDS,
    compute_token_digest,
    derive_scram_keys,
    make_token,
)


def test_tokens_are_long_and_never_the_same() -> None:
    tokens = {make_token() for _ in range(50)}
    assert len(tokens) == 50
    assert all(token.startswith("hr_") and len(token) == 35 for token in tokens)
    assert all(token not in compute_token_digest(token) for token in tokens)


def test_scram_keys_are_those_of_rfc_5802() -> None:
    keys = derive_scram_keys("pencil", b"salt of 16 bytes")
    salted = hashlib.pbkdf2_hmac("sha256", b"pencil", b"salt of 16 bytes", SCRAM_ROUNDS)
    client = hmac.digest(salted, b"Client Key", "sha256")
    assert keys.stored_key == hashlib.sha256(client).digest()
    assert keys.server_key == hmac.digest(salted, b"Server Key", "sha256")
