"""The domain of a publication: attributes with their codes, all public.

A column with declared values has one code for each of them. Integers and dates between declared
bounds have one code each, or share codes in bins; reals always come in bins. Bins are closed below
and open above, except the last, which includes the upper bound.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any, Final

from hedgerow.charts.number_text import list_first
from hedgerow.errors import InvalidArgument, Refused, Unbounded
from hedgerow.numeric.exact_number import parse_exact, parse_whole
from hedgerow.plan.contingency import Contingency
from hedgerow.plan.nodes import Aggregate, Bound, Group, Project, RelationNode
from hedgerow.plan.scalar.expressions import Call, ColumnRef, Constant, Expression
from hedgerow.plan.schema import Column, Schema
from hedgerow.plan.values import Type, Value

__all__ = ["Attribute", "BinSpec", "Domain", "build_contingency_plan", "build_domain"]

BinSpec = int | Sequence[Any]
_MAX_NAMED_ATTRIBUTES: Final = 8  # in a sentence
_MAX_UNBINNED_VALUES: Final = 1000  # integers or dates that get a code each without bins
_MAX_CODES: Final = 2**24


@dataclass(frozen=True, slots=True)
class Attribute:
    """A column with a code for each of its ``values``, or for each bin between two neighbouring
    ``edges`` (for dates, their ordinals). Bins are open above; the last bin of reals is closed.
    """

    name: str
    type: Type
    values: tuple[Value, ...] | None = None
    edges: tuple[Fraction, ...] | None = None

    def __post_init__(self) -> None:
        if (self.values is None) == (self.edges is None):
            raise InvalidArgument(self.name, "must have either values or the edges of bins")
        if self.values is not None and (
            not self.values or None in self.values or len(set(self.values)) != len(self.values)
        ):
            raise InvalidArgument(
                self.name, "must have at least one value, all distinct and none of them NULL"
            )
        if self.edges is not None and (
            len(self.edges) < 2
            or any(a >= b for a, b in zip(self.edges, self.edges[1:], strict=False))
        ):
            raise InvalidArgument(
                "bins",
                f"of {self.name} must have ascending edges, such as 0, 10, 20",
                _format_numbers(self.edges),
            )
        if self.size > _MAX_CODES:
            raise InvalidArgument(
                "bins", f"of {self.name} must be at most {_MAX_CODES:,}", self.size
            )

    @property
    def size(self) -> int:
        """The number of codes."""
        return len(self.values) if self.values is not None else len(self.edges or ()) - 1

    @property
    def is_ordered(self) -> bool:
        """True if codes rise with their numbers or dates, so that cumulative counts make sense."""
        return self.edges is not None or (
            self.type in ("integer", "date")
            and list(self.values or ()) == sorted(self.values or ())  # type: ignore[type-var]
        )

    @property
    def midpoints(self) -> tuple[Fraction, ...] | None:
        """The middle of each code as a number; None if the codes are not numbers."""
        if self.edges is not None:
            # the middle of the integers from 0 to below 10 is 4.5
            last = 0 if self.type == "real" else 1
            return tuple(
                (a + b - last) / 2 for a, b in zip(self.edges, self.edges[1:], strict=False)
            )
        if self.type != "integer":
            return None
        return tuple(Fraction(value) for value in self.values or ())  # type: ignore[arg-type]

    def label(self, code: int) -> str:
        """Return the label of a code."""
        if self.values is not None:
            return str(self.values[code])
        low, high = (self.edges or ())[code : code + 2]
        if self.type == "real":
            return f"{float(low):g} to {'' if code == self.size - 1 else 'below '}{float(high):g}"
        first, last = (self._format_edge(edge) for edge in (low, high - 1))
        return str(first) if first == last else f"{first} to {last}"

    def columns(self) -> dict[str, list[Any]]:
        """Return the columns that show the codes: their values, or the start and the end of each
        bin.
        """
        if self.values is not None:
            return {self.name: list(self.values)}
        ends = [self._format_edge(edge) for edge in self.edges or ()]
        return {f"{self.name}_from": ends[:-1], f"{self.name}_to": ends[1:]}

    def code_expression(self) -> Expression:
        """Return the code of a row as an expression of its column; NULL stays NULL."""
        column = ColumnRef(self.name)
        if self.edges is None:
            return _build_binary_search(
                column,
                self.type,
                sorted((value, code) for code, value in enumerate(self.values or ())),
            )
        widths = {b - a for a, b in zip(self.edges, self.edges[1:], strict=False)}
        low, width = self.edges[0], max(widths)
        if (
            self.type == "date"
            or len(widths) > 1
            or (self.type == "integer" and (width.denominator, low.denominator) != (1, 1))
        ):
            starts = [
                (_convert_edge(edge, self.type), code) for code, edge in enumerate(self.edges[:-1])
            ]
            return _build_binary_search(column, self.type, starts)
        above = Call("-", (column, Constant(_convert_edge(low, self.type), self.type)))
        place = Call(
            "floor", (Call("/", (above, Constant(_convert_edge(width, self.type), self.type))),)
        )
        return Call("least", (place, Constant(self.size - 1, "integer")))

    def find_code(self, value: Any) -> int | None:
        """Return the code of a value, or None if it has none."""
        if self.values is not None:
            return self.values.index(value) if value in self.values else None
        edges = self.edges or ()
        number = Fraction(value.toordinal() if isinstance(value, date) else value)
        if not edges[0] <= number <= edges[-1]:
            return None
        return min(bisect.bisect_right(edges, number) - 1, self.size - 1)

    def _format_edge(self, edge: Fraction) -> Any:
        if self.type == "date":
            return date.fromordinal(math.ceil(edge))
        return int(edge) if edge.denominator == 1 and self.type == "integer" else float(edge)

    def to_dict(self) -> dict[str, Any]:
        """Return the attribute as plain data, for a receipt."""
        values = (
            None
            if self.values is None
            else [value.isoformat() if isinstance(value, date) else value for value in self.values]
        )
        edges = None if self.edges is None else [str(edge) for edge in self.edges]
        return {"name": self.name, "type": self.type, "values": values, "edges": edges}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Attribute:
        """Build the attribute from the plain data of ``to_dict``."""
        values, edges = data["values"], data["edges"]
        if values is not None and data["type"] == "date":
            values = [date.fromisoformat(value) for value in values]
        return cls(
            data["name"],
            data["type"],
            values and tuple(values),
            edges and tuple(map(Fraction, edges)),
        )


@dataclass(frozen=True, slots=True)
class Domain:
    """Several attributes of one table, in order."""

    attributes: tuple[Attribute, ...]

    def __post_init__(self) -> None:
        names = [attribute.name.casefold() for attribute in self.attributes]
        if not names or len(set(names)) != len(names):
            raise InvalidArgument("columns", "must be distinct, at least one", names)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of codes of each attribute."""
        return tuple(attribute.size for attribute in self.attributes)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the attributes."""
        return tuple(attribute.name for attribute in self.attributes)

    @property
    def row_scope(self) -> str:
        """A phrase for the counted rows: those with a declared value in every attribute."""
        names = list_first(self.names, _MAX_NAMED_ATTRIBUTES)
        return f"among rows with a value in {'all of ' if len(self.names) > 1 else ''}{names}"

    @property
    def cell_count(self) -> int:
        """The number of combinations of codes."""
        return math.prod(self.sizes)

    @property
    def cell_count_with_null(self) -> int:
        """The number of combinations if having no code is one more code."""
        return math.prod(size + 1 for size in self.sizes)

    def find_position(self, name: str) -> int:
        """Return the position of an attribute by its name."""
        for place, known in enumerate(self.names):
            if known.casefold() == name.casefold():
                return place
        raise InvalidArgument("columns", f"must be among {', '.join(self.names)}", name)

    def refuse_more_cells(self, cells: int) -> None:
        """Refuse a domain with more combinations than this; name the largest attribute."""
        if self.cell_count > cells:
            largest = max(self.attributes, key=lambda attribute: attribute.size)
            raise Refused(
                f"{' x '.join(self.names)} have {self.cell_count:,} combinations; the limit is"
                f" {cells:,}. Leave out {largest.name} ({largest.size:,} codes), give it fewer"
                " bins, or publish marginals, which need no such table."
            )


def build_domain(
    schema: Schema, columns: Sequence[str], bins: Mapping[str, BinSpec] | None = None
) -> Domain:
    """Build the attributes of these columns from the declared policy and the requested ``bins``."""
    requested = {name.casefold(): spec for name, spec in (bins or {}).items()}
    unknown = set(requested) - {name.casefold() for name in columns}
    if unknown:
        raise InvalidArgument("bins", "must be for published columns", ", ".join(sorted(unknown)))
    attributes = []
    for name in columns:
        column = schema.column(name)
        if column is None or (
            schema.unit is not None
            and schema.unit != "row"
            and name.casefold() == schema.unit.casefold()
        ):
            known = [other.name for other in schema.columns if other.name != schema.unit]
            raise InvalidArgument(
                "columns", f"must be columns of {schema.table}: {', '.join(known)}", name
            )
        attributes.append(_build_attribute(column, requested.get(name.casefold()), schema.table))
    return Domain(tuple(attributes))


def _build_attribute(column: Column, bins: BinSpec | None, table: str) -> Attribute:
    if column.type == "timestamp":
        raise InvalidArgument(
            "columns",
            "must not be timestamps. Ask SQL questions about them, or declare the column as a date"
            " in the policy.",
            column.name,
        )
    if column.values is not None or column.type == "boolean":
        if bins is not None:
            raise InvalidArgument(
                "bins", f"of {column.name} must be left out, because its values are declared", bins
            )
        return Attribute(column.name, column.type, column.values or (False, True))
    if column.low is None or column.high is None:
        line = (
            "values = [...]" if column.type == "text" else "min = ..., max = ..., or values = [...]"
        )
        raise Unbounded(
            f"{column.name} has no declared range, and it must not be read from the data. Write"
            f" {column.name} = {{ {line} }} under [tables.{table}.columns]."
        )
    if bins is None:
        return _build_unbinned(column, column.low, column.high)
    edges = _compute_bin_edges(column, column.low, column.high, bins)
    return Attribute(column.name, column.type, edges=edges)


def _build_unbinned(column: Column, low: Fraction, high: Fraction) -> Attribute:
    count = high - low + 1
    if column.type == "real" or count > _MAX_UNBINNED_VALUES:
        raise InvalidArgument(
            "bins",
            f"must be given for {column.name}, which has too many values, such as"
            f' bins = {{"{column.name}": 20}}',
        )
    numbers = range(int(low), int(high) + 1)
    return Attribute(
        column.name,
        column.type,
        tuple(map(date.fromordinal, numbers)) if column.type == "date" else tuple(numbers),
    )


def _compute_bin_edges(
    column: Column, low: Fraction, high: Fraction, bins: BinSpec
) -> tuple[Fraction, ...]:
    if isinstance(bins, str | bytes) or not isinstance(bins, int | Sequence):
        raise InvalidArgument("bins", f"of {column.name} must be a number or a list of edges", bins)
    # An integer n covers n to below n + 1, so that bins of integers are as wide as they look.
    top = high if column.type == "real" else high + 1
    if isinstance(bins, int):
        count = parse_whole(bins, "bins")
        if column.type == "real":
            return tuple(low + place * (top - low) / count for place in range(count + 1))
        if count > top - low:
            raise InvalidArgument(
                "bins", f"of {column.name} must be at most {top - low}, its number of values", bins
            )
        return tuple(
            Fraction(math.floor(low + place * (top - low) / count)) for place in range(count + 1)
        )
    edges = tuple(
        Fraction(edge.toordinal()) if isinstance(edge, date) else parse_exact(edge, "bins")
        for edge in bins
    )
    if not edges or edges[0] < low or edges[-1] > top:
        raise InvalidArgument(
            "bins",
            f"of {column.name} must lie within its bounds, {_format_numbers((low, high))}",
            _format_numbers(edges),
        )
    if edges[0] > low or edges[-1] < high:
        raise InvalidArgument(
            "bins",
            f"of {column.name} must begin and end at its bounds, {_format_numbers((low, high))}",
            _format_numbers(edges),
        )
    # The last bin is closed: for integers it reaches to below the next one.
    return (*edges[:-1], top)


def build_contingency_plan(
    rows: RelationNode, domain: Domain, max_rows: int, *, flat: bool = False
) -> Aggregate:
    """Build the plan that counts the combinations of codes, with at most ``max_rows`` rows of each
    unit.

    With ``flat``, the combinations are the codes of a single attribute, the first attribute
    slowest. Having no code is then the last code of each attribute, so that no row is left out.
    """
    codes = [(attribute.code_expression(), attribute.size) for attribute in domain.attributes]
    if flat:
        codes = [
            (Call("coalesce", (code, Constant(size, "integer"))), size + 1) for code, size in codes
        ]
        codes = [(_combine_codes(codes), domain.cell_count_with_null)]
    coded = Project(rows, tuple((f"a{place}", code) for place, (code, _) in enumerate(codes)))
    cross = Contingency(tuple((f"a{place}", size) for place, (_, size) in enumerate(codes)))
    return Aggregate(Group(Bound(coded, (), 1, max_rows), ()), (cross,))


def _combine_codes(codes: Sequence[tuple[Expression, int]]) -> Expression:
    combined = codes[0][0]
    for code, size in codes[1:]:
        combined = Call("+", (Call("*", (combined, Constant(size, "integer"))), code))
    return combined


def _convert_edge(value: Fraction, type_: Type) -> Value:
    if type_ == "real":
        return float(value)
    return date.fromordinal(math.ceil(value)) if type_ == "date" else math.ceil(value)


def _build_binary_search(
    column: ColumnRef, type_: Type, starts: Sequence[tuple[Value, int]]
) -> Expression:
    """Build an expression for the code of the last start that is not above the column. It halves
    the list, so that a thousand codes take ten comparisons.
    """
    if len(starts) == 1:
        no_code, code = Constant(None, "integer"), Constant(starts[0][1], "integer")
        return Call("case", (Call("is null", (column,)), no_code, code))
    middle = len(starts) // 2
    below = Call("<", (column, Constant(starts[middle][0], type_)))
    lower = _build_binary_search(column, type_, starts[:middle])
    upper = _build_binary_search(column, type_, starts[middle:])
    return Call("case", (below, lower, upper))


def _format_numbers(numbers: Sequence[Fraction]) -> str:
    return ", ".join(f"{float(number):g}" for number in numbers)
