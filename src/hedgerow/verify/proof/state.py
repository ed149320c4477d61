"""What two runs know at one place of the program, and what is known of the runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from hedgerow.verify.language.program import Place, Program
from hedgerow.verify.proof.certificate import Certificate
from hedgerow.verify.proof.inputs import Inputs
from hedgerow.verify.proof.solver import Term
from hedgerow.verify.proof.terms import Meaning, Sort

__all__ = ["Path", "Runs", "State"]

Path = list[Term]  # what may be assumed here


@dataclass(frozen=True, slots=True)
class State:
    """The two values of every variable, what every site has cost so far, and how often it was excused."""

    values: dict[str, tuple[Term, Term]]
    costs: dict[str, Term]

    def with_value(self, name: str, first: Term, second: Term) -> State:
        return State({**self.values, name: (first, second)}, self.costs)

    def with_cost(self, counter: str, more: Term) -> State:
        return State(self.values, {**self.costs, counter: self.costs[counter] + more})


class Runs(Protocol):
    """Both runs on their way: what draws and costs need to know of ``Product``."""

    @property
    def program(self) -> Program: ...
    @property
    def certificate(self) -> Certificate: ...
    @property
    def sorts(self) -> dict[str, Sort]: ...
    @property
    def inputs(self) -> Inputs: ...
    @property
    def final(self) -> tuple[State, Path] | None: ...
    def new(self, name: str, sort: Sort) -> Term:
        """Any value."""

    def fitted(self, name: str, term: Term) -> Term:
        """The term in the sort of a variable."""

    def in_run(self, run: int, state: State, path: Path) -> Meaning:
        """What the program's expressions mean in one run."""

    def across(self, state: State, path: Path, entry: State | None = None, more: dict[str, Term] | None = None) -> Meaning:
        """What the certificate's expressions mean, which speak of both."""

    def spend(self, steps: int) -> None:
        """Count what is done; raises ``Outside`` when it is too much."""

    def oblige(self, name: str, path: Path, goal: Term, place: Place, reason: str, tag: tuple[int, int] | None = None) -> None:
        """Write down what must be shown."""
