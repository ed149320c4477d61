"""The run of a statement that was split into pieces: price all of them, charge them together,
release each, and run the SQL around them on their noisy answers.

    price -> check the SQL on empty tables -> charge all or none -> release -> post-process

The pieces are stored before the last step: an error there loses nothing, and asking again is free.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from hedgerow.answers.answer import Answer, build_answer
from hedgerow.answers.caveats import describe_rho_cost
from hedgerow.answers.dataframes import build_typed_table
from hedgerow.answers.explanation import Explanation, combine_explanations
from hedgerow.answers.postprocessed_answer import PostprocessedAnswer
from hedgerow.database.autobounds.resolver import ResolvedQuestion
from hedgerow.database.query.charging import build_charge
from hedgerow.database.query.explain import explain_query, explain_resolved
from hedgerow.database.query.payers import find_payers
from hedgerow.database.query.pricing import (
    EPSILON_STEPS,
    PricedQuestion,
    QueryContext,
    QueryRequest,
    choose_price,
    find_stored_answers,
    is_answered,
    price_question,
)
from hedgerow.database.uncharged.diagnose import refuse_invalid_query
from hedgerow.database.uncharged.exact_table import ExactTable
from hedgerow.database.uncharged.public_query import run_public_query
from hedgerow.database.uncharged.system_query import is_system_query
from hedgerow.errors import Refused, SourceError, Unsupported
from hedgerow.numeric.exact_number import Number
from hedgerow.plan.schema import Column, Schema
from hedgerow.release.payload import Release
from hedgerow.release.release import charge_together, release
from hedgerow.sql.catalog import Catalog, TableEntry
from hedgerow.sql.postprocessing.pieces import KeyTable, Piece, SplitStatement
from hedgerow.sql.postprocessing.statement_split import split_statement
from hedgerow.sql.public_tables.statement import read_public_tree

__all__ = ["explain_statement", "run_split_statement"]

_DELTA_STEPS: Final = 10**40
_NOT_COMPUTED: Final = (
    "The noisy answers are stored, but the SQL over them failed: a value has no result, such as"
    " text in CAST that is not a number, or it took too long or too much memory. Change that part"
    " (TRY_CAST, fewer rows) and ask again, which is free."
)


@dataclass(frozen=True, slots=True)
class _PricedPiece:
    """A piece with its share of the price, and its stored answers. ``request`` asks for it as if
    it were a question of its own."""

    piece: Piece
    resolved: ResolvedQuestion
    request: QueryRequest
    priced: PricedQuestion
    stored: tuple[Release, ...]

    @property
    def description(self) -> str:
        """The outputs and tables of the piece, for people."""
        question = self.resolved.question
        outputs = [key.text for key in question.keys]
        outputs += [call.text for call in question.aggregates]
        return f"{', '.join(outputs)} of {', '.join(question.tables)}"

    @property
    def is_free(self) -> bool:
        """True if a stored answer serves the piece."""
        return is_answered(self.priced, self.stored)


def run_split_statement(
    context: QueryContext, request: QueryRequest, statement: SplitStatement
) -> PostprocessedAnswer | Explanation | ExactTable:
    """Run a statement that was split, or explain it."""
    pieces = price_pieces(context, request, statement) if statement.pieces else []
    catalog = _build_answer_catalog(context.catalog, pieces, statement.key_tables)
    query = read_public_tree(statement.heading, statement.tree, catalog)
    refuse_invalid_query(query, catalog)
    if statement.heading.explain:
        if not pieces:
            raise Refused(
                "Declared keys are free, so there is nothing to explain. Use query instead."
            )
        return explain_pieces(context, pieces)
    answers = release_pieces(context, pieces)
    frames = {
        table.name: build_typed_table(table.types, table.rows) for table in statement.key_tables
    }
    for one, answer in zip(pieces, answers, strict=True):
        outputs = one.resolved.question.outputs
        types = {output.name: output.type for output in outputs}
        frames[one.piece.name] = build_typed_table(types, answer.rows)
    try:
        table = run_public_query(query, context.policy, catalog, frames)
    except SourceError:
        raise SourceError(_NOT_COMPUTED) from None
    if not answers:
        return table
    return PostprocessedAnswer(table.types, table.rows, tuple(answers))


def explain_statement(
    context: QueryContext, request: QueryRequest, error: Number | None = None
) -> Explanation:
    """Explain a question, or the pieces of a statement that is not one question."""
    if is_system_query(request.sql):
        return explain_query(context, request, error)
    try:
        context.resolver.resolve(request.sql)
    except Unsupported as refusal:
        statement = split_statement(request.sql, context.catalog, refusal)
    else:
        return explain_query(context, request, error)
    if error is not None:
        raise Refused(
            "This statement is answered in pieces, so no one epsilon belongs to an error. Name an"
            " epsilon instead, or ask for the epsilon of its innermost aggregates."
        )
    explaining = replace(statement, heading=replace(statement.heading, explain=True))
    explained = run_split_statement(context, request, explaining)
    assert isinstance(explained, Explanation)
    return explained


def price_pieces(
    context: QueryContext, request: QueryRequest, statement: SplitStatement
) -> list[_PricedPiece]:
    """Price the pieces: each gets the same share of the epsilon that the statement names, and of
    the delta, if it names one. The shares follow from the statement alone."""
    resolved = [context.resolver.resolve(piece) for piece in statement.pieces]
    if any(one.missing_searches for one in resolved):
        raise Refused(
            "This statement needs bounds that are not declared. Declare them in the policy, or"
            " first ask its innermost aggregates alone, which finds them."
        )
    payers = [payer for one in resolved for payer in find_payers(context.policy, one.question).each]
    epsilon, delta = choose_price(payers, request, statement.heading.options)
    count = len(resolved)
    share = Fraction(epsilon * EPSILON_STEPS // count, EPSILON_STEPS)
    if not share:
        raise Refused(
            f"An epsilon of {float(epsilon):g} is too small for {count} pieces. Ask with"
            " a larger one."
        )
    names_delta = request.delta is not None or statement.heading.options.delta is not None
    delta_share = (
        Fraction(delta * _DELTA_STEPS // count, _DELTA_STEPS) if delta and names_delta else None
    )
    # The ledger finds the charge of a piece by its request key, so each needs one.
    prefix = request.key or f"statement {uuid.uuid4()}"
    return [
        _price_piece(
            context,
            piece,
            one,
            replace(request, epsilon=share, delta=delta_share, key=f"{prefix}/{place}"),
        )
        for place, (piece, one) in enumerate(zip(statement.pieces, resolved, strict=True))
    ]


def _price_piece(
    context: QueryContext, piece: Piece, resolved: ResolvedQuestion, request: QueryRequest
) -> _PricedPiece:
    charged = context.ledger.find_request(request.analyst, request.key)
    priced = price_question(context, resolved.question, request, charged=charged)
    stored = tuple(find_stored_answers(context.ledger, priced))
    return _PricedPiece(piece, resolved, request, priced, stored)


def explain_pieces(context: QueryContext, pieces: Sequence[_PricedPiece]) -> Explanation:
    """Explain a statement by its pieces: the price of each, what is free, and the errors."""
    explained = [explain_resolved(context, one.request, one.resolved) for one in pieces]
    return combine_explanations(explained, [one.description for one in pieces])


def release_pieces(context: QueryContext, pieces: Sequence[_PricedPiece]) -> list[Answer]:
    """Charge all pieces that are not stored, or none; then release each of them."""
    charged = [one for one in pieces if not one.is_free]
    charges = [
        (
            one.priced.question.plan,
            one.priced.noise,
            build_charge(context, one.request, one.priced),
        )
        for one in charged
    ]
    if charges:
        charge_together(context.source, context.ledger, charges)
    released: dict[str, Release] = {}
    failure: SourceError | None = None
    for one, (plan, noise, charge) in zip(charged, charges, strict=True):
        try:
            released[one.piece.name] = release(plan, context.source, context.ledger, noise, charge)
        except SourceError as error:
            failure = error  # the others are paid for: store their answers all the same
    if failure is not None:
        raise failure
    return [_build_piece_answer(context, one, released.get(one.piece.name)) for one in pieces]


def _build_piece_answer(
    context: QueryContext, one: _PricedPiece, released: Release | None
) -> Answer:
    if released is None:
        notes = (*one.priced.with_stored_noise(one.stored).notes, *one.resolved.notes)
        return build_answer(one.priced.question, one.stored, reused=True, notes=notes)
    budget = context.ledger.state.budget(one.priced.payers.first.population)
    notes = (
        *one.priced.notes,
        *one.resolved.notes,
        *describe_rho_cost(released.loss, budget),
    )
    releases = [released, *one.stored]
    return build_answer(one.priced.question, releases, reused=False, notes=notes)


def _build_answer_catalog(
    catalog: Catalog, pieces: Sequence[_PricedPiece], key_tables: Sequence[KeyTable]
) -> Catalog:
    """Return the catalog of the SQL above the pieces: public tables, and an empty table with the
    columns of each answer. No protected table is in it."""
    tables = {name: entry for name, entry in catalog.tables.items() if entry.schema.unit is None}
    columns = {table.name: table.types for table in key_tables} | {
        one.piece.name: {output.name: output.type for output in one.resolved.question.outputs}
        for one in pieces
    }
    for name, types in columns.items():
        declared = tuple(Column(column, type_) for column, type_ in types.items())
        tables[name] = TableEntry(Schema(name, declared, None))
    return Catalog(tables)
