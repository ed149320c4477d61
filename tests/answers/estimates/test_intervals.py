"""Arithmetic of intervals: every value of the parts gives one inside."""

from __future__ import annotations

import itertools
from random import Random

from hedgerow.answers.estimates.intervals import divide, include_value, multiply


def test_products_and_quotients_of_all_values_are_inside() -> None:
    random = Random(1)
    for _ in range(200):
        first = tuple(sorted((random.uniform(-3, 3), random.uniform(-3, 3))))
        second = tuple(sorted((random.uniform(0.1, 3), random.uniform(0.1, 3))))
        points = itertools.product(
            *(
                [low + share * (high - low) for share in (0, 0.3, 1)]
                for low, high in (first, second)
            )
        )
        for a, b in points:
            for value, (low, high) in (
                (a * b, multiply(first, second)),
                (a / b, divide(first, second)),
            ):
                assert low - 1e-12 <= value <= high + 1e-12
    assert multiply((-1, 2), (-3, 1)) == (-6, 3)
    assert include_value((1, 2), 5) == (1, 5)
