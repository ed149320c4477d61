"""Publishing from a protected database: first a draft, which says what it will cost and how good it will be, then the publication.

A draft touches no data and costs nothing. ``draft.to(folder)`` charges it, makes it, and leaves a folder that anybody may read.
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

from hedgerow.database.continual import ContinualDraft
from hedgerow.database.facts import PLACE
from hedgerow.database.parts import parts_of
from hedgerow.engines.source import Source
from hedgerow.errors import InvalidArgument, Refused, SourceError
from hedgerow.ledger.entry import Entry
from hedgerow.ledger.store import Store
from hedgerow.numeric.number import Number, exact, positive, privacy_epsilon, short, whole
from hedgerow.plan.contributions import MOST_ROWS, caps_may_bite, count_units
from hedgerow.plan.crossing import Cross
from hedgerow.plan.expressions import reads
from hedgerow.plan.nodes import Aggregate, Filter, Table
from hedgerow.plan.normal import key as meaning_of
from hedgerow.policy import BudgetRule, Policy, TableRule
from hedgerow.privacy.budget import Budget
from hedgerow.privacy.unit import Unit
from hedgerow.publish.asked import matrix_of, padded
from hedgerow.publish.continual import StreamTerms
from hedgerow.publish.domain import Bins, domain_of, tabulation
from hedgerow.publish.fineness import refined
from hedgerow.publish.kinds import KINDS
from hedgerow.publish.publication import FORMAT, Publication, Workshop
from hedgerow.publish.report import report_of
from hedgerow.publish.sketch import Made, Sketch, Tell, silent
from hedgerow.publish.terms import Terms
from hedgerow.purse import Purse
from hedgerow.release import Charge, publish
from hedgerow.sql.catalog import Catalog, TableEntry
from hedgerow.sql.reading import read_rows

__all__ = ["Draft", "Publisher"]


class Desk(Protocol):
    """What publishing needs of a database."""

    @property
    def policy(self) -> Policy: ...
    @property
    def catalog(self) -> Catalog: ...
    @property
    def ledger(self) -> Store: ...
    @property
    def source(self) -> Source: ...


@dataclass(frozen=True, slots=True, eq=False)
class Draft:
    """A publication that is not made yet."""

    sketch: Sketch
    epsilon: Fraction
    table: TableRule
    where: str | None
    budget: Budget
    _plan: Aggregate
    _terms: Terms
    _asked: str  # the options of its kind
    _unit: Unit
    _rule: BudgetRule
    _desk: Desk
    _analyst: str

    def __repr__(self) -> str:
        return "\n".join(self.lines)

    @property
    def lines(self) -> list[str]:
        """What it is, what it costs, how it is measured, how far off it will be."""
        sketch, rows = self.sketch, self._terms.rows
        sizes = " x ".join(f"{attribute.name} ({attribute.size})" for attribute in sketch.domain.attributes[:8])
        more = len(sketch.domain.attributes) - 8
        whom = "every row" if self.table.unit == "row" else f"every {self.table.unit}, of whom at most {rows} rows count"
        found = [
            f"{sketch.kind.capitalize()} of {self.table.name}: {sizes}{f' and {more} more' if more > 0 else ''}.",
            f"Cost: {sketch.total}, towards {whom}.",
            f"Measured: {sketch.design}.",
        ]
        for line in sketch.accuracy:
            within = "" if line.radius is None else f", within {line.radius:.4g} at 95 %"
            found.append(f"Expected error of {line.what} ({line.answers:,}): {line.rms:.4g}{within}.")
        return [*found, *self.notes]

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know when reading it."""
        left_out = () if self.sketch.kind == "queries" else ("A row that has no declared value in one of these columns counts nowhere.",)
        return (*self.sketch.notes, *left_out, *self._beyond)

    @property
    def _beyond(self) -> tuple[str, ...]:
        """Say what becomes of rows beyond the cap, if there may be any."""
        rows, fine = self._terms.rows, self._terms.fine
        if fine == 1:
            return ()
        more = f"Whoever has more than {rows:,} row{'' if rows == 1 else 's'} has all of them counted in part, as {rows:,} together."
        allowed = "" if self.sketch.kind == "synthetic" else "; intervals allow for that"
        return (f"{more} The parts are cut to 1/{fine:,} of a row{allowed}.",)

    @property
    def error(self) -> float:
        """The expected error of its first figure: the root of the mean square."""
        return self.sketch.accuracy[0].rms

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        sketch = self.sketch
        return {
            "kind": sketch.kind,
            "table": self.table.name,
            "columns": list(sketch.domain.names),
            "cells": [attribute.size for attribute in sketch.domain.attributes],
            "design": sketch.design,
            "cost": sketch.total.to_dict(),
            "epsilon": str(self.epsilon),
            "rows": self._terms.rows,
            "accuracy": [{"what": a.what, "answers": a.answers, "rms": a.rms, "radius": a.radius} for a in sketch.accuracy],
            "notes": list(self.notes),
        } | self._terms.facts

    @property
    def _key(self) -> str:
        """The meaning of it: what is counted of whom, how it is measured and cleaned."""
        domain = json.dumps([attribute.to_dict() for attribute in self.sketch.domain.attributes], sort_keys=True)
        rule = self._rule
        meaning = [meaning_of(self._plan), self.sketch.kind, self._asked, domain, rule.population, self._terms.relation, rule.noise]
        return hashlib.sha256("\n".join(meaning).encode()).hexdigest()

    def to(self, place: str | Path, *, request: str | None = None, tell: Tell = silent) -> Publication:
        """Charge it, make it, and leave it in a new folder. One that was made before, and is still where it was, costs nothing; nor does
        one that was paid for and never got into its place. ``tell`` hears how many measurements are done, and of how many."""
        workshop = Workshop(place)
        workshop.check()
        try:
            return self._earlier(workshop) or self._made(workshop, request, tell)
        finally:
            workshop.give_up()

    def _earlier(self, workshop: Workshop) -> Publication | None:
        """The same at this epsilon or a larger one, if it is still as it was published, or as it was left before it could be."""
        for charge, payload in self._desk.ledger.answers(self._key, self.table.version):
            held = json.loads(payload)
            if Fraction(charge.body["epsilon"]) < self.epsilon:
                continue
            try:
                found = Publication.load(held["place"])
            except SourceError:
                found = None
            if (found is not None and workshop.copy(found, held, charge.hash)) or workshop.take(held):
                return _finished(workshop, charge)
        return None

    def _made(self, workshop: Workshop, request: str | None, tell: Tell) -> Publication:
        made: list[str] = []

        def program(purse: Purse, entry: Entry) -> str:
            kept = workshop.adopt(entry.hash)
            if kept is None:
                built = self.sketch.build(purse, tell)
                kept = workshop.keep(built.table, self._receipt(built), entry.hash)
            made.append(json.dumps(kept))
            return made[0]

        place = str(workshop.place.absolute())
        self._check_place(request, place)
        source = self._desk.source  # what is wrong with the data is said here, before anything is charged
        payload, entry = publish(self._plan, source, self._desk.ledger, self.sketch.total, program, self._charge(request, place))
        # Of two runs for one payment the ledger keeps one: what the other made is never seen.
        if made != [payload]:
            workshop.drop()
            raise Refused("This request was published before; its folder is where it was put then. Ask again without the request key.")
        return _finished(workshop, entry)

    def _check_place(self, request: str | None, place: str) -> None:
        """Of a run that died all that can be found is what it left beside its place: so its request stays there."""
        made = self._desk.ledger.requested(self._analyst, request)
        first = place if made is None else made.body["about"].get(PLACE, place)
        if first != place:
            raise Refused(f"This request was first to be put in {first}. Publish it there, or without the request key.")

    def _charge(self, request: str | None, place: str) -> Charge:
        about = {PLACE: place, "table": self.table.name, "publication": f"{self.sketch.kind} of {', '.join(self.sketch.domain.names[:20])}"}
        parts = parts_of(self._plan, self.table)
        return Charge(
            self._rule.population,
            self._unit,
            self._analyst,
            self.epsilon,
            self._key,
            self.table.version,
            request,
            about,
            self._desk.policy.digest,
            None if parts is None else (self.table.name, parts),
        )

    def _receipt(self, made: Made) -> dict[str, Any]:
        """All but the digest of the table, and the entry of the ledger."""
        sketch, terms = self.sketch, self._terms
        return {
            "format": FORMAT,
            "kind": sketch.kind,
            "table": self.table.name,
            "version": self.table.version,
            "population": self._rule.population,
            "unit": {"neighbours": terms.relation, "owner": "row" if self.table.unit == "row" else "id", "rows": terms.rows},
            "attributes": [attribute.to_dict() for attribute in sketch.domain.attributes],
            "design": sketch.design,
            "cost": sketch.total.to_dict(),
            "epsilon": str(self.epsilon),
            "accuracy": [{"what": a.what, "answers": a.answers, "rms": a.rms, "radius": a.radius} for a in sketch.accuracy],
            "facts": made.facts,
            "notes": list(self.notes),
            "where": self.where,
        }


def _finished(workshop: Workshop, entry: Entry) -> Publication:
    """What was kept, with its receipt and report, in its place."""
    receipt = workshop.unfinished | {"ledger": {"entry": entry.seq, "hash": entry.hash, "time": entry.time}}
    try:
        return workshop.finish(receipt, report_of(receipt, workshop.table))
    except OSError as problem:
        raise SourceError(
            f"The publication is paid for and measured, but could not be put in its place: {problem.strerror}. Make room for it and "
            "publish it again: that costs nothing."
        ) from None


class Publisher:
    """``db.publish``: each method is a kind of publication, and gives a draft."""

    def __init__(self, desk: Desk, analyst: str) -> None:
        self._desk, self._analyst = desk, analyst

    def histogram(
        self, table: str, columns: Sequence[str] | str, *, sparse: bool = False, delta: Number | None = None, **options: Any
    ) -> Draft:
        """How many rows have each combination of values, or bins. ``sparse``: only of combinations that enough rows share, which takes a
        ``delta`` and is for domains too large to be told whole."""
        if not sparse and delta is not None:
            raise InvalidArgument("delta", "must be left out: only a sparse histogram takes one", delta)
        if not sparse:
            return self._draft("histogram", table, columns, **options)
        rule, _ = self._about(table)
        chance = self._desk.policy.budget(str(rule.population)).default_delta if delta is None else exact(delta, "delta")
        if chance is None:
            raise Refused("A sparse histogram takes a delta: give the budget one, or publish every cell.")
        return self._draft("sparse histogram", table, columns, delta=chance, **options)

    def cdf(self, table: str, column: Sequence[str] | str, **options: Any) -> Draft:
        """How many rows are at or below each value: all ranges of it can be read off."""
        return self._draft("cdf", table, column, **options)

    def marginals(self, table: str, columns: Sequence[str] | str, *, ways: int = 2, **options: Any) -> Draft:
        """The tables of all combinations of up to ``ways`` of the columns."""
        return self._draft("marginals", table, columns, ways=whole(ways, "ways"), **options)

    def stream(self, table: str, column: Sequence[str] | str, **options: Any) -> Draft:
        """The running total along a column, such as days: how many rows so far."""
        return self._draft("stream", table, column, **options)

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
    ) -> ContinualDraft:
        """Numbers that are not in a table but arrive one by one: after each, the noisy sum so far. One unit changes at most ``touched``."""
        names = [rule.population for rule in self._desk.policy.budgets]
        if (population is None and len(names) > 1) or (population is not None and population not in names):
            raise InvalidArgument("population", f"must be one of {', '.join(names)}", population)
        rule = self._desk.policy.budget(population or names[0])
        cost = self._price(epsilon, None, rule, None)
        bought = Terms.question(cost, rule.noise)
        units = [table.protects for table in self._desk.policy.tables if table.population == rule.population and table.protects]
        group = max((unit.group for unit in units), default=1)
        terms = StreamTerms(
            horizon,
            exact(lower, "lower"),
            exact(upper, "upper"),
            bought.epsilon,
            bought.rho,
            exact(grid, "grid"),
            min(whole(touched, "touched") * group, max(touched, whole(horizon, "horizon"))),
        )
        return ContinualDraft(name, terms, rule.population, cost, self._desk.ledger, self._desk.policy.digest, self._analyst)

    def queries(
        self, table: str, questions: Sequence[str], *, matrix: Any = None, columns: Sequence[str] | str | None = None, **options: Any
    ) -> Draft:
        """Any counts together, each a condition as after WHERE: how many rows it holds for. Or a row each of a ``matrix`` of whole numbers,
        with a column for each combination of values, or bins, of these ``columns``, the first slowest: how often such a row counts."""
        if isinstance(questions, str) or not questions or len(set(questions)) != len(questions):
            raise InvalidArgument("questions", "must be different conditions, at least one", questions)
        rule, entry = self._about(table)
        if (matrix is None) != (columns is None):
            raise InvalidArgument("matrix", "and columns must be given together, or neither", columns)
        if columns is not None:
            chosen = [columns] if isinstance(columns, str) else list(columns)
            given = padded(matrix, domain_of(entry.schema, chosen, options.get("bins")))
            return self._draft("queries", table, chosen, matrix=given, names=list(questions), flat=True, **options)
        filters = [read_rows(self._desk.catalog, rule.name, question) for question in questions]
        if not all(isinstance(rows, Filter) and isinstance(rows.source, Table) for rows in filters):
            raise InvalidArgument("questions", "must be conditions on the columns of the table", questions)
        conditions = [rows.condition for rows in filters if isinstance(rows, Filter)]
        names = sorted({name for condition in conditions for name in reads(condition)})
        domain = domain_of(entry.schema, names)
        matrix = matrix_of(conditions, domain, dict(Table(entry.schema).columns))
        return self._draft("queries", table, names, matrix=matrix, names=list(questions), flat=True, **options)

    def synthetic(self, table: str, columns: Sequence[str] | str, **options: Any) -> Draft:
        """Rows of nobody that have the pairs of values that the real ones have."""
        return self._draft("synthetic", table, columns, **options)

    def _draft(
        self,
        kind: str,
        table: str,
        columns: Sequence[str] | str,
        *,
        bins: Mapping[str, Bins] | None = None,
        where: str | None = None,
        rows: int | None = None,
        epsilon: Number | None = None,
        error: Number | None = None,
        flat: bool = False,
        **options: Any,
    ) -> Draft:
        rule, entry = self._about(table)
        budget, unit = self._desk.policy.budget(str(rule.population)), rule.protects
        assert unit is not None  # _about has seen to it
        domain = domain_of(entry.schema, [columns] if isinstance(columns, str) else columns, bins)
        most = 1 if rule.unit == "row" else entry.max_groups * entry.max_rows_per_group
        count = most if rows is None else whole(rows, "rows")
        if count > most:
            raise InvalidArgument("rows", f"must be at most {most}, which the policy lets one unit have in an answer", rows)

        plan = tabulation(read_rows(self._desk.catalog, rule.name, where), domain, count, flat=flat)
        losing = (count_units(plan.bound.source), rule.max_rows or MOST_ROWS)

        def sketched(price: Fraction) -> tuple[Sketch, Terms]:
            terms = Terms.question(price, budget.noise, rows=count, relation=unit.relation, group=unit.group)
            if not caps_may_bite(plan):
                return KINDS[kind](terms, domain, **options), terms
            return refined(lambda some: KINDS[kind](some, domain, **options), replace(terms, losing=losing))

        price = self._price(epsilon, error, budget, sketched)
        sketch, terms = sketched(price)
        if error is not None and sketch.accuracy[0].rms > float(exact(error, "error")):
            needed = _needed(sketched, positive(error, "error"), budget.max_epsilon_per_query)
            raise Refused(
                f"At epsilon {float(price):g} this is off by {sketch.accuracy[0].rms:.4g}, not {float(exact(error, 'error')):g}: "
                + (f"that takes epsilon {float(needed):.4g}." if needed else "no epsilon that one question may have does it.")
            )
        return Draft(
            sketch,
            price,
            rule,
            where,
            self._desk.ledger.book.budget(str(rule.population)),
            replace(plan, measures=tuple(replace(one, fine=terms.fine) for one in plan.measures if isinstance(one, Cross))),
            terms,
            _written(options),
            unit,
            budget,
            self._desk,
            self._analyst,
        )

    def _about(self, table: str) -> tuple[TableRule, TableEntry]:
        """The rule of a protected table, and its columns."""
        rule, found = self._desk.policy.table(table), self._desk.catalog.table(table)
        if rule is None or found is None or rule.protects is None:
            names = [other.name for other in self._desk.policy.tables if other.population is not None]
            raise InvalidArgument("table", f"must be a protected table of the policy: {', '.join(names)}", table)
        return rule, found[1]

    def _price(self, epsilon: Number | None, error: Number | None, rule: BudgetRule, sketched: Any) -> Fraction:
        asked = rule.default_epsilon if epsilon is None else short(exact(epsilon, "epsilon"), "epsilon")
        if epsilon is None and error is not None:
            found = _needed(sketched, positive(error, "error"), rule.max_epsilon_per_query)
            if found is None:
                raise Refused(
                    f"An error of {error} takes more than epsilon {float(rule.max_epsilon_per_query):g}, the most one may ask for."
                )
            return found
        if asked is None:
            raise InvalidArgument("epsilon", "must be given: the policy has no default_epsilon")
        if privacy_epsilon(asked) > rule.max_epsilon_per_query:
            most = f"{float(rule.max_epsilon_per_query):g}"
            raise Refused(f"One publication may ask for at most epsilon {most} (max_epsilon_per_query): ask for that or less.")
        return asked


def _needed(sketched: Any, error: Fraction, most: Fraction) -> Fraction | None:
    """The least epsilon, to three digits, that brings the expected error down to this; None where none does.

    In logarithms errors go about as straight lines, at first down by as much as epsilon goes up: the next guess is just above, then just
    below, where the line between both ends says; and every third is the middle, so that there is an end whatever errors do.
    """

    def off(price: float) -> float:
        return math.log(max(sketched(_fraction(price))[0].accuracy[0].rms, 1e-300) / float(error))

    high = math.log(most)
    low, below, above = max(high - math.log(10**9), min(high, math.log(1e-5))), math.inf, off(high)
    if above > 0:
        return None
    for turn in itertools.cycle((0.0004, -0.0004, None)):
        if high - low <= math.log(1.001):
            break
        line = max(high + above, (low + high) / 2) if below == math.inf else low + (high - low) * below / (below - above)
        guess = (low + high) / 2 if turn is None else min(max(line + turn, low + 0.0004), high - 0.0004)
        found = off(guess)
        if found <= 0:
            high, above = guess, found
        else:
            low, below = guess, found
    return Fraction(math.ceil(math.exp(high) * 10**12), 10**12)  # a decimal number, and no less


def _fraction(price: float) -> Fraction:
    return Fraction(math.exp(price)).limit_denominator(10**15)


def _written(options: Mapping[str, Any]) -> str:
    """The options of a publication as one text: part of what it means."""
    plain = {name: value.tolist() if isinstance(value, np.ndarray) else str(value) for name, value in options.items()}
    return json.dumps(plain, sort_keys=True)
