"""Tokens for the HTTP interface and the PostgreSQL protocol: 192 random bits, of which only digests
are stored.

SCRAM proves that a client knows a token without sending it, so its stored and server keys are kept
too. A token has enough entropy that SCRAM's usual 4,096 rounds protect it.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from typing import Final

__all__ = ["SCRAM_ROUNDS", "ScramKeys", "compute_token_digest", "derive_scram_keys", "make_token"]

SCRAM_ROUNDS: Final = 4096
_PREFIX: Final = "hr_"


@dataclass(frozen=True, slots=True)
class ScramKeys:
    """The salt and the keys by which a server checks a SCRAM proof (RFC 5802)."""

    salt: bytes
    stored_key: bytes
    server_key: bytes


def make_token() -> str:
    """Return a new token; it is shown once and never stored."""
    return _PREFIX + secrets.token_urlsafe(24)


def compute_token_digest(token: str) -> str:
    """Return the digest under which a token is stored."""
    return hashlib.sha256(token.encode()).hexdigest()


def derive_scram_keys(secret: str, salt: bytes) -> ScramKeys:
    """Derive the SCRAM-SHA-256 keys of a token."""
    salted = hashlib.pbkdf2_hmac("sha256", secret.encode(), salt, SCRAM_ROUNDS)
    client_key = hmac.digest(salted, b"Client Key", "sha256")
    return ScramKeys(
        salt,
        hashlib.sha256(client_key).digest(),
        hmac.digest(salted, b"Server Key", "sha256"),
    )
