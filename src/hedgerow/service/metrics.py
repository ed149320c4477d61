"""Counters for operators: public facts only. There are no labels by question or analyst, and no
memory or processor figures, which would depend on data."""

from __future__ import annotations

import threading
from collections import Counter
from typing import Any

__all__ = ["Metrics"]


class Metrics:
    """The counters of one process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._responses: Counter[tuple[str, int]] = Counter()

    def count_response(self, protocol: str, status: int) -> None:
        """Count a response of a protocol by its status."""
        with self._lock:
            self._responses[protocol, status] += 1

    def render(self, budgets: dict[str, Any]) -> str:
        """Return all counters, and the budgets, in the text format of Prometheus."""
        lines = ["# TYPE hedgerow_responses_total counter"]
        with self._lock:
            counted = sorted(self._responses.items())
        lines += [
            f'hedgerow_responses_total{{protocol="{protocol}",status="{status}"}} {count}'
            for (protocol, status), count in counted
        ]
        lines.append("# TYPE hedgerow_budget gauge")
        for population, account in budgets.items():
            for currency, line in _list_currencies(account).items():
                for name in ("total", "spent", "left"):
                    value = {"inf": "+Inf"}.get(line[name], line[name])
                    label = f'population="{population}",currency="{currency}",which="{name}"'
                    lines.append(f"hedgerow_budget{{{label}}} {value}")
        return "\n".join(lines) + "\n"


def _list_currencies(account: dict[str, Any]) -> dict[str, dict[str, str]]:
    if "total" in account:
        return {"epsilon": account}
    return {name: account[name] for name in ("epsilon", "rho", "delta") if name in account}
