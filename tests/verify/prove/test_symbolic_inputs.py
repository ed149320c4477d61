"""The assumptions about two neighbours are exactly the relation."""

from __future__ import annotations

import pytest

from hedgerow.verify.language.program import Program
from hedgerow.verify.language.unsupported import UnsupportedProgram
from hedgerow.verify.prove.solver import Term, is_entailed, is_satisfiable, z3
from hedgerow.verify.prove.sorts import infer_sorts
from hedgerow.verify.prove.symbolic_inputs import SymbolicInputs
from verify.prove.proving import program


def inputs(neighbours: str) -> tuple[SymbolicInputs, list[Term]]:
    truth = "b: private[bool], " if neighbours in ('"row"', '"secret"') else ""
    about: Program = program(f"""
@mechanism(epsilon="eps", neighbours={neighbours})
def one(
    q: private[list], p: private[list], x: private[int], {truth}
    pub: public[list], n: public[int], eps: public[float],
):
    return n + laplace(1 / eps)
""")
    made = SymbolicInputs(about, infer_sorts(about))
    return made, made.facts


def distance(made: SymbolicInputs, facts: list[Term], name: str, index: int) -> Term:
    at = z3.IntVal(index)
    return made.read(name, 1, at, facts.append) - made.read(name, 0, at, facts.append)


def absolute(term: Term) -> Term:
    return z3.If(term >= 0, term, -term)


def test_one() -> None:
    made, facts = inputs('"one"')
    first, second, other = (
        distance(made, facts, *where) for where in (("q", 0), ("q", 1), ("p", 0))
    )
    moved = made.scalars["x"][1] - made.scalars["x"][0]
    assert is_entailed(facts, absolute(first) <= 1)
    assert is_entailed(facts, z3.Implies(first != 0, z3.And(second == 0, other == 0, moved == 0)))
    for one in (first, second, other, moved):
        assert is_satisfiable([*facts, one == 1])
        assert is_satisfiable([*facts, one == -1])
    assert is_satisfiable([*facts, first == 0.5])
    assert not is_satisfiable([*facts, moved == 0.5])


def test_all_and_one_directional() -> None:
    made, facts = inputs('"all"')
    every = [
        distance(made, facts, "q", 0),
        distance(made, facts, "p", 7),
        made.scalars["x"][1] - made.scalars["x"][0],
    ]
    assert is_satisfiable([*facts, every[0] == 1, every[1] == -1, every[2] == 1])
    assert all(is_entailed(facts, absolute(one) <= 1) for one in every)
    for word, sign in (("increasing", 1), ("decreasing", -1)):
        made, facts = inputs(f'"{word}"')
        every = [distance(made, facts, "q", 0), made.scalars["x"][1] - made.scalars["x"][0]]
        assert all(is_entailed(facts, z3.And(sign * one >= 0, sign * one <= 1)) for one in every)
        assert is_satisfiable([*facts, every[0] == sign, every[1] == 0])


def test_l1_and_group() -> None:
    made, facts = inputs('("l1", 2)')
    every = [
        distance(made, facts, "q", 0),
        distance(made, facts, "q", 1),
        distance(made, facts, "p", 0),
    ]
    moved = made.scalars["x"][1] - made.scalars["x"][0]
    assert is_entailed(facts, absolute(every[0]) + absolute(every[1]) <= 2)
    assert is_entailed(facts, absolute(every[0]) + absolute(every[2]) + absolute(moved) <= 2)
    assert is_satisfiable([*facts, every[0] == 2])
    assert is_satisfiable([*facts, every[0] == 0.5, every[1] == 0.5, every[2] == -1])
    made, facts = inputs('("group", 2)')
    every = [distance(made, facts, "q", index) for index in (0, 1, 2)]
    assert is_entailed(facts, z3.Or(*[one == 0 for one in every]))
    assert is_entailed(facts, absolute(every[0]) <= 1)
    assert is_satisfiable([*facts, every[0] == 1, every[2] == -0.5])
    moved = made.scalars["x"][1] - made.scalars["x"][0]
    assert not is_satisfiable([*facts, every[0] != 0, every[1] != 0, moved != 0])


def test_row() -> None:
    made, facts = inputs('"row"')
    at = [
        made.read("q", run, z3.IntVal(index), facts.append) for run in (0, 1) for index in (0, 1, 2)
    ]
    lengths = [made.length("q", run) for run in (0, 1)]
    assert is_entailed(facts, z3.And(absolute(lengths[1] - lengths[0]) <= 1))
    assert is_satisfiable(
        [*facts, lengths[1] == lengths[0] + 1, at[0] != at[3], at[0] == at[4], at[1] == at[5]]
    )
    assert is_satisfiable(
        [*facts, lengths[1] == lengths[0] - 1, at[1] == at[3], at[2] == at[4], at[0] != at[3]]
    )
    assert is_entailed(
        facts, z3.Or(made.length("p", 1) == made.length("p", 0), lengths[1] == lengths[0])
    )
    assert is_entailed(facts, made.scalars["x"][1] == made.scalars["x"][0])
    assert is_entailed(facts, made.scalars["b"][1] == made.scalars["b"][0])


def test_secret() -> None:
    made, facts = inputs('"secret"')
    assert is_satisfiable(
        [
            *facts,
            distance(made, facts, "q", 0) == 1000,
            made.scalars["b"][0] != made.scalars["b"][1],
        ]
    )
    assert is_satisfiable([*facts, made.length("q", 0) != made.length("q", 1)])


@pytest.mark.parametrize(
    "relation", ['"one"', '"all"', '"increasing"', '("l1", 2)', '("group", 2)']
)
@pytest.mark.parametrize("kind", ["bool", '"list[bool]"', '"bits[8]"'])
def test_non_numeric_inputs_differ_arbitrarily_or_not_at_all(relation: str, kind: str) -> None:
    """Refuse such parameters, or `return b` would be private; programs encode booleans first, so
    only bit strings arrive here.
    """
    about = program(f"""
@mechanism(epsilon="eps", neighbours={relation})
def one(b: private[{kind}], x: private[float], eps: public[float]):
    return laplace(1 / eps)
""")
    with pytest.raises(
        UnsupportedProgram, match=r'b is not numeric.*Claim privacy for neighbours "secret"'
    ):
        SymbolicInputs(about, infer_sorts(about))


@pytest.mark.parametrize(
    "relation", ['"one"', '"all"', '"increasing"', '"row"', '"secret"', '("l1", 2)', '("group", 2)']
)
def test_public_is_equal(relation: str) -> None:
    made, facts = inputs(relation)
    assert is_entailed(facts, distance(made, facts, "pub", 3) == 0)
    assert is_entailed(facts, made.scalars["n"][0] == made.scalars["n"][1])
    assert is_entailed(facts, made.scalars["eps"][0] > 0)
    assert is_entailed(facts, made.length("pub", 0) == made.length("pub", 1))
    with pytest.raises(UnsupportedProgram, match="is not a list"):
        made.read("n", 0, z3.IntVal(0), facts.append)
