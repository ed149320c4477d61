"""Passwords: scrypt digests, and a check that takes equally long for unknown names."""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
from typing import Final

from hedgerow.errors import InvalidArgument

__all__ = ["MIN_PASSWORD_LENGTH", "check_password", "hash_password"]

MIN_PASSWORD_LENGTH: Final = 12
_MAX_PASSWORD_LENGTH: Final = 1024
_COST, _BLOCK, _LANES = 2**15, 8, 1
_MEMORY: Final = 2 * 128 * _COST * _BLOCK  # twice what scrypt needs, in bytes


def hash_password(password: str) -> str:
    """Return the scrypt digest of a password, with its salt and parameters."""
    if not MIN_PASSWORD_LENGTH <= len(password) <= _MAX_PASSWORD_LENGTH:
        raise InvalidArgument(
            "password", f"must have {MIN_PASSWORD_LENGTH} to {_MAX_PASSWORD_LENGTH} characters"
        )
    salt = os.urandom(16)
    digest = _compute_digest(password, salt, _COST)
    parts = (base64.b64encode(part).decode() for part in (salt, digest))
    return "$".join(("scrypt", str(_COST), *parts))


def check_password(password: str, stored: str | None) -> bool:
    """Return whether a password has the stored digest; without one, return False after the same
    amount of work."""
    if len(password) > _MAX_PASSWORD_LENGTH:
        return False
    kind, cost, salt, digest = (stored or _DUMMY).split("$")
    computed = _compute_digest(password, base64.b64decode(salt), int(cost))
    matches = hmac.compare_digest(computed, base64.b64decode(digest))
    return matches and stored is not None and kind == "scrypt"


def _compute_digest(password: str, salt: bytes, cost: int) -> bytes:
    return hashlib.scrypt(
        password.encode(), salt=salt, n=cost, r=_BLOCK, p=_LANES, maxmem=_MEMORY, dklen=32
    )


# What an unknown name is compared with: no password has this digest.
_DUMMY: Final = f"scrypt${_COST}${base64.b64encode(bytes(16)).decode()}${'A' * 43}="
