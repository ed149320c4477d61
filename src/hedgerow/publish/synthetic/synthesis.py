"""A synthetic table: measure privately, model what was measured, write rows that agree with the model.

    every attribute      a quarter of the price    how often each code is there; how many rows there are
    pairs of attributes  the rest                  tables of two attributes in groups of codes
    a check              what is asked for         fresh measurements, to which the finished rows are held

Where there are too few rows for that many tables, all attributes are measured once more, with as much, and an eighth of the price chooses
the pairs that matter.

What is written down follows from these noisy numbers and from the public domain alone. That holds for the number of rows, for the groups,
and for the report on quality.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.linear import Bins, Block
from hedgerow.numeric.number import Number, exact
from hedgerow.publish.sketch import Tell, silent
from hedgerow.publish.synthetic.denoise import nearest
from hedgerow.publish.synthetic.groups import grouped, groups_for, summing
from hedgerow.publish.synthetic.model import Model, fitted, total_of
from hedgerow.publish.synthetic.quality import Quality, quality_of
from hedgerow.publish.synthetic.rows import rows_of
from hedgerow.publish.synthetic.selection import ANY, affordable, number_of_choices, selected
from hedgerow.publish.synthetic.spending import Measured, Spending, Step
from hedgerow.publish.terms import Terms
from hedgerow.purse import Purse
from hedgerow.tabulated import Whole

__all__ = ["Synthetic", "check_sizes", "checked_part", "synthesize"]

Places = tuple[int, int]

_ONES: Final = Fraction(1, 4)
_CHOICE: Final = Fraction(1, 8)
_CODES: Final = 4_096


@dataclass(frozen=True, slots=True, eq=False)
class Synthetic:
    """Rows of ``codes``, a column for each attribute, as many as the noisy ``total`` says. All of it may be published."""

    codes: Whole
    total: float
    model: Model
    steps: tuple[Step, ...]
    quality: Quality


def synthesize(
    purse: Purse,
    terms: Terms,
    *,
    ordered: Collection[int] = (),
    workload: Sequence[Places] | None = None,
    check: Number = 0,
    target: int | None = None,
    tell: Tell = silent,
) -> Synthetic:
    """A synthetic table for the price of these ``terms``, from what a purse hands out.

    ``ordered`` are the places of attributes whose codes rise with what they stand for: neighbours are merged there, where there are too
    many. ``workload`` are the pairs of attributes that should agree, all by default. ``check`` is the part of the price for fresh
    measurements that tell how good the rows are; with a ``target``, also how well that attribute is told from two others. ``tell`` hears
    how many measurements are done.
    """
    sizes = purse.sizes
    check_sizes(sizes)
    pairs = _workload(workload, sizes)
    part = checked_part(check) if pairs else Fraction(0)
    if target is not None and not 0 <= target < len(sizes):
        raise InvalidArgument("target", "must be the place of an attribute", target)
    if not all(0 <= place < len(sizes) for place in ordered):
        raise InvalidArgument("ordered", "must be places of attributes", sorted(ordered))
    spending = Spending(purse, terms, tell, len(sizes) + len(pairs))
    ones, groups, tables = _measured(spending, pairs, 1 - part, frozenset(ordered))
    total = total_of(ones)
    model = fitted(ones, groups, tables, total)
    codes = rows_of(model, max(0, round(total)))
    found = quality_of(codes, model, ones, tables, spending, part, target)
    return Synthetic(codes, total, model, tuple(spending.steps), found)


def _measured(
    spending: Spending, pairs: Sequence[Places], rest: Fraction, ordered: frozenset[int]
) -> tuple[list[Measured], list[Whole], list[Measured]]:
    """The noisy counts of each attribute, the groups of its codes, and noisy tables of pairs."""
    singles = [Block(((place, Bins(size)),)) for place, size in enumerate(spending.purse.sizes)]
    part = rest * _ONES if pairs else rest
    ones = spending.measure(singles, part, "attribute")
    part = rest - part
    many = len(pairs)
    if pairs and affordable(spending, part, total_of(ones), ANY) < many:
        ones = _averaged(ones, spending.measure(singles, rest * _ONES, "attribute"))
        part -= rest * _ONES
        many = number_of_choices(spending, part - rest * _CHOICE, total_of(ones), pairs)
        part -= rest * _CHOICE if many < len(pairs) else 0
    total = total_of(ones)
    counts = [nearest(one.table, total) for one in ones]
    noise = spending.spread(part, many) if pairs else 1.0
    wanted = groups_for(total, noise)
    groups = [grouped(each, wanted, ordered=place in ordered) for place, each in enumerate(counts)]
    if many < len(pairs):
        pairs = selected(spending, rest * _CHOICE, pairs, many, counts, groups, noise)
    factors = {place: summing(groups[place]) for pair in pairs for place in pair}
    blocks = [Block(((a, factors[a]), (b, factors[b]))) for a, b in pairs]
    return ones, groups, spending.measure(blocks, part, "pair")


def _averaged(first: Sequence[Measured], second: Sequence[Measured]) -> list[Measured]:
    """Two measurements of the same, with the same noise."""
    return [Measured(a.places, (a.table + b.table) / 2, a.variance / 2) for a, b in zip(first, second, strict=True)]


def _workload(workload: Sequence[Places] | None, sizes: Sequence[int]) -> list[Places]:
    """Pairs in rising order; attributes with a single code have nothing to tell."""
    asked = list(itertools.combinations(range(len(sizes)), 2)) if workload is None else [tuple(pair) for pair in workload]
    if not all(len(pair) == 2 and 0 <= min(pair) < max(pair) < len(sizes) for pair in asked):
        raise InvalidArgument("workload", "must be pairs of places of different attributes", asked)
    several = {(min(pair), max(pair)) for pair in asked}
    return sorted((a, b) for a, b in several if sizes[a] > 1 and sizes[b] > 1)


def check_sizes(sizes: Sequence[int]) -> None:
    """Refuses attributes with too many codes."""
    if max(sizes) > _CODES:
        raise Refused(f"An attribute has {max(sizes):,} codes; rows can be made of at most {_CODES:,}. Give it fewer bins.")


def checked_part(check: Number) -> Fraction:
    """The part of the price that checks the rows."""
    part = exact(check, "check")
    if not 0 <= part <= Fraction(1, 2):
        raise InvalidArgument("check", "must be a part of the price, from 0 to 1/2", check)
    return part
