"""A database behind a service, with the methods of a local one. The token says who asks."""

from __future__ import annotations

import math
import secrets
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from hedgerow.client.http_transport import HttpTransport
from hedgerow.client.remote_answer import RemoteAnswer, read_rows
from hedgerow.client.remote_explanation import RemoteExplanation
from hedgerow.client.service_address import ServiceAddress
from hedgerow.database.uncharged.exact_table import ExactTable
from hedgerow.errors import InvalidArgument, trim_tracebacks
from hedgerow.numeric.exact_number import Number, parse_exact
from hedgerow.privacy.budget_view import Balance, DualBalance

__all__ = ["RemoteDatabase", "remote"]

_MAX_DIGITS = 50  # of a number in a request; the service takes 60 characters


@trim_tracebacks
def remote(
    url: str, *, token: str, timeout: float = 120.0, ca_file: str | Path | None = None
) -> RemoteDatabase:
    """Connect to a database that ``hedgerow serve`` serves. A request that is not answered after
    ``timeout`` seconds is sent again under the same key, so it is charged once.

    Certificates are checked; ``ca_file`` names the authority of one that the system does not know.
    """
    if not (isinstance(timeout, int | float) and 0 < timeout < math.inf):
        raise InvalidArgument("timeout", "must be a number of seconds above 0", timeout)
    path = None if ca_file is None else Path(ca_file)
    return RemoteDatabase(
        HttpTransport(ServiceAddress.parse(url), token, timeout=timeout, ca_file=path)
    )


class RemoteDatabase:
    """A database behind a service. Every answer is charged there before any data are read."""

    def __init__(self, transport: HttpTransport) -> None:
        self._transport = transport

    @trim_tracebacks
    def query(
        self,
        sql: str,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        request: str | None = None,
    ) -> RemoteAnswer | RemoteExplanation | ExactTable:
        """Answer a question with noise, and charge it; a question that was answered before at this
        epsilon or a larger one is free.

        ``request`` is an idempotency key: the same key again returns the same answer and is charged
        once. Without one, a random key makes retries after a broken connection safe.
        """
        body = {"sql": sql, "request": secrets.token_hex(16) if request is None else request}
        body |= _format_numbers(epsilon=epsilon, delta=delta)
        document = self._transport.send("POST", "/api/v1/query", body)
        if "aggregates" in document:  # of EXPLAIN PRIVACY
            return RemoteExplanation.read(document)
        if document["receipt"] is None:
            return ExactTable(document["types"], read_rows(document), document["notes"][0])
        return RemoteAnswer.read(document)

    @trim_tracebacks
    def explain(
        self,
        sql: str,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        error: Number | None = None,
    ) -> RemoteExplanation:
        """Return the cost and the expected error of a question; with ``error``, at the epsilon that
        this error takes."""
        body = {"sql": sql} | _format_numbers(epsilon=epsilon, delta=delta, error=error)
        return RemoteExplanation.read(self._transport.send("POST", "/api/v1/explain", body))

    @property
    @trim_tracebacks
    def budget(self) -> Balance | DualBalance:
        """The budget of the only population: total, spent and left. ``budgets`` has them all."""
        budgets = self.budgets
        if len(budgets) != 1:
            raise InvalidArgument(
                "budget", f"exists for each population: use budgets[…] with {', '.join(budgets)}"
            )
        return next(iter(budgets.values()))

    @property
    @trim_tracebacks
    def budgets(self) -> Mapping[str, Balance | DualBalance]:
        """The budget of each population."""
        document = self._transport.send("GET", "/api/v1/budget")
        return {name: _read_balance(one) for name, one in document["budgets"].items()}

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def __repr__(self) -> str:
        return f"RemoteDatabase({str(self._transport.address)!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _format_numbers(**numbers: Number | None) -> dict[str, str]:
    """Return the numbers of a request as text, which keeps them exact."""
    return {
        name: _format_exactly(number, name)
        for name, number in numbers.items()
        if number is not None
    }


def _format_exactly(number: Number, name: str) -> str:
    exact = parse_exact(number, name)
    text = str(Decimal(exact.numerator) / exact.denominator)
    if Fraction(text) != exact:
        raise InvalidArgument(name, "must have a finite decimal form, such as 0.25", number)
    return text


def _read_balance(document: Mapping[str, Any]) -> Balance | DualBalance:
    parts = {
        table: {name: _read_balance(one) for name, one in listed.items()}
        for table, listed in document.get("parts", {}).items()
    }
    if "total" in document:
        spent = document["spent"]
        return Balance(
            Fraction(document["total"]), math.inf if spent == "inf" else Fraction(spent), parts
        )
    epsilon, rho, delta = (_read_line(document[name]) for name in ("epsilon", "rho", "delta"))
    return DualBalance(epsilon, rho, delta, parts)


def _read_line(document: Mapping[str, Any]) -> Balance:
    balance = _read_balance(document)
    assert isinstance(balance, Balance)
    return balance
