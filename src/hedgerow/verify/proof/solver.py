"""z3, and how it is asked: a fresh solver for every question, a limit on its work, and never a guess.

The limit counts z3's own steps, so that a verdict does not depend on how fast the machine is; the clock is a last resort, far beyond
what these steps take. Whatever is not a plain yes is a no: a time-out never proves anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

from hedgerow.errors import Unsupported

try:
    import z3  # type: ignore[import-untyped]
except ImportError as error:  # pragma: no cover - the suite has it installed
    raise Unsupported("Proofs about programs need z3: pip install 'hedgerow[verify]'.") from error

Term: TypeAlias = Any  # z3 has no types of its own
WORK: Final = 6_000_000
MILLISECONDS: Final = 120_000

__all__ = ["MILLISECONDS", "WORK", "Term", "entailed", "possible", "solver", "work_done", "z3"]


def solver(work: int = WORK, milliseconds: int = MILLISECONDS) -> Term:
    """A fresh solver with its limits."""
    fresh = z3.Solver()
    fresh.set("rlimit", work)
    fresh.set("timeout", milliseconds)
    return fresh


def work_done() -> int:
    """How much z3 has done in this process, in its own steps."""
    fresh = z3.Solver()
    fresh.check()
    return int(fresh.statistics().get_key_value("rlimit count"))


def _answer(assumptions: Sequence[Term], work: int, milliseconds: int) -> tuple[Term, Term]:
    fresh = solver(work, milliseconds)
    fresh.add(*assumptions)
    return fresh.check(), fresh


def entailed(assumptions: Sequence[Term], goal: Term, work: int = WORK, milliseconds: int = MILLISECONDS) -> bool:
    """True only when z3 shows that nothing satisfies the assumptions and not the goal."""
    return bool(_answer([*assumptions, z3.Not(goal)], work, milliseconds)[0] == z3.unsat)


def possible(assumptions: Sequence[Term], hints: Sequence[Term] = ()) -> bool:
    """True only when z3 finds values that satisfy the assumptions; hints that simplify them are tried when it is at a loss."""
    verdict = _answer(assumptions, WORK, MILLISECONDS)[0]
    if verdict == z3.unknown and hints:
        verdict = _answer([*assumptions, *hints], WORK, MILLISECONDS)[0]
    return bool(verdict == z3.sat)
