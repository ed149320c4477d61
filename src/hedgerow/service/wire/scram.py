"""SCRAM-SHA-256 (RFC 5802 and 7677), the server's side.

A client proves that it knows one of the tokens of its account. They share a salt, so the proof is
checked against each of them. An account that does not exist has a salt, too, and fails like a wrong
token.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hedgerow.service.accounts.records import Caller
from hedgerow.service.accounts.tokens import SCRAM_ROUNDS, ScramKeys

__all__ = ["MECHANISM", "ScramExchange", "ScramFailed", "start_scram"]

MECHANISM: Final = "SCRAM-SHA-256"
_UNKNOWN_KEYS: Final = ScramKeys(bytes(16), bytes(32), bytes(32))


class ScramFailed(Exception):
    """A wrong proof, or an exchange that breaks the rules."""


@dataclass(frozen=True, slots=True)
class ScramExchange:
    """An exchange between the first and the final message of the client."""

    candidates: Sequence[tuple[Caller | None, ScramKeys]]
    nonce: str
    binding: str
    client_first: str
    server_first: str

    def finish(self, message: bytes) -> tuple[Caller, bytes]:
        """Check the final message; return who it is and the server's signature."""
        without_proof, mark, proof_text = message.decode("ascii", "replace").rpartition(",p=")
        fields = _split_fields(without_proof)
        if not mark or fields.get("r") != self.nonce or fields.get("c") != self.binding:
            raise ScramFailed
        try:
            proof = base64.b64decode(proof_text, validate=True)
        except binascii.Error:
            raise ScramFailed from None
        signed = f"{self.client_first},{self.server_first},{without_proof}".encode()
        found: tuple[Caller, bytes] | None = None
        for caller, keys in self.candidates:
            signature = hmac.digest(keys.stored_key, signed, "sha256")
            if len(proof) != len(signature):
                raise ScramFailed
            client_key = bytes(a ^ b for a, b in zip(proof, signature, strict=True))
            matches = hmac.compare_digest(hashlib.sha256(client_key).digest(), keys.stored_key)
            if matches and caller is not None:
                found = caller, hmac.digest(keys.server_key, signed, "sha256")
        if found is None:
            raise ScramFailed
        return found[0], b"v=" + base64.b64encode(found[1])


def start_scram(
    message: bytes, salt: bytes, tokens: Sequence[tuple[Caller, ScramKeys]]
) -> ScramExchange:
    """Read the first message of a client; ``salt`` and ``tokens`` are those of the account that it
    says it is."""
    text = message.decode("utf-8", "replace")
    flag, _, rest = text.partition(",")
    authority, _, bare = rest.partition(",")
    client_nonce = _split_fields(bare).get("r", "")
    if flag not in ("n", "y") or not 8 <= len(client_nonce) <= 200 or "," in authority:
        raise ScramFailed
    candidates: Sequence[tuple[Caller | None, ScramKeys]] = tokens or [(None, _UNKNOWN_KEYS)]
    nonce = client_nonce + secrets.token_urlsafe(18)
    first = f"r={nonce},s={base64.b64encode(salt).decode()},i={SCRAM_ROUNDS}"
    binding = base64.b64encode(f"{flag},{authority},".encode()).decode()
    return ScramExchange(candidates, nonce, binding, bare, first)


def _split_fields(text: str) -> dict[str, str]:
    return {part[:1]: part[2:] for part in text.split(",") if part[1:2] == "="}
