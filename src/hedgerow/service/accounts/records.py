"""Accounts, tokens and sessions as records."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

__all__ = ["AccessToken", "Account", "Caller", "LoginMethod", "Role", "Session"]


class Role(StrEnum):
    """The roles: a custodian administers and asks, an analyst asks, an auditor reads policy and
    ledger."""

    custodian = "custodian"
    analyst = "analyst"
    auditor = "auditor"

    @property
    def may_ask(self) -> bool:
        """True if accounts of this role may ask questions."""
        return self is not Role.auditor

    @property
    def sees_everything(self) -> bool:
        """True if accounts of this role see the policy and all ledger entries."""
        return self is not Role.analyst


@dataclass(frozen=True, slots=True)
class Account:
    """An account by name, with its role."""

    name: str
    role: Role
    is_disabled: bool
    created: str

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "name": self.name,
            "role": self.role.value,
            "disabled": self.is_disabled,
            "created": self.created,
        }


@dataclass(frozen=True, slots=True)
class AccessToken:
    """A token of an account. ``explains_only``: it may not ask. ``needs_epsilon``: a question must
    name its epsilon, so that tools which explore by themselves spend nothing."""

    number: int
    account: str
    name: str
    created: str
    expires: float
    is_revoked: bool
    explains_only: bool
    needs_epsilon: bool

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "number": self.number,
            "account": self.account,
            "name": self.name,
            "created": self.created,
            "expires": self.expires,
            "revoked": self.is_revoked,
            "explain_only": self.explains_only,
            "needs_epsilon": self.needs_epsilon,
        }


class LoginMethod(StrEnum):
    """The ways to log in to the pages."""

    password = "password"
    openid = "openid"  # at a provider of OpenID Connect
    proxy = "proxy"  # at a reverse proxy that is trusted to name people


@dataclass(frozen=True, slots=True)
class Session:
    """A login in a browser: its account, the secret of its forms, how it was made, and when the
    person last showed who they are."""

    account: str
    form_secret: str
    method: LoginMethod
    confirmed: float


@dataclass(frozen=True, slots=True)
class Caller:
    """The account that asks, and the token that it uses (None in a browser)."""

    account: Account
    token: AccessToken | None = None

    @property
    def name(self) -> str:
        """The name of the account."""
        return self.account.name

    @property
    def role(self) -> Role:
        """The role of the account."""
        return self.account.role
