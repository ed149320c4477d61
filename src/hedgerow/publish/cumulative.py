"""How many there are up to each code of an ordered attribute: the distribution of a number, or running totals along days.

From these every range can be read off, by a difference. How they are measured is chosen by expected error, from public numbers alone.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.publish.clean import clean
from hedgerow.publish.designs import Design, Floats, chosen
from hedgerow.publish.domain import Domain
from hedgerow.publish.prefix import prefix_designs
from hedgerow.publish.sketch import Accuracy, Made, Sketch
from hedgerow.publish.table import dense
from hedgerow.publish.terms import Terms
from hedgerow.purse import Purse

__all__ = ["SHARE", "cdf", "stream"]

SHARE: Final = "share"
_BETA: Final = Fraction(1, 20)


def cdf(terms: Terms, domain: Domain) -> Sketch:
    """How many rows are at or below each value, and which share of all they are."""
    return _cumulative("cdf", terms, domain)


def stream(terms: Terms, domain: Domain) -> Sketch:
    """How many rows there are so far, code by code."""
    return _cumulative("stream", terms, domain)


def _cumulative(kind: str, terms: Terms, domain: Domain) -> Sketch:
    if len(domain.attributes) != 1 or not domain.attributes[0].ordered:
        raise InvalidArgument("column", "must be one column of numbers or dates: others have no order", ", ".join(domain.names))
    (size,) = domain.sizes
    ways = prefix_designs(size, terms)
    design = chosen(ways)
    variances, radii = design.variances(), design.radii(_BETA)
    prices = [terms.price(block, law) for block, law in design.measurements]

    def build(purse: Purse) -> Made:
        found = design.answers([purse.measure(block, law) for block, law in design.measurements])
        neat = rising(found)
        table = dense(domain, found, radii, neat)
        if kind == "cdf":
            table = table.append_column(SHARE, [neat / neat[-1] if neat[-1] > 0 else np.full(size, np.nan)])
        return Made(table, {"variances": {"mean": float(variances.mean()), "largest": float(variances.max())}})

    return Sketch(
        kind, domain, design.name, sum(prices[1:], prices[0]), _accuracy(design, ways, variances, radii), build, _notes(ways, design)
    )


def rising(found: Floats) -> Floats:
    """Running totals that never fall, from the steps between them made clean: not negative, with the same end."""
    steps = np.diff(found, prepend=0.0)
    return np.cumsum(clean(steps))


def _accuracy(design: Design, ways: tuple[Design, ...], variances: Floats, radii: Floats) -> tuple[Accuracy, ...]:
    own = Accuracy("each running total", len(variances), math.sqrt(float(variances.mean())), float(radii.max()))
    others = [
        Accuracy(f"the same by {way.name}", len(variances), math.sqrt(float(way.variances().mean()))) for way in ways if way is not design
    ]
    return (own, *others)


def _notes(ways: tuple[Design, ...], design: Design) -> tuple[str, ...]:
    return (
        f"Of {len(ways)} ways to measure running totals this one ({design.name}) is expected to be off least.",
        "count is right on average; count_clean is made of it afterwards: it never falls.",
    )
