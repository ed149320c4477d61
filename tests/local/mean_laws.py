"""Exact distributions of the reports of the mean protocols, one for each code."""

from __future__ import annotations

from fractions import Fraction

from hedgerow.local.protocols import Duchi, Hybrid, Piecewise
from local import channel


def duchi_laws(scheme: Duchi) -> list[channel.Law]:
    r, steps = Fraction(scheme.truth, 65536), scheme.domain - 1
    ones = [(1 - r) / 2 + r * Fraction(c, steps) for c in range(scheme.domain)]
    return [{b"\0": 1 - one, b"\1": one} for one in ones]


def piecewise_laws(scheme: Piecewise) -> list[channel.Law]:
    a, steps, w = Fraction(scheme.truth, 65536), scheme.domain - 1, scheme.window
    return [
        {bytes([y]): a / w if c <= y < c + w else (1 - a) / steps for y in range(steps + w)}
        for c in range(scheme.domain)
    ]


def hybrid_laws(scheme: Hybrid) -> list[channel.Law]:
    mix, places = Fraction(scheme.mix, 65536), scheme.domain - 1 + scheme.window
    fine, coarse = (
        piecewise_laws(Piecewise(scheme.domain, scheme.window, scheme.truth)),
        duchi_laws(Duchi(scheme.domain, scheme.coin)),
    )
    return [
        {y: mix * chance for y, chance in a.items()}
        | {bytes([places + y[0]]): (1 - mix) * chance for y, chance in b.items()}
        for a, b in zip(fine, coarse, strict=True)
    ]
