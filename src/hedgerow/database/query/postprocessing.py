"""The run of a statement that was split into pieces: price all of them, charge them together,
release each, and run the SQL around them on their noisy answers.

    price -> check the SQL on empty tables -> charge all or none -> release -> post-process

The pieces are stored before the last step: an error there loses nothing, and asking again is free.
A piece whose constant is the result of another piece is released after it; its price was reserved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hedgerow.answers.answer import Answer
from hedgerow.answers.explanation import Explanation, combine_explanations
from hedgerow.answers.postprocessed_answer import PostprocessedAnswer
from hedgerow.database.query.answer_intervals import answer_with_intervals
from hedgerow.database.query.answer_tables import AnswerTables
from hedgerow.database.query.charging import build_charge
from hedgerow.database.query.explain import explain_priced, explain_query, limit_to_analyst
from hedgerow.database.query.piece_pricing import (
    PricedPiece,
    build_piece_answer,
    price_piece,
    price_pieces,
)
from hedgerow.database.query.pricing import QueryContext, QueryRequest
from hedgerow.database.query.shared_failures import share_failure
from hedgerow.database.uncharged.exact_table import ExactTable
from hedgerow.database.uncharged.kept_process import prepare_process
from hedgerow.database.uncharged.system_query import is_system_query
from hedgerow.errors import HedgerowError, Refused, Unsupported
from hedgerow.ledger.entry import Entry
from hedgerow.numeric.exact_number import Number
from hedgerow.release.payload import Release
from hedgerow.release.release import charge_together, release, release_reserved
from hedgerow.sql.postprocessing.pieces import SplitStatement, select_all
from hedgerow.sql.postprocessing.statement_split import split_statement
from hedgerow.sql.public_tables.statement import PublicQuery

__all__ = ["explain_statement", "run_split_statement"]


@dataclass(frozen=True, slots=True)
class PricedStatement:
    """A statement that is priced: its pieces, the tables of their answers, the SQL over these, and
    the last ledger entry before it was priced."""

    pieces: Sequence[PricedPiece]
    tables: AnswerTables
    query: PublicQuery
    seen: int

    @property
    def unanswered(self) -> set[tuple[str, str]]:
        """The pieces that have no stored answer, by key and data version."""
        return {
            (one.reserved_key or one.priced.key, one.priced.version)
            for one in self.pieces
            if not one.is_free
        }


def run_split_statement(
    context: QueryContext, request: QueryRequest, statement: SplitStatement
) -> Answer | PostprocessedAnswer | Explanation | ExactTable:
    """Run a statement that was split, or explain it."""
    prepared = price_statement(context, request, statement)
    if statement.heading.explain:
        if not prepared.pieces:
            raise Refused(
                "Declared keys are free, so there is nothing to explain. Use query instead."
            )
        return explain_pieces(context, request.analyst, prepared.pieces)
    while asked := prepared.unanswered:
        with context.enter_flight(*(key for key, _ in asked)):
            if context.ledger.state.seq > prepared.seen:
                # Somebody else may have asked pieces of this meanwhile.
                fresh = price_statement(context, request, statement)
                if fresh.unanswered:
                    share_failure(context.ledger, asked, prepared.seen)
                prepared = fresh
            if prepared.unanswered <= asked:
                return answer_statement(context, statement, prepared)
    return answer_statement(context, statement, prepared)


def price_statement(
    context: QueryContext, request: QueryRequest, statement: SplitStatement
) -> PricedStatement:
    """Price the pieces of a statement, and check the SQL around them on empty tables."""
    seen = context.ledger.state.seq
    tables = AnswerTables(context.policy, context.catalog, statement.heading)
    for table in statement.key_tables:
        tables.add_rows(table.name, table.types, table.rows)
    pieces = price_pieces(context, request, statement, tables) if statement.pieces else []
    return PricedStatement(pieces, tables, tables.read_query(statement.tree), seen)


def answer_statement(
    context: QueryContext, statement: SplitStatement, prepared: PricedStatement
) -> Answer | PostprocessedAnswer | ExactTable:
    """Release the pieces, and run the SQL around them on their answers."""
    pieces, tables = prepared.pieces, prepared.tables
    is_plain = len(pieces) == 1 and statement.tree == select_all(pieces[0].piece.name)
    if not is_plain:
        prepare_process()  # while the pieces run
    answers = release_pieces(context, pieces, tables)
    if is_plain:
        return answers[0]
    if not answers:
        return tables.run_query(prepared.query)
    named = {one.piece.name: answer for one, answer in zip(pieces, answers, strict=True)}
    found = answer_with_intervals(tables, statement.tree, prepared.query, named)
    return replace(found, remarks=statement.notes)


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


def explain_pieces(
    context: QueryContext, analyst: str, pieces: Sequence[PricedPiece]
) -> Explanation:
    """Explain a statement by its pieces: the price of each, what is free, and the errors."""
    explained = [
        explain_priced(context, one.priced, one.resolved.notes, one.stored if one.is_free else ())
        for one in pieces
    ]
    combined = combine_explanations(explained, [one.description for one in pieces])
    return limit_to_analyst(context, analyst, combined)


def release_pieces(
    context: QueryContext, pieces: Sequence[PricedPiece], tables: AnswerTables
) -> list[Answer]:
    """Charge all pieces that are not stored, or none; then release each of them in turn, and add
    its answer to the tables."""
    reserved = _charge_pieces(context, pieces)
    answers: list[Answer] = []
    failure: HedgerowError | None = None
    for one in pieces:
        try:
            if one.reserved_key is None:
                answer = _release_piece(context, one)
            else:
                answer = _release_reserved(context, one, reserved[one.piece.name], tables)
        except HedgerowError as error:
            # The others are paid for: store their answers all the same.
            failure = failure or error
            continue
        answers.append(answer)
        tables.add_rows(one.piece.name, one.types, answer.rows)
    if failure is not None:
        raise failure
    return answers


def _charge_pieces(context: QueryContext, pieces: Sequence[PricedPiece]) -> dict[str, Entry]:
    """Charge all pieces that are not stored, or none; return the entries that were reserved."""
    charged = [one for one in pieces if one.reserved_key is None and not one.is_free]
    reserved = [one for one in pieces if one.reserved_key is not None]
    unpaid = [one for one in reserved if one.paid is None]
    paid = {one.piece.name: one.paid for one in reserved if one.paid is not None}
    if not charged and not unpaid:
        return paid
    entries = charge_together(
        context.source,
        context.release_ledger,
        [
            (
                one.priced.question.plan,
                one.priced.noise,
                build_charge(context, one.request, one.priced),
            )
            for one in charged
        ],
        [(one.reserved_losses, one.build_reserved_charge(context)) for one in unpaid],
    )
    new = zip((one.piece.name for one in unpaid), entries[len(charged) :], strict=True)
    return paid | dict(new)


def _release_piece(context: QueryContext, one: PricedPiece) -> Answer:
    """Release a piece, or answer it from what is stored."""
    released: Release | None = None
    if not one.is_free:
        charge = build_charge(context, one.request, one.priced)
        plan, noise = one.priced.question.plan, one.priced.noise
        released = release(plan, context.source, context.release_ledger, noise, charge)
    return build_piece_answer(context, one, released)


def _release_reserved(
    context: QueryContext, one: PricedPiece, entry: Entry, tables: AnswerTables
) -> Answer:
    """Release a piece whose constants are known now, for the price that was reserved. If there is
    no such question, its charge gets no answer."""
    try:
        if not tables.compute_values(one.piece.constants):
            raise Refused("The answer that this statement compares with is missing. Ask again.")
        known = price_piece(context, one.piece.fill(tables.values), one.request, is_reserved=True)
    except HedgerowError:
        context.ledger.fail(entry)
        raise
    charge = build_charge(context, known.request, known.priced)
    plan, noise = known.priced.question.plan, known.priced.noise
    ledger = context.release_ledger
    released = release_reserved(plan, context.source, ledger, noise, charge, entry)
    return build_piece_answer(context, replace(known, stored=()), released)
