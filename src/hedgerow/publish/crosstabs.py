"""Cross tables of every few columns, told in one table: all attributes in columns, NULL where one is summed out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.numeric.number import whole
from hedgerow.publish.clean import clean
from hedgerow.publish.designs import Floats, errors
from hedgerow.publish.direct import Direct
from hedgerow.publish.domain import Domain
from hedgerow.publish.marginals import Marginals, Places
from hedgerow.publish.residual import Residuals, marginal_design
from hedgerow.publish.sketch import Accuracy, Made, Sketch, Tell, measured, silent
from hedgerow.publish.table import counted, grid, told
from hedgerow.publish.terms import Terms
from hedgerow.purse import Purse

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["MARGINAL", "crosstabs"]

MARGINAL: Final = "marginal"
_BETA: Final = Fraction(1, 20)
_CELLS: Final = 2 * 10**7
_LISTED: Final = 3  # marginals whose accuracy is told one by one


def crosstabs(terms: Terms, domain: Domain, *, ways: int = 2) -> Sketch:
    """All marginals of one up to ``ways`` attributes, measured together: residuals under a rho, the tables themselves under an epsilon."""
    if whole(ways, "ways") > len(domain.attributes):
        raise InvalidArgument("ways", f"must be at most the number of columns, {len(domain.attributes)}", ways)
    wanted = Marginals.up_to(domain.sizes, ways)
    cells = sum(wanted.cells(places) for places, _ in wanted.wanted)
    if cells > _CELLS:
        places = max((places for places, _ in wanted.wanted), key=wanted.cells)
        raise Refused(
            f"These {len(wanted.wanted):,} tables have {cells:,} cells; at most {_CELLS:,} can be told. The largest is "
            f"{_name(domain, places)} ({wanted.cells(places):,}): give its columns fewer bins, leave one out, or ask for fewer ways."
        )
    design = marginal_design(wanted, terms)
    lost = wanted.each([terms.lost(domain.cells // wanted.cells(places)) for places, _ in wanted.wanted])
    variances, radii, lacking = errors(design, terms, _BETA, lost)
    price = [terms.price(block, law) for block, law in design.measurements]

    def build(purse: Purse, tell: Tell = silent) -> Made:
        noisy = measured(purse, design.measurements, tell)
        tables = list(design.tables(noisy))
        facts = {"variances": _each(domain, wanted, variances), "measured": len(noisy)}
        return Made(_told(domain, tables, radii), facts | terms.facts)

    note = "The tables agree with each other in count; count_clean is made of each table by itself: not negative, with the same total."
    among = f"Every table is {domain.among}: a row that lacks one of them is in no table, also in those that do not show that column."
    return Sketch(
        "marginals",
        domain,
        _design(design),
        sum(price[1:], price[0]),
        _accuracy(domain, wanted, variances, radii),
        build,
        (note, among),
        design.measurements,
        lacking,
    )


def _design(design: Residuals | Direct) -> str:
    many = len(design.measurements)
    return f"{design.name}, {many:,} measurement{'' if many == 1 else 's'}"


def _name(domain: Domain, places: Places) -> str:
    return " x ".join(domain.names[place] for place in places)


def _starts(wanted: Marginals) -> list[tuple[Places, int]]:
    """Where the cells of each marginal begin."""
    found, start = [], 0
    for places, _ in wanted.wanted:
        found.append((places, start))
        start += wanted.cells(places)
    return found


def _each(domain: Domain, wanted: Marginals, values: Floats) -> dict[str, float]:
    """One value for each marginal: all its cells have the same."""
    return {_name(domain, places): float(values[start]) for places, start in _starts(wanted)}


def _accuracy(domain: Domain, wanted: Marginals, variances: Floats, radii: Floats) -> tuple[Accuracy, ...]:
    everything = Accuracy("every cell of every table", len(variances), math.sqrt(float(variances.mean())))
    order = sorted(_starts(wanted), key=lambda item: float(variances[item[1]]))
    shown = order if len(order) <= 2 * _LISTED else [*order[:_LISTED], *order[-_LISTED:]]
    each = [
        Accuracy(_name(domain, places), wanted.cells(places), math.sqrt(float(variances[start])), float(radii[start]))
        for places, start in shown
    ]
    return (everything, *each)


def _told(domain: Domain, tables: Sequence[tuple[Places, Floats]], radii: Floats) -> pa.Table:
    import pyarrow as pa

    sizes = [table.size for _, table in tables]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    names = pa.array([_name(domain, places) for places, _ in tables])
    which = np.repeat(np.arange(len(tables), dtype=np.int32), sizes)
    columns: dict[str, Any] = {MARGINAL: pa.DictionaryArray.from_arrays(pa.array(which), names)}
    for place, attribute in enumerate(domain.attributes):
        codes = np.full(int(starts[-1]), -1, dtype=np.int32)
        for (places, table), start in zip(tables, starts[:-1], strict=True):
            if place in places:
                codes[start : start + table.size] = grid(table.shape, places.index(place))
        columns |= told(attribute, np.ma.masked_array(codes, codes < 0))
    counts = np.concatenate([table.ravel() for _, table in tables])
    neat = np.concatenate([clean(table).ravel() for _, table in tables])
    return pa.table(columns | counted(counts, radii, neat))
