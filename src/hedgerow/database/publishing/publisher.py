"""The publisher of a protected database: each kind of publication starts as a draft.

A draft reads no data and costs nothing. ``draft.to(folder)`` charges it, builds it, and saves a
folder that anybody may read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from hedgerow.answers.epsilon_search import find_least_epsilon
from hedgerow.database.publishing.publication_draft import PublicationDraft
from hedgerow.database.publishing.stream_draft import StreamDraft
from hedgerow.database.query.payers import Payer
from hedgerow.database.query.pricing import QueryContext
from hedgerow.errors import InvalidArgument, Refused, Unbounded, trim_tracebacks
from hedgerow.numeric.exact_number import (
    Number,
    check_stored_digits,
    parse_epsilon,
    parse_exact,
    parse_positive,
    parse_whole,
)
from hedgerow.plan.contingency import Contingency
from hedgerow.plan.contribution_limits import (
    MAX_TABLE_ROWS,
    can_exceed_row_bound,
    compute_max_units,
)
from hedgerow.plan.nodes import Filter, Table
from hedgerow.plan.scalar.expressions import find_columns
from hedgerow.policy import BudgetRule, TableRule
from hedgerow.publish.domain import BinSpec, build_contingency_plan, build_domain
from hedgerow.publish.kinds.queries import build_query_matrix, pad_query_matrix
from hedgerow.publish.kinds.registry import KINDS
from hedgerow.publish.privacy_parameters import PrivacyParameters
from hedgerow.publish.row_parts import refine_parts
from hedgerow.publish.specification import Specification
from hedgerow.publish.streaming.stream import StreamParameters
from hedgerow.sql.catalog import TableEntry
from hedgerow.sql.parser import parse_rows

__all__ = ["Publisher"]

# A specification and the parameters that it was made with, at an epsilon.
SpecificationFactory = Callable[[Fraction], tuple[Specification, PrivacyParameters]]


class Publisher:
    """The object behind ``db.publish``: each method returns the draft of one kind."""

    def __init__(self, context: QueryContext, analyst: str) -> None:
        self._context, self._analyst = context, analyst

    @trim_tracebacks
    def histogram(
        self,
        table: str,
        columns: Sequence[str] | str,
        *,
        sparse: bool = False,
        delta: Number | None = None,
        **options: Any,
    ) -> PublicationDraft:
        """Draft the counts of rows with each combination of values or bins.

        With ``sparse``, publish only combinations that enough rows share: this needs a ``delta``,
        and is for domains that are too large to publish whole.
        """
        if not sparse and delta is not None:
            raise InvalidArgument(
                "delta", "must be left out: only a sparse histogram uses one", delta
            )
        if not sparse:
            return self._build_draft("histogram", table, columns, **options)
        rule, _ = self._find_table(table)
        used = None if delta is None else parse_exact(delta, "delta")
        if used is None:
            used = self._context.policy.budget(str(rule.population)).default_delta
        if used is None:
            raise Refused(
                "A sparse histogram needs a delta. Declare one in the budget, or publish every"
                " cell."
            )
        return self._build_draft("sparse histogram", table, columns, delta=used, **options)

    @trim_tracebacks
    def cdf(self, table: str, column: Sequence[str] | str, **options: Any) -> PublicationDraft:
        """Draft the counts of rows at or below each value, from which any range follows."""
        return self._build_draft("cdf", table, column, **options)

    @trim_tracebacks
    def marginals(
        self, table: str, columns: Sequence[str] | str, *, ways: int = 2, **options: Any
    ) -> PublicationDraft:
        """Draft the contingency tables of all combinations of up to ``ways`` columns."""
        return self._build_draft(
            "marginals", table, columns, ways=parse_whole(ways, "ways"), **options
        )

    @trim_tracebacks
    def stream(self, table: str, column: Sequence[str] | str, **options: Any) -> PublicationDraft:
        """Draft the running count of rows along a column, such as days."""
        return self._build_draft("stream", table, column, **options)

    @trim_tracebacks
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
        """Draft a stream of numbers that are not in a table but arrive one by one: the noisy sum
        after each. One unit changes at most ``touched`` of them."""
        names = [rule.population for rule in self._context.policy.budgets]
        if (population is None and len(names) > 1) or (
            population is not None and population not in names
        ):
            raise InvalidArgument("population", f"must be one of {', '.join(names)}", population)
        rule = self._context.policy.budget(population or names[0])
        chosen = _choose_epsilon(epsilon, rule)
        bought = PrivacyParameters.from_epsilon(chosen, rule.noise)
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
            # A group of units changes no more numbers than there are.
            min(
                parse_whole(touched, "touched") * group,
                max(touched, parse_whole(horizon, "horizon")),
            ),
        )
        return StreamDraft(
            name,
            terms,
            rule.population,
            chosen,
            self._context.ledger,
            self._context.policy_digest,
            self._analyst,
        )

    @trim_tracebacks
    def queries(
        self,
        table: str,
        questions: Sequence[str],
        *,
        matrix: Any = None,
        columns: Sequence[str] | str | None = None,
        **options: Any,
    ) -> PublicationDraft:
        """Draft any counts together, each the count of rows that meet a condition, written as after
        WHERE.

        Alternatively, each question is a row of a ``matrix`` of integers. It has a column for each
        combination of values or bins of the ``columns``, the first varying slowest, and says how
        often such a row counts.
        """
        if isinstance(questions, str) or not questions or len(set(questions)) != len(questions):
            raise InvalidArgument(
                "questions", "must be a list of different conditions, at least one", questions
            )
        rule, entry = self._find_table(table)
        if (matrix is None) != (columns is None):
            raise InvalidArgument(
                "matrix", "and columns must be given together, or both left out", columns
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

    @trim_tracebacks
    def synthetic(
        self, table: str, columns: Sequence[str] | str, **options: Any
    ) -> PublicationDraft:
        """Draft synthetic rows, with about the joint distribution of each pair of columns."""
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
        assert unit is not None  # _find_table refuses tables without one
        domain = build_domain(
            entry.schema, [columns] if isinstance(columns, str) else columns, bins
        )
        count = _choose_row_bound(rule, entry, rows)
        plan = build_contingency_plan(
            parse_rows(self._context.catalog, rule.name, where), domain, count, flat=flat
        )
        truncation = (compute_max_units(plan.bound.source), rule.max_rows or MAX_TABLE_ROWS)

        def specify(price: Fraction) -> tuple[Specification, PrivacyParameters]:
            terms = PrivacyParameters.from_epsilon(
                price, budget.noise, rows=count, relation=unit.relation, group=unit.group
            )
            if not can_exceed_row_bound(plan):
                return KINDS[kind](terms, domain, **options), terms
            return refine_parts(
                lambda refined: KINDS[kind](refined, domain, **options),
                replace(terms, truncation_bounds=truncation),
            )

        if error is not None:
            price = _find_epsilon_for_error(epsilon, error, budget, specify)
        else:
            price = _choose_epsilon(epsilon, budget)
        specification, terms = specify(price)
        measures = tuple(
            replace(measure, resolution=terms.parts_per_row)
            for measure in plan.measures
            if isinstance(measure, Contingency)
        )
        return PublicationDraft(
            specification,
            price,
            rule,
            where,
            self._context.ledger.state.budget(str(rule.population)),
            replace(plan, measures=measures),
            terms,
            _encode_options(options),
            Payer(budget, unit),
            self._context,
            self._analyst,
        )

    def _find_table(self, table: str) -> tuple[TableRule, TableEntry]:
        rule, found = self._context.policy.table(table), self._context.catalog.find_table(table)
        if rule is None or found is None or rule.privacy_unit is None:
            names = [other.name for other in self._context.policy.tables if other.population]
            raise InvalidArgument(
                "table", f"must be a protected table of the policy: {', '.join(names)}", table
            )
        return rule, found[1]


def _choose_row_bound(rule: TableRule, entry: TableEntry, rows: int | None) -> int:
    """Return the number of rows that one unit contributes, at most what the policy declares."""
    if entry.undeclared_caps:
        if rows is None:
            wanted = " and ".join(entry.undeclared_caps)
            raise Unbounded(
                f"A publication needs to know how many rows one unit contributes, and"
                f" {rule.name} has no declared {wanted}. Pass rows=…, or declare {wanted} in the"
                " policy."
            )
        return parse_whole(rows, "rows")
    limit = 1 if rule.unit == "row" else entry.max_groups * entry.max_rows_per_group
    count = limit if rows is None else parse_whole(rows, "rows")
    if count > limit:
        raise InvalidArgument(
            "rows", f"must be at most {limit}, the contribution bound of the policy", rows
        )
    return count


def _choose_epsilon(epsilon: Number | None, rule: BudgetRule) -> Fraction:
    asked = rule.default_epsilon
    if epsilon is not None:
        asked = check_stored_digits(parse_exact(epsilon, "epsilon"), "epsilon")
    if asked is None:
        raise InvalidArgument("epsilon", "must be given: the policy has no default_epsilon")
    if parse_epsilon(asked) > rule.max_epsilon_per_query:
        limit = f"{float(rule.max_epsilon_per_query):g}"
        raise Refused(
            f"One publication may use at most epsilon {limit} (max_epsilon_per_query). Ask for that"
            " or less."
        )
    return asked


def _find_epsilon_for_error(
    epsilon: Number | None, error: Number, rule: BudgetRule, specify: SpecificationFactory
) -> Fraction:
    """Return the least epsilon with this expected error, or check the one that is given."""

    def error_at(price: Fraction) -> float:
        return specify(price)[0].accuracy[0].rms

    target, limit = parse_positive(error, "error"), rule.max_epsilon_per_query
    if epsilon is not None:
        chosen = _choose_epsilon(epsilon, rule)
        expected = error_at(chosen)
        if expected <= float(target):
            return chosen
    found = find_least_epsilon(error_at, target, limit)
    if epsilon is None and found is not None:
        return found
    if found is None:
        raise Refused(
            f"An expected error of {float(target):g} takes more than epsilon {float(limit):g}, the"
            " largest that one publication may use. Ask for a larger error."
        )
    raise Refused(
        f"At epsilon {float(chosen):g} the expected error is {expected:.4g}, not"
        f" {float(target):g}. Ask with epsilon {float(found):.4g}."
    )


def _encode_options(options: Mapping[str, Any]) -> str:
    """Encode the options of a publication as text, for its key."""
    plain = {
        name: value.tolist() if isinstance(value, np.ndarray) else str(value)
        for name, value in options.items()
    }
    return json.dumps(plain, sort_keys=True)
