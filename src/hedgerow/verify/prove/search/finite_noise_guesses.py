"""Guesses for proofs by distributions: when a region of coins has a cost, and how much.

Nothing here is trusted.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from itertools import product as combinations

from hedgerow.verify.language.program import (
    Apply,
    Expression,
    Name,
    Program,
    Read,
    Truth,
    While,
    collect_names,
    list_expressions,
    walk_expression,
    walk_statements,
)
from hedgerow.verify.prove.certificate import FINITE, Certificate, hash_program
from hedgerow.verify.prove.hoisting import find_private_variables
from hedgerow.verify.prove.rules.finite_regions import FiniteRegion, find_inputs, list_regions
from hedgerow.verify.prove.search.templates import CertificateNames

__all__ = ["guess_certificates", "is_decisive", "list_rates"]

_MAX_GUESSES = 24


def list_rates(program: Program) -> list[Expression]:
    """List the rates that coins may have: the claim, exponents, and the logarithms and parameters
    of the claim.
    """
    found: dict[Expression, None] = {program.claim.epsilon: None}
    for one in walk_statements(program.body):
        for part in (
            part for expression in list_expressions(one) for part in walk_expression(expression)
        ):
            if isinstance(part, Apply) and part.operator == "exp":
                found[part.arguments[0]] = None
    public = {one.name for one in program.parameters if not one.private and not one.list}
    for part in walk_expression(program.claim.epsilon):
        if isinstance(part, Name) or (isinstance(part, Apply) and part.operator == "ln"):
            found[part] = None
    return [one for one in found if collect_names(one) <= public]


def _make_difference(region: FiniteRegion, program: Program) -> Expression:
    """Build the condition that a private value that the region reads differs between the runs."""
    words, secret = CertificateNames(program), find_private_variables(program)
    lists = {one.name for one in program.parameters if one.list}
    inside = [
        part
        for one in walk_statements(region.body)
        for expression in list_expressions(one)
        for part in walk_expression(expression)
    ]
    entries: list[Expression] = [
        part for part in inside if isinstance(part, Read) and part.list in secret
    ]
    scalars: list[Expression] = [
        Name(name) for name in sorted(find_inputs(region) & secret - lists)
    ]
    found: Expression | None = None
    for one in dict.fromkeys((*scalars, *entries)):
        apart = Apply("!=", (words.in_run(one, 1), words.in_run(one, 2)))
        found = apart if found is None else Apply("or", (found, apart))
    return Truth(False) if found is None else found


def guess_certificates(program: Program, original: Program) -> Iterator[Certificate]:
    """Yield certificates without invariants if all noise of the program lies in finite regions;
    else none.
    """
    regions = list(list_regions(program.body))
    if not regions or {one.site for one in program.samples} != {
        one.site for several in regions for one in several.samples
    }:
        return
    options = [
        [
            (when, worth)
            for worth in list_rates(program)
            for when in (_make_difference(one, program), Truth(True))
        ]
        for one in regions
    ]
    for choice in islice(combinations(*options), _MAX_GUESSES):
        chosen = {one.site: it for one, it in zip(regions, choice, strict=True)}
        sites = range(max(one.site for one in program.samples) + 1)
        yield Certificate(
            program=original.name,
            source=hash_program(original),
            epsilon=original.claim.epsilon,
            delta=original.claim.delta,
            mode=FINITE,
            shifts=tuple(chosen[site][0] if site in chosen else Truth(False) for site in sites),
            rates=tuple(chosen[site][1] if site in chosen else None for site in sites),
            excused=tuple(None for _ in sites),
        )


def is_decisive(certificate: Certificate, program: Program) -> bool:
    """Return True if the whole program's distribution is compared with the whole claim, so that no
    other guess proves more.
    """
    if certificate.mode != FINITE or any(
        isinstance(one, While) for one in walk_statements(program.body)
    ):
        return False
    site, *more = [one.site for one in list_regions(program.body)]
    return (
        not more
        and certificate.shifts[site] == Truth(True)
        and certificate.rates[site] == program.claim.epsilon
    )
