"""The outermost SELECT of a question: the stages that turn its syntax tree into a plan."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import Final

from sqlglot import exp

from hedgerow.errors import Refused, Unsupported
from hedgerow.plan.canonical_plans import canonicalise, map_measures
from hedgerow.plan.measures import Measure
from hedgerow.plan.nodes import Aggregate, Bound, Group, Project, RelationNode
from hedgerow.plan.scalar.expressions import ColumnRef, Expression
from hedgerow.plan.values import Value
from hedgerow.sql.aggregates.clipping_counts import count_clipped_units
from hedgerow.sql.aggregates.measures import MeasureCollector
from hedgerow.sql.binder.output_names import name_outputs
from hedgerow.sql.binder.result_expressions import ResultBinder
from hedgerow.sql.binder.row_expressions import check_args
from hedgerow.sql.binder.scope import MAX_WORK, Scope, build_complexity_error
from hedgerow.sql.binder.typed_expression import TypedExpression, require_condition
from hedgerow.sql.catalog import Catalog
from hedgerow.sql.group_by import KeyExpression, bind_keys, resolve_position, strip_alias
from hedgerow.sql.question import AggregateCall, GroupKey, OutputColumn, Question, SortKey
from hedgerow.sql.relations.from_clause import FromBinder
from hedgerow.sql.relations.joins_across_units import (
    check_measures_across_units,
    filter_sides,
    joins_across_units,
)
from hedgerow.sql.relations.second_population import (
    build_population_rows,
    check_aggregates,
    find_population_join,
)
from hedgerow.sql.syntax.privacy_clause import TokenisedQuery
from hedgerow.sql.syntax.source_text import SourceText

__all__ = ["STAGES", "SelectDraft", "build_question"]

MAX_CELLS: Final = 100_000
MAX_QUERY_SIZE: Final = 50_000
_CLAUSES: Final = (
    *("expressions", "from_", "joins", "where", "group", "having"),
    *("order", "limit", "offset", "with_"),
)


@dataclass(slots=True)
class SelectDraft:
    """A SELECT between two stages: each stage fills in fields that later ones read.

    ``groups`` are in the order of GROUP BY; ``key_order`` lists their positions in the order of
    the plan. ``size`` counts the parts of all expressions over results.
    """

    heading: TokenisedQuery
    select: exp.Select
    catalog: Catalog
    scope: Scope = field(init=False)
    items: Sequence[exp.Expr] = ()
    groups: Sequence[KeyExpression] = ()
    measures: MeasureCollector = field(init=False)
    binder: ResultBinder = field(init=False)
    outputs: tuple[OutputColumn, ...] = ()
    having: Expression | None = None
    order: tuple[SortKey, ...] = ()
    calls: Sequence[AggregateCall] = ()
    key_order: Sequence[int] = ()
    rows: RelationNode = field(init=False)
    has_one_row_per_group: bool = False
    max_rows: int = 1
    plan: Aggregate = field(init=False)
    limit: int | None = None
    offset: int = 0
    size: int = 0

    @property
    def text(self) -> SourceText:
        """The source text, for messages."""
        return self.heading.text

    @property
    def keys(self) -> list[TypedExpression]:
        """The keys as expressions, in the order of GROUP BY."""
        return [group.value for group in self.groups]

    @property
    def plan_groups(self) -> list[KeyExpression]:
        """The keys in the order of the plan."""
        return [self.groups[position] for position in self.key_order]

    @property
    def plan_names(self) -> tuple[str, ...]:
        """The names of the keys in the plan."""
        return tuple(f"k{i}" for i in range(len(self.groups)))

    def add_size(self, value: TypedExpression, node: exp.Expr) -> TypedExpression:
        """Return the expression, unless the question becomes too large with it."""
        self.size += value.size
        if self.size > MAX_QUERY_SIZE:
            raise self.text.refusal(
                Unsupported,
                f"This question has more than {MAX_QUERY_SIZE} parts",
                node,
                "Ask several shorter questions.",
            )
        return value


def check_clauses(draft: SelectDraft) -> None:
    """Refuse clauses that no stage reads."""
    check_args(draft.text, draft.select, *_CLAUSES)


def bind_tables(draft: SelectDraft) -> None:
    """Bind WITH, FROM and WHERE to rows of protected tables."""
    binder = FromBinder(draft.text, draft.catalog).bind_with(draft.select)
    draft.select = binder.rewrite_conditions(draft.select)
    draft.scope = binder.bind_from(draft.select, is_outermost=True)
    if not draft.scope.tables:
        problem = f"{draft.scope.sources[0][1]} is a public table, which has no privacy unit"
        fix = "Use query instead: a question about public tables alone is free and exact."
        raise draft.text.refusal(Unsupported, problem, draft.select.args["from_"], fix)


def check_select_list(draft: SelectDraft) -> None:
    """Refuse an empty SELECT list, and aliases that would hide the privacy id."""
    draft.items = tuple(draft.select.expressions)
    if not draft.items:
        raise draft.text.refusal(
            Unsupported,
            "The SELECT list is empty",
            draft.text.find_word("SELECT"),
            "Add an aggregate, such as COUNT(*).",
        )
    ids = {column.name.casefold() for column in draft.scope.columns if column.is_privacy_id}
    for item in draft.items:
        if isinstance(item, exp.Alias):
            check_args(draft.text, item, "this", "alias")
            is_same = isinstance(item.this, exp.Column) and item.this.name == item.alias
            if item.alias.casefold() in ids and not is_same:
                raise draft.text.refusal(
                    Unsupported,
                    f"{item.alias} is the name of the privacy id",
                    item,
                    "Choose another alias.",
                )


def bind_group_by(draft: SelectDraft) -> None:
    """Bind the keys of GROUP BY."""
    draft.groups = bind_keys(draft.scope, draft.select.args.get("group"), draft.items)


def bind_select_list(draft: SelectDraft) -> None:
    """Bind the outputs over keys and noisy aggregates, and collect their aggregates."""
    draft.measures = MeasureCollector(draft.scope)
    draft.binder = ResultBinder(draft.scope, draft.measures, draft.items)
    draft.binder.real_keys = {
        group.real.written: group.real.build_shown(f"k{place}")
        for place, group in enumerate(draft.groups)
        if group.real is not None
    }
    outputs = []
    for name, item in zip(name_outputs(draft.items, draft.scope), draft.items, strict=True):
        node = strip_alias(item)
        value = draft.add_size(draft.binder.bind_result(node, draft.keys), node)
        outputs.append(OutputColumn(name, value.expression, value.type))
    draft.outputs = tuple(outputs)


def bind_having(draft: SelectDraft) -> None:
    """Bind HAVING, a condition on the noisy answer."""
    having = draft.select.args.get("having")
    if having is not None:
        check_args(draft.text, having, "this")
        value = draft.add_size(draft.binder.bind_result(having.this, draft.keys, "having"), having)
        draft.having = require_condition(draft.text, "HAVING", having.this, value).expression


def bind_order_by(draft: SelectDraft) -> None:
    """Bind ORDER BY: positions, aliases and expressions over the noisy answer."""
    order = draft.select.args.get("order")
    if order is None:
        return
    check_args(draft.text, order, "expressions")
    for item in order.expressions:
        check_args(draft.text, item, "this", "desc", "nulls_first")
        if isinstance(item.this, exp.Literal) and not item.this.is_string:
            output = resolve_position(draft.text, item.this, draft.items)
            value = draft.binder.bind_result(output, draft.keys)
        else:
            value = draft.binder.bind_result(item.this, draft.keys, "order")
        draft.add_size(value, item)
        descending, nulls_last = bool(item.args.get("desc")), not item.args.get("nulls_first")
        draft.order += (SortKey(value.expression, descending, nulls_last),)


def share_aggregates(draft: SelectDraft) -> None:
    """Let aggregates of one column share measures; refuse a question without any."""
    draft.calls = draft.measures.calls
    if not draft.calls:
        problem = "This SELECT has no aggregate, so it would return individual rows"
        fix = "Add an aggregate, such as COUNT(*)."
        raise draft.text.refusal(Unsupported, problem, draft.items[0], fix)
    work = draft.scope.work + draft.measures.work + sum(key.work for key in draft.keys)
    if work > MAX_WORK:
        raise build_complexity_error(draft.text)


def order_keys(draft: SelectDraft) -> None:
    """Put the keys into an order of their own, so that GROUP BY a, b and b, a are one plan.

    Two populations keep the order of GROUP BY.
    """
    draft.key_order = range(len(draft.groups))
    if len(draft.groups) > 1 and find_population_join(draft.scope.rows) is None:
        # All keys at once, as counted columns: each on its own, equally spelled keys of two
        # tables would look the same.
        columns = tuple((f"k{i}", group.value.expression) for i, group in enumerate(draft.groups))
        plan = Aggregate(
            Group(Bound(Project(draft.scope.rows, columns), (), 1, 1)),
            tuple(Measure("values", name) for name, _ in columns),
        )
        ranks = [int(str(measure.column)[1:]) for measure in map_measures(plan)]  # of v0, v1, …
        draft.key_order = sorted(draft.key_order, key=lambda position: ranks[position])
        if ranks != sorted(ranks):  # the answer still comes in the order of GROUP BY
            draft.order += tuple(
                SortKey(ColumnRef(name), False, False) for name in draft.plan_names
            )


def project_rows(draft: SelectDraft) -> None:
    """Project the rows to the keys and the arguments of aggregates."""
    groups = draft.plan_groups
    keys = zip(draft.plan_names, (group.value.expression for group in groups), strict=True)
    columns = (*keys, *draft.measures.columns)
    draft.rows = draft.scope.rows
    if joins_across_units(draft.rows):
        check_measures_across_units(draft.text, draft.calls, groups)
        draft.rows = filter_sides(draft.rows)
    if find_population_join(draft.rows) is None:
        draft.rows = Project(draft.rows, columns) if columns else draft.rows
        return
    check_aggregates(draft.text, draft.calls)
    cells = prod(len(group.domain or ()) for group in groups)
    if cells > MAX_CELLS:
        problem = (
            f"This makes {cells:,} groups, and a question about two populations may have at most"
            f" {MAX_CELLS:,}"
        )
        fix = "Group by fewer columns, or by columns with fewer values."
        raise draft.text.refusal(Unsupported, problem, None, fix)
    draft.rows = build_population_rows(
        draft.text, draft.rows, groups, columns, _compute_max_groups(draft)
    )


def aggregate_clipped_sums(draft: SelectDraft) -> None:
    """Aggregate the rows per unit and group if an aggregate counts the units that it clips."""
    columns = {key.expression.column for key in draft.keys if isinstance(key.expression, ColumnRef)}
    once = draft.scope.key_within_unit
    draft.has_one_row_per_group = once is not None and once <= columns
    if any(call.clip is not None for call in draft.calls):
        draft.rows, draft.calls = count_clipped_units(
            draft.text,
            draft.rows,
            draft.plan_names,
            draft.calls,
            one_row_per_group=draft.has_one_row_per_group or draft.rows.unit == "row",
        )
        draft.has_one_row_per_group = True


def cap_rows(draft: SelectDraft) -> None:
    """Set how many rows of a unit count in a group, and let brackets count as many values."""
    draft.max_rows = 1 if draft.has_one_row_per_group else draft.scope.max_rows
    bracket_counts = {call.bracket.count for call in draft.calls if call.bracket is not None}
    draft.calls = [
        replace(call, measure=replace(call.measure, sum_bounds=(0, draft.max_rows)))
        if call.name in bracket_counts and isinstance(call.measure, Measure)
        else call
        for call in draft.calls
    ]


def build_plan(draft: SelectDraft) -> None:
    """Bound the contributions of each unit, group the rows and bring the plan into normal form."""
    bound = Bound(draft.rows, draft.plan_names, _compute_max_groups(draft), draft.max_rows)
    plan = Aggregate(
        Group(bound, _combine_domains(draft.plan_groups)),
        tuple(dict.fromkeys(call.measure for call in draft.calls)),
    )
    canonical = dict(zip(plan.measures, map_measures(plan), strict=True))
    draft.calls = [replace(call, measure=canonical[call.measure]) for call in draft.calls]
    draft.plan = canonicalise(plan)


def parse_limit(draft: SelectDraft) -> None:
    """Parse LIMIT and OFFSET."""
    draft.limit = _parse_row_count(draft, "limit")
    draft.offset = _parse_row_count(draft, "offset") or 0


STAGES: Final[tuple[Callable[[SelectDraft], None], ...]] = (
    check_clauses,
    bind_tables,
    check_select_list,
    bind_group_by,
    bind_select_list,
    bind_having,
    bind_order_by,
    share_aggregates,
    order_keys,
    project_rows,
    aggregate_clipped_sums,
    cap_rows,
    build_plan,
    parse_limit,
)


def build_question(heading: TokenisedQuery, select: exp.Select, catalog: Catalog) -> Question:
    """Return the question of a SELECT, or raise the first refusal of a stage."""
    draft = SelectDraft(heading, select, catalog)
    for stage in STAGES:
        stage(draft)
    return Question(
        plan=draft.plan,
        aggregates=tuple(draft.calls),
        keys=tuple(
            GroupKey(f"k{position}", group.value.type, group.text)
            for position, group in zip(draft.key_order, draft.plan_groups, strict=True)
        ),
        outputs=draft.outputs,
        having=draft.having,
        order=draft.order,
        limit=draft.limit,
        offset=draft.offset,
        options=heading.options,
        explain=heading.explain,
        tables=tuple(name for name, _ in draft.scope.tables),
        measures_clipping=draft.measures.measures_clipping,
        computed=draft.binder.computed,
    )


def _compute_max_groups(draft: SelectDraft) -> int:
    limit, asked = draft.scope.max_groups, draft.heading.options.max_groups
    if asked is not None and asked > limit:
        tables = " and ".join(name for name, _ in draft.scope.tables)
        problem = (
            f"max_groups_contributed = {asked} is more than the policy of {tables} allows, which"
            f" is {limit}"
        )
        where = draft.text.find_word("MAX_GROUPS_CONTRIBUTED")
        fix = f"Write max_groups_contributed = {limit}, or leave it out."
        raise draft.text.refusal(Unsupported, problem, where, fix)
    # A unit with a single row is in a single group.
    return asked or (1 if draft.scope.key_within_unit == frozenset() else limit)


def _combine_domains(groups: Sequence[KeyExpression]) -> tuple[tuple[Value, ...], ...] | None:
    """Return the values of every key, if all are declared and the groups are not too many."""
    domains = tuple(group.domain for group in groups if group.domain is not None)
    complete = len(domains) == len(groups) and prod(map(len, domains)) <= MAX_CELLS
    return domains if complete else None


def _parse_row_count(draft: SelectDraft, name: str) -> int | None:
    clause = draft.select.args.get(name)
    if clause is None:
        return None
    written = clause.args.get("expression")
    if (
        type(clause) not in (exp.Limit, exp.Offset)
        or not isinstance(written, exp.Literal)
        or written.is_string
    ):
        raise _build_row_count_error(draft, name, clause)
    check_args(draft.text, clause, "expression")
    if not written.this.isdecimal() or len(written.this) > 9:
        raise _build_row_count_error(draft, name, clause)
    if name == "limit" and int(written.this) == 0:
        problem = "LIMIT 0 would pay for an answer and return none of it"
        fix = "Write EXPLAIN PRIVACY before the SELECT instead: it is free."
        raise draft.text.refusal(Unsupported, problem, clause, fix)
    return int(written.this)


def _build_row_count_error(draft: SelectDraft, name: str, clause: exp.Expr) -> Refused:
    problem = f"{name.upper()} takes a literal number of rows"
    count = clause.args.get("count")  # of FETCH FIRST 5 ROWS ONLY
    rows = str(count.this)[:9] if isinstance(count, exp.Literal) and count.is_int else "10"
    return draft.text.refusal(Unsupported, problem, clause, f"Write {name.upper()} {rows}.")
