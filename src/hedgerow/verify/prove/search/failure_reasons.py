"""The reason why no shift was found, in one sentence with its line."""

from __future__ import annotations

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

__all__ = ["EXCEEDS_CLAIM", "explain_failure"]

EXCEEDS_CLAIM = "costs more than"


def explain_failure(program: Program, blame: Sequence[TraceNeed]) -> Failure:
    """Describe needs that cannot all be met; a leak takes precedence over the cost of hiding it."""
    worst = min(blame, key=lambda need: (need.obligation == "cost", need.place.line))
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
