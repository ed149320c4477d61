"""opendp's contingency tables on mbi, which it pins to an older version: MST and AIM as its
documentation calls them.

All categories are told, so no delta is needed. It adds a category for NULL to each column; of rows
that end up there, which no real row is, the code is drawn evenly. At some rho its shares of the
budget, which are doubles, add up to more than the whole by a last digit, and it refuses in the
middle of its work; so for MST a rho is looked for that adds up, a ten-thousandth less each time.
"""

from __future__ import annotations

from fractions import Fraction
from importlib.metadata import version
from itertools import combinations
from math import inf, nextafter

import numpy as np
import opendp.prelude as dp
import polars as pl

dp.enable_features("contrib")

VERSION = f"{version('opendp')}, mbi {version('mbi')}"


def mst(path, sizes, rho, target):
    return _released(path, sizes, _accepted(len(sizes), rho), target, lambda _: dp.mbi.MST())


def aim(path, sizes, rho, target):
    """For the tables of all pairs."""
    return _released(
        path,
        sizes,
        rho,
        target,
        lambda names: dp.mbi.AIM(queries=[dp.mbi.Count(pair) for pair in combinations(names, 2)]),
    )


def _released(path, sizes, rho, target, algorithm):
    exact = np.load(path)

    def work():
        rows = _made(exact, sizes, rho, algorithm)
        rng = np.random.default_rng()
        np.save(
            target,
            np.stack(
                [
                    _codes(rows[name], size, rng)
                    for name, size in zip(rows.columns, sizes, strict=True)
                ],
                axis=1,
            ),
        )
        return {"rho": rho}

    return work


def _made(codes, sizes, rho, algorithm):
    names = [f"a{place}" for place in range(len(sizes))]
    frame = pl.DataFrame({name: codes[:, place] for place, name in enumerate(names)}).lazy()
    keys = {name: list(range(size)) for name, size in zip(names, sizes, strict=True)}
    context = dp.Context.compositor(
        data=frame, privacy_unit=dp.unit_of(contributions=1), privacy_loss=dp.loss_of(rho=rho)
    )
    query = (
        context.query(rho=rho)
        .select(*names)
        .contingency_table(keys=keys, algorithm=algorithm(names))
    )
    return query.release().synthesize()


def _accepted(columns, rho):
    return next(
        price
        for price in (rho * (1 - less / 10_000) for less in range(100))
        if _adds_up(columns, price)
    )


def _adds_up(columns, rho):
    """Half for single columns; of the rest nine tenths measure, and one is shared by the
    choices, added up with every sum rounded up.
    """
    rest = _before(rho - rho * 0.5)
    choices = _before(rest - rest * 0.9)
    each, total = nextafter(choices / (columns - 1), -inf), 0.0
    for _ in range(columns - 1):
        exact, total = Fraction(total) + Fraction(each), total + each
        total = nextafter(total, inf) if total < exact else total
    return total <= choices


def _before(value):
    return nextafter(nextafter(value, -inf), -inf)


def _codes(column, size, rng):
    codes = column.fill_null(-1).to_numpy().astype(np.int64)
    return np.where(codes < 0, rng.integers(0, size, len(codes)), codes)
