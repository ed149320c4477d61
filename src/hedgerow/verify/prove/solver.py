"""The interface to z3: a fresh solver for every query, and a limit on its work.

The limit counts z3's own steps, so a verdict does not depend on the speed of the machine; the clock
is a last resort, far beyond the time of these steps. Any result but a plain yes is a no: a time-out
never proves anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

from hedgerow.errors import Unsupported

try:
    import z3  # type: ignore[import-untyped]
except ImportError as error:  # pragma: no cover - the suite has it installed
    raise Unsupported("Proofs need z3. Run: pip install 'hedgerow[verify]'") from error

Term: TypeAlias = Any  # z3 has no types of its own
MAX_WORK: Final = 6_000_000
MAX_MILLISECONDS: Final = 1_200_000  # of wall time: z3 has no other clock

__all__ = [
    "MAX_MILLISECONDS",
    "MAX_WORK",
    "Term",
    "is_entailed",
    "is_satisfiable",
    "make_solver",
    "measure_work",
    "z3",
]


def make_solver(work: int = MAX_WORK, milliseconds: int = MAX_MILLISECONDS) -> Term:
    """Return a fresh solver with its limits."""
    fresh = z3.Solver()
    fresh.set("rlimit", work)
    fresh.set("timeout", milliseconds)
    return fresh


def measure_work() -> int:
    """Return the work that z3 has done in this process, in its own steps."""
    fresh = z3.Solver()
    fresh.check()
    return int(fresh.statistics().get_key_value("rlimit count"))


def _check(assumptions: Sequence[Term], work: int, milliseconds: int) -> tuple[Term, Term]:
    fresh = make_solver(work, milliseconds)
    fresh.add(*assumptions)
    return fresh.check(), fresh


def is_entailed(
    assumptions: Sequence[Term],
    goal: Term,
    work: int = MAX_WORK,
    milliseconds: int = MAX_MILLISECONDS,
) -> bool:
    """Return True only if z3 shows that no model satisfies the assumptions but not the goal."""
    return bool(_check([*assumptions, z3.Not(goal)], work, milliseconds)[0] == z3.unsat)


def is_satisfiable(assumptions: Sequence[Term], hints: Sequence[Term] = ()) -> bool:
    """Return True only if z3 finds a model of the assumptions; if it gives up, the hints are added
    to simplify them.
    """
    verdict = _check(assumptions, MAX_WORK, MAX_MILLISECONDS)[0]
    if verdict == z3.unknown and hints:
        verdict = _check([*assumptions, *hints], MAX_WORK, MAX_MILLISECONDS)[0]
    return bool(verdict == z3.sat)
