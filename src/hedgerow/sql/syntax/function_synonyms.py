"""Functions and clauses of other databases that mean a standard one: VAR(x) is VAR_SAMP(x), and
FETCH FIRST 5 ROWS ONLY is LIMIT 5. They are replaced in the syntax tree before it is read; for
lists see ``literal_lists``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Final

from sqlglot import exp

from hedgerow.sql.syntax.literal_lists import build_membership, expand_quantile_lists

__all__ = ["KurtosisPop", "replace_synonyms"]

Arguments = Sequence[exp.Expr]


class KurtosisPop(exp.Expression, exp.AggFunc):
    """The node of KURTOSIS_POP(x), for which the parser has none."""

    _sql_names: ClassVar[list[str]] = ["KURTOSIS_POP"]


def replace_synonyms(tree: exp.Expr) -> exp.Expr:
    """Replace all synonyms in a syntax tree, and return it."""
    # Innermost first, so that what is replaced has its final arguments.
    for node in reversed(list(tree.walk())):
        found = _build_replacement(node)
        if found is None:
            continue
        found.meta.update(node.meta)
        if node is tree:
            tree = found
        else:
            node.replace(found)
    return tree


def _build_replacement(node: exp.Expr) -> exp.Expr | None:
    if isinstance(node, exp.Fetch):
        return _build_limit(node)
    if isinstance(node, exp.Select):
        return expand_quantile_lists(node)
    if isinstance(node, exp.Group):
        return _flatten_keys(node)
    if isinstance(node, exp.EQ | exp.ArrayContains | exp.In):
        return build_membership(node)
    if not isinstance(node, exp.Anonymous):
        return None
    build = _BUILDERS.get((str(node.this).upper(), len(node.expressions)))
    if build is None and len(node.expressions) > 2:
        build = {"DECODE": _build_decode, "CHOOSE": _build_choice}.get(str(node.this).upper())
    return None if build is None else build([part.copy() for part in node.expressions])


def _build_limit(fetch: exp.Fetch) -> exp.Limit | None:
    """Build the LIMIT of FETCH FIRST n ROWS ONLY; None with PERCENT or WITH TIES."""
    options = fetch.args.get("limit_options")
    if options is not None and (options.args.get("percent") or options.args.get("with_ties")):
        return None
    count = fetch.args.get("count")
    return exp.Limit(expression=exp.Literal.number(1) if count is None else count.copy())


def _flatten_keys(group: exp.Group) -> exp.Group | None:
    """Return GROUP BY a, b for GROUP BY (a, b); None if there are no parentheses."""
    if not any(isinstance(key, exp.Tuple) for key in group.expressions):
        return None
    found = group.copy()
    found.set(
        "expressions",
        [
            part
            for key in found.expressions
            for part in (key.expressions if isinstance(key, exp.Tuple) else [key])
        ],
    )
    return found


def _build_choice(arguments: Arguments) -> exp.Case:
    """Build the CASE of CHOOSE(n, first, second, …), which is NULL for any other n."""
    place, *values = arguments
    branches = [
        exp.If(this=exp.EQ(this=place.copy(), expression=exp.Literal.number(n)), true=value)
        for n, value in enumerate(values, 1)
    ]
    return exp.Case(ifs=branches)


def _build_decode(arguments: Arguments) -> exp.Case:
    """Build the CASE of DECODE(x, value, result, …, default), where NULL equals NULL."""
    subject, *rest = arguments
    pairs = list(zip(rest[::2], rest[1::2], strict=False))
    branches = [
        exp.If(this=_build_match(subject.copy(), value), true=result) for value, result in pairs
    ]
    default = rest[-1] if len(rest) % 2 else None
    return exp.Case(ifs=branches, default=default)


def _build_match(subject: exp.Expr, value: exp.Expr) -> exp.Expr:
    if isinstance(value, exp.Null):
        return exp.Is(this=subject, expression=value)
    node = exp.EQ if isinstance(value, exp.Literal) else exp.NullSafeEQ
    return node(this=subject, expression=value)


def _build_filtered(aggregate: type[exp.Expr]) -> Callable[[Arguments], exp.Expr]:
    """Return the builder of SUM(x) FILTER (WHERE condition), and the like."""
    return lambda arguments: exp.Filter(
        this=aggregate(this=arguments[0]), expression=exp.Where(this=arguments[1])
    )


def _build_call(node: type[exp.Expr], *names: str) -> Callable[[Arguments], exp.Expr]:
    """Return the builder of a node with arguments of these names."""
    return lambda arguments: node(**dict(zip(names, arguments, strict=True)))


def _build_distinct_count(arguments: Arguments) -> exp.Expr:
    return exp.Count(this=exp.Distinct(expressions=[arguments[0]]))


def _list_builders() -> dict[tuple[str, int], Callable[[Arguments], exp.Expr]]:
    single: dict[type[exp.Expr], tuple[str, ...]] = {
        exp.Variance: ("VAR",),
        exp.VariancePop: ("VARP",),
        exp.Stddev: ("STD",),
        exp.StddevPop: ("STDEVP", "STDDEVP"),
        exp.Avg: ("MEAN", "FAVG"),
        exp.Sum: ("FSUM", "SUMKAHAN", "KAHAN_SUM"),
        exp.LogicalAnd: ("EVERY",),
        KurtosisPop: ("KURTOSIS_POP",),
        exp.Length: ("STRLEN",),
    }
    double: dict[type[exp.Expr], tuple[tuple[str, ...], tuple[str, ...]]] = {
        exp.Quantile: (
            ("this", "quantile"),
            ("APPROX_PERCENTILE", "PERCENTILE_APPROX", "PERCENTILE"),
        ),
        exp.StartsWith: (("this", "expression"), ("PREFIX",)),
        exp.EndsWith: (("this", "expression"), ("SUFFIX",)),
    }
    return {
        **{
            (name, 1): _build_call(node, "this") for node, names in single.items() for name in names
        },
        **{
            (name, 2): _build_call(node, *parts)
            for node, (parts, names) in double.items()
            for name in names
        },
        **{(name, 2): _build_filtered(exp.Sum) for name in ("SUMIF", "SUM_IF")},
        **{(name, 2): _build_filtered(exp.Avg) for name in ("AVGIF", "AVG_IF")},
        **{(name, 1): _build_distinct_count for name in ("COUNT_DISTINCT", "UNIQ", "UNIQEXACT")},
        ("IFF", 3): _build_call(exp.If, "this", "true", "false"),
        ("ISNULL", 2): lambda given: exp.Coalesce(this=given[0], expressions=[given[1]]),
        ("ZEROIFNULL", 1): lambda given: exp.Coalesce(this=given[0], expressions=[_NUMBERS[0]()]),
        ("NULLIFZERO", 1): lambda given: exp.Nullif(this=given[0], expression=_NUMBERS[0]()),
        ("SQUARE", 1): lambda given: exp.Pow(this=given[0], expression=_NUMBERS[2]()),
    }


_NUMBERS: Final = {digit: (lambda digit=digit: exp.Literal.number(digit)) for digit in (0, 2)}
_BUILDERS: Final = _list_builders()
