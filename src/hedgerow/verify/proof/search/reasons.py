"""Why no shift was found, in one sentence with its line."""

from __future__ import annotations

from collections.abc import Sequence

from hedgerow.verify.language.program import If, Output, Program, While, statements, written
from hedgerow.verify.proof.certificate import Failure
from hedgerow.verify.proof.search.runs import Need

__all__ = ["TOO_DEAR", "reason"]

TOO_DEAR = "costs more than"


def reason(program: Program, blame: Sequence[Need]) -> Failure:
    """The needs cannot all be met: what leaks stands before what it would cost to hide it."""
    worst = min(blame, key=lambda need: (need.obligation == "cost", need.place.line))
    claim = written(program.claim.epsilon)
    hidden = any(need.obligation == "cost" for need in blame)
    end = f"hiding it {TOO_DEAR} {claim}" if hidden else "no shift of the noise hides it" if program.samples else "no noise hides it"
    return Failure(f"{_said(program, worst)}; {end}", worst.place, obligation=worst.obligation)


def _said(program: Program, need: Need) -> str:
    wanted = {"output": Output, "branch": If, "loop": While}.get(need.obligation)
    found = next((one for one in statements(program.body) if one.place == need.place and wanted and isinstance(one, wanted)), None)
    match need.obligation, found:
        case "output", Output():
            return f"what is said, {written(found.value)}, differs between neighbours"
        case "branch", If():
            return f"{written(found.condition)} may hold for one neighbour and not for the other"
        case "loop", While():
            return f"the loop may go on for one neighbour and end for the other ({written(found.condition)})"
        case "support", _:
            return "the noise cannot be moved as far as needed"
    return f"all noise together {TOO_DEAR} is claimed"
