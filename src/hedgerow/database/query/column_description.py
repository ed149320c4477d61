"""The columns of an answer before the question is asked: names, types, and which are noisy. Nothing
is charged and no protected data are read."""

from __future__ import annotations

from dataclasses import dataclass

from hedgerow.database.query.answer_tables import AnswerTables
from hedgerow.database.query.piece_pricing import price_pieces
from hedgerow.database.query.pricing import QueryContext, QueryRequest
from hedgerow.database.query.run import answer_without_charge
from hedgerow.database.uncharged.empty_rows import read_question_about_no_rows
from hedgerow.errors import Unsupported
from hedgerow.plan.scalar.expressions import find_columns
from hedgerow.plan.values import Type
from hedgerow.sql.postprocessing.statement_split import split_statement
from hedgerow.sql.predicates.unsatisfiable import UnsatisfiableCondition
from hedgerow.sql.question import Question

__all__ = ["OutputColumnType", "describe_columns"]

_EXPLANATION = "explanation"


@dataclass(frozen=True, slots=True)
class OutputColumnType:
    """A column of an answer by name and type."""

    name: str
    type: Type
    is_noisy: bool


def describe_columns(context: QueryContext, request: QueryRequest) -> tuple[OutputColumnType, ...]:
    """Return the columns that the answer to a question would have."""
    exact = answer_without_charge(context, request)
    if exact is not None:
        return tuple(OutputColumnType(name, type_, False) for name, type_ in exact.types.items())
    try:
        question = context.resolver.resolve(request.sql).question
    except Unsupported as refusal:
        known = None
        if isinstance(refusal, UnsatisfiableCondition):
            known = read_question_about_no_rows(request.sql, context.catalog, refusal)
        if known is None:
            return _describe_statement(context, request, refusal)
        question = known
    if question.explain:
        return (OutputColumnType(_EXPLANATION, "text", False),)
    return _describe_question(question)


def _describe_question(question: Question) -> tuple[OutputColumnType, ...]:
    keys = {key.name for key in question.keys}
    return tuple(
        OutputColumnType(
            output.name, output.type, not keys.issuperset(find_columns(output.expression))
        )
        for output in question.outputs
    )


def _describe_statement(
    context: QueryContext, request: QueryRequest, refusal: Unsupported
) -> tuple[OutputColumnType, ...]:
    """Run the SQL above the pieces on empty tables."""
    statement = split_statement(request.sql, context.catalog, refusal)
    if statement.heading.explain:
        return (OutputColumnType(_EXPLANATION, "text", False),)
    tables = AnswerTables(context.policy, context.catalog, statement.heading)
    for table in statement.key_tables:
        tables.add_rows(table.name, table.types, table.rows)
    pieces = price_pieces(context, request, statement, tables) if statement.pieces else []
    query = tables.read_query(statement.tree)
    for piece in pieces:
        tables.add_rows(piece.piece.name, piece.types, [])
    types = tables.run_query(query).types
    return tuple(OutputColumnType(name, type_, False) for name, type_ in types.items())
