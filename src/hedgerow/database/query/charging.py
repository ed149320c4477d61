"""The charge of a priced question: who pays, for what, and what the ledger notes about it."""

from __future__ import annotations

from typing import Any, Final

from hedgerow.database.query.pricing import PricedQuestion, QueryContext, QueryRequest
from hedgerow.database.uncharged.system_tables import PLAN_FORM_FIELD
from hedgerow.release.release import Charge, ChargedPopulation

__all__ = ["build_charge"]

_PLAN_FORM: Final = 3  # of the plans that questions are read into now


def build_charge(context: QueryContext, request: QueryRequest, priced: PricedQuestion) -> Charge:
    """Build the charge of a priced question."""
    first, second = priced.payers.first, priced.payers.second
    about: dict[str, Any] = {
        "table": ", ".join(table.name for table in priced.payers.tables),
        "aggregates": [call.text for call in priced.question.aggregates],
        PLAN_FORM_FIELD: _PLAN_FORM,
    }
    if priced.asked_epsilon != priced.epsilon:
        about["asked"] = str(priced.asked_epsilon)
    return Charge(
        first.population,
        first.unit,
        request.analyst,
        priced.epsilon,
        priced.key,
        priced.version,
        request.key,
        about,
        context.policy_digest,
        priced.charged_parts,
        None if second is None else ChargedPopulation(second.population, second.unit),
    )
