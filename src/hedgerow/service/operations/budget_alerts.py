"""Alerts when half, four fifths and all of a budget are spent: a command or a webhook.

A thread reads the budgets every second, so no question waits for an alert, and what other processes
charge is seen too. The account file says who has sent which alert; one that fails is tried again.
"""

from __future__ import annotations

import json
import logging
import math
import subprocess
import threading
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

from hedgerow.errors import HedgerowError, InvalidArgument
from hedgerow.service.accounts.login_settings import is_safe_url
from hedgerow.service.accounts.user_tables import UserTables

__all__ = ["AlertSettings", "BudgetAlerts", "compute_percent"]

_LOG: Final = logging.getLogger("hedgerow.service")
_PERCENTS: Final = (50, 80, 100)
_SECONDS: Final = 1.0
_SENDING_SECONDS: Final = 20.0


@dataclass(frozen=True, slots=True)
class AlertSettings:
    """The command and the webhook that are called when a budget runs low."""

    command: tuple[str, ...] = ()
    webhook: str | None = field(default=None, repr=False)  # its path may be a secret

    def __post_init__(self) -> None:
        if self.webhook is not None and not is_safe_url(self.webhook):
            raise InvalidArgument("alerts.webhook", "must begin with https://")

    def __bool__(self) -> bool:
        return bool(self.command or self.webhook)


class BudgetAlerts:
    """The thread that watches the budgets."""

    def __init__(
        self,
        settings: AlertSettings,
        database: str,
        read_budgets: Callable[[], Mapping[str, Any]],
        tables: UserTables,
    ) -> None:
        self._settings, self._name = settings, database
        self._read_budgets, self._tables = read_budgets, tables
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="budget alerts", daemon=True)

    def start(self) -> None:
        """Start to watch, if there is anybody to tell."""
        if self._settings:
            self._thread.start()

    def stop(self) -> None:
        """Stop to watch; an alert that is being sent has some time to arrive."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(_SENDING_SECONDS)

    def _watch(self) -> None:
        while True:
            try:
                self.check()
            except HedgerowError as error:
                _LOG.warning("budgets cannot be read for alerts: %s", type(error).__name__)
            if self._stopping.wait(_SECONDS):
                return

    def check(self) -> None:
        """Send the alerts that are due and that nobody has sent."""
        for population, budget in self._read_budgets().items():
            total, spent = _name_total(budget), compute_percent(budget)
            for percent in [one for one in _PERCENTS if spent >= one]:
                is_due = self._tables.claim_alert(population, percent, total)
                if is_due and self._send(population, percent, budget):
                    self._tables.finish_alert(population, percent, total)

    def _send(self, population: str, percent: int, budget: Mapping[str, Any]) -> bool:
        """Send one alert; return whether it arrived."""
        text = json.dumps(
            {
                "database": self._name,
                "population": population,
                "percent": percent,
                "budget": {name: held for name, held in budget.items() if name != "parts"},
                "text": f"{percent} % of the budget of {population} in {self._name} is spent.",
            }
        )
        try:
            if self._settings.command:
                self._run_command(text, population, percent)
            if self._settings.webhook is not None:
                self._call_webhook(self._settings.webhook, text)
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            # The error's own words could hold the address, which may be a secret.
            _LOG.error("the alert at %d %% failed: %s", percent, type(error).__name__)
            return False
        _LOG.info("alert sent: %d %% of the budget of %s is spent", percent, population)
        return True

    def _run_command(self, text: str, population: str, percent: int) -> None:
        command = [*self._settings.command, population, str(percent)]
        subprocess.run(
            command,
            input=text.encode(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_SENDING_SECONDS,
            check=True,
        )

    @staticmethod
    def _call_webhook(url: str, text: str) -> None:
        request = urllib.request.Request(
            url, text.encode(), {"Content-Type": "application/json"}, method="POST"
        )
        with urllib.request.urlopen(request, timeout=_SENDING_SECONDS) as response:
            response.read(1)


def compute_percent(budget: Mapping[str, Any]) -> Fraction | float:
    """Return the percentage of a budget that is spent. Where delta is part of it, a question needs
    delta, and either epsilon or rho."""
    if "total" in budget:
        return _divide(budget)
    either = min(_divide(budget["epsilon"]), _divide(budget["rho"]))
    return max(either, _divide(budget["delta"]))


def _divide(line: Mapping[str, str]) -> Fraction | float:
    if line["spent"] == "inf":
        return math.inf
    total = Fraction(line["total"])
    return 100 * Fraction(line["spent"]) / total if total else Fraction(0)


def _name_total(budget: Mapping[str, Any]) -> str:
    """Return the totals of a budget as one text: a raised budget has other alerts."""
    lines = [budget] if "total" in budget else [budget[name] for name in ("epsilon", "delta")]
    return " ".join(str(line["total"]) for line in lines)
