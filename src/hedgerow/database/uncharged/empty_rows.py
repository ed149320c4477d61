"""The exact answer to a question whose WHERE is never true: what SQL says of no rows.

Which condition cannot hold follows from the statement and the policy alone, and so does the answer:
counts are 0, other aggregates NULL, and declared keys are complete. No data are read, so it is free
and has no ledger entry.
"""

from __future__ import annotations

from itertools import product
from typing import Any

from hedgerow.answers.result_rows import ResultRow, arrange_rows, compute_outputs
from hedgerow.database.uncharged.exact_table import ExactTable
from hedgerow.errors import Refused
from hedgerow.sql.catalog import Catalog
from hedgerow.sql.parser import parse_without_condition
from hedgerow.sql.predicates.unsatisfiable import UnsatisfiableCondition
from hedgerow.sql.question import Question

__all__ = ["answer_about_no_rows", "read_question_about_no_rows"]


def answer_about_no_rows(
    sql: str, catalog: Catalog, refusal: UnsatisfiableCondition
) -> ExactTable | None:
    """Answer a question whose WHERE is never true; None if it is not one question."""
    question = read_question_about_no_rows(sql, catalog, refusal)
    if question is None:
        return None
    rows = arrange_rows(question, _list_empty_groups(question))
    types = {output.name: output.type for output in question.outputs}
    shown: list[dict[str, Any]] = [compute_outputs(question, row) for row in rows]
    return ExactTable(types, shown, _describe(refusal))


def read_question_about_no_rows(
    sql: str, catalog: Catalog, refusal: UnsatisfiableCondition
) -> Question | None:
    """Read a question without its WHERE, which is never true; raise its refusal if it is to be
    explained. None if it is not one question without WHERE either."""
    try:
        question = parse_without_condition(sql, catalog)
    except Refused:
        return None
    if question.explain:
        raise refusal
    return question


def _list_empty_groups(question: Question) -> list[ResultRow]:
    """List all groups of declared keys, or the only one without keys, with aggregates of no row."""
    domain = question.plan.source.domain
    groups = [()] if not question.keys else [] if domain is None else product(*domain)
    aggregates: dict[str, Any] = {}
    for call in question.aggregates:
        value = 0 if call.function == "COUNT" else None
        aggregates |= {call.name + end: value for end in ("", ".low", ".high")}
    names = [key.name for key in question.keys]
    return [
        ResultRow(place, {**dict(zip(names, group, strict=True)), **aggregates})
        for place, group in enumerate(groups)
    ]


def _describe(refusal: UnsatisfiableCondition) -> str:
    """Return the note with the reason, and the value that may have been meant."""
    problem, *_, fix = str(refusal).split("\n")
    meant = f" {fix}" if fix.startswith("Did you mean") else ""
    problem = problem.removesuffix(", so the answer would be noise alone")
    return f"Free and exact: no protected data were read. {problem}.{meant}"
