"""A synthetic table as a publication: rows of nobody, in the columns and with the values of the real ones.

A code that stands for a bin becomes a number drawn evenly from it: within a bin the rows say nothing.
"""

from __future__ import annotations

import math
from dataclasses import asdict
from datetime import date
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from hedgerow.errors import Refused
from hedgerow.linear import Bins, Block
from hedgerow.numeric.chunk import LARGEST_SCALE
from hedgerow.numeric.number import Number, exact
from hedgerow.numeric.uniform import uniform_integers
from hedgerow.publish.designs import noise_variance
from hedgerow.publish.domain import Attribute, Domain
from hedgerow.publish.sketch import Accuracy, Made, Sketch, Tell, silent
from hedgerow.publish.synthetic import Quality, synthesize
from hedgerow.publish.synthetic.synthesis import check_sizes, checked_part
from hedgerow.publish.table import told
from hedgerow.publish.terms import Terms
from hedgerow.purse import Purse
from hedgerow.tabulated import Whole

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["synthetic"]

_CHECK: Final = Fraction(1, 20)
_ONES: Final = Fraction(1, 4)  # what ``synthesis`` spends on single attributes
_FINE: Final = 2**52


def synthetic(terms: Terms, domain: Domain, *, check: Number = _CHECK, target: str | None = None) -> Sketch:
    """Rows that agree with the real ones two columns at a time. A part of the price, ``check``, measures how well they do; with a
    ``target`` also how well that column is told from others by a rule learnt from them."""
    check_sizes(domain.sizes)
    _check_drawn(terms, domain, checked_part(check))
    ordered = [place for place, attribute in enumerate(domain.attributes) if attribute.ordered]
    place = None if target is None else domain.place(target)

    def build(purse: Purse, tell: Tell = silent) -> Made:
        found = synthesize(purse, terms, ordered=ordered, check=check, target=place, tell=tell)
        facts = {"rows": len(found.codes), "quality": _quality(found.quality, domain), "steps": len(found.steps)}
        return Made(_table(domain, found.codes), facts | terms.facts)

    accuracy = _accuracy(terms.share(_ONES * (1 - exact(check, "check"))), domain)
    notes = (
        "How far off the pairs are depends on the data; a part of the price measures it, and the report tells.",
        "Rows are for exploring and for trying programs out. A single count is told better by a question of its own.",
    )
    return Sketch("synthetic", domain, "columns one by one, then pairs of groups of codes", terms.total, accuracy, build, notes)


def _accuracy(terms: Terms, domain: Domain) -> tuple[Accuracy, ...]:
    """What is known beforehand: the noise of the counts of single columns, as they are measured."""
    blocks = [Block(((place, Bins(size)),)) for place, size in enumerate(domain.sizes)]
    power = -1 / 3 if terms.gaussian else -1 / 2
    laws = terms.laws(blocks, [block.cells**power for block in blocks])
    squares = sum(noise_variance(law) * block.cells for block, law in zip(blocks, laws, strict=True))
    spread = math.sqrt(squares / sum(domain.sizes)) / terms.fine
    return (Accuracy("each count of one column, as measured", sum(domain.sizes), spread),)


def _check_drawn(terms: Terms, domain: Domain, check: Fraction) -> None:
    """Refuse parts so fine that the noise of some step could not be drawn.

    Of N tables of at most n cells that share a price, each gets at least 1/(N n) of it (``Spending.measure``), and no step has less than a
    quarter of what is left beside the check, or half of the check. With 1/k of the price, Laplace noise is k times as large as with all of
    it, Gaussian noise sqrt(k) times.
    """
    if terms.fine > 1:
        largest = sorted(domain.sizes)[-2:]
        tables = max(math.comb(len(domain.sizes), 2), len(domain.sizes))
        least = min(_ONES * (1 - check), check / 2 or Fraction(1))
        alone, shares = terms.law(Block(((0, Bins(domain.sizes[0])),))).scale, tables * math.prod(largest) / least
        if (alone**2 * shares if terms.gaussian else (alone * shares) ** 2) > LARGEST_SCALE**2:
            raise Refused("Parts so fine take more noise than can be drawn: use fewer columns, or fewer bins.")


def _quality(quality: Quality, domain: Domain) -> dict[str, Any]:
    """The report on quality as plain data, with names for places."""
    names = domain.names
    told_ = asdict(quality)
    told_["attributes"] = dict(zip(names, quality.attributes, strict=True))
    for pair in told_["pairs"]:
        pair["places"] = [names[place] for place in pair["places"]]
    if told_["check"] is not None:
        told_["check"]["pairs"] = [[names[place] for place in pair] for pair in told_["check"]["pairs"]]
    if told_["task"] is not None:
        told_["task"] |= {"target": names[told_["task"]["target"]], "by": [names[place] for place in told_["task"]["by"]]}
    return told_


def _table(domain: Domain, codes: Whole) -> pa.Table:
    import pyarrow as pa

    columns: dict[str, Any] = {}
    for place, attribute in enumerate(domain.attributes):
        if attribute.edges is None:
            columns |= told(attribute, codes[:, place])
        else:
            columns[attribute.name] = _within(attribute, attribute.edges, codes[:, place])
    return pa.table(columns)


def _within(attribute: Attribute, edges: tuple[Fraction, ...], codes: Whole) -> Any:
    """A number drawn evenly from the bin of each row."""
    import pyarrow as pa

    lows, highs = (np.array([float(edge) for edge in ends]) for ends in (edges[:-1], edges[1:]))
    parts = uniform_integers(_FINE, len(codes)) / _FINE
    drawn = lows[codes] + parts * (highs - lows)[codes]
    if attribute.type == "real":
        return pa.array(np.minimum(drawn, highs[-1]))
    whole = np.minimum(np.floor(drawn), np.ceil(highs[codes]) - 1).astype(np.int64)
    if attribute.type == "integer":
        return pa.array(whole)
    return pa.array((whole - date(1970, 1, 1).toordinal()).astype("int32"), type=pa.int32()).cast(pa.date32())
