"""The commands ``hedgerow account …``: accounts and tokens of the service."""

from __future__ import annotations

import getpass
import secrets
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from hedgerow.cli.options import DebugOption, JsonOption, PolicyFile
from hedgerow.cli.serve import require_serve_packages
from hedgerow.cli.terminal import print_json, print_lines
from hedgerow.errors import InvalidArgument

if TYPE_CHECKING:
    from hedgerow.service.accounts.account_file import AccountFile

__all__ = [
    "add_account",
    "add_token",
    "change_password",
    "disable_account",
    "list_accounts",
]

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The name of the account.")]
StdinOption = Annotated[
    bool, typer.Option("--password-stdin", help="Read the password from standard input.")
]
_CUSTODIAN = "custodian at the command line"


def add_account(
    policy: PolicyFile,
    name: NameArgument,
    role: Annotated[
        str, typer.Option(help="custodian, analyst, or auditor (reads, asks nothing).")
    ] = "analyst",
    password_stdin: StdinOption = False,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Add an account to the service of a policy.

    Without a terminal and without --password-stdin the account has no password: it can use tokens
    only.

    Example: hedgerow account add clinic.toml ana --role analyst
    """
    with _open_accounts(policy) as accounts:
        from hedgerow.service.accounts.records import Role

        if role not in set(Role):
            raise InvalidArgument("role", f"must be one of {', '.join(Role)}", role)
        accounts.add_account(name, Role(role), _read_password(password_stdin), _CUSTODIAN)
    _print_done({"name": name, "role": role}, f"Added {name} as {role}.", as_json)
    return 0


def list_accounts(
    policy: PolicyFile,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """List the accounts and tokens of the service of a policy."""
    with _open_accounts(policy) as accounts:
        listed, tokens = accounts.list_accounts(), accounts.list_tokens()
    if as_json:
        print_json(
            {
                "accounts": [account.to_dict() for account in listed],
                "tokens": [token.to_dict() for token in tokens],
            }
        )
        return 0
    for account in listed:
        state = ", disabled" if account.is_disabled else ""
        print_lines([f"{account.name}  {account.role.value}{state}"])
        for token in tokens:
            if token.account == account.name:
                day = time.strftime("%Y-%m-%d", time.gmtime(token.expires))
                ends = "revoked" if token.is_revoked else f"expires {day}"
                print_lines([f"  token {token.number}  {token.name}, {ends}"])
    if not listed:
        print_lines(["There are no accounts yet. Add one: hedgerow account add POLICY NAME"])
    return 0


def change_password(
    policy: PolicyFile,
    name: NameArgument,
    password_stdin: StdinOption = False,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Set the password of an account, and end its sessions."""
    with _open_accounts(policy) as accounts:
        password = _read_password(password_stdin)
        if password is None:
            raise InvalidArgument("password", "is missing: add --password-stdin")
        accounts.set_password(name, password, _CUSTODIAN)
    _print_done({"name": name}, f"Changed the password of {name}.", as_json)
    return 0


def disable_account(
    policy: PolicyFile,
    name: NameArgument,
    enable: Annotated[bool, typer.Option("--enable", help="Enable it again.")] = False,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Disable an account: its sessions and tokens stop working at once."""
    with _open_accounts(policy) as accounts:
        accounts.set_disabled(name, not enable, _CUSTODIAN)
    words = f"{'Enabled' if enable else 'Disabled'} {name}."
    _print_done({"name": name, "disabled": not enable}, words, as_json)
    return 0


def add_token(
    policy: PolicyFile,
    name: NameArgument,
    label: Annotated[str, typer.Option(help="What the token is for.")] = "command line",
    expires: Annotated[int, typer.Option(metavar="DAYS", help="Days until it expires.")] = 90,
    explain_only: Annotated[
        bool, typer.Option("--explain-only", help="It may explain questions and not ask them.")
    ] = False,
    named_epsilon: Annotated[
        bool,
        typer.Option("--named-epsilon", help="It spends only where a question names its epsilon."),
    ] = False,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Create a token for an account, and print it once.

    Example: hedgerow account token clinic.toml ana --expires 30
    """
    with _open_accounts(policy) as accounts:
        text, token = accounts.add_token(
            name,
            label,
            _CUSTODIAN,
            days=expires,
            explains_only=explain_only,
            needs_epsilon=named_epsilon,
        )
    if as_json:
        print_json({"token": text} | token.to_dict())
    else:
        print_lines([text])
    return 0


def _print_done(document: dict[str, object], words: str, as_json: bool) -> None:
    if as_json:
        print_json(document)
    else:
        print_lines([words])


@contextmanager
def _open_accounts(policy: PolicyFile) -> Iterator[AccountFile]:
    require_serve_packages()
    from hedgerow.database.open_database import open
    from hedgerow.service.accounts.account_file import AccountFile
    from hedgerow.service.shared_state import locate_accounts

    with open(policy) as database:
        accounts = AccountFile(locate_accounts(database.policy), database.ledger)
        try:
            yield accounts
        finally:
            accounts.close()


def _read_password(from_stdin: bool) -> str | None:
    if from_stdin:
        return sys.stdin.readline().rstrip("\n")
    if not sys.stdin.isatty():
        return None
    first = getpass.getpass("Password: ")
    if not secrets.compare_digest(first.encode(), getpass.getpass("Again: ").encode()):
        raise InvalidArgument("password", "must be typed the same twice")
    return first
