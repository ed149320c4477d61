"""Rewriting of IN (SELECT …) and EXISTS (SELECT …) as joins.

    EXISTS (SELECT … FROM t WHERE t.k = a.k AND …)    JOIN (SELECT DISTINCT k …) x ON a.k = x.k
    NOT EXISTS (…), and EXISTS inside OR, NOT, CASE   LEFT JOIN (SELECT k, COUNT(*) AS others …
                                                      GROUP BY k) x, and x.others IS [NOT] NULL
    k IN (SELECT k FROM t …)                          the same, with k compared
    EXISTS (… AND t.v <> a.v)                         x.low <> a.v OR x.high <> a.v, with MIN(v)
                                                      and MAX(v) beside COUNT(*)

A subquery about protected rows must compare the privacy id, or a key that leads to it: the join
binder decides that, so nothing is allowed here that it would refuse. A subquery about public
tables may compare anything or nothing; each row meets one of its rows at most.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from sqlglot import exp

from hedgerow.sql.relations.column_names import ColumnNames
from hedgerow.sql.relations.semijoin_parts import Semijoin, is_semijoin, parse_semijoin
from hedgerow.sql.syntax.operator_chains import split_chain

__all__ = ["PUBLIC", "SEMIJOIN", "rewrite_semijoins"]

SEMIJOIN: Final = "semijoin"  # marks a join in its meta
PUBLIC: Final = "public"  # marks a condition on public tables that no join expresses
_COUNT, _LOW, _HIGH = "others", "low", "high"
# Of values that a comparison holds for, the least or the greatest is one.
_EXTREMES: Final = {
    exp.NEQ: (_LOW, _HIGH),
    exp.LT: (_LOW,),
    exp.LTE: (_LOW,),
    exp.GT: (_HIGH,),
    exp.GTE: (_HIGH,),
}


def rewrite_semijoins(select: exp.Select, names: ColumnNames) -> exp.Select:
    """Rewrite IN and EXISTS of a SELECT as joins; other forms stay, and are refused when bound."""
    clauses = [select.args.get("where"), select.args.get("group"), *select.expressions]
    if not any(
        is_semijoin(node)
        for clause in clauses
        if clause is not None
        for node in clause.find_all(exp.In, exp.Exists)
    ):
        return select
    rewriter, changed = _Rewriter(names), select.copy()
    where, group = changed.args.get("where"), changed.args.get("group")
    if where is not None and where.this is not None:
        conjuncts = (part.unnest() for part in split_chain(where.this))
        kept = [test for part in conjuncts for test in rewriter.rewrite_conjunct(part)]
        changed.set("where", exp.Where(this=exp.and_(*kept, copy=False)) if kept else None)
    for item in changed.expressions:
        aggregates = list(item.find_all(exp.AggFunc, exp.Filter))
        for part in aggregates or [item]:
            rewriter.rewrite_below(part, exact=True)
    if group is not None:
        rewriter.rewrite_below(group, exact=True)
    joins = sorted(rewriter.joins.values(), key=lambda join: (join.side, repr(join.this.this)))
    changed.set("joins", [*(changed.args.get("joins") or []), *joins])
    return changed


@dataclass(slots=True)
class _Rewriter:
    """The joins of a SELECT, by their meaning, so that equal conditions share one."""

    names: ColumnNames
    joins: dict[tuple[object, ...], exp.Join] = field(default_factory=dict)

    def rewrite_conjunct(self, node: exp.Expr) -> list[exp.Expr]:
        """Return the tests that remain of a condition that all rows must meet."""
        negated = isinstance(node, exp.Not)
        inner = node.this.unnest() if negated else node
        if not is_semijoin(inner):
            self.rewrite_below(node, exact=False)
            return [node]
        found = self._parse(inner, exact=negated)
        if found is None:
            return [node]
        if not negated:
            return self._build_tests(found, self._add_join(found, is_inner=True), is_inner=True)
        if found.values:
            return self._build_not_in(found)
        return [self._build_absence(found)]

    def rewrite_below(self, node: exp.Expr, *, exact: bool) -> None:
        """Rewrite IN and EXISTS below a node. Unless ``exact``, NULL counts as false there."""
        below = exact or not isinstance(node, exp.And | exp.Or | exp.Paren)
        for child in list(node.iter_expressions()):
            if is_semijoin(child):
                found = self._parse(child, exact=below)
                if found is not None:
                    made = self._build_value(found) if below else self._build_presence(found)
                    child.replace(exp.Paren(this=made))
            elif not isinstance(child, exp.Query):
                self.rewrite_below(child, exact=below)

    def _parse(self, node: exp.Expr, *, exact: bool) -> Semijoin | None:
        """Return the parts of IN or EXISTS if a join can express it; ``exact`` asks for NULL, too.

        A condition on a public table that is left as it is says so where it is refused.
        """
        found = parse_semijoin(node, self.names)
        needs_more = found is not None and exact and found.values > 1
        if found is not None and not needs_more and (found.is_public or found.pairs):
            return found
        node.meta[PUBLIC] = self.names.is_public(node)
        return None

    def _add_join(self, found: Semijoin, *, is_inner: bool = False) -> str:
        """Add the join of a subquery, and return its alias."""
        rows = _build_rows(found, is_inner=is_inner)
        meaning = is_inner, rows, *(here for here, _ in found.pairs)
        if meaning in self.joins:
            return str(self.joins[meaning].this.alias)
        alias = f"in {len(self.joins)}"
        named = exp.TableAlias(this=exp.to_identifier(alias, quoted=True))
        join = exp.Join(this=exp.Subquery(this=rows, alias=named))
        if not is_inner:
            join.set("side", "LEFT")
        if found.pairs:
            equalities = (
                exp.EQ(this=here.copy(), expression=_read(name, alias))
                for (here, _), name in zip(found.pairs, _name_keys(found), strict=True)
            )
            join.set("on", exp.and_(*equalities, copy=False))
        join.meta[SEMIJOIN] = True
        self.joins[meaning] = join
        return alias

    def _build_tests(self, found: Semijoin, alias: str, *, is_inner: bool) -> list[exp.Expr]:
        """Build the conditions on joined rows under which a row of the subquery matches."""
        tests = [condition.copy() for condition in found.outer_conditions]
        if found.comparison is not None:
            kind, _, outer = found.comparison
            each = [
                kind(this=_read(end, alias), expression=outer.copy()) for end in _EXTREMES[kind]
            ]
            return [*tests, exp.paren(exp.or_(*each, copy=False))]
        return tests if is_inner else [exp.Not(this=_is_null(_read(_COUNT, alias))), *tests]

    def _build_presence(self, found: Semijoin) -> exp.Expr:
        """Build a condition that is true where a row matches, and otherwise false or NULL."""
        return exp.and_(*self._build_tests(found, self._add_join(found), is_inner=False))

    def _build_absence(self, found: Semijoin) -> exp.Expr:
        """Build the condition that no row matches."""
        if found.comparison is None and not found.outer_conditions:
            return _is_null(_read(_COUNT, self._add_join(found)))
        test = exp.paren(self._build_presence(found))
        return exp.Not(this=exp.paren(exp.Is(this=test, expression=exp.true())))

    def _build_value(self, found: Semijoin) -> exp.Expr:
        """Build the value of IN or EXISTS: true, false or, for IN, NULL."""
        absent = self._build_absence(found)
        if not found.values:
            return exp.Not(this=exp.paren(absent))
        missing: exp.Expr = _is_null(found.pairs[-1][0])
        if found.is_public or found.is_correlated:
            rows, null = found.build_list(null=False), found.build_list(null=True)
            listed = exp.Not(this=exp.paren(self._build_absence(rows)))
            holes = exp.Not(this=exp.paren(self._build_absence(null)))
            missing = exp.or_(exp.and_(missing, listed), holes)
        return (
            exp.Case()
            .when(exp.Not(this=exp.paren(absent)), exp.true())
            .when(missing, exp.null())
            .else_(exp.false())
        )

    def _build_not_in(self, found: Semijoin) -> list[exp.Expr]:
        """Build the conditions of NOT IN.

        NULL is neither in a list nor outside it, unless the list is empty; and nothing is outside a
        list with a NULL. A list of ids has none, because rows without an id are dropped.
        """
        given: exp.Expr = exp.Not(this=_is_null(found.pairs[-1][0]))
        if not (found.is_public or found.is_correlated):
            return [self._build_absence(found), given]
        rows, null = found.build_list(null=False), found.build_list(null=True)
        empty = self._build_absence(rows)
        return [
            self._build_absence(found),
            self._build_absence(null),
            exp.paren(exp.or_(given, empty)),
        ]


def _build_rows(found: Semijoin, *, is_inner: bool) -> exp.Select:
    """Build the subquery that is joined: its keys, and a mark unless the join drops other rows."""
    rows, keys = found.rows.copy(), [value for _, value in found.pairs]
    named = zip(keys, _name_keys(found), strict=True)
    outputs: list[exp.Expr] = [exp.alias_(key.copy(), name, quoted=True) for key, name in named]
    if found.is_public:
        outputs.append(exp.alias_(exp.Literal.number(1), _COUNT, quoted=True))
    elif is_inner and found.comparison is None:
        rows.set("distinct", exp.Distinct())
    else:
        outputs.append(exp.alias_(exp.Count(this=exp.Star()), _COUNT, quoted=True))
        if found.comparison is not None:
            value = found.comparison[1]
            outputs.append(exp.alias_(exp.Min(this=value.copy()), _LOW, quoted=True))
            outputs.append(exp.alias_(exp.Max(this=value.copy()), _HIGH, quoted=True))
        rows.set("group", exp.Group(expressions=[key.copy() for key in keys]))
    # Refusals underline the condition as written, instead of this GROUP BY or DISTINCT.
    for part in (rows.args.get("group"), rows.args.get("distinct")):
        if part is not None:
            part.meta.update(condition=found.node, pairs=found.pairs)
    rows.set("expressions", outputs)
    return rows


def _name_keys(found: Semijoin) -> list[str]:
    """Return a name for each compared column, its own if possible: refusals show it."""
    names = [_COUNT, _LOW, _HIGH]
    for i, (_, value) in enumerate(found.pairs):
        own = value.name if isinstance(value, exp.Column) else f"k{i}"
        taken = own.casefold() in (name.casefold() for name in names)
        names.append(f"k{i}" if taken else own)
    return names[3:]


def _read(name: str, alias: str) -> exp.Column:
    return exp.column(name, alias, quoted=True)


def _is_null(node: exp.Expr) -> exp.Is:
    return exp.Is(this=node.copy(), expression=exp.Null())
