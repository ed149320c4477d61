"""Publishing from a protected database: first a draft, which says what it will cost and how good it
will be, then the publication.

A draft touches no data and costs nothing. ``draft.to(folder)`` charges it, makes it, and leaves a
folder that anybody may read.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from hedgerow.database.publishing.stream_draft import StreamDraft
from hedgerow.database.query.partition_charging import find_touched_parts
from hedgerow.database.uncharged.system_tables import FOLDER_FIELD
from hedgerow.engines.data_source import Source
from hedgerow.errors import InvalidArgument, Refused, SourceError
from hedgerow.ledger.entry import Entry
from hedgerow.ledger.interface import LedgerBase
from hedgerow.numeric.exact_number import (
    Number,
    check_stored_digits,
    parse_epsilon,
    parse_exact,
    parse_positive,
    parse_whole,
)
from hedgerow.plan.canonical_plans import compute_plan_key as meaning_of
from hedgerow.plan.contingency import Contingency
from hedgerow.plan.contribution_limits import (
    MAX_TABLE_ROWS,
    can_exceed_row_bound,
    compute_max_units,
)
from hedgerow.plan.nodes import Aggregate, Filter, Table
from hedgerow.plan.scalar.expressions import find_columns
from hedgerow.policy import BudgetRule, Policy, TableRule
from hedgerow.privacy.budget import Budget, TableParts
from hedgerow.privacy.unit import Unit
from hedgerow.publish.domain import BinSpec, build_contingency_plan, build_domain
from hedgerow.publish.kinds.queries import build_query_matrix, pad_query_matrix
from hedgerow.publish.kinds.registry import KINDS
from hedgerow.publish.output.publication import RECEIPT_FORMAT, Publication, StagingFolder
from hedgerow.publish.output.report import build_report
from hedgerow.publish.privacy_parameters import PrivacyParameters
from hedgerow.publish.row_parts import refine_parts
from hedgerow.publish.specification import BuiltTable, Progress, Specification, ignore_progress
from hedgerow.publish.streaming.stream import StreamParameters
from hedgerow.release.private_table import PrivateTable
from hedgerow.release.publication import release_publication
from hedgerow.release.release import Charge
from hedgerow.sql.catalog import Catalog, TableEntry
from hedgerow.sql.parser import parse_rows

__all__ = ["PublicationDraft", "Publisher"]


class PublishingContext(Protocol):
    """What publishing needs of a database."""

    @property
    def policy(self) -> Policy: ...
    @property
    def catalog(self) -> Catalog: ...
    @property
    def ledger(self) -> LedgerBase: ...
    @property
    def source(self) -> Source: ...


@dataclass(frozen=True, slots=True, eq=False)
class PublicationDraft:
    """A publication that is not made yet."""

    specification: Specification
    epsilon: Fraction
    table: TableRule
    where: str | None
    budget: Budget
    _plan: Aggregate
    _terms: PrivacyParameters
    _encoded_options: str  # the options of its kind
    _unit: Unit
    _budget_rule: BudgetRule
    _context: PublishingContext
    _analyst: str

    def __repr__(self) -> str:
        return "\n".join(self.lines)

    @property
    def lines(self) -> list[str]:
        """What it is, what it costs, how it is measured, how far off it will be."""
        sketch, rows = self.specification, self._terms.rows
        sizes = " x ".join(
            f"{attribute.name} ({attribute.size})" for attribute in sketch.domain.attributes[:8]
        )
        more = len(sketch.domain.attributes) - 8
        whom = (
            "every row"
            if self.table.unit == "row"
            else f"every {self.table.unit}, of whom at most {rows} rows count"
        )
        found = [
            (
                f"{sketch.kind.capitalize()} of {self.table.name}:"
                f" {sizes}{f' and {more} more' if more > 0 else ''}."
            ),
            f"Cost: {sketch.cost}, towards {whom}.",
            f"Measured: {sketch.strategy}.",
        ]
        for line in sketch.accuracy:
            within = "" if line.radius is None else f", within {line.radius:.4g} at 95 %"
            found.append(
                f"Expected error of {line.name} ({line.answers:,}): {line.rms:.4g}{within}."
            )
        return [*found, *self.notes]

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know when reading it."""
        left_out = (
            ()
            if self.specification.kind == "queries"
            else ("A row that has no declared value in one of these columns counts nowhere.",)
        )
        return (*self.specification.notes, *left_out, *self._contribution_notes)

    @property
    def _contribution_notes(self) -> tuple[str, ...]:
        """Say what becomes of rows beyond the cap, if there may be any."""
        rows, fine = self._terms.rows, self._terms.parts_per_row
        if fine == 1:
            return ()
        more = (
            f"Whoever has more than {rows:,} row{'' if rows == 1 else 's'} has all of them counted"
            f" in part, as {rows:,} together."
        )
        allowed = "" if self.specification.kind == "synthetic" else "; intervals allow for that"
        return (f"{more} The parts are cut to 1/{fine:,} of a row{allowed}.",)

    @property
    def error(self) -> float:
        """The expected error of its first figure: the root of the mean square."""
        return self.specification.accuracy[0].rms

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        sketch = self.specification
        return {
            "kind": sketch.kind,
            "table": self.table.name,
            "columns": list(sketch.domain.names),
            "cells": [attribute.size for attribute in sketch.domain.attributes],
            "design": sketch.strategy,
            "cost": sketch.cost.to_dict(),
            "epsilon": str(self.epsilon),
            "rows": self._terms.rows,
            "accuracy": [
                {"what": a.name, "answers": a.answers, "rms": a.rms, "radius": a.radius}
                for a in sketch.accuracy
            ],
            "notes": list(self.notes),
        } | self._terms.facts

    @property
    def _key(self) -> str:
        """The meaning of it: what is counted of whom, how it is measured and cleaned."""
        domain = json.dumps(
            [attribute.to_dict() for attribute in self.specification.domain.attributes],
            sort_keys=True,
        )
        rule = self._budget_rule
        meaning = [
            meaning_of(self._plan),
            self.specification.kind,
            self._encoded_options,
            domain,
            rule.population,
            self._terms.relation,
            rule.noise,
        ]
        return hashlib.sha256("\n".join(meaning).encode()).hexdigest()

    def to(
        self, place: str | Path, *, request: str | None = None, tell: Progress = ignore_progress
    ) -> Publication:
        """Charge it, make it, and leave it in a new folder. One that was made before, and is still
        where it was, costs nothing; nor does one that was paid for and never got into its place.
        ``tell`` hears how many measurements are done, and of how many."""
        workshop = StagingFolder(place)
        workshop.create()
        try:
            return self._find_earlier(workshop) or self._charge_and_build(workshop, request, tell)
        finally:
            workshop.clean_up()

    def _find_earlier(self, workshop: StagingFolder) -> Publication | None:
        """The same at this epsilon or a larger one, if it is still as it was published, or as it
        was left before it could be.
        """
        for charge, payload in self._context.ledger.answers(self._key, self.table.version):
            held = json.loads(payload)
            if Fraction(charge.body["epsilon"]) < self.epsilon:
                continue
            try:
                found = Publication.load(held["place"])
            except SourceError:
                found = None
            if (
                found is not None and workshop.copy_published(found, held, charge.hash)
            ) or workshop.take_over(held):
                return _finish_publication(workshop, charge)
        return None

    def _charge_and_build(
        self, workshop: StagingFolder, request: str | None, tell: Progress
    ) -> Publication:
        made: list[str] = []

        def program(purse: PrivateTable, entry: Entry) -> str:
            kept = workshop.adopt_abandoned(entry.hash)
            if kept is None:
                built = self.specification.build(purse, tell)
                kept = workshop.save(built.table, self._build_receipt(built), entry.hash)
            made.append(json.dumps(kept))
            return made[0]

        place = str(workshop.destination.absolute())
        self._check_folder(request, place)
        # what is wrong with the data is said here, before anything is charged
        source = self._context.source
        payload, entry = release_publication(
            self._plan,
            source,
            self._context.ledger,
            self.specification.cost,
            program,
            self._build_charge(request, place),
        )
        # Of two runs for one payment the ledger keeps one: what the other made is never seen.
        if made != [payload]:
            workshop.discard()
            raise Refused(
                "This request was published before; its folder is where it was put then. Ask again"
                " without the request key."
            )
        return _finish_publication(workshop, entry)

    def _check_folder(self, request: str | None, place: str) -> None:
        """Of a run that died all that can be found is what it left beside its place: so its
        request stays there.
        """
        made = self._context.ledger.find_request(self._analyst, request)
        first = place if made is None else made.body["about"].get(FOLDER_FIELD, place)
        if first != place:
            raise Refused(
                f"This request was first to be put in {first}. Publish it there, or without the"
                " request key."
            )

    def _build_charge(self, request: str | None, place: str) -> Charge:
        about = {
            FOLDER_FIELD: place,
            "table": self.table.name,
            "publication": (
                f"{self.specification.kind} of {', '.join(self.specification.domain.names[:20])}"
            ),
        }
        parts = find_touched_parts(self._plan, self.table)
        return Charge(
            self._budget_rule.population,
            self._unit,
            self._analyst,
            self.epsilon,
            self._key,
            self.table.version,
            request,
            about,
            self._context.policy.digest,
            None if parts is None else TableParts(self.table.name, parts),
        )

    def _build_receipt(self, made: BuiltTable) -> dict[str, Any]:
        """All but the digest of the table, and the entry of the ledger."""
        sketch, terms = self.specification, self._terms
        return {
            "format": RECEIPT_FORMAT,
            "kind": sketch.kind,
            "table": self.table.name,
            "version": self.table.version,
            "population": self._budget_rule.population,
            "unit": {
                "neighbours": terms.relation,
                "owner": "row" if self.table.unit == "row" else "id",
                "rows": terms.rows,
            },
            "attributes": [attribute.to_dict() for attribute in sketch.domain.attributes],
            "design": sketch.strategy,
            "cost": sketch.cost.to_dict(),
            "epsilon": str(self.epsilon),
            "accuracy": [
                {"what": a.name, "answers": a.answers, "rms": a.rms, "radius": a.radius}
                for a in sketch.accuracy
            ],
            "facts": made.facts,
            "notes": list(self.notes),
            "where": self.where,
        }


def _finish_publication(workshop: StagingFolder, entry: Entry) -> Publication:
    """What was kept, with its receipt and report, in its place."""
    receipt = workshop.unfinished_receipt | {
        "ledger": {"entry": entry.seq, "hash": entry.hash, "time": entry.time}
    }
    try:
        return workshop.finish(receipt, build_report(receipt, workshop.table))
    except OSError as problem:
        raise SourceError(
            "The publication is paid for and measured, but could not be put in its place:"
            f" {problem.strerror}. Make room for it and publish it again: that costs nothing."
        ) from None


class Publisher:
    """``db.publish``: each method is a kind of publication, and gives a draft."""

    def __init__(self, desk: PublishingContext, analyst: str) -> None:
        self._context, self._analyst = desk, analyst

    def histogram(
        self,
        table: str,
        columns: Sequence[str] | str,
        *,
        sparse: bool = False,
        delta: Number | None = None,
        **options: Any,
    ) -> PublicationDraft:
        """How many rows have each combination of values, or bins. ``sparse``: only of combinations
        that enough rows share, which takes a ``delta`` and is for domains too large to be told
        whole."""
        if not sparse and delta is not None:
            raise InvalidArgument(
                "delta", "must be left out: only a sparse histogram takes one", delta
            )
        if not sparse:
            return self._build_draft("histogram", table, columns, **options)
        rule, _ = self._find_table(table)
        chance = (
            self._context.policy.budget(str(rule.population)).default_delta
            if delta is None
            else parse_exact(delta, "delta")
        )
        if chance is None:
            raise Refused(
                "A sparse histogram takes a delta: give the budget one, or publish every cell."
            )
        return self._build_draft("sparse histogram", table, columns, delta=chance, **options)

    def cdf(self, table: str, column: Sequence[str] | str, **options: Any) -> PublicationDraft:
        """How many rows are at or below each value: all ranges of it can be read off."""
        return self._build_draft("cdf", table, column, **options)

    def marginals(
        self, table: str, columns: Sequence[str] | str, *, ways: int = 2, **options: Any
    ) -> PublicationDraft:
        """The tables of all combinations of up to ``ways`` of the columns."""
        return self._build_draft(
            "marginals", table, columns, ways=parse_whole(ways, "ways"), **options
        )

    def stream(self, table: str, column: Sequence[str] | str, **options: Any) -> PublicationDraft:
        """The running total along a column, such as days: how many rows so far."""
        return self._build_draft("stream", table, column, **options)

    def continual(
        self,
        name: str,
        *,
        horizon: int,
        lower: Number,
        upper: Number,
        grid: Number = 1,
        touched: int = 1,
        epsilon: Number | None = None,
        population: str | None = None,
    ) -> StreamDraft:
        """Numbers that are not in a table but arrive one by one: after each, the noisy sum so
        far. One unit changes at most ``touched``.
        """
        names = [rule.population for rule in self._context.policy.budgets]
        if (population is None and len(names) > 1) or (
            population is not None and population not in names
        ):
            raise InvalidArgument("population", f"must be one of {', '.join(names)}", population)
        rule = self._context.policy.budget(population or names[0])
        cost = self._choose_epsilon(epsilon, None, rule, None)
        bought = PrivacyParameters.from_epsilon(cost, rule.noise)
        units = [
            table.privacy_unit
            for table in self._context.policy.tables
            if table.population == rule.population and table.privacy_unit
        ]
        group = max((unit.group for unit in units), default=1)
        terms = StreamParameters(
            horizon,
            parse_exact(lower, "lower"),
            parse_exact(upper, "upper"),
            bought.epsilon,
            bought.rho,
            parse_exact(grid, "grid"),
            min(
                parse_whole(touched, "touched") * group,
                max(touched, parse_whole(horizon, "horizon")),
            ),
        )
        return StreamDraft(
            name,
            terms,
            rule.population,
            cost,
            self._context.ledger,
            self._context.policy.digest,
            self._analyst,
        )

    def queries(
        self,
        table: str,
        questions: Sequence[str],
        *,
        matrix: Any = None,
        columns: Sequence[str] | str | None = None,
        **options: Any,
    ) -> PublicationDraft:
        """Any counts together, each a condition as after WHERE: how many rows it holds for. Or a
        row each of a ``matrix`` of whole numbers, with a column for each combination of values, or
        bins, of these ``columns``, the first slowest: how often such a row counts."""
        if isinstance(questions, str) or not questions or len(set(questions)) != len(questions):
            raise InvalidArgument(
                "questions", "must be different conditions, at least one", questions
            )
        rule, entry = self._find_table(table)
        if (matrix is None) != (columns is None):
            raise InvalidArgument(
                "matrix", "and columns must be given together, or neither", columns
            )
        if columns is not None:
            chosen = [columns] if isinstance(columns, str) else list(columns)
            given = pad_query_matrix(
                matrix, build_domain(entry.schema, chosen, options.get("bins"))
            )
            return self._build_draft(
                "queries", table, chosen, matrix=given, names=list(questions), flat=True, **options
            )
        filters = [parse_rows(self._context.catalog, rule.name, question) for question in questions]
        if not all(isinstance(rows, Filter) and isinstance(rows.source, Table) for rows in filters):
            raise InvalidArgument(
                "questions", "must be conditions on the columns of the table", questions
            )
        conditions = [rows.condition for rows in filters if isinstance(rows, Filter)]
        names = sorted({name for condition in conditions for name in find_columns(condition)})
        domain = build_domain(entry.schema, names)
        matrix = build_query_matrix(conditions, domain, dict(Table(entry.schema).columns))
        return self._build_draft(
            "queries", table, names, matrix=matrix, names=list(questions), flat=True, **options
        )

    def synthetic(
        self, table: str, columns: Sequence[str] | str, **options: Any
    ) -> PublicationDraft:
        """Rows of nobody that have the pairs of values that the real ones have."""
        return self._build_draft("synthetic", table, columns, **options)

    def _build_draft(
        self,
        kind: str,
        table: str,
        columns: Sequence[str] | str,
        *,
        bins: Mapping[str, BinSpec] | None = None,
        where: str | None = None,
        rows: int | None = None,
        epsilon: Number | None = None,
        error: Number | None = None,
        flat: bool = False,
        **options: Any,
    ) -> PublicationDraft:
        rule, entry = self._find_table(table)
        budget, unit = self._context.policy.budget(str(rule.population)), rule.privacy_unit
        assert unit is not None  # _about has seen to it
        domain = build_domain(
            entry.schema, [columns] if isinstance(columns, str) else columns, bins
        )
        most = 1 if rule.unit == "row" else entry.max_groups * entry.max_rows_per_group
        count = most if rows is None else parse_whole(rows, "rows")
        if count > most:
            raise InvalidArgument(
                "rows",
                f"must be at most {most}, which the policy lets one unit have in an answer",
                rows,
            )

        plan = build_contingency_plan(
            parse_rows(self._context.catalog, rule.name, where), domain, count, flat=flat
        )
        losing = (compute_max_units(plan.bound.source), rule.max_rows or MAX_TABLE_ROWS)

        def sketched(price: Fraction) -> tuple[Specification, PrivacyParameters]:
            terms = PrivacyParameters.from_epsilon(
                price, budget.noise, rows=count, relation=unit.relation, group=unit.group
            )
            if not can_exceed_row_bound(plan):
                return KINDS[kind](terms, domain, **options), terms
            return refine_parts(
                lambda some: KINDS[kind](some, domain, **options),
                replace(terms, truncation_bounds=losing),
            )

        price = self._choose_epsilon(epsilon, error, budget, sketched)
        sketch, terms = sketched(price)
        if error is not None and sketch.accuracy[0].rms > float(parse_exact(error, "error")):
            needed = _find_needed_epsilon(
                sketched, parse_positive(error, "error"), budget.max_epsilon_per_query
            )
            raise Refused(
                f"At epsilon {float(price):g} this is off by {sketch.accuracy[0].rms:.4g}, not"
                f" {float(parse_exact(error, 'error')):g}: "
                + (
                    f"that takes epsilon {float(needed):.4g}."
                    if needed
                    else "no epsilon that one question may have does it."
                )
            )
        return PublicationDraft(
            sketch,
            price,
            rule,
            where,
            self._context.ledger.state.budget(str(rule.population)),
            replace(
                plan,
                measures=tuple(
                    replace(one, resolution=terms.parts_per_row)
                    for one in plan.measures
                    if isinstance(one, Contingency)
                ),
            ),
            terms,
            _encode_options(options),
            unit,
            budget,
            self._context,
            self._analyst,
        )

    def _find_table(self, table: str) -> tuple[TableRule, TableEntry]:
        """The rule of a protected table, and its columns."""
        rule, found = self._context.policy.table(table), self._context.catalog.find_table(table)
        if rule is None or found is None or rule.privacy_unit is None:
            names = [
                other.name for other in self._context.policy.tables if other.population is not None
            ]
            raise InvalidArgument(
                "table", f"must be a protected table of the policy: {', '.join(names)}", table
            )
        return rule, found[1]

    def _choose_epsilon(
        self, epsilon: Number | None, error: Number | None, rule: BudgetRule, sketched: Any
    ) -> Fraction:
        asked = (
            rule.default_epsilon
            if epsilon is None
            else check_stored_digits(parse_exact(epsilon, "epsilon"), "epsilon")
        )
        if epsilon is None and error is not None:
            found = _find_needed_epsilon(
                sketched, parse_positive(error, "error"), rule.max_epsilon_per_query
            )
            if found is None:
                raise Refused(
                    f"An error of {error} takes more than epsilon"
                    f" {float(rule.max_epsilon_per_query):g}, the most one may ask for."
                )
            return found
        if asked is None:
            raise InvalidArgument("epsilon", "must be given: the policy has no default_epsilon")
        if parse_epsilon(asked) > rule.max_epsilon_per_query:
            most = f"{float(rule.max_epsilon_per_query):g}"
            raise Refused(
                f"One publication may ask for at most epsilon {most} (max_epsilon_per_query): ask"
                " for that or less."
            )
        return asked


def _find_needed_epsilon(sketched: Any, error: Fraction, most: Fraction) -> Fraction | None:
    """The least epsilon, to three digits, that brings the expected error down to this; None where
    none does.

    In logarithms errors go about as straight lines, at first down by as much as epsilon goes up:
    the next guess is just above, then just below, where the line between both ends says; and every
    third is the middle, so that there is an end whatever errors do.
    """

    def off(price: float) -> float:
        return math.log(max(sketched(_to_epsilon(price))[0].accuracy[0].rms, 1e-300) / float(error))

    high = math.log(most)
    low, below, above = max(high - math.log(10**9), min(high, math.log(1e-5))), math.inf, off(high)
    if above > 0:
        return None
    for turn in itertools.cycle((0.0004, -0.0004, None)):
        if high - low <= math.log(1.001):
            break
        line = (
            max(high + above, (low + high) / 2)
            if below == math.inf
            else low + (high - low) * below / (below - above)
        )
        guess = (
            (low + high) / 2 if turn is None else min(max(line + turn, low + 0.0004), high - 0.0004)
        )
        found = off(guess)
        if found <= 0:
            high, above = guess, found
        else:
            low, below = guess, found
    return Fraction(math.ceil(math.exp(high) * 10**12), 10**12)  # a decimal number, and no less


def _to_epsilon(price: float) -> Fraction:
    return Fraction(math.exp(price)).limit_denominator(10**15)


def _encode_options(options: Mapping[str, Any]) -> str:
    """The options of a publication as one text: part of what it means."""
    plain = {
        name: value.tolist() if isinstance(value, np.ndarray) else str(value)
        for name, value in options.items()
    }
    return json.dumps(plain, sort_keys=True)
