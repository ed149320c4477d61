"""The representation: what its helpers find, and what it refuses to hold."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.verify.language.program import (
    ARITY,
    NOISE_KINDS,
    NOISE_PARAMETER_COUNTS,
    Apply,
    Assign,
    Claim,
    Expression,
    If,
    Kind,
    Length,
    Name,
    Neighbours,
    Noise,
    Number,
    Output,
    Parameter,
    Place,
    Program,
    Read,
    Relation,
    Sample,
    Truth,
    While,
    collect_names,
    find_assigned_names,
    format_expression,
    list_expressions,
    substitute,
    walk_expression,
    walk_statements,
)

X, Y, ONE = Name("x"), Name("y"), Number(Fraction(1))


def add(a: Expression, b: Expression) -> Apply:
    return Apply("+", (a, b))


DRAW = Sample("y", Noise.LAPLACE, (ONE,), 1)
LATER = Sample("z", Noise.LAPLACE, (X,), 0)
LOOP = While(
    Apply("<", (X, ONE)), (LATER, If(Truth(True), (Assign("x", add(X, ONE)),), (Output(Y),)))
)
PROGRAM = Program(
    "f",
    (Parameter("q", Kind.REAL, private=True, list=True),),
    (Assign("x", ONE), DRAW, LOOP),
    Claim(ONE, Neighbours(Relation.ONE)),
)


def test_statements_come_in_the_order_of_the_text() -> None:
    assert [type(one).__name__ for one in walk_statements(PROGRAM.body)] == [
        "Assign",
        "Sample",
        "While",
        "Sample",
        "If",
        "Assign",
        "Output",
    ]


def test_samples_come_in_the_order_of_their_sites() -> None:
    assert PROGRAM.samples == (LATER, DRAW)


def test_parameters_are_found_by_name() -> None:
    assert PROGRAM.find_parameter("q") is PROGRAM.parameters[0]
    assert PROGRAM.find_parameter("x") is None


def test_what_a_statement_holds_itself() -> None:
    assert list_expressions(LOOP) == (LOOP.condition,)
    assert list_expressions(DRAW) == (ONE,)
    assert (
        list_expressions(Output(Y))
        == list_expressions(Assign("x", Y))
        == list_expressions(If(Y, (), ()))
        == (Y,)
    )


def test_names_are_variables_and_lists() -> None:
    assert collect_names(add(Read("q", X), Length("p"))) == {"q", "x", "p"}
    assert collect_names(ONE) == frozenset()


def test_parts_are_all_that_an_expression_is_made_of() -> None:
    whole = add(Read("q", X), Truth(True))
    assert list(walk_expression(whole)) == [whole, Read("q", X), X, Truth(True)]


def test_assigned_looks_inside() -> None:
    assert find_assigned_names(PROGRAM.body) == {"x", "y", "z"}


def test_replaced_reaches_an_index_and_keeps_the_list() -> None:
    assert substitute(add(Read("x", X), Y), {"x": ONE}) == add(Read("x", ONE), Y)
    assert substitute(Length("x"), {"x": ONE}) == Length("x")


def test_places_do_not_count_when_expressions_are_compared() -> None:
    assert Name("x", Place(3)) == Name("x", Place(4))
    assert repr(Name("x", Place(3))) == "Name(name='x')"


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (Apply("*", (add(X, ONE), Y)), "(x + 1) * y"),
        (add(X, Apply("*", (ONE, Y))), "x + 1 * y"),
        (Apply("-", (X, Apply("-", (Y, ONE)))), "x - (y - 1)"),
        (Apply("/", (Number(Fraction(1, 2)), Apply("negate", (X,)))), "1/2 / -x"),
        (Apply("and", (Apply("not", (X,)), Apply("or", (X, Y)))), "not x and (x or y)"),
        (Apply("if", (X, ONE, Y)), "1 if x else y"),
        (add(Apply("if", (X, ONE, Y)), ONE), "(1 if x else y) + 1"),
        (Apply("max", (X, Length("q"))), "max(x, len(q))"),
        (Apply("concat", (X, Apply("xor", (X, Y)))), "x ++ (x xor y)"),
        (Read("q", add(X, ONE)), "q[x + 1]"),
        (Truth(False), "False"),
        (Apply("==", (X, Apply("<", (X, Y)))), "x == (x < y)"),
    ],
)
def test_expressions_are_written_as_people_do(expression: Expression, text: str) -> None:
    assert format_expression(expression) == text


def test_every_noise_has_its_parameters_and_its_kind() -> None:
    assert set(NOISE_PARAMETER_COUNTS) == set(NOISE_KINDS) == set(Noise)
    assert NOISE_PARAMETER_COUNTS[Noise.UNIFORM] == 2


@pytest.mark.parametrize("operator", ["plus", "negate", "if"])
def test_an_operator_needs_its_number_of_arguments(operator: str) -> None:
    assert ARITY.get(operator) != 2
    with pytest.raises(InvalidArgument, match="operator"):
        Apply(operator, (X, Y))


def test_a_noise_needs_its_number_of_parameters() -> None:
    with pytest.raises(InvalidArgument, match="uniform must have 2"):
        Sample("x", Noise.UNIFORM, (ONE,), 0)


@pytest.mark.parametrize(
    ("relation", "k"), [(Relation.ONE, 2), (Relation.L1, 0), (Relation.SECRET, 3)]
)
def test_only_two_relations_are_counted(relation: Relation, k: int) -> None:
    with pytest.raises(InvalidArgument, match="neighbours"):
        Neighbours(relation, k)
    assert Neighbours(Relation.GROUP, 3).k == 3
