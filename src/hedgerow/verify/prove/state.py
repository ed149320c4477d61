"""What two runs know at one place of the program, and what is known of the runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from hedgerow.verify.language.program import Place, Program
from hedgerow.verify.prove.certificate import Certificate
from hedgerow.verify.prove.solver import Term
from hedgerow.verify.prove.symbolic_inputs import SymbolicInputs
from hedgerow.verify.prove.terms import Sort, SymbolTable

__all__ = ["PairState", "Path", "ProductRuns"]

Path = list[Term]  # what may be assumed here


@dataclass(frozen=True, slots=True)
class PairState:
    """The two values of every variable, what every site has cost so far, and how often it was
    excused.
    """

    values: dict[str, tuple[Term, Term]]
    costs: dict[str, Term]

    def with_value(self, name: str, first: Term, second: Term) -> PairState:
        return PairState({**self.values, name: (first, second)}, self.costs)

    def with_cost(self, counter: str, more: Term) -> PairState:
        return PairState(self.values, {**self.costs, counter: self.costs[counter] + more})


class ProductRuns(Protocol):
    """Both runs on their way: what draws and costs need to know of ``Product``."""

    @property
    def program(self) -> Program: ...
    @property
    def certificate(self) -> Certificate: ...
    @property
    def sorts(self) -> dict[str, Sort]: ...
    @property
    def inputs(self) -> SymbolicInputs: ...
    @property
    def final_state(self) -> tuple[PairState, Path] | None: ...
    def fresh_value(self, name: str, sort: Sort) -> Term:
        """Any value."""

    def fit_to_sort(self, name: str, term: Term) -> Term:
        """The term in the sort of a variable."""

    def run_symbols(self, run: int, state: PairState, path: Path) -> SymbolTable:
        """What the program's expressions mean in one run."""

    def certificate_symbols(
        self,
        state: PairState,
        path: Path,
        entry: PairState | None = None,
        more: dict[str, Term] | None = None,
    ) -> SymbolTable:
        """What the certificate's expressions mean, which speak of both."""

    def spend_work(self, steps: int) -> None:
        """Count what is done; raises ``Outside`` when it is too much."""

    def add_obligation(
        self,
        name: str,
        path: Path,
        goal: Term,
        place: Place,
        reason: str,
        tag: tuple[int, int] | None = None,
    ) -> None:
        """Write down what must be shown."""
