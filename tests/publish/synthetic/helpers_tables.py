"""Small tables to synthesize."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from hedgerow.plan.contingency_table import ContingencyTable
from hedgerow.publish.privacy_parameters import PrivacyParameters
from hedgerow.release.private_table import PrivateTable

SIZES = (12, 3, 2, 4)


def people(many: int, seed: int = 1) -> Any:
    """Rows with a twelve-step age, a job that follows from it, a coin, and a town that follows
    from the job.
    """
    rng = np.random.default_rng(seed)
    age = np.minimum(rng.binomial(11, 0.4, many), 11)
    job = np.where(rng.random(many) < 0.9, np.digitize(age, [4, 6]), rng.integers(0, 3, many))
    town = np.where(rng.random(many) < 0.8, job, 3)
    return np.stack([age, job, rng.integers(0, 2, many), town], axis=1)


def purse(codes: Any, price: PrivacyParameters, sizes: tuple[int, ...] = SIZES) -> PrivateTable:
    """A purse that holds just the price."""
    return PrivateTable(
        ContingencyTable.from_codes(codes, sizes),
        price.total,
        rows=price.rows,
        relation=price.relation,
    )


def rho(amount: int | Fraction) -> PrivacyParameters:
    """A price for Gaussian noise."""
    return PrivacyParameters(rho=Fraction(amount))


def pure(amount: int | Fraction) -> PrivacyParameters:
    """A price for Laplace noise."""
    return PrivacyParameters(epsilon=Fraction(amount))


def error(codes: Any, found: Any, a: int, b: int, sizes: tuple[int, ...] = SIZES) -> float:
    """The part of rows that is out of place in the table of two attributes."""
    tables = [
        np.bincount(rows[:, a] * sizes[b] + rows[:, b], minlength=sizes[a] * sizes[b]) / len(rows)
        for rows in (np.asarray(codes), np.asarray(found))
    ]
    return float(np.abs(tables[0] - tables[1]).sum() / 2)
