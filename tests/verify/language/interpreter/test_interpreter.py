"""Running: programs do what they say, on exact numbers, with exact noise, and what a proof
assumes is checked.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.verify.language.interpreter import (
    OUTPUT_GRID,
    interpreter,
    run_program,
    value_operations,
)
from hedgerow.verify.language.interpreter import lazy_reals as reals
from hedgerow.verify.language.program import Kind, Program
from verify.language.interpreter.farness import ALARM, N, farthest
from verify.language.interpreter.reference import agree
from verify.language.reading import gallery, read

EPS = "eps: public[float]"


def told(body: str, parameters: str = EPS, **arguments: Any) -> list[Any]:
    return list(run_program(read(body, parameters), {"eps": 1} | arguments))


@pytest.mark.parametrize(
    ("value", "result"),
    [
        ("0.1 + 0.2 == 0.3", True),
        ("7 % 3", 1),
        ("-7 % 3", 2),
        ("-7 // 2", -4),
        ("abs(-3)", 3),
        ("min(2, 1)", 1),
        ("max(2, 1)", 2),
        ("1 if 2 < 3 else 0", 1),
        ("1 < 2 and not 2 <= 1", True),
        ("1 > 2 or 1 != 2", True),
        ("floor(5 / 2)", 2),
        ("sqrt(9 / 4) == 3 / 2", True),
        ("ln(2) < 0.7", True),
        ("0.69 < ln(2)", True),
        ("exp(1) > 2.718281828459045", True),
        ("floor(100 * ln(2))", 69),
        ("exp(ln(2) + 1) > 5.4365636", True),
        ("floor(10 * (ln(3) % 1))", 0),
    ],
)
def test_arithmetic_is_exact(value: str, result: object) -> None:
    (found,) = told(f"return {value}")
    assert found == result
    assert type(found) is type(result)


def test_bit_strings() -> None:
    bits = "m: private[bits[n]], w: public[bits[n]], n: public[int], " + EPS
    arguments = {"m": 0b1010, "w": 0b0110, "n": 4}
    body = "return m ^ w, m & w, m | w, ~m, m + w, concat(m, w), bit(m, 0), bit(m, 3), m == w"
    assert told(body, bits, **arguments) == [
        0b1100,
        0b0010,
        0b1110,
        0b0101,
        0b0000,
        0b10100110,
        False,
        True,
        False,
    ]


def test_numbers_are_shown_alike_on_every_way_through() -> None:
    """Whether 0 is shown as 0 or as 0.0 must not tell which branch it came from."""
    body = "if x > 0:\n    output(0)\nelse:\n    output(0.5 * x)"
    (one,) = told(body, "x: private[float], " + EPS, x=1)
    (other,) = told(body, "x: private[float], " + EPS, x=0)
    assert type(one) is type(other) is float


def test_reals_are_rounded_to_the_grid() -> None:
    (third,) = told("return 1 / 3")
    assert third == float(round(Fraction(1, 3) / OUTPUT_GRID) * OUTPUT_GRID)
    for value in told("for i in range(20):\n    output(laplace(1))"):
        assert (Fraction(value) / OUTPUT_GRID).denominator == 1


def test_huge_reals_end_at_the_largest_float() -> None:
    (huge,) = told(
        "y = x\nfor i in range(8):\n    y = y * y\nreturn y + 0.5",
        "x: private[float], " + EPS,
        x=10**60,
    )
    assert huge == np.finfo(np.float64).max


def test_the_gallery_runs() -> None:
    given = {
        "q": [1, 2, 3],
        "l": [1, 2, 3],
        "size": 3,
        "T": 2,
        "N": 1,
        "M": 2,
        "eps": 2,
        "sigma": 1,
        "x": 3,
        "d": 3,
        "m": 1,
        "n": 2,
    }
    given |= dict.fromkeys("abkt", 1)
    given |= {"delta": 0.01, "count": 9, "K": 4, "H": 3, "cutoff": 1, "p": 0.25, "r": 0.5}
    for program in gallery().values():
        arguments = {
            one.name: True if one.kind is Kind.BOOL else given[one.name]
            for one in program.parameters
        }
        outputs = run_program(program, arguments)
        assert len(outputs) <= 3, program.name


def laplace(x: float) -> float:
    return math.exp(x) / 2 if x < 0 else 1 - math.exp(-x) / 2


LAWS = {
    "laplace(1)": laplace,
    "exponential(1)": lambda x: 1 - math.exp(-x),
    "gaussian(1)": lambda x: (1 + math.erf(x / math.sqrt(2))) / 2,
    "uniform(0, 1)": lambda x: x,
}


@pytest.mark.parametrize("draw", LAWS)
def test_real_noise_follows_its_distribution(draw: str) -> None:
    n = N // 2
    drawn = told(f"for i in range({n}):\n    output(2 * {draw})")
    alarm = ALARM * math.sqrt(2)
    assert farthest([x / 2 for x in drawn], LAWS[draw]) < alarm
    assert farthest([8 * x for x in drawn], LAWS[draw]) > alarm


def test_integer_noise_and_coins_follow_their_distribution() -> None:
    n, alarm = 1000, math.sqrt(math.log(2 / 1e-9) / 2000)
    share = sum(told(f"for i in range({n}):\n    output(geometric(1) == 0)")) / n
    assert abs(share - (1 - math.exp(-1)) / (1 + math.exp(-1))) < alarm
    coins = sum(told(f"for i in range({n}):\n    output(bernoulli(0.25))")) / n
    assert abs(coins - 0.25) < alarm
    odds = sum(told(f"for i in range({n}):\n    output(bernoulli(exp(eps) / (1 + exp(eps))))")) / n
    assert abs(odds - math.e / (1 + math.e)) < alarm
    bits = sum(told(f"for i in range({n}):\n    output(bit(uniform_bits(9), 5))")) / n
    assert abs(bits - 0.5) < alarm


def test_noise_is_compared_as_the_real_that_it_is() -> None:
    """A draw against itself, and against what was computed from it."""
    assert told(
        "y = laplace(1)\noutput(y == y)\noutput(y + 1 > y)\noutput(2 * y - y - y == 0)"
    ) == [True, True, True]


@pytest.mark.parametrize(
    ("body", "told_", "arguments"),
    [
        ("return laplace(n)", "must be above 0", {"n": 0}),
        ("return geometric(ln(2))", "rational", {"n": 0}),
        ("y = uniform_bits(n)\nreturn 1", "width", {"n": 0}),
        ("y = uniform_bits(n)\nreturn 1", "width", {"n": 2**21}),
    ],
)
def test_assumptions_of_a_proof_are_checked_before_a_run(
    body: str, told_: str, arguments: dict[str, Any]
) -> None:
    with pytest.raises(Refused, match=told_):
        told(body, "q: private[list], n: public[int], " + EPS, q=[1, 2, 3], **arguments)


@pytest.mark.parametrize(
    ("body", "value", "n"),
    [
        ("return bernoulli(2 + q[0])", True, 0),
        ("return bernoulli(ln(8) + q[0])", True, 0),
        ("return bernoulli(q[0] - ln(8))", False, 0),
        ("return 1 % n", 0, 0),
        ("return 1 % n", 0, -2),
        ("return 1 / n", 0, 0),
        ("return q[n]", 0, 3),
        ("return q[n]", 0, -1),
        ("y = uniform_bits(8)\nreturn bit(y, n)", False, 8),
        ("y = uniform(q[1], q[0])\nreturn 1 <= y and y <= 2", True, 0),
    ],
)
def test_undefined_operations_have_the_value_zero(body: str, value: object, n: int) -> None:
    """A failure would tell what it depends on, and a proof is about outputs only."""
    assert told(body, "q: private[list], n: public[int], " + EPS, q=[1, 2, 3], n=n) == [value]


@pytest.mark.parametrize(
    ("kind", "entries", "value"), [("bool", [True], False), ("bits[4]", [7], 0)]
)
def test_an_index_out_of_range_reads_zero(kind: str, entries: list[Any], value: object) -> None:
    assert told(
        "return q[n]", f"q: private[list[{kind}]], n: public[int], " + EPS, q=entries, n=1
    ) == [value]


def test_rounds_are_counted_and_statements_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """A branch that private data decide may be the longer one."""
    monkeypatch.setattr(interpreter, "MAX_ROUNDS", 3)
    longer = "\n".join("        y = y + 1" for _ in range(20))
    body = f"y = 0\nfor i in range(3):\n    if x > 0:\n{longer}\nreturn y"
    assert [told(body, "x: private[float], " + EPS, x=x) for x in (0, 1)] == [[0], [60]]


@pytest.mark.parametrize("body", ["while eps > 0:\n    y = 1", "while eps > 0:\n    pass"])
def test_a_program_that_does_not_end_is_stopped(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreter, "MAX_ROUNDS", 1000)
    with pytest.raises(Refused, match="did not end"):
        told(f"{body}\nreturn 1")


PARAMETERS = (
    "q: private[list[int]], x: private[float], b: private[bool], m: private[bits[4]], p:"
    " public[bits[4]], n: public[int], " + EPS
)
GIVEN = {"q": [1], "x": 1, "b": True, "m": 1, "p": 1, "n": 1, "eps": 1}


@pytest.mark.parametrize(
    ("name", "value", "told_"),
    [
        ("q", 5, "must be a list"),
        ("q", "12", "must be a list"),
        ("q", [0.5], "integer"),
        ("q", ["77"], "finite number"),
        ("x", None, "finite number"),
        ("x", math.nan, "finite number"),
        ("x", True, "finite number"),
        ("b", 77, "True or False"),
        ("m", 77, "at most 4 bits"),
        ("m", -77, "at most 4 bits"),
        ("m", True, "at most 4 bits"),
        ("p", 77, "got 77"),
        ("n", 0.5, "integer; got 0.5"),
        ("unknown", 77, "arguments"),
    ],
)
def test_arguments_are_checked_and_private_ones_never_shown(
    name: str, value: Any, told_: str
) -> None:
    program = read("return 1", PARAMETERS)
    with pytest.raises(InvalidArgument, match=told_) as caught:
        run_program(program, GIVEN | {name: value})
    if name in ("q", "x", "b", "m"):
        assert "77" not in str(caught.value)
        assert "got" not in str(caught.value)


def test_every_argument_must_be_given() -> None:
    program: Program = read("return 1", PARAMETERS)
    with pytest.raises(InvalidArgument, match="x must be passed"):
        run_program(program, {name: value for name, value in GIVEN.items() if name != "x"})
    assert run_program(
        program, GIVEN | {"q": np.array([1, 2]), "b": np.bool_(True), "m": np.int64(3)}
    ) == [1]


@pytest.mark.parametrize("start", range(0, 80, 20))
def test_the_interpreter_agrees_with_exact_python(start: int) -> None:
    """Against Python itself, on big rationals: generated programs, with constants from 10^-98 to
    10^98.
    """
    for seed in range(start, start + 20):
        ran, said = agree(seed)
        assert ran == said, seed


def test_a_runner_that_stops_at_some_number_of_bits_would_be_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def given_up(value: Any, step: Any) -> Any:
        return step(value if isinstance(value, Fraction) else value.enclose(64)[0])

    for module in (interpreter, value_operations, reals):
        monkeypatch.setattr(module, "evaluate_step", given_up)
    assert any(ran != said for ran, said in map(agree, range(30)))


def test_irrational_scales_and_probabilities_are_not_mixed_with_numbers() -> None:
    """Each stands for itself: none is added to another."""
    body = (
        "output(x + gaussian(sqrt(2 * ln(125)) / eps) > ln(3))\noutput(exponential(exp(eps) -"
        " ln(2)) > 0)\noutput(laplace(ln(5)) == 0)"
    )
    assert told(body, "x: private[float], " + EPS, x=10**9) == [True, True, False]
    with pytest.raises(Refused, match="two irrational constants"):
        told("return ln(2) < ln(3)")
