"""Candidate shifts of coins and bit strings. Nothing here is trusted."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product as combinations

from hedgerow.verify.language.program import (
    Apply,
    Expression,
    Kind,
    Name,
    Noise,
    Program,
    Read,
    Truth,
    list_expressions,
    walk_expression,
    walk_statements,
)
from hedgerow.verify.prove.certificate import NOISE
from hedgerow.verify.prove.search.templates import CertificateNames

__all__ = ["list_coin_shifts"]


def list_coin_shifts(program: Program, known: dict[str, Kind]) -> Iterator[dict[int, Expression]]:
    """Yield shifts for all coins and bit strings of the program.

    A coin is never flipped, always, or when a private value differs. Bits stay, or move by the
    difference of private bits.
    """
    sites = [one for one in program.samples if one.noise in (Noise.BERNOULLI, Noise.BITS)]
    secret = [one.name for one in program.parameters if one.private and not one.list]
    names = CertificateNames(program)
    used = {
        part.operator
        for s in walk_statements(program.body)
        for e in list_expressions(s)
        for part in walk_expression(e)
        if isinstance(part, Apply)
    }
    options: list[list[Expression]] = []
    for one in sites:
        if one.noise is Noise.BERNOULLI:
            scalars: list[Expression] = [
                Name(name) for name in secret if known[name] is not Kind.BITS
            ]
            differ = [
                Apply("!=", (names.in_run(hidden, 1), names.in_run(hidden, 2)))
                for hidden in (*scalars, *_list_private_reads(program))
            ]
            options.append([Truth(False), *differ, Truth(True)])
        else:
            bits = [name for name in secret if known[name] is Kind.BITS]
            moved: list[Expression] = [Name(NOISE)]
            for name in bits:
                if "xor" in used:
                    moved.append(
                        Apply(
                            "xor",
                            (Name(NOISE), Apply("xor", (Name(f"{name}@1"), Name(f"{name}@2")))),
                        )
                    )
                if "bits+" in used:
                    moved.append(
                        Apply(
                            "-",
                            (Apply("bits+", (Name(NOISE), Name(f"{name}@1"))), Name(f"{name}@2")),
                        )
                    )
            options.append(moved)
    for choice in combinations(*options):
        yield {one.site: expression for one, expression in zip(sites, choice, strict=True)}


def _list_private_reads(program: Program) -> list[Expression]:
    hidden = {one.name for one in program.parameters if one.list and one.private}
    found = [
        part
        for s in walk_statements(program.body)
        for e in list_expressions(s)
        for part in walk_expression(e)
        if isinstance(part, Read) and part.list in hidden
    ]
    return list(dict.fromkeys(found))
