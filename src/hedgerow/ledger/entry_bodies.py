"""The bodies of ledger entries: built from arguments that are checked here, and read again."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import (
    check_stored_digits,
    parse_exact,
    parse_positive,
    parse_whole,
)
from hedgerow.privacy.budget import Budget
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.parallel_composition import PartLosses, TableParts
from hedgerow.privacy.unit import RELATIONS

__all__ = [
    "build_act_body",
    "build_charge_body",
    "build_policy_body",
    "compute_larger_loss",
    "parse_text",
    "read_fraction",
    "read_loss",
]

_BUDGET_KEYS = {"epsilon", "delta", "conversion", "unit", "neighbours"}


def build_policy_body(
    digest: str,
    text: str,
    budgets: Mapping[str, Mapping[str, object]],
    quotas: Mapping[str, object],
    daily_quotas: Mapping[str, object],
    sources: Mapping[str, str],
    note: str,
    max_failures: int,
    partitions: Mapping[str, Mapping[str, object]],
    files: Mapping[str, Mapping[str, object]],
) -> dict[str, object]:
    """Build the body of a policy entry, without what it forgives."""
    body: dict[str, object] = {
        "digest": parse_text(digest, "digest"),
        "text": parse_text(text, "text"),
        "budgets": {
            parse_text(name, "population"): _parse_budget(terms) for name, terms in budgets.items()
        },
        "quotas": _parse_quotas(quotas),
        "sources": _parse_sources(sources),
        "max_failures": parse_whole(max_failures, "max_failures"),
        "note": note,
    }
    if daily_quotas:
        body["daily_quotas"] = _parse_quotas(daily_quotas)
    if partitions:
        body["partitions"] = {
            parse_text(table, "table"): _parse_partition(partition)
            for table, partition in partitions.items()
        }
    if files:
        body["files"] = {parse_text(table, "table"): dict(file) for table, file in files.items()}
    return body


def build_act_body(words: str, by: str, about: Mapping[str, object], act: str) -> dict[str, object]:
    """Build the body of an administrative act."""
    return {
        "act": parse_text(act, "act"),
        "words": parse_text(words, "words"),
        "by": parse_text(by, "by"),
        "about": dict(about),
    }


def build_charge_body(
    charges: Mapping[str, Loss],
    analyst: str,
    epsilon: object,
    question: str,
    version: str,
    request: str | None,
    about: Mapping[str, object],
    parts: Mapping[str, TableParts],
) -> dict[str, Any]:
    """Build the body of a charge."""
    if not charges or not all(isinstance(loss, Loss) for loss in charges.values()):
        raise InvalidArgument("charges", "must be a Loss for at least one population")
    body: dict[str, Any] = {
        "charges": {
            parse_text(name, "population"): loss.to_dict() for name, loss in charges.items()
        },
        "analyst": parse_text(analyst, "analyst"),
        "epsilon": _format_fraction(
            check_stored_digits(parse_positive(epsilon, "epsilon"), "epsilon")
        ),
        "question": parse_text(question, "question"),
        "version": parse_text(version, "version"),
        "request": request if request is None else parse_text(request, "request"),
        "about": dict(about),
    }
    if parts:
        body["parts"] = {
            parse_text(name, "population"): _parse_parts(name, named, charges)
            for name, named in parts.items()
        }
    return body


def _parse_partition(partition: Mapping[str, object]) -> dict[str, object]:
    if not isinstance(partition, Mapping) or set(partition) != {
        "population",
        "column",
        "most",
        "parts",
    }:
        raise InvalidArgument(
            "partitions", "must give population, column, most and parts for each table"
        )
    names = [parse_text(name, "part") for name in _parse_names(partition["parts"], "partitions")]
    most = PartLosses(parse_whole(partition["most"], "most"), tuple(names)).most
    column, population = (
        parse_text(partition["column"], "column"),
        parse_text(partition["population"], "population"),
    )
    return {"population": population, "column": column, "most": most, "parts": names}


def _parse_parts(population: str, at: object, charges: Mapping[str, Loss]) -> list[object]:
    if population not in charges or not isinstance(at, TableParts):
        raise InvalidArgument(
            "parts", "must be TableParts of a population that is charged", population
        )
    names = [parse_text(name, "part") for name in _parse_names(at.names, "parts")]
    return [parse_text(at.table, "table"), names]


def _parse_names(value: object, argument: str) -> list[object]:
    """Return a list that is not empty and has no duplicates."""
    if not isinstance(value, (list, tuple)) or not value or len(set(map(str, value))) != len(value):
        raise InvalidArgument(argument, "must be a list of different parts, and not empty", value)
    return list(value)


def _parse_quotas(quotas: Mapping[str, object]) -> dict[str, object]:
    return {
        parse_text(name, "analyst"): _format_fraction(
            check_stored_digits(parse_positive(quota, "quota"), "quota")
        )
        for name, quota in quotas.items()
    }


def _parse_sources(sources: Mapping[str, str]) -> dict[str, object]:
    return {
        parse_text(source, "source"): parse_text(name, "population")
        for source, name in sources.items()
    }


def _parse_budget(terms: Mapping[str, object]) -> dict[str, object]:
    if (
        not isinstance(terms, Mapping)
        or not _BUDGET_KEYS - {"conversion"} <= set(terms) <= _BUDGET_KEYS
    ):
        raise InvalidArgument(
            "budgets", "must give epsilon, delta, unit and neighbours for each population"
        )
    if terms["neighbours"] not in RELATIONS:
        raise InvalidArgument(
            "neighbours", "must be 'add-remove' or 'change-one'", terms["neighbours"]
        )
    delta = (
        None
        if terms["delta"] is None
        else check_stored_digits(parse_exact(terms["delta"], "delta"), "delta")
    )
    budget = Budget(
        check_stored_digits(parse_exact(terms["epsilon"], "epsilon"), "epsilon"),
        delta,
        parse_exact(terms.get("conversion", Fraction(1, 2)), "conversion"),
    )
    return {
        "epsilon": _format_fraction(budget.epsilon),
        "delta": None if budget.delta is None else _format_fraction(budget.delta),
        "conversion": _format_fraction(budget.conversion),
        "unit": parse_text(terms["unit"], "unit"),
        "neighbours": terms["neighbours"],
    }


def _format_fraction(value: Fraction) -> str:
    return f"{value.numerator}/{value.denominator}"


def parse_text(value: object, argument: str) -> str:
    """Return text that is not empty."""
    if not isinstance(value, str) or not value:
        raise InvalidArgument(argument, "must be text", value)
    return value


@functools.lru_cache(maxsize=4096)
def read_loss(epsilon: str, delta: str, rho: str) -> Loss:
    """Read the loss of a stored charge."""
    return Loss.from_dict({"epsilon": epsilon, "delta": delta, "rho": rho})


@functools.lru_cache(maxsize=4096)
def read_fraction(text: str) -> Fraction:
    """Read a stored number."""
    return Fraction(text)


def compute_larger_loss(a: Loss, b: Loss) -> Loss:
    """Return the smallest (epsilon, delta) that bounds both losses."""
    return Loss(max(a.epsilon, b.epsilon), max(a.delta, b.delta))
