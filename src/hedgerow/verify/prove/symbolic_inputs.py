"""The inputs of two runs on neighbouring data, as z3 terms.

The entries of a list are a function of the index, so a list has any length. An entry in the second
run is the first run's entry plus a difference; the neighbour relation constrains that difference at
every index that is read. Reads out of range do not occur by assumption, so a list may be treated as
infinite, with entries that obey the relation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from hedgerow.verify.language.assumptions import is_epsilon_name
from hedgerow.verify.language.program import Kind, Parameter, Program, Relation
from hedgerow.verify.language.unsupported import UnsupportedProgram
from hedgerow.verify.prove.solver import Term, z3
from hedgerow.verify.prove.terms import (
    Sort,
    SymbolTable,
    absolute_value,
    fresh_constant,
    to_z3_sort,
    translate,
)

__all__ = ["SymbolicInputs", "split_run"]

AddFact = Callable[[Term], None]


@dataclass
class SymbolicInputs:
    """Input terms: ``facts`` hold for all neighbours; ``scalars`` has the two values of every
    parameter that is not a list.
    """

    program: Program
    sorts: dict[str, Sort]
    facts: list[Term] = field(default_factory=list)
    scalars: dict[str, tuple[Term, Term]] = field(default_factory=dict)
    specials: dict[str, Term] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._distance_used: list[Term] = []
        for number, one in enumerate(self.program.parameters):
            if one.list:
                self._add_list(one)
            elif one.private:
                self._add_private_scalar(one, number)
            else:
                same = z3.Const(one.name, to_z3_sort(self.sorts[one.name]))
                self.scalars[one.name] = (same, same)
        if (before := self.program.claim.neighbours.before) is not None:
            self.facts.append(translate(before, self.tagged_symbols({})))
        if self._distance_used:
            self.facts.append(z3.Sum(self._distance_used) <= self.program.claim.neighbours.k)
        self._assume_usual_ranges()

    @property
    def relation(self) -> Relation:
        return self.program.claim.neighbours.relation

    def tagged_symbols(self, results: dict[str, Term]) -> SymbolTable:
        """Build the symbols of a judgement's relations: x<1> and x<2>, x if public, and results."""

        def look_up(name: str) -> Term:
            if name in results:
                return results[name]
            plain, run = (name[:-3], name[-3:]) if name.endswith(("<1>", "<2>")) else (name, "<1>")
            if plain not in self.scalars:
                raise UnsupportedProgram(
                    f"{name} is not a number among the inputs; name parameters only."
                )
            return self.scalars[plain][run == "<2>"]

        def refuse(*_: object) -> Term:
            raise UnsupportedProgram("a precondition cannot read lists; use scalars.")

        return SymbolTable(look_up, refuse, refuse, self.facts.append)

    def _assume_usual_ranges(self) -> None:
        """Assume eps > 0 and 0 < delta < 1 for public numbers with such names."""
        for one in self.program.parameters:
            if not one.private and not one.list and one.kind in (Kind.INT, Kind.REAL):
                term = self.scalars[one.name][0]
                if is_epsilon_name(one.name):
                    self.facts.append(term > 0)
                elif one.name == "delta" and one.kind is Kind.REAL:
                    self.facts.append(z3.And(term > 0, term < 1))

    def _is_private_number(self, one: Parameter) -> bool:
        return one.private and one.kind in (Kind.INT, Kind.REAL)

    def _changed_parameter(self) -> Term:
        """Return the index of the one private parameter that differs, under "one" and "row"."""
        return z3.Int("@which")

    def _add_private_scalar(self, one: Parameter, number: int) -> None:
        sort = self.sorts[one.name]
        first = z3.Const(f"{one.name}@1", to_z3_sort(sort))
        if self.relation in (Relation.SECRET, Relation.JUDGEMENT):
            self.scalars[one.name] = (first, z3.Const(f"{one.name}@2", to_z3_sort(sort)))
            return
        if self.relation is Relation.ROW:  # only a list differs
            self.scalars[one.name] = (first, first)
            return
        self._refuse_unmeasured(one)
        move = z3.Const(f"@move:{one.name}", to_z3_sort(sort))
        self.specials[f"@move:{one.name}"] = move
        self.scalars[one.name] = (first, first + move)
        match self.relation:
            case Relation.ONE:
                self.facts += [
                    absolute_value(move) <= 1,
                    z3.Implies(move != 0, self._changed_parameter() == number),
                ]
            case Relation.L1:
                self._distance_used.append(absolute_value(move))
            case Relation.GROUP:
                self.facts.append(absolute_value(move) <= 1)
                self._distance_used.append(z3.If(move == 0, 0, 1))
            case _:
                self.facts += [move <= (0 if self.relation is Relation.DECREASING else 1)]
                self.facts += [move >= (0 if self.relation is Relation.INCREASING else -1)]

    def _refuse_unmeasured(self, one: Parameter) -> None:
        """Refuse a parameter whose values have no numeric difference."""
        if not self._is_private_number(one):
            raise UnsupportedProgram(
                f"{one.name} is not numeric, so its neighbours have no distance. Claim privacy for"
                ' neighbours "secret" instead',
                one.place,
            )

    def _add_list(self, one: Parameter) -> None:
        length = z3.Int(f"@length:{one.name}")
        self.facts.append(length >= 0)
        where = z3.Int(f"@where:{one.name}")
        self.specials[f"@where:{one.name}"] = where
        if not one.private:
            return
        if self.relation is Relation.JUDGEMENT:
            raise UnsupportedProgram(
                f"{one.name} is a list that may differ between the runs; make it equal in both",
                one.place,
            )
        if self.relation not in (Relation.ROW, Relation.SECRET):
            self._refuse_unmeasured(one)
        if self.relation in (Relation.L1, Relation.GROUP):
            cap = z3.Real(f"@cap:{one.name}")
            self.facts.append(cap >= 0)
            self._distance_used.append(cap)
        if self.relation is Relation.ONE and self._is_private_number(one):
            move = z3.Const(f"@move:{one.name}", to_z3_sort(self.sorts[one.name]))
            number = self.program.parameters.index(one)
            self.specials[f"@move:{one.name}"] = move
            self.facts += [
                absolute_value(move) <= 1,
                z3.Implies(move != 0, self._changed_parameter() == number),
            ]
        if self.relation is Relation.ROW:
            gone = z3.And(self._is_changed(one), z3.Not(z3.Bool("@longer")))
            self.facts += [where >= 0, where <= length, z3.Implies(gone, where < length)]

    def length(self, name: str, run: int) -> Term:
        """Return the length in one run; under "row" the list named by ``@which`` has one entry more
        in one of the runs.
        """
        length = z3.Int(f"@length:{name}")
        parameter = self._find_list(name)
        if self.relation is Relation.SECRET and parameter.private and run == 1:
            return z3.Int(f"@length:{name}@2")
        if self.relation is Relation.ROW and parameter.private and run == 1:
            return z3.If(
                self._is_changed(parameter),
                z3.If(z3.Bool("@longer"), length + 1, length - 1),
                length,
            )
        return length

    def _is_changed(self, one: Parameter) -> Term:
        return self._changed_parameter() == self.program.parameters.index(one)

    def extra_row(self, name: str) -> tuple[Term, Term]:
        """Return the row that only one of the runs has under "row", and its count in the second run
        minus that in the first: 1, -1 or 0.
        """
        one, longer = self._find_list(name), z3.Bool("@longer")
        entries = z3.Function(f"{name}@1", z3.IntSort(), to_z3_sort(self.sorts[name]))
        row = z3.If(
            longer,
            fresh_constant(f"@new:{name}", self.sorts[name], 0),
            entries(self.specials[f"@where:{name}"]),
        )
        return row, z3.If(
            self._is_changed(one), z3.If(longer, z3.IntVal(1), z3.IntVal(-1)), z3.IntVal(0)
        )

    def distance_used_before(self, name: str, index: Term) -> Term:
        return z3.Function(f"@spent:{name}", z3.IntSort(), z3.RealSort())(index)

    def read(self, name: str, run: int, index: Term, learn: AddFact) -> Term:
        """Return the entry in run 0 or 1."""
        parameter = self._find_list(name)
        entries = z3.Function(f"{name}@1", z3.IntSort(), to_z3_sort(self.sorts[name]))
        if run == 0 or not parameter.private:
            if parameter.private and self._is_private_number(parameter):
                self._read_moved(parameter, index, entries, learn)
            return entries(index)
        if self.relation is Relation.SECRET:
            return z3.Function(f"{name}@2", z3.IntSort(), to_z3_sort(self.sorts[name]))(index)
        if self.relation is Relation.ROW:
            return self._read_with_extra_row(parameter, index, entries)
        return (
            self._read_moved(parameter, index, entries, learn)
            if self._is_private_number(parameter)
            else entries(index)
        )

    def _find_list(self, name: str) -> Parameter:
        parameter = self.program.find_parameter(name)
        if parameter is None or not parameter.list:
            raise UnsupportedProgram(f"{name} is not a list; read entries of list parameters only.")
        return parameter

    def _read_with_extra_row(self, one: Parameter, index: Term, entries: Term) -> Term:
        """Insert or delete one entry at ``@where``; later entries move by one index."""
        where, chosen = self.specials[f"@where:{one.name}"], self._is_changed(one)
        added = fresh_constant(f"@new:{one.name}", self.sorts[one.name], 0)
        more = z3.If(
            index < where, entries(index), z3.If(index == where, added, entries(index - 1))
        )
        less = z3.If(index < where, entries(index), entries(index + 1))
        return z3.If(chosen, z3.If(z3.Bool("@longer"), more, less), entries(index))

    def _read_moved(self, one: Parameter, index: Term, entries: Term, learn: AddFact) -> Term:
        sort = to_z3_sort(self.sorts[one.name])
        if self.relation is Relation.ONE:
            move = self.specials[f"@move:{one.name}"]
            return entries(index) + z3.If(
                index == self.specials[f"@where:{one.name}"],
                move,
                z3.IntVal(0) if z3.is_int(move) else 0,
            )
        if self.relation in (Relation.ROW, Relation.SECRET):
            return entries(index)
        moved = z3.Function(f"@move:{one.name}", z3.IntSort(), sort)(index)
        if self.relation in (Relation.L1, Relation.GROUP):
            self._count_distance(one, index, moved, learn)
        else:
            learn(moved <= (0 if self.relation is Relation.DECREASING else 1))
            learn(moved >= (0 if self.relation is Relation.INCREASING else -1))
        return entries(index) + moved

    def _count_distance(self, one: Parameter, index: Term, moved: Term, learn: AddFact) -> None:
        """Record the part of ``k`` that the entries before an index use; each entry counts once."""
        cap = z3.Real(f"@cap:{one.name}")
        here, after = (
            self.distance_used_before(one.name, index),
            self.distance_used_before(one.name, index + 1),
        )
        if self.relation is Relation.GROUP:
            learn(absolute_value(moved) <= 1)
            learn(after == here + z3.If(moved == 0, z3.RealVal(0), z3.RealVal(1)))
        else:
            learn(after == here + absolute_value(moved))
        learn(z3.And(here >= 0, after <= cap))
        learn(self.distance_used_before(one.name, z3.IntVal(0)) == 0)


def split_run(name: str) -> tuple[str, int]:
    """Split q@2 into the list q and the index of the second run."""
    base, _, run = name.rpartition("@")
    if run not in ("1", "2"):
        raise UnsupportedProgram(f"the certificate names {name}, which the program does not have.")
    return base, int(run) - 1
