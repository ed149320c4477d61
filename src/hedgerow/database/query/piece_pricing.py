"""The prices of the pieces of a statement: their shares of epsilon and delta, what is stored, and
what is reserved for a piece with a constant that is not released yet.

All of this follows from the statement, the policy and the ledger, before any data are read.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from hedgerow.answers.answer import Answer, build_answer
from hedgerow.answers.caveats import describe_rho_cost
from hedgerow.database.autobounds.resolver import ResolvedQuestion
from hedgerow.database.query.answer_tables import AnswerTables
from hedgerow.database.query.charging import build_charge
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
    price_with_noise,
)
from hedgerow.errors import Refused
from hedgerow.ledger.entry import Entry
from hedgerow.plan.values import Type
from hedgerow.privacy.loss import Loss
from hedgerow.release.payload import Release
from hedgerow.release.release import Charge
from hedgerow.sql.postprocessing.pieces import Piece, SplitStatement
from hedgerow.sql.predicates.unsatisfiable import UnsatisfiableCondition

__all__ = ["PricedPiece", "build_piece_answer", "price_piece", "price_pieces"]

_DELTA_STEPS: Final = 10**40


@dataclass(frozen=True, slots=True)
class PricedPiece:
    """A piece with its share of the price, and its stored answers. ``request`` asks for it as if
    it were a question of its own.

    The price of a piece with a constant that is not known yet is ``reserved``: it is priced with a
    sample in the place of the constant, and charged under a key of its own. ``paid`` is that
    charge, if an earlier request with the same key made it.
    """

    piece: Piece
    resolved: ResolvedQuestion
    request: QueryRequest
    priced: PricedQuestion
    stored: tuple[Release, ...] = ()
    reserved_key: str | None = None
    paid: Entry | None = None

    @property
    def description(self) -> str:
        """The outputs and tables of the piece, for people."""
        question = self.resolved.question
        outputs = [key.text for key in question.keys]
        outputs += [call.text for call in question.aggregates]
        return f"{', '.join(outputs)} of {', '.join(question.tables)}"

    @property
    def types(self) -> Mapping[str, Type]:
        """The types of the columns of the answer."""
        return {output.name: output.type for output in self.resolved.question.outputs}

    @property
    def is_free(self) -> bool:
        """True if a stored answer serves the piece."""
        return self.reserved_key is None and is_answered(self.priced, self.stored)

    @property
    def reserved_losses(self) -> dict[str, Loss]:
        """The loss that is reserved: at least that of the piece, whatever its constant is.

        Laplace noise for an epsilon costs at most that epsilon. The delta is that of the whole
        piece if it needs any.
        """
        loss = self.priced.loss
        delta = self.request.delta if loss.delta else 0
        most = Loss(self.priced.asked_epsilon, loss.delta if delta is None else delta)
        return {self.priced.payers.first.population: most}

    def build_reserved_charge(self, context: QueryContext) -> Charge:
        """Build the charge of a piece whose constant is not known yet."""
        assert self.reserved_key is not None
        charge = build_charge(context, self.request, self.priced)
        return replace(charge, question=self.reserved_key, parts=None)


def price_pieces(
    context: QueryContext,
    request: QueryRequest,
    statement: SplitStatement,
    tables: AnswerTables,
) -> list[PricedPiece]:
    """Price the pieces: each gets the same share of the epsilon that the statement names, and of
    the delta, if it names one. The shares follow from the statement alone."""
    samples = {one.name: one.sample for piece in statement.pieces for one in piece.constants}
    resolved = [context.resolver.resolve(piece.fill(samples)) for piece in statement.pieces]
    if any(one.missing_searches for one in resolved):
        raise Refused(
            "This statement needs bounds that are not declared. Declare them in the policy, or"
            " first ask its innermost aggregates alone, which finds them."
        )
    if any(one.question.measures_clipping for one in resolved):
        raise Refused(
            "clipped => TRUE measures one question, and this statement has several. Ask the"
            " innermost aggregates alone, or leave clipped out."
        )
    requests = _share_price(context, request, statement, resolved)
    found: list[PricedPiece] = []
    for piece, sampled, asked in zip(statement.pieces, resolved, requests, strict=True):
        one = _price_in_turn(context, piece, sampled, asked, tables, found)
        found.append(one)
        tables.add_columns(piece.name, one.types)
        if one.is_free:
            tables.add_rows(piece.name, one.types, build_piece_answer(context, one, None).rows)
    return found


def _share_price(
    context: QueryContext,
    request: QueryRequest,
    statement: SplitStatement,
    resolved: Sequence[ResolvedQuestion],
) -> list[QueryRequest]:
    """Return the request for each piece, with its share of the price."""
    payers = [payer for one in resolved for payer in find_payers(context.policy, one.question).each]
    epsilon, delta = choose_price(payers, request, statement.heading.options)
    count = len(resolved)
    share = Fraction(epsilon * EPSILON_STEPS // count, EPSILON_STEPS)
    names_delta = request.delta is not None or statement.heading.options.delta is not None
    delta_share = (
        Fraction(delta * _DELTA_STEPS // count, _DELTA_STEPS) if delta and names_delta else None
    )
    # The ledger finds the charge of a piece by its request key, so each needs one.
    prefix = request.key or f"statement {uuid.uuid4()}"
    return [
        replace(request, epsilon=share, delta=delta_share, key=f"{prefix}/{place}")
        for place in range(count)
    ]


def _price_in_turn(
    context: QueryContext,
    piece: Piece,
    sampled: ResolvedQuestion,
    request: QueryRequest,
    tables: AnswerTables,
    before: Sequence[PricedPiece],
) -> PricedPiece:
    """Price a piece after those that its constants read."""
    if not piece.constants:
        return price_piece(context, piece, request)
    key = _compute_reserved_key(piece, before)
    paid = context.ledger.find_request(request.analyst, request.key)
    if paid is not None and paid.body["question"] != key:
        paid = None
    if tables.compute_values(piece.constants):
        one = price_piece(context, piece.fill(tables.values), request)
        return one if one.is_free or paid is None else replace(one, reserved_key=key, paid=paid)
    priced = price_with_noise(context, sampled.question, request, kind="laplace")
    if priced.payers.second is not None or priced.payers.first.budget_rule.noise == "gaussian":
        raise Refused(
            "The price of a question about two populations, or with Gaussian noise, depends on its"
            " constants. Ask the subquery first, and write its result into the question."
        )
    return PricedPiece(piece, sampled, request, priced, reserved_key=key, paid=paid)


def price_piece(
    context: QueryContext, piece: Piece, request: QueryRequest, *, is_reserved: bool = False
) -> PricedPiece:
    """Price a piece without open constants like a question that is asked alone; what was reserved
    for it is for Laplace noise."""
    try:
        resolved = context.resolver.resolve(piece)
    except UnsatisfiableCondition as refusal:
        # Its constants are noisy answers, which nobody wrote: they lie where nothing is.
        raise Refused(
            f"{str(refusal).splitlines()[0]}. The noisy answer of the subquery lies outside, and is"
            " stored. Clamp it there, as in SELECT LEAST(AVG(x), 100), or name a larger epsilon,"
            " and ask again."
        ) from None
    if is_reserved:
        priced = price_with_noise(context, resolved.question, request, kind="laplace")
    else:
        charged = context.ledger.find_request(request.analyst, request.key)
        priced = price_question(context, resolved.question, request, charged=charged)
    stored = tuple(find_stored_answers(context.ledger, priced))
    return PricedPiece(piece, resolved, request, priced, stored)


def _compute_reserved_key(piece: Piece, before: Sequence[PricedPiece]) -> str:
    """Compute the key of the charge for a piece with open constants: a digest of its text, and of
    all that its constants may read."""
    parts = [repr(piece.select), *(repr(constant.tree) for constant in piece.constants)]
    parts += [one.reserved_key or one.priced.key for one in before]
    return hashlib.sha256("\n".join(["constants", *parts]).encode()).hexdigest()


def build_piece_answer(context: QueryContext, one: PricedPiece, released: Release | None) -> Answer:
    """Build the answer to a piece from its new release and those that are stored."""
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
