"""What a proof takes for granted of public arguments, as a check that runs before the program does.

``eps`` is above 0 and ``delta`` between 0 and 1; wherever public parameters alone decide what noise
is drawn from, reached or not, there is such noise: its scale is above 0, a coin's chance lies in
[0, 1], uniform noise does not end below where it starts. What is claimed has a value, and that is
at least 0. Nothing here looks at private data.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.verify.language.claim_bounds import bound_expression, can_bound
from hedgerow.verify.language.program import (
    Assign,
    Expression,
    Kind,
    Noise,
    Program,
    Sample,
    collect_names,
    format_expression,
    substitute,
    walk_statements,
)

__all__ = [
    "check_arguments",
    "check_claim",
    "find_constants",
    "find_public_scalars",
    "has_checked_parameters",
]


def find_public_scalars(program: Program) -> frozenset[str]:
    """The public parameters that are numbers or truths."""
    return frozenset(one.name for one in program.parameters if not one.private and not one.list)


def find_constants(program: Program) -> dict[str, Expression]:
    """Variables that are assigned once, at the top, from public parameters: as those parameters."""
    fixed = find_public_scalars(program)
    count: dict[str, int] = {}
    for one in walk_statements(program.body):
        if isinstance(one, Assign | Sample):
            count[one.name] = count.get(one.name, 0) + 1
    found: dict[str, Expression] = {}
    for one in program.body:
        if isinstance(one, Assign) and count[one.name] == 1 and one.name not in fixed:
            value = substitute(one.value, found)
            if collect_names(value) <= fixed:
                found[one.name] = value
    return found


def has_checked_parameters(program: Program, sample: Sample) -> bool:
    """Whether ``check_arguments`` sees to it that there is such noise: public numbers alone decide
    what is drawn from. What is chosen, by a public truth or by a comparison, does not count, since
    it is not looked at before the run."""
    numbers = {
        one.name
        for one in program.parameters
        if not one.private and not one.list and one.kind in (Kind.INT, Kind.REAL)
    }
    known = find_constants(program)
    values = [substitute(one, known) for one in sample.parameters]
    return all(collect_names(one) <= numbers and can_bound(one) for one in values)


def check_arguments(program: Program, arguments: Mapping[str, object]) -> None:
    """Refuses public arguments that no proof is about."""
    fixed, known = find_public_scalars(program), find_constants(program)
    numbers = {
        name: value
        for name, value in arguments.items()
        if name in fixed and isinstance(value, int | Fraction) and not isinstance(value, bool)
    }
    for name in ("eps", "epsilon", "delta"):
        if name in numbers and (numbers[name] <= 0 or (name == "delta" and numbers[name] >= 1)):
            raise InvalidArgument(name, "must be above 0, and a delta below 1", numbers[name])
    for one in program.samples:
        values = [substitute(parameter, known) for parameter in one.parameters]
        # no proof takes it for granted
        cut = one.noise in (Noise.BERNOULLI, Noise.UNIFORM) and not all(map(can_bound, values))
        if (
            one.noise is not Noise.BITS
            and not cut
            and all(collect_names(value) <= numbers.keys() for value in values)
        ):
            _check_noise_parameters(one, [bound_expression(value, numbers) for value in values])
    check_claim(program, numbers)


def check_claim(program: Program, numbers: Mapping[str, Fraction | int]) -> None:
    """Refuses public numbers at which nothing is claimed: epsilon or delta has no value there,
    or may be below 0.
    """
    for word, claimed in (("epsilon", program.claim.epsilon), ("delta", program.claim.delta)):
        if claimed is not None and bound_expression(claimed, numbers)[0] < 0:
            given = ", ".join(
                f"{name} = {numbers[name]}" for name in sorted(collect_names(claimed))
            )
            raise Refused(
                f"The claimed {word} {format_expression(claimed)} is not seen to be at least 0 at"
                f" {given or 'all arguments'}."
            )


def _check_noise_parameters(sample: Sample, ends: list[tuple[Fraction, Fraction]]) -> None:
    line, said = f"line {sample.place.line}: ", format_expression(sample.parameters[0])
    match sample.noise:
        case Noise.BERNOULLI:
            if ends[0][0] < 0 or ends[0][1] > 1:
                raise Refused(f"{line}the chance {said} of a coin must lie between 0 and 1.")
        case Noise.UNIFORM:
            if ends[1][0] < ends[0][1]:
                raise Refused(
                    f"{line}uniform noise ends at {format_expression(sample.parameters[1])}, below"
                    f" {said} where it starts."
                )
        case _:
            if ends[0][0] <= 0:
                raise Refused(f"{line}the scale {said} of {sample.noise} noise must be above 0.")
