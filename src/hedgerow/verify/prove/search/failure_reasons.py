"""The reason why no shift was found, in one sentence with its line."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hedgerow.verify.language.program import (
    If,
    Output,
    Program,
    While,
    format_expression,
    walk_statements,
)
from hedgerow.verify.prove.certificate import Failure
from hedgerow.verify.prove.search.trace_runs import TraceNeed

__all__ = ["EXCEEDS_CLAIM", "explain_failure", "hedge_reason"]

EXCEEDS_CLAIM = "costs more than"


def explain_failure(program: Program, blame: Sequence[TraceNeed]) -> Failure:
    """Describe needs that cannot all be met; a leak takes precedence over the cost of hiding it."""
    later = ("output", "branch", "loop", "support", "cost")
    worst = min(
        blame,
        key=lambda need: (
            later.index(need.obligation) > 2 and later.index(need.obligation),
            need.place.line,
        ),
    )
    claim = format_expression(program.claim.epsilon)
    hidden = any(need.obligation == "cost" for need in blame)
    end = (
        f"hiding it {EXCEEDS_CLAIM} {claim}"
        if hidden
        else "no shift of the noise hides it"
        if program.samples
        else "no noise hides it"
    )
    return Failure(
        f"{_describe_need(program, worst)}; {end}", worst.place, obligation=worst.obligation
    )


# What a failed search says, and what it may say of a program that may be right.
_HEDGES = (
    (r"; no shift of the noise hides it$", "; no proof was found among the shifts tried"),
    (r"(,|; |, and) no (shift|noise) hides it$", "; no proof was found among the shifts tried"),
    (r"hiding it costs more than ([^;]+)", r"no proof within \1 was found among the shifts tried"),
    (
        r"all noise together costs more than ([^;]+)",
        r"no proof within \1 was found among the shifts tried",
    ),
    (r" differs between neighbours", " may differ between neighbours"),
    (r"and the output shows it$", "and the output may show it"),
)


def hedge_reason(reason: str) -> str:
    """Return the reason of a failed proof in words that are also true of a right program."""
    for pattern, instead in _HEDGES:
        reason = re.sub(pattern, instead, reason)
    return reason


def _describe_need(program: Program, need: TraceNeed) -> str:
    wanted = {"output": Output, "branch": If, "loop": While}.get(need.obligation)
    found = next(
        (
            one
            for one in walk_statements(program.body)
            if one.place == need.place and wanted and isinstance(one, wanted)
        ),
        None,
    )
    match need.obligation, found:
        case "output", Output():
            return f"the output {format_expression(found.value)} differs between neighbours"
        case "branch", If():
            return (
                f"{format_expression(found.condition)} may hold for one neighbour and not for the"
                " other"
            )
        case "loop", While():
            return (
                "the loop may go on for one neighbour and end for the other"
                f" ({format_expression(found.condition)})"
            )
        case "support", _:
            return "the noise cannot be shifted as far as needed"
    return f"all noise together {EXCEEDS_CLAIM} the claim"
