"""Rules for window functions and EXISTS over public tables: from syntax nodes to fragments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sqlglot import exp

from hedgerow.sql.public_tables.expressions import (
    UNSUPPORTED_SYNTAX,
    FragmentReader,
    FragmentRule,
    check_node,
    join_fragments,
)
from hedgerow.sql.public_tables.phrases import Fragment

__all__ = ["WINDOW_RULES"]

_RANKS: Final[Mapping[type[exp.Expr], str]] = {
    exp.RowNumber: "row_number",
    exp.Rank: "rank",
    exp.DenseRank: "dense_rank",
    exp.PercentRank: "percent_rank",
    exp.CumeDist: "cume_dist",
}
_NEIGHBOUR_ROWS: Final[Mapping[type[exp.Expr], tuple[str, ...]]] = {
    exp.Ntile: ("ntile", "this"),
    exp.Lag: ("lag", "this", "offset", "default"),
    exp.Lead: ("lead", "this", "offset", "default"),
    exp.FirstValue: ("first_value", "this"),
    exp.LastValue: ("last_value", "this"),
    exp.NthValue: ("nth_value", "this", "offset"),
}
_WINDOW_ARGS: Final = ("this", "partition_by", "order", "spec", "over")
_FRAME_ARGS: Final = ("kind", "start", "start_side", "end", "end_side")
_FRAME_ENDS: Final = {
    ("UNBOUNDED", "PRECEDING"): "UNBOUNDED PRECEDING",
    ("UNBOUNDED", "FOLLOWING"): "UNBOUNDED FOLLOWING",
    ("CURRENT ROW", None): "CURRENT ROW",
}
_OVER_FIX: Final = "Write SUM(n) OVER (PARTITION BY a ORDER BY b)."


def _read_rank(node: exp.Expr, _: FragmentReader) -> Fragment:
    return (_RANKS[type(node)], "(", ")")


def _read_neighbour_row(node: exp.Expr, reader: FragmentReader) -> Fragment:
    function, *parts = _NEIGHBOUR_ROWS[type(node)]
    written = [node.args[part] for part in parts if node.args.get(part) is not None]
    return (function, "(", join_fragments(map(reader.read_expression, written)), ")")


def _read_window(node: exp.Window, reader: FragmentReader) -> Fragment:
    """Read an aggregate or a rank with its OVER clause."""
    function = node.this.this if type(node.this) is exp.Filter else node.this
    known = type(function) in _RANKS or type(function) in _NEIGHBOUR_ROWS
    if node.args.get("over") != "OVER" or not (known or isinstance(function, exp.AggFunc)):
        reader.refuse(node, "OVER must follow an aggregate or a rank", _OVER_FIX)
    inside: list[Fragment] = []
    if node.args.get("partition_by"):
        parts = map(reader.read_expression, node.args["partition_by"])
        inside += ["PARTITION BY", join_fragments(parts)]
    if node.args.get("order"):
        inside.append(reader.read_order(node.args["order"]))
    if node.args.get("spec"):
        inside.append(_read_frame(node.args["spec"], reader))
    return (reader.read_expression(node.this), "OVER", "(", *inside, ")")


def _read_frame(node: object, reader: FragmentReader) -> Fragment:
    frame = check_node(node, reader, exp.WindowSpec, *_FRAME_ARGS)
    kind = str(frame.args.get("kind")).upper()
    if kind not in ("ROWS", "RANGE"):
        reader.refuse(frame, *UNSUPPORTED_SYNTAX)
    start = _read_frame_end(frame, "start", reader)
    if frame.args.get("end") is None:
        return (kind, start)
    return (kind, "BETWEEN", start, "AND", _read_frame_end(frame, "end", reader))


def _read_frame_end(frame: exp.Expr, end: str, reader: FragmentReader) -> Fragment:
    written, side = frame.args.get(end), _upper(frame.args.get(f"{end}_side"))
    if isinstance(written, exp.Literal) and side in ("PRECEDING", "FOLLOWING"):
        return (reader.read_expression(written), side)
    words = _FRAME_ENDS.get((written.upper(), side)) if isinstance(written, str) else None
    return reader.refuse(frame, *UNSUPPORTED_SYNTAX) if words is None else words


def _upper(word: object) -> str | None:
    """Return a keyword, which the parser leaves as it is written, in capitals."""
    return word.upper() if isinstance(word, str) else None


def _read_exists(node: exp.Exists, reader: FragmentReader) -> Fragment:
    return ("EXISTS", "(", reader.read_query(node.this), ")")


WINDOW_RULES: Final[Mapping[type[exp.Expr], FragmentRule]] = {
    **{node: FragmentRule(_read_rank, ()) for node in _RANKS},
    **{
        node: FragmentRule(_read_neighbour_row, parts[1:])
        for node, parts in _NEIGHBOUR_ROWS.items()
    },
    exp.Window: FragmentRule(_read_window, _WINDOW_ARGS),
    exp.Exists: FragmentRule(_read_exists),
}
