"""Histograms: how often each combination of codes is there, with noise, told once for everybody.

``histogram`` tells every cell of the domain, those of nobody included: which cells are in the table is public, and a noisy 0 looks like any
other count. ``sparse_histogram`` is for domains that are too large for that. It tells only combinations that somebody has, and of those
only the ones shared by so many that it does not matter who they are; that takes a delta (``purse.discover`` has the proof).
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Final

from hedgerow.linear import Bins, Block
from hedgerow.numeric.number import Number
from hedgerow.publish.clean import clean
from hedgerow.publish.designs import noise_variance
from hedgerow.publish.domain import Domain
from hedgerow.publish.sketch import Accuracy, Made, Sketch, Tell, measured, silent
from hedgerow.publish.table import dense, sparse
from hedgerow.publish.terms import Law, Terms
from hedgerow.purse import Purse, discovery

__all__ = ["DENSE", "SPARSE", "histogram", "noise_facts", "sparse_histogram"]

DENSE, SPARSE = "histogram", "sparse histogram"
_CELLS: Final = 2 * 10**7
_BETA: Final = Fraction(1, 20)


def histogram(terms: Terms, domain: Domain) -> Sketch:
    """Every cell with noise of its own."""
    domain.at_most(_CELLS)
    block = _all(domain)
    law = terms.law(block)
    radius = _rows(law.error(_BETA), terms) + _lost(terms)

    def build(purse: Purse, tell: Tell = silent) -> Made:
        (noisy,) = measured(purse, [(block, law)], tell)
        table = dense(domain, noisy, radius, clean(noisy))
        return Made(table, noise_facts(law, terms) | {"draws": 1, "radius": radius})

    return Sketch(
        DENSE,
        domain,
        f"each cell, {_words(law, terms)}",
        terms.price(block, law),
        (Accuracy("each cell", domain.cells, math.sqrt(noise_variance(law)) / terms.fine, float(radius)),),
        build,
        ("count is right on average and may be negative; count_clean is made of it afterwards: not negative, with the same total.",),
        ((block, law),),
    )


def sparse_histogram(terms: Terms, domain: Domain, *, delta: Number) -> Sketch:
    """The cells that enough rows share, and no others, within a ``delta`` beside the price."""
    block = _all(domain)
    law = terms.law(block)
    reach = {"rows": terms.rows * terms.fine, "relation": terms.relation, "group": terms.group}
    found = discovery(domain.sizes, law, delta=delta, **reach)  # type: ignore[arg-type]
    (least, cut), price = (None if far is None else _rows(far, terms) for far in (found[0], found[2])), found[1]
    radius, places = _rows(law.error(_BETA), terms) + _lost(terms), tuple(range(len(domain.attributes)))

    def build(purse: Purse, tell: Tell = silent) -> Made:
        codes, noisy = purse.discover(places, law, delta=delta)
        tell(1, 1)
        facts = noise_facts(law, terms) | {"draws": 1, "radius": radius, "threshold": least, "cut": cut}
        return Made(sparse(domain, codes, noisy if terms.fine == 1 else noisy / terms.fine, radius), facts)

    often = _shown(_rows(found[0] + law.error(2 * _BETA), terms) + _lost(terms))
    notes = (
        f"Shown are combinations whose noisy count is {_shown(least)} or more. Those of {often} rows or more are shown with 95 % or more, "
        "those that nobody has never.",
        "An interval misses the exact count in 5 % of all combinations at most, shown or not. Of small counts only those with high noise "
        "are shown: a count near the threshold is more likely too high than too low.",
    )
    spread = math.sqrt(noise_variance(law)) / terms.fine
    accuracy = (Accuracy("each cell, if it is shown", domain.cells, spread, float(radius)),)
    return Sketch(SPARSE, domain, f"cells of {_shown(least)} or more, {_words(law, terms)}", price, accuracy, build, notes, ((block, law),))


def noise_facts(law: Law, terms: Terms) -> dict[str, Any]:
    """Return the facts of the noise: its kind, its exact scale in rows, and the parts of a row that it was drawn in."""
    return {"noise": type(law).__name__.lower(), "scale": str(law.scale / terms.fine)} | terms.facts


def _words(law: Law, terms: Terms) -> str:
    return f"{type(law).__name__} noise of scale {float(law.scale / terms.fine):.4g}"


def _rows(parts: int, terms: Terms) -> int | float:
    """Return so many parts as rows."""
    return int(parts) if terms.fine == 1 else int(parts) / terms.fine


def _lost(terms: Terms) -> int | float:
    """Return what one cell may lack."""
    return 0 if terms.fine == 1 else terms.lost(1)


def _shown(rows: int | float | None) -> str:
    return f"{rows:,}" if isinstance(rows, int) else f"{rows:,.2f}"


def _all(domain: Domain) -> Block:
    return Block(tuple((place, Bins(size)) for place, size in enumerate(domain.sizes)))
