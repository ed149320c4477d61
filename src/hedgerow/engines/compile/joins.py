"""Joins of two compiled relations: with a public table, by unit, with a second population, and
across units.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from sqlglot import exp

from hedgerow.engines.compile.column_lineage import list_words
from hedgerow.engines.compile.compiled_relation import (
    PLACE_COLUMN,
    SECOND_UNIT_COLUMN,
    UNIT_COLUMN,
    CompiledRelation,
    alias_partner,
    build_place_limit,
    build_same_unit,
    keep_first,
    select_numbered,
)
from hedgerow.engines.compile.dialect import Dialect
from hedgerow.engines.compile.sql_builders import (
    NamedExpressions,
    all_of,
    binary,
    build_extreme,
    cast_to_type,
    column,
    integer_literal,
    order_by,
    real_literal,
    select,
)
from hedgerow.errors import Unsupported
from hedgerow.plan.measures import SecondPopulation, Truncation
from hedgerow.plan.nodes import Join
from hedgerow.plan.values import Range, Type

__all__ = [
    "build_equality",
    "join_relations",
    "join_second_population",
    "join_truncated_relations",
    "list_added_columns",
]

_COPY_COLUMN: Final = "copy"
_RANK_COLUMN: Final = "rank"


def list_added_columns(node: Join, needed: Sequence[str]) -> list[str]:
    """List the columns of the right side that the join adds.

    Where matches are limited, all of them: they decide which match comes first.
    """
    return [
        there
        for name, there in node.added_columns
        if name in needed or node.max_matches is not None
    ]


def join_relations(
    node: Join,
    needed: Sequence[str],
    own: CompiledRelation,
    other: CompiledRelation,
    dialect: Dialect,
    *,
    with_units: bool,
    on_unit: bool,
) -> CompiledRelation:
    """Join two compiled relations; ``on_unit`` also requires the same unit on both sides."""
    added, adds = dict(node.added_columns), list_added_columns(node, needed)
    here = {name: column(ref.name, "s") for name, ref in own.columns.items()}
    there = {name: column(ref.name, "p") for name, ref in other.columns.items()}
    known, known_there = node.source.columns, node.other.columns
    conditions = [
        build_equality(here[a], known[a], there[b], known_there[b], a) for a, b in node.on
    ]
    if on_unit:
        conditions.append(build_same_unit())
    keys = [_cast_for_comparison(other.columns[b], known_there[b], known[a]) for a, b in node.on]
    partners = other.query
    varying = {b for b in adds if other.columns[b] not in keys}
    if node.max_matches == 1 and len(varying) < 2:
        words = {name: list_words(node.other, name) for name in other.columns}
        types = {name: known_there[name].type for name in other.columns}
        partners = _keep_first_match(other, keys, words, types, dialect)
    elif node.max_matches is not None:
        partners = _number_matches(other, keys, adds)
        conditions.append(build_place_limit(node.max_matches, "p"))
    outputs = {name: there[added[name]] if name in added else here[name] for name in needed}
    ids = [(UNIT_COLUMN, column(UNIT_COLUMN, "s"))] if with_units else []
    joined = select_numbered(ids, outputs, own.query)
    joined.query.join(
        alias_partner(partners),
        on=all_of(conditions),
        join_type="left" if node.keeps_unmatched else "inner",
        copy=False,
    )
    return joined


def join_second_population(
    node: Join,
    second: SecondPopulation,
    needed: Sequence[str],
    own: CompiledRelation,
    other: CompiledRelation,
    dialect: Dialect,
) -> CompiledRelation:
    """Join each unit's first references with the first row of the unit that each of them names."""
    added = dict(node.added_columns)
    id_column = own.columns[second.id_column]
    names_somebody = exp.Not(this=exp.Is(this=id_column.copy(), expression=exp.Null()))
    references = _number_references(
        select(
            [(UNIT_COLUMN, column(UNIT_COLUMN)), *_pass_columns(own)], own.query, [names_somebody]
        ),
        [own.columns[name] for name in (second.id_column, *second.other_columns)],
        dialect,
    )
    first_row = exp.Window(
        this=exp.RowNumber(),
        partition_by=[column(UNIT_COLUMN)],
        order=_order_by_columns(other, [there for _, there in node.added_columns]),
    )
    partners = select(
        [(UNIT_COLUMN, column(UNIT_COLUMN)), *_pass_columns(other), (PLACE_COLUMN, first_row)],
        other.query,
    )
    conditions = [
        binary(column(id_column.name, "s"), exp.EQ, column(UNIT_COLUMN, "p")),
        binary(column(PLACE_COLUMN, "p"), exp.EQ, integer_literal(1)),
        build_place_limit(second.max_references, "s"),
    ]
    outputs: dict[str, exp.Expr] = {
        name: (
            column(other.columns[added[name]].name, "p")
            if name in added
            else column(own.columns[name].name, "s")
        )
        for name in needed
    }
    ids = [(UNIT_COLUMN, column(UNIT_COLUMN, "s")), (SECOND_UNIT_COLUMN, column(UNIT_COLUMN, "p"))]
    joined = select_numbered(ids, outputs, references)
    joined.query.join(alias_partner(partners), on=all_of(conditions), join_type="inner", copy=False)
    return joined


def _pass_columns(rows: CompiledRelation) -> NamedExpressions:
    return [(ref.name, ref.copy()) for ref in rows.columns.values()]


def _order_by_columns(rows: CompiledRelation, names: Sequence[str]) -> exp.Order | None:
    return order_by([rows.columns[name] for name in names], null_last=True) if names else None


def _number_references(
    rows: exp.Select, reference: Sequence[exp.Expr], dialect: Dialect
) -> exp.Select:
    """Number the references of each unit by (rank, reference), from this unit's rows alone."""
    rank = dialect.build_rank([column(UNIT_COLUMN), *(part.copy() for part in reference)])
    place = exp.Window(
        this=exp.DenseRank(), partition_by=[column(UNIT_COLUMN)], order=order_by([rank, *reference])
    )
    names = [output.alias for output in rows.expressions]
    return select([*((name, column(name)) for name in names), (PLACE_COLUMN, place)], rows)


def _number_matches(
    public: CompiledRelation, keys: Sequence[exp.Expr], adds: Sequence[str]
) -> exp.Select:
    """Number the public rows that match the same row, by the columns that they add.

    ``keys`` are the join columns as compared: different integers can be the same real.
    """
    place = exp.Window(
        this=exp.RowNumber(), partition_by=list(keys), order=_order_by_columns(public, adds)
    )
    return select([*_pass_columns(public), (PLACE_COLUMN, place)], public.query)


def _keep_first_match(
    public: CompiledRelation,
    keys: Sequence[exp.Expr],
    words: Mapping[str, list[str] | None],
    types: Mapping[str, Type],
    dialect: Dialect,
) -> exp.Select:
    """Keep the first public row for each key, where rows differ in one column at most.

    Same rows as ``_number_matches``, but faster. Text out of a short list is compared by its codes,
    which have the order of the text.
    """
    first = []
    for name, ref in public.columns.items():
        listed = words[name]
        if ref in keys:
            value = ref.copy()
        elif listed is None:
            value = build_extreme(ref.copy(), types[name])
        else:
            code = build_extreme(dialect.encode_text(ref.copy(), listed), "text")
            value = cast_to_type(code, "text")
        first.append((ref.name, value))
    return select(first, public.query).group_by(*(key.copy() for key in keys), copy=False)


def join_truncated_relations(
    node: Join,
    truncations: tuple[Truncation, Truncation],
    needed: Sequence[str],
    own: CompiledRelation,
    other: CompiledRelation,
    dialect: Dialect,
) -> CompiledRelation:
    """Join two relations after truncation of each, so that any rows with equal keys meet.

    Which rows of a side are kept depends on its rows and columns alone, so both sides have all
    columns. Equal rows of a unit are numbered: the order is total, wherever the rows are stored.
    docs/decisions/0018 has the proof.
    """
    sides = zip(
        (own, other),
        (node.source, node.other),
        truncations,
        zip(*node.on, strict=True),
        strict=True,
    )
    ours, theirs = (
        _truncate_side(
            rows, side.columns, [_find_key(rows, key) for key in keys], truncation, dialect
        )
        for rows, side, truncation, keys in sides
    )
    added = dict(node.added_columns)
    outputs: dict[str, exp.Expr] = {
        name: (
            column(other.columns[added[name]].name, "p")
            if name in added
            else column(own.columns[name].name, "s")
        )
        for name in needed
    }
    joined = select_numbered([], outputs, ours)
    conditions = [
        binary(
            column(_find_key(own, here).name, "s"),
            exp.EQ,
            column(_find_key(other, there).name, "p"),
        )
        for here, there in node.on
    ]
    joined.query.join(alias_partner(theirs), on=all_of(conditions), join_type="inner", copy=False)
    return joined


def _find_key(rows: CompiledRelation, name: str) -> exp.Column:
    """Return a key column of a side; the empty name is the unit id."""
    return column(rows.columns[name].name if name else UNIT_COLUMN)


def _truncate_side(
    rows: CompiledRelation,
    known: Mapping[str, Range],
    keys: Sequence[exp.Column],
    truncation: Truncation,
    dialect: Dialect,
) -> exp.Select:
    """Keep the first rows of each unit, and of these the first with each key; rows without a key
    are dropped before.
    """
    units = [column(UNIT_COLUMN)] * any(one.alias == UNIT_COLUMN for one in rows.query.expressions)
    names = [*(unit.name for unit in units), *(ref.name for ref in rows.columns.values())]
    # 0.0 and -0.0 are equal, but not the same: which of them comes first must not matter.
    values = {
        ref.name: (
            binary(ref.copy(), exp.Add, real_literal(0.0))
            if known[name].type == "real"
            else ref.copy()
        )
        for name, ref in rows.columns.items()
    }
    have_keys = [
        exp.Not(this=exp.Is(this=key.copy(), expression=exp.Null()))
        for key in keys
        if key.name != UNIT_COLUMN
    ]
    read = select(
        [*((unit.name, unit.copy()) for unit in units), *values.items()], rows.query, have_keys
    )
    content = [column(name) for name in names]
    copies = exp.Window(this=exp.RowNumber(), partition_by=content)
    numbered = select([*((name, column(name)) for name in names), (_COPY_COLUMN, copies)], read)
    terms = [*content, column(_COPY_COLUMN)]
    order = order_by([column(_RANK_COLUMN), *terms])
    every = [*names, _COPY_COLUMN, _RANK_COLUMN]
    kept = select(
        [
            *((term.name, term.copy()) for term in terms),
            (_RANK_COLUMN, dialect.build_rank([term.copy() for term in terms])),
        ],
        numbered,
    )
    if units:
        place = exp.Window(this=exp.RowNumber(), partition_by=units, order=order)
        kept = keep_first(kept, place, truncation.max_rows_per_unit, every)
    place = exp.Window(
        this=exp.RowNumber(), partition_by=[key.copy() for key in keys], order=order.copy()
    )
    return keep_first(kept, place, truncation.max_rows_per_key, names)


def build_equality(
    here: exp.Expr, known: Range, there: exp.Expr, known_there: Range, name: str
) -> exp.Expr:
    """Build the equality of two columns of the same type, or of an integer and a real."""
    if known.type != known_there.type and {known.type, known_there.type} != {"integer", "real"}:
        raise Unsupported(
            f"{name} is {known.type}, but the column it is joined with is {known_there.type}."
            " Declare the same type for both in the policy."
        )
    return binary(
        _cast_for_comparison(here, known, known_there),
        exp.EQ,
        _cast_for_comparison(there, known_there, known),
    )


def _cast_for_comparison(value: exp.Expr, own: Range, other: Range) -> exp.Expr:
    mixed = own.type == "integer" and other.type == "real"
    return cast_to_type(value.copy(), "real") if mixed else value.copy()
