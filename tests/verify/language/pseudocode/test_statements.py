"""Statements of the small language."""

from __future__ import annotations

import pytest

from hedgerow.verify.language.interpreter import run_program
from hedgerow.verify.language.program import (
    If,
    Noise,
    Output,
    Program,
    While,
    format_expression,
    walk_statements,
)
from hedgerow.verify.language.unsupported import UnsupportedProgram
from verify.language.reading import small


def read(body: str) -> Program:
    found = small(body)
    assert isinstance(found, Program), found
    return found


def told(body: str, n: int = 3) -> list[object]:
    return list(run_program(read(body), {"l": [5, 6, 7], "x": 2, "n": n, "eps": 1}))


@pytest.mark.parametrize(
    ("body", "outputs"),
    [
        ("y := n; y := y + 1\nreturn y", [4]),
        ("i := 0\nwhile i < n do\n  output i;\n  i := i + 1;", [0, 1, 2]),
        ("i := 0\nwhile i < n:\n  i := i + 1\n  if i = 2 then\n    return i\nreturn 0", [2]),
        ("if n > 5 then\n  return 1\nelse if n > 2 then\n  return 2\nelse\n  return 3", [2]),
        (
            (
                "if n > 5:\n  y := 1\nelif n > 4:\n  y := 2\nelif n > 3:\n  y := 3\nelse:\n  y :="
                " 4\nreturn y"
            ),
            [4],
        ),
        ("if n > 5\n  skip\nreturn 9", [9]),
        (
            "r := []\ni := 0\nwhile i < n do\n  r := r ++ [i, i + 10]\n  i := i + 1\nreturn r",
            [0, 10, 1, 11, 2, 12],
        ),
        ("return (n, n + 1)", [3, 4]),
        ("if n > 2 then y := 1 else y := 2\nreturn y", [1]),
        ("if n > 3 then y := 1; skip else if n > 2 then y := 5 else y := 2\nreturn y", [5]),
        ("i := 0; y := 0\nwhile i < n do y := y + i; i := i + 1\nreturn y", [3]),
        ("if n > 3 then\n  y := 1\nelse y := 2; y := y + 1\nreturn y", [3]),
        ("i := 0\nwhile i < n do\n  if i = 1 then output 7\n  i := i + 1\nreturn i", [7, 3]),
        ("return [n, n + 1]", [3, 4]),
        ("return (n) + (1)", [4]),
        ("return (max(n, 5))", [5]),
        ("return", []),
        ("output(n); return 1", [3, 1]),
        ("n := n + 1; return n", [4]),
    ],
)
def test_statements_do_what_they_say(body: str, outputs: list[object]) -> None:
    assert told(body) == outputs


def test_blocks_within_blocks_end_where_their_depth_ends() -> None:
    program = read(
        "i := 0\nwhile i < n do\n  if i = 1 then\n    output 1\n  else\n    output 0\n  i := i +"
        " 1\noutput 5"
    )
    (loop,) = (one for one in program.body if isinstance(one, While))
    assert isinstance(loop.body[0], If)
    assert len(loop.body) == 2
    assert isinstance(program.body[-1], Output)


@pytest.mark.parametrize(
    ("draw", "noise", "parameters"),
    [
        ("Laplace(1/eps)", Noise.LAPLACE, ["1 / eps"]),
        ("Lap(1)", Noise.LAPLACE, ["1"]),
        ("Geometric(2)", Noise.GEOMETRIC, ["2"]),
        ("Gaussian(2)", Noise.GAUSSIAN, ["2"]),
        ("Normal(2)", Noise.GAUSSIAN, ["2"]),
        ("Exponential(2)", Noise.EXPONENTIAL, ["2"]),
        ("Bernoulli(1/2)", Noise.BERNOULLI, ["1 / 2"]),
        ("Flip(1/2)", Noise.BERNOULLI, ["1 / 2"]),
        ("Uniform(0, 1)", Noise.UNIFORM, ["0", "1"]),
        ("Uniform(bits[n + 1])", Noise.BITS, ["n + 1"]),
        ("Uniform({0,1}^n)", Noise.BITS, ["n"]),
    ],
)
def test_every_noise_can_be_drawn(draw: str, noise: Noise, parameters: list[str]) -> None:
    (sample,) = read(f"z :=$ {draw}\nreturn 1").samples
    assert (sample.name, sample.noise, [format_expression(one) for one in sample.parameters]) == (
        "z",
        noise,
        parameters,
    )


def test_noise_around_a_centre() -> None:
    program = read("z :=$ Laplace(x, 1/eps)\nreturn z")
    assert [
        format_expression(one.value)
        for one in walk_statements(program.body)
        if hasattr(one, "value")
    ] == ["x + noise", "z"]


@pytest.mark.parametrize(
    ("body", "told", "line"),
    [
        ("x = 1", ":= was expected", 2),
        ("x := 1 2", "the end of the line was expected", 2),
        ("1 := x", "a name was expected", 2),
        ("else\n  skip", "cannot start a statement here", 2),
        ("x := 1\n    y := 2", "unexpected indent", 3),
        ("while n > 1 do\nx := 1", "an indented block must follow", 2),
        ("while n > 1 do", "an indented block must follow", 2),
        ("if n > 1 then\n    x := 1\n  y := 2", "indent", 4),
        ("if n > 1 x := 1", "the end of the line was expected", 2),
        ("if n > 1 then y := 1\n    z := 1", "unexpected indent", 3),
        ("z :=$ Cauchy(1)", "is not a distribution", 2),
        ("z :=$ Laplace(1, 2, 3)", "takes 1 parameter", 2),
        ("z :=$ Uniform(1)", "takes 2 parameters", 2),
        ("z :=$ 1", "a name was expected", 2),
        ("l := 1\nreturn 1", "cannot be assigned", 2),
        ("r := []\nr := []\nreturn r", "start it once", 3),
        ("if n > 1 then\n  r := []\nreturn 1", "start it once", 3),
        ("r := []\nr := [1] ++ r\nreturn r", "only grow", 3),
        ("r := []\nr :=$ Laplace(1)\nreturn r", "only grow", 3),
        ("r := []\nreturn 1", "every return must return the list", 3),
        ("r := []\nr := r ++ [1]", "is never returned", 3),
        ("r := []", "is never returned", 2),
        ("r := []\noutput 1\nreturn r", "not both", 3),
        ("output 1\nr := []\nreturn r", "not both", 3),
        ("r := []\nx := r\nreturn r", "may be read before", 3),
        ("r := []\nr := r ++ [r]\nreturn r", "may be read before", 3),
        ("skip skip", "the end of the line was expected", 2),
        ("x := l ++ [1]", "can only be indexed", 2),
        ("y := [1]\nreturn 1", "an expression was expected", 2),
        ("break", "", 2),
    ],
)
def test_statements_outside_of_the_language(body: str, told: str, line: int) -> None:
    found = small(body)
    assert isinstance(found, UnsupportedProgram)
    assert told in found.reason
    assert found.place.line == line
