"""The state of two runs at one place of the program, and the interface of the product program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from hedgerow.verify.language.program import Place, Program
from hedgerow.verify.prove.certificate import Certificate
from hedgerow.verify.prove.solver import Term, z3
from hedgerow.verify.prove.symbolic_inputs import SymbolicInputs
from hedgerow.verify.prove.terms import Sort, SymbolTable

__all__ = ["PairState", "Path", "ProductRuns", "merge_states"]

Path = list[Term]  # the assumptions at a place


@dataclass(frozen=True, slots=True)
class PairState:
    """The two values of every variable, and the cost and excused count of every site so far."""

    values: dict[str, tuple[Term, Term]]
    costs: dict[str, Term]

    def with_value(self, name: str, first: Term, second: Term) -> PairState:
        return PairState({**self.values, name: (first, second)}, self.costs)

    def with_cost(self, counter: str, more: Term) -> PairState:
        return PairState(self.values, {**self.costs, counter: self.costs[counter] + more})


def merge_states(first: Term, second: Term, left: PairState, right: PairState) -> PairState:
    """Join the states of two branches: each run has the left one where its condition holds."""
    # A variable of one branch only keeps its value: ``resolve_program`` refuses to read it later.
    others = left.values | right.values
    values = {
        name: a
        if a is (b := others[name])
        else (z3.If(first, a[0], b[0]), z3.If(second, a[1], b[1]))
        for name, a in sorted((right.values | left.values).items(), key=lambda item: item[0])
    }
    costs = {
        site: cost if cost is right.costs[site] else z3.If(first, cost, right.costs[site])
        for site, cost in left.costs.items()
    }
    return PairState(values, costs)


class ProductRuns(Protocol):
    """The part of ``ProductProgram`` that draws and costs need."""

    @property
    def program(self) -> Program: ...
    @property
    def certificate(self) -> Certificate: ...
    @property
    def sorts(self) -> dict[str, Sort]: ...
    @property
    def inputs(self) -> SymbolicInputs: ...
    @property
    def answer(self) -> Term:
        """The answer that a pointwise proof is about."""

    @property
    def final_state(self) -> tuple[PairState, Path] | None: ...
    def fresh_value(self, name: str, sort: Sort) -> Term:
        """Return a fresh constant."""

    def fit_to_sort(self, name: str, term: Term) -> Term:
        """Convert the term to the sort of a variable."""

    def run_symbols(self, run: int, state: PairState, path: Path) -> SymbolTable:
        """Return the symbols of the program's expressions in one run."""

    def certificate_symbols(
        self,
        state: PairState,
        path: Path,
        entry: PairState | None = None,
        more: dict[str, Term] | None = None,
    ) -> SymbolTable:
        """Return the symbols of the certificate's expressions, which refer to both runs."""

    def spend_work(self, steps: int) -> None:
        """Count work, and raise ``UnsupportedProgram`` above the limit."""

    def add_obligation(
        self,
        name: str,
        path: Path,
        goal: Term,
        place: Place,
        reason: str,
        tag: tuple[int, int] | None = None,
    ) -> None:
        """Record an obligation."""
