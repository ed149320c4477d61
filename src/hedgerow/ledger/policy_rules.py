"""The rules of policy entries, and of charges under them: nothing that was charged or accepted may
change under a policy.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from hedgerow.errors import BudgetExceeded, LedgerError, Refused
from hedgerow.privacy.budget import Budget
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.parallel_composition import PartLosses, TableParts

__all__ = [
    "charge_budget",
    "check_charged_populations",
    "check_files",
    "check_parts",
    "check_populations",
]

_BUDGET_HINT = "Declare a budget for it."
Files = dict[tuple[str, str], dict[str, Any]]


def check_populations(body: Mapping[str, Any], known_sources: Mapping[str, str]) -> None:
    """Refuse a population without a budget, and a source that moves to another population."""
    for table, partition in body.get("partitions", {}).items():
        if partition["population"] not in body["budgets"]:
            raise Refused(
                f"The table '{table}' is about the population '{partition['population']}', which"
                f" has no budget. {_BUDGET_HINT}"
            )
    for source, name in body["sources"].items():
        if name not in body["budgets"]:
            raise Refused(
                f"The source '{source}' belongs to the population '{name}', which has no budget."
                f" {_BUDGET_HINT}"
            )
        if known_sources.get(source, name) != name:
            raise Refused(
                f"The source '{source}' belongs to the population '{known_sources[source]}' and"
                f" cannot move to '{name}'. Keep its population."
            )


def check_charged_populations(
    budgets: Mapping[str, Any], ruling: Mapping[str, Any], charged: Collection[str]
) -> None:
    """Refuse to drop a charged population, or to change its unit or neighbours."""
    for name in charged:
        if name not in budgets:
            raise Refused(
                f"The population '{name}' has been charged; a policy cannot drop it. Keep its"
                " budget."
            )
        if name in ruling and any(
            ruling[name][term] != budgets[name][term] for term in ("unit", "neighbours")
        ):
            raise Refused(
                f"The population '{name}' has been charged; its unit and neighbours cannot change"
                " any more. Keep them, or declare another population."
            )


def check_files(body: Mapping[str, Any], known: Files) -> Files:
    """Return the data versions that a policy accepts; refuse one that was accepted otherwise."""
    files = {
        (table, str(file["version"])): dict(file) for table, file in body.get("files", {}).items()
    }
    for (table, version), file in files.items():
        before = known.get((table, version), file)
        if any(before[part] != file[part] for part in ("key", "size", "digest")):
            raise Refused(
                f"The version '{version}' of the table '{table}' was accepted with another file."
                " Declare a new version."
            )
    return files


def check_parts(
    population: str, table: str, names: list[str], declared: PartLosses | None
) -> TableParts:
    """Return the parts of a table that a charge names; refuse what the policy does not declare."""
    if declared is None:
        raise LedgerError(
            f"The table '{table}' of the population '{population}' has no parts in the ruling"
            " policy. Declare its partition, or charge the whole table."
        )
    if not names or len(set(names)) != len(names):
        raise ValueError
    for name in names:
        if name not in declared.names:
            raise LedgerError(
                f"The table '{table}' has no part '{name}' in the ruling policy. Declare it."
            )
    return TableParts(table, tuple(names))


def charge_budget(population: str, budget: Budget, loss: Loss, at: TableParts | None) -> Budget:
    """Charge a budget, or raise BudgetExceeded with the name of its population."""
    try:
        return budget.charge(loss, at)
    except BudgetExceeded as problem:
        raise BudgetExceeded(
            f"{problem} This is the budget of the population '{population}'."
        ) from None
