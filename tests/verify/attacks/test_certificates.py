"""Certificates are given by whoever wants something: programs that leak, each with the
certificate that an earlier checker accepted.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.verify.language.interpreter import run_program
from hedgerow.verify.language.program import (
    Apply,
    Assign,
    Claim,
    Kind,
    Length,
    Name,
    Neighbours,
    Noise,
    Number,
    Output,
    Parameter,
    Program,
    Relation,
    Sample,
    Truth,
)
from hedgerow.verify.language.pseudocode import parse_document
from hedgerow.verify.language.python import read_programs
from hedgerow.verify.prove.checker import check
from hedgerow.verify.verifier import verify_program
from verify.attacks.helpers_forged_laws import (
    CHOSEN_COIN,
    CHOSEN_UNIFORM,
    COIN,
    LAWS,
    ONE,
    REASONS,
    TWO,
    UNIFORM,
    ZERO,
    given,
)


def read(text: str) -> Program:
    (found,) = read_programs(text)
    assert isinstance(found, Program), found
    return found


@pytest.mark.parametrize(("text", "shift"), [(COIN, False), (UNIFORM, ZERO)])
def test_noise_that_may_not_exist(text: str, shift: Any) -> None:
    program = read(text)
    assert check(program, given(program, shifts=[shift])) is not None
    assert verify_program(program, seconds=5).verdict != "PROVED"


@pytest.mark.parametrize("mode", ["sequence", "finite"])
@pytest.mark.parametrize(("text", "shift"), [(CHOSEN_COIN, False), (CHOSEN_UNIFORM, ZERO)])
def test_noise_that_a_public_truth_chooses_may_not_exist(text: str, shift: Any, mode: str) -> None:
    program = read(text)
    assert [run_program(program, {"x": x, "b": True}) for x in (False, True)] == [[False], [True]]
    assert check(program, given(program, epsilon=ZERO, shifts=[shift], mode=mode)) is not None


@pytest.mark.parametrize("mode", ["sequence", "finite"])
def test_a_chance_that_a_comparison_of_public_numbers_chooses_must_be_shown(mode: str) -> None:
    text = """
@mechanism(epsilon="0", neighbours="secret")
def f(x: private[bool], p: public[float]):
    c = bernoulli(p if p < 1 else 1/2)
    return x if p < 0 else c
"""
    program = read(text)
    assert [run_program(program, {"x": x, "p": -1}) for x in (False, True)] == [[False], [True]]
    assert check(program, given(program, epsilon=ZERO, shifts=[False], mode=mode)) is not None


@pytest.mark.parametrize("name", LAWS)
def test_invalid_distributions_are_refused(name: str) -> None:
    text, parts = LAWS[name]
    program = read(text)
    found = check(program, given(program, mode="finite", **parts))
    assert found is not None
    assert REASONS[name] in found.reason


def test_delta_for_one_answer_is_not_delta_for_all() -> None:
    program = read("""
@mechanism(epsilon="eps", delta="delta", neighbours="one")
def often(x: private[float], size: public[int], eps: public[float], delta: public[float]):
    out = -1
    i = 0
    while i < size:
        z = laplace(1)
        if z >= ln(1/delta):
            out = 2*i + (1 if x > 0 else 0)
        i += 1
    return out
""")
    twice = ["*", TWO, "i@1"]
    when = ["or", ["==", twice, "@answer"], ["==", ["+", twice, ONE], "@answer"]]
    invariants = [
        *(
            ["==", "i@1", "i@2"],
            ["or", ["not", ["==", "out@1", "@answer"]], ["==", "out@2", "@answer"]],
        ),
        *(["<=", "@rare0", ["if", ["<", "@answer", twice], ONE, ZERO]], ["<=", "@cost0", ZERO]),
    ]
    bad = ["and", when, ["<=", ["ln", ["/", ONE, "delta"]], "@noise"]]
    variant = ["max", ["-", "size", "i@1"], ZERO]
    found = check(
        program,
        given(
            program,
            mode="pointwise",
            delta="delta",
            invariants=[invariants],
            variants=[variant],
            bad=[bad],
        ),
    )
    assert found is not None
    assert "a pointwise proof cannot excuse noise" in found.reason


def test_a_scale_that_is_not_seen_to_be_positive() -> None:
    """Its square was enclosed from below by a negative number, which made the cost negative."""
    program = read("""
@mechanism(epsilon="1", delta="1/100000", neighbours="one")
def tiny(x: private[float]):
    return x + gaussian(sqrt(2) - \
141421356237309504880168872420969807856967187537694/\
100000000000000000000000000000000000000000000000000)
""")
    claim = {
        "epsilon": ONE,
        "delta": {"number": "1/100000"},
        "mode": "zcdp",
        "shifts": [["-", "x@1", "x@2"]],
    }
    found = check(program, given(program, **claim))
    assert found is not None


def built(
    body: tuple[Any, ...], *parameters: Parameter, relation: Relation = Relation.ONE
) -> Program:
    return Program("built", parameters, body, Claim(Name("eps"), Neighbours(relation)))


EPS = Parameter("eps", Kind.REAL, private=False)


def test_names_that_are_the_proofs_own() -> None:
    """No front end makes such a program, and a database takes programs that none has made."""
    z = Sample("z", Noise.LAPLACE, (Number(Fraction(1)),), 0)
    program = built(
        (z, Output(Name("z"))),
        Parameter("x", Kind.REAL, private=True),
        Parameter("noise0!1", Kind.REAL, private=False),
        EPS,
    )
    found = check(program, given(program))
    assert found is not None
    assert "noise0!1 is not a name" in found.reason


def test_sites_that_two_draws_share() -> None:
    """A run found the scale of a draw by its site: a coin of the chance e^-100 lent it to the noise
    beside it, and the exact count was told at any epsilon."""
    coins = (
        Sample("a", Noise.BERNOULLI, (Number(Fraction(1, 2)),), 0),
        Sample("b", Noise.BERNOULLI, (Apply("exp", (Number(Fraction(-100)),)),), 1),
        Output(Apply("and", (Name("a"), Name("b")))),
    )
    scale = Apply("/", (Number(Fraction(1)), Name("eps")))
    shared, own = (
        built(
            (
                *coins,
                Sample("z", Noise.LAPLACE, (scale,), site),
                Output(Apply("+", (Name("x"), Name("z")))),
            ),
            *(Parameter("x", Kind.REAL, private=True), EPS),
        )
        for site in (1, 2)
    )
    back = ["-", "x@1", "x@2"]
    assert check(own, given(own, mode="finite", shifts=[False, False, back])) is None
    found = check(shared, given(shared, mode="finite", shifts=[False, back]))
    assert found is not None
    assert found.reason == "two sampling statements have the same site; number them anew"


def test_parameters_of_one_name() -> None:
    twice = (Parameter("x", Kind.REAL, private=private) for private in (True, False))
    program = built((Output(Name("x")),), *twice, EPS)
    found = check(program, given(program, shifts=[]))
    assert found is not None
    assert found.reason == "two parameters have the same name; rename one"


def test_a_parameter_that_is_written_like_a_truth() -> None:
    """In the cost of a proof a power is known by how it is written: e^(0 if True else -100) stood
    for two numbers, and one cancelled the other."""

    def power(condition: Truth | Name) -> Apply:
        return Apply(
            "exp", (Apply("if", (condition, Number(Fraction(0)), Number(Fraction(-100)))),)
        )

    scale = Apply("/", (power(Name("True")), Apply("*", (Name("eps"), power(Truth(value=True))))))
    program = built(
        (Sample("z", Noise.LAPLACE, (scale,), 0), Output(Apply("+", (Name("x"), Name("z"))))),
        *(
            Parameter("x", Kind.REAL, private=True),
            Parameter("True", Kind.BOOL, private=False),
            EPS,
        ),
    )
    found = check(program, given(program, shifts=[["-", "x@1", "x@2"]]))
    assert found is not None
    assert found.reason == "True is not a name that a program may use; rename it"


def test_a_private_parameter_that_is_assigned() -> None:
    """It was taken for what it is assigned, also before."""
    q, x = (
        Parameter("q", Kind.REAL, private=True, list=True),
        Parameter("x", Kind.REAL, private=True),
    )
    body = (
        Sample("z", Noise.LAPLACE, (Name("x"),), 0),
        Assign("x", Name("eps")),
        Output(Length("q")),
    )
    program = built(body, q, x, EPS, relation=Relation.ROW)
    found = check(program, given(program))
    assert found is not None
    assert "x is a parameter and must not be assigned" in found.reason


@pytest.mark.parametrize("number", ["1e20000000", "9" * 500, "1.5", "٣", " 1", "1_0"])
def test_numbers_are_digits_and_not_many(number: str) -> None:
    program = read(
        '@mechanism(epsilon="eps", neighbours="one")\ndef one(x: private[float], eps:'
        " public[float]):\n    return x + laplace(1 / eps)"
    )
    with pytest.raises(InvalidArgument, match="certificate must be a document"):
        given(program, shifts=[{"number": number}])


@pytest.mark.parametrize(("name", "limit"), [("eps", "< 0"), ("delta", "> 1")])
def test_a_parameter_that_is_called_eps_is_any_number_in_a_judgement(name: str, limit: str) -> None:
    from hedgerow.verify.judgement.symbolic import decide_judgement

    document = parse_document(f"""
Leak(x : private real, {name} : public real) : public real
  y := 0;
  if {name} {limit} then
    y := x;
  return y

judge Leak ~ Leak : {name}<1> = {name}<2> ==> res<1> = res<2>
""")
    (judgement,) = document.judgements
    assert (
        decide_judgement(judgement, seconds=5).verdict != "PROVED"  # type: ignore[arg-type]
    )
