"""Noise costs: the shift of each noise in a proof and its price, formatted for a verdict."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING

from hedgerow.verify.language.private_booleans import list_measured_booleans
from hedgerow.verify.language.program import (
    Apply,
    Expression,
    Noise,
    Number,
    Program,
    Sample,
    format_expression,
)
from hedgerow.verify.verdict import NoiseCost

if TYPE_CHECKING:
    from hedgerow.verify.prove.certificate import Certificate

__all__ = ["format_in_runs", "list_noise_costs"]


def list_noise_costs(program: Program, certificate: Certificate) -> tuple[NoiseCost, ...]:
    from hedgerow.verify.prove.certificate import FINITE
    from hedgerow.verify.prove.rules.finite_regions import list_regions

    if certificate.mode == FINITE:
        first = [(one.samples[0].place.line, one.site) for one in list_regions(program.body)]
        prices = [(line, certificate.shifts[site], certificate.rates[site]) for line, site in first]
        return tuple(
            NoiseCost(
                line,
                "coins",
                format_in_runs(format_expression(when), program),
                format_in_runs(format_expression(rate), program),
            )
            for line, when, rate in prices
            if rate is not None
        )
    rates: tuple[Expression | None, ...] = certificate.rates or (None,) * len(certificate.shifts)
    return tuple(
        NoiseCost(
            sample.place.line,
            sample.noise.value,
            format_in_runs(format_expression(shift), program),
            _format_unit_cost(program, sample, rate),
        )
        for sample, shift, rate in zip(program.samples, certificate.shifts, rates, strict=False)
    )


def _format_unit_cost(program: Program, sample: Sample, rate: Expression | None) -> str:
    """Return the cost of a shift by 1: from the certificate, or 1 over the scale."""
    if rate is not None:
        return format_in_runs(format_expression(rate), program)
    if sample.noise not in (Noise.LAPLACE, Noise.GEOMETRIC, Noise.EXPONENTIAL):
        return ""
    above, below = Number(Fraction(1)), sample.parameters[0]
    match below:
        case Apply(operator="/", arguments=(top, bottom)):
            return format_expression(bottom if top == above else Apply("/", (bottom, top)))
        case _:
            return format_expression(Apply("/", (above, below)))


def format_in_runs(text: str, program: Program) -> str:
    """Format the names of a certificate as judgements write them: ``x@1`` as ``x<1>``, a draw as
    ``noise``, and an encoded Boolean ``0 < x`` as x.
    """
    tagged = re.sub(r"@(noise|answer)", r"\1", re.sub(r"@([12])", r"<\1>", text))
    names = "|".join(re.escape(one.name) for one in list_measured_booleans(program))
    return re.sub(rf"\b0 < (({names})(<[12]>)?(\[[^\]]*\])?)", r"\1", tagged) if names else tagged
