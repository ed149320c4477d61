"""Aggregates, with FILTER, WITHIN GROUP and named arguments around them; and those that are not there."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Final

from sqlglot import exp

from hedgerow.sql.asked import Asked
from hedgerow.sql.named import NUMBER, named_of
from hedgerow.sql.question import Function
from hedgerow.sql.rule import Reader, Refusal, Rule, filled
from hedgerow.sql.typed import Typed

__all__ = ["RULES", "is_aggregate", "name_of", "wrapped"]

_LISTED: Final = (
    "The aggregates are COUNT, SUM, AVG, VAR_POP, VAR_SAMP, STDDEV_POP, STDDEV_SAMP, COVAR_POP, COVAR_SAMP, CORR, MIN, MAX, MEDIAN, "
    "QUANTILE, PERCENTILE_CONT and MODE."
)
_ONE: Final[dict[type[exp.Expr], tuple[str, Function]]] = {
    exp.Count: ("COUNT", "COUNT"),
    exp.Sum: ("SUM", "SUM"),
    exp.Avg: ("AVG", "AVG"),
    exp.VariancePop: ("VAR_POP", "VAR_POP"),
    exp.Variance: ("VAR_SAMP", "VAR_SAMP"),
    exp.StddevPop: ("STDDEV_POP", "STDDEV_POP"),
    exp.Stddev: ("STDDEV", "STDDEV_SAMP"),
    exp.StddevSamp: ("STDDEV_SAMP", "STDDEV_SAMP"),
    exp.Min: ("MIN", "MIN"),
    exp.Max: ("MAX", "MAX"),
    exp.Mode: ("MODE", "MODE"),
    exp.Median: ("MEDIAN", "QUANTILE"),
    exp.CountIf: ("COUNT_IF", "COUNT"),
}
_TWO: Final[dict[type[exp.Expr], tuple[str, Function]]] = {
    exp.CovarPop: ("COVAR_POP", "COVAR_POP"),
    exp.CovarSamp: ("COVAR_SAMP", "COVAR_SAMP"),
    exp.Corr: ("CORR", "CORR"),
}
_SHARES: Final[dict[type[exp.Expr], tuple[str, str]]] = {
    exp.Quantile: ("QUANTILE", "quantile"),
    exp.PercentileCont: ("PERCENTILE_CONT", "expression"),
    exp.PercentileDisc: ("PERCENTILE_DISC", "expression"),
}


def is_aggregate(node: exp.Expr) -> bool:
    """Whether this is an aggregate that is read here, in whatever is around it."""
    inner = _bare(node)
    return type(inner) in _ONE or type(inner) in _TWO or type(inner) in _SHARES


def name_of(node: exp.Expr) -> str | None:
    """What an aggregate is called; None where this is none."""
    inner = _bare(node)
    known = _ONE.get(type(inner)) or _TWO.get(type(inner)) or _SHARES.get(type(inner))
    return known[0] if known else None


def _bare(node: exp.Expr) -> exp.Expr:
    while isinstance(node, exp.Filter | exp.WithinGroup) or (isinstance(node, exp.Anonymous) and str(node.this).startswith("\0")):
        node = node.expressions[0] if isinstance(node, exp.Anonymous) and len(node.expressions) == 1 else node.this
        if not isinstance(node, exp.Expr):
            return exp.Null()
    return node


def _read(node: exp.Expr, reader: Reader) -> Typed:
    return reader.aggregate(replace(_asked(node, reader), node=node))


def wrapped(node: exp.Anonymous, reader: Reader) -> Typed:
    """A function with named arguments."""
    if not is_aggregate(node):
        reader.refuse(node, "Named arguments are those of aggregates", "Leave them out.")
    return _read(node, reader)


def _asked(node: exp.Expr, reader: Reader) -> Asked:
    """Layer by layer, from the outside."""
    if isinstance(node, exp.Filter):
        _parts(node, reader, "this", "expression")
        _parts(node.expression, reader, "this")
        inner = _asked(node.this, reader)
        return replace(inner, conditions=(*inner.conditions, node.expression.this))
    if isinstance(node, exp.WithinGroup):
        return _within(node, reader)
    named = named_of(reader.text, node)
    if named is not None:
        return replace(_asked(node.expressions[0], reader), named=named)
    if type(node) in _SHARES:
        return _quantile(node, reader)
    if type(node) in _TWO:
        _parts(node, reader, "this", "expression")
        return Asked(node, *_TWO[type(node)], (node.this, node.expression))
    if type(node) in _ONE:
        return _single(node, reader)
    return reader.refuse(node, "This aggregate is not answered", _LISTED)


def _single(node: exp.Expr, reader: Reader) -> Asked:
    name, function = _ONE[type(node)]
    inner = node.this
    if node.expressions or node.args.get("count") is not None:
        reader.refuse(node, f"{name} takes one column", f"Write one {name} for each column.")
    _parts(node, reader, "this", "big_int")
    at = Fraction(1, 2) if name == "MEDIAN" else None
    if name == "COUNT_IF" and inner is not None:
        return Asked(node, name, function, (), conditions=(inner,))
    if name == "COUNT" and type(inner) is exp.Star:
        _parts(inner, reader)
        return Asked(node, name, function)
    if isinstance(inner, exp.Distinct):
        _parts(inner, reader, "expressions")
        if len(inner.expressions) != 1:
            reader.refuse(node, "DISTINCT takes one column here", f"Write {name}(DISTINCT x).")
        return Asked(node, name, function, (inner.expressions[0],), distinct=True, at=at)
    if inner is None:
        instead = "Write MODE(x), or MODE() WITHIN GROUP (ORDER BY x)." if name == "MODE" else "Write COUNT(*), SUM(x) or AVG(x)."
        reader.refuse(node, "An aggregate needs something to work on", instead)
    return Asked(node, name, function, (inner,), at=at)


def _quantile(node: exp.Expr, reader: Reader) -> Asked:
    name, part = _SHARES[type(node)]
    _parts(node, reader, "this", part)
    share = node.args.get(part)
    if share is None:
        reader.refuse(node, f"{name} needs a column and a share", f"Write {_EXAMPLE[name]}.")
    return Asked(node, name, "QUANTILE", (node.this,), at=_share(share, reader))


def _within(node: exp.WithinGroup, reader: Reader) -> Asked:
    """PERCENTILE_CONT(p) WITHIN GROUP (ORDER BY x), and the same of MODE()."""
    named = named_of(reader.text, node.this)
    inner = node.this.expressions[0] if named is not None else node.this
    name = name_of(inner)
    _parts(node, reader, "this", "expression")
    _parts(node.expression, reader, "expressions")
    if name not in ("PERCENTILE_CONT", "PERCENTILE_DISC", "MODE") or len(node.expression.expressions) != 1:
        reader.refuse(node, "WITHIN GROUP goes with PERCENTILE_CONT and MODE", f"Write {_EXAMPLE['PERCENTILE_CONT']}.")
    ordered = node.expression.expressions[0]
    _parts(ordered, reader, "this", "desc", "nulls_first")
    if filled(inner) - (set() if name == "MODE" else {"this"}):
        reader.refuse(node, "The column stands once, behind ORDER BY", f"Write {_EXAMPLE[name]}.")
    at = None
    if name != "MODE":
        at = _share(inner.this, reader)
        at = 1 - at if ordered.args.get("desc") else at
    function: Function = "MODE" if name == "MODE" else "QUANTILE"
    found = Asked(node, name, function, (ordered.this,), at=at)
    return found if named is None else replace(found, named=named)


def _share(node: exp.Expr, reader: Reader) -> Fraction:
    written = str(node.this) if isinstance(node, exp.Literal) and not node.is_string else ""
    if not NUMBER.fullmatch(written):
        reader.refuse(node, "The share of a quantile is a number that is written out", f"Write {_EXAMPLE['QUANTILE']}.")
    share = Fraction(written)
    if not 0 < share < 1:
        reader.refuse(node, "The share of a quantile lies between 0 and 1", "Write 0.5 for the median, MIN(x) or MAX(x) for the ends.")
    return share


def _parts(node: exp.Expr, reader: Reader, *takes: str) -> None:
    """Refuses what nobody looks at."""
    for part in sorted(filled(node) - set(takes)):
        reader.refuse(node, f"{part.strip('_').upper()} is not read in this aggregate", "Leave it out. " + _LISTED)


def _refused(*nodes: type[exp.Expr], first: str = "") -> tuple[Refusal, ...]:
    return tuple(Refusal(node, "This aggregate is not answered", first + _LISTED) for node in nodes)


_VALUES: Final = "Write GROUP BY x with COUNT(*), or MODE(x): values are never shown. "


_EXAMPLE: Final = {
    "QUANTILE": "QUANTILE(x, 0.9)",
    "PERCENTILE_CONT": "PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY x)",
    "PERCENTILE_DISC": "PERCENTILE_DISC(0.9) WITHIN GROUP (ORDER BY x)",
    "MODE": "MODE(x), or MODE() WITHIN GROUP (ORDER BY x)",
}
_ALL: Final = ("this", "expression", "expressions", "quantile", "big_int", "count")
RULES: tuple[Rule | Refusal, ...] = (
    *(Rule(node, _read, _ALL) for node in (*_ONE, *_TWO, *_SHARES, exp.Filter, exp.WithinGroup)),
    Refusal(exp.Distinct, "DISTINCT stands inside COUNT only", "Write COUNT(DISTINCT x)."),
    Refusal(exp.Order, "An order inside an aggregate changes nothing that is answered", "Leave it out."),
    *_refused(exp.ApproxDistinct, first="Write COUNT(DISTINCT x). "),
    *_refused(exp.ApproxQuantile, first="Write QUANTILE(x, 0.9). "),
    *_refused(exp.AnyValue, exp.First, exp.Last, exp.ArgMax, exp.ArgMin, exp.ArrayAgg, exp.GroupConcat, first=_VALUES),
    *_refused(exp.IgnoreNulls, exp.RespectNulls, first=_VALUES),
    *_refused(exp.LogicalAnd, exp.LogicalOr, exp.Grouping),
    *_refused(exp.Kurtosis, exp.Skewness),
)
