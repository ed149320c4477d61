"""Writing everything out in five statements changes nothing: the same functions, run by Python
and run as programs, tell the same.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.verify.language.interpreter import run_program
from hedgerow.verify.language.lowering import MAX_BLOCK_DEPTH, MAX_STATEMENTS, lower_steps
from hedgerow.verify.language.program import (
    Apply,
    Assign,
    If,
    Name,
    Noise,
    Number,
    Sample,
    Truth,
    While,
    collect_names,
    find_assigned_names,
    format_expression,
    walk_statements,
)
from hedgerow.verify.language.steps import (
    BranchStep,
    JumpStep,
    LoopStep,
    NameSupply,
)
from hedgerow.verify.language.unsupported import UnsupportedProgram
from verify.language.reading import read

N, ONE = Name("n"), Number(1)  # type: ignore[arg-type]

BODIES = [
    "for i in range(n):\n    if i == 2:\n        break\n    output(i)",
    "for i in range(n):\n    if i == 2:\n        continue\n    output(i)",
    (
        "for i in range(n):\n    if i % 2 == 0:\n        if i == 4:\n            break\n   "
        " output(i)\noutput(0 - 1)"
    ),
    (
        "for i in range(n):\n    if i % 2 == 0:\n        if i == 2:\n            continue\n       "
        " output(100)\n    output(i)"
    ),
    "for i in range(n):\n    if i == 3:\n        return i\nreturn 7",
    (
        "for i in range(n):\n  j = 0\n  while True:\n    if j > i:\n      break\n    if j == 3:\n  "
        "    return 99\n    j += 1\n  output(j)"
    ),
    (
        "i = 0\nwhile i < n:\n  i += 1\n  if i == 2:\n    output(2)\n  elif i == 3:\n    continue\n"
        "  else:\n    output(i + 10)\n  output(0)"
    ),
    "for i in range(n, 0, -2):\n    output(i)",
    "for i in range(2, n):\n    i += 5\n    output(i)",
    "i = 9\nfor i in range(n):\n    pass\noutput(i)",
    "m = n\nfor i in range(m):\n    m -= 1\n    output(m)",
    "n = n + 1\nfor i in range(n):\n    n += 1\noutput(n)",
    "a, c = 1, 2\na, c = c, a\noutput(a)\noutput(c)",
    "a = c = n\na += 1\noutput(a + c)",
    "if n > 3:\n    return 1\nif n > 1:\n    return 2\nreturn 3",
    "if n > 3:\n    if n > 4:\n        return 1\nelse:\n    output(5)\noutput(6)",
    (
        "out = []\nfor i in range(n):\n    out.append(i)\n    if i == 3:\n        return"
        " out\nreturn out"
    ),
    "out = []\nfor i in range(n):\n    out = out + [i, i + 1]\n    out += [0]\nreturn out",
    "return n, n + 1",
    "if n > 2:\n    n = 1\nelse:\n    n = n + 5\noutput(n)",
    "if n == 2:\n    return\noutput(n)",
    "i = 7\nfor i in range(3):\n    for i in range(n):\n        output(i)\n    output(i + 50)",
    (
        "for i in range(3):\n    for j in range(n):\n        output(j)\n    for j in range(2):\n   "
        "     output(j)"
    ),
    "output(1 if 1 < n <= 3 != n else 0)",
    (
        "output(n // 2)\noutput(-n % 3)\noutput(n ** 3)\noutput(min(n, 2, 1))\noutput(max(n,"
        " 2))\noutput(abs(-n))"
    ),
    "output(not (n > 2 and n < 4) or n == 0)",
]


def by_python(body: str, n: int) -> list[Any]:
    """What Python itself makes of it."""
    told: list[Any] = []
    lines = "\n    ".join(body.splitlines())
    scope: dict[str, Any] = {"output": told.append}
    exec(f"def f(n):\n    {lines}", scope)
    given_back = scope["f"](n)
    return [
        *told,
        *(
            given_back
            if isinstance(given_back, tuple | list)
            else []
            if given_back is None
            else [given_back]
        ),
    ]


def by_program(body: str, n: int) -> list[Any]:
    program = read(body, "n: public[int], eps: public[float]")
    return run_program(program, {"n": n, "eps": 1})


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("n", [0, 1, 2, 3, 5])
def test_a_program_outputs_what_python_outputs(body: str, n: int) -> None:
    assert by_program(body, n) == by_python(body, n)


def blocks(depth: int, *, loop: bool) -> st.SearchStrategy[list[str]]:
    """Random bodies: assignments, outputs, choices, loops with a bound, and every way of
    leaving.
    """
    simple = st.sampled_from(
        ["a += 1", "a = a * 2 % 7", "output(a)", "c = a", "output(c)", "a -= 3"]
    )
    leaving = st.sampled_from(["return a", "return", *(["break", "continue"] if loop else [])])
    single = st.one_of(simple, simple, simple, leaving).map(lambda line: [line])
    if depth:

        def indented(lines: list[str]) -> list[str]:
            return ["    " + line for line in lines]

        inner, body = blocks(depth - 1, loop=loop), blocks(depth - 1, loop=True)
        tests = st.sampled_from(["a > 2", "c == 1", "a % 2 == 0 and n > 1", "not a < c"])
        choice = st.tuples(tests, inner, inner).map(
            lambda t: [f"if {t[0]}:", *indented(t[1]), "else:", *indented(t[2])]
        )
        half = st.tuples(tests, inner).map(lambda t: [f"if {t[0]}:", *indented(t[1])])
        repeat = st.tuples(st.sampled_from(["i", "j"]), body).map(
            lambda t: [f"for {t[0]} in range(n):", *indented(t[1])]
        )
        single = st.one_of(single, choice, half, repeat)
    return st.lists(single, min_size=1, max_size=4).map(
        lambda several: [line for one in several for line in one]
    )


@given(lines=blocks(3, loop=False), n=st.integers(0, 3))
@settings(max_examples=80, deadline=None, derandomize=True)
def test_any_program_outputs_what_python_outputs(lines: list[str], n: int) -> None:
    body = "\n".join(["a = 1", "c = 0", *lines])
    assert by_program(body, n) == by_python(body, n)


def lower(*steps: Any) -> Any:
    return lower_steps(tuple(steps), (), NameSupply({"n"}))


def test_noise_in_a_guard_is_drawn_each_time_at_one_site() -> None:
    draw = Sample("z", Noise.LAPLACE, (ONE,), 0)
    guard = Apply("and", (Apply("<", (Name("i"), N)), Apply("<", (Name("z"), N))))
    block = lower(Assign("i", ONE), LoopStep(guard, (Assign("i", N),), (draw,)))
    (loop,) = (one for one in block if isinstance(one, While))
    assert format_expression(loop.condition) == "i < n and not broken"
    assert isinstance(loop.body[0], Sample)
    choice = loop.body[1]
    assert isinstance(choice, If)
    assert format_expression(choice.condition) == "z < n"
    assert choice.otherwise == (Assign("broken", Truth(True)),)


def test_several_questions_about_noise_stay_together() -> None:
    draw = Sample("z", Noise.LAPLACE, (ONE,), 0)
    noisy = Apply("<", (Name("z"), N))
    block = lower(
        LoopStep(Apply("and", (Apply("and", (N, N)), Apply("and", (noisy, noisy)))), (), (draw,))
    )
    conditions = [
        format_expression(one.condition)
        for one in walk_statements(block)
        if isinstance(one, If | While)
    ]
    assert conditions == ["n and n and not broken", "z < n and z < n"]


def test_a_guard_of_noise_only_is_asked_inside() -> None:
    draw = Sample("z", Noise.LAPLACE, (ONE,), 0)
    block = lower(LoopStep(Apply("<", (Name("z"), N)), (), (draw,)))
    assert [
        format_expression(one.condition) for one in walk_statements(block) if isinstance(one, While)
    ] == ["not broken"]


def test_flags_that_are_never_read_are_dropped() -> None:
    block = lower(
        LoopStep(Apply("<", (N, ONE)), (Assign("a", N),)), BranchStep(N, (JumpStep("return"),))
    )
    assert find_assigned_names(block) == {"a"}


def test_sites_are_numbered_in_the_order_of_the_text() -> None:
    draw = Sample("z", Noise.LAPLACE, (ONE,), 0)
    block = lower(draw, BranchStep(N, (draw,), (draw,)), LoopStep(N, (draw,)))
    assert [one.site for one in walk_statements(block) if isinstance(one, Sample)] == [0, 1, 2, 3]


def test_a_parameter_that_is_changed_is_copied_first() -> None:
    program = read("n += 1\nn = n + laplace(n)\noutput(n)", "n: public[int], eps: public[float]")
    assert "n" not in find_assigned_names(program.body)
    assert program.body[0] == Assign("n_now", Name("n"))
    for one in program.body[1:]:
        assert "n" not in collect_names(
            one.value if hasattr(one, "value") else one.parameters[0]  # type: ignore[union-attr]
        )


def test_oversized_programs_are_refused() -> None:
    with pytest.raises(UnsupportedProgram, match=f"more than {MAX_STATEMENTS} statements"):
        lower(*(Assign("a", N) for _ in range(MAX_STATEMENTS + 1)))
    nested: Any = Assign("a", N)
    for _ in range(MAX_BLOCK_DEPTH + 2):
        nested = BranchStep(N, (nested,))
    with pytest.raises(UnsupportedProgram, match=f"nested more than {MAX_BLOCK_DEPTH} deep"):
        lower(nested)
    wide: Any = N
    for _ in range(7):
        wide = Apply("+", (wide, wide))
    with pytest.raises(UnsupportedProgram, match="parts"):
        lower(Assign("a", wide))


def test_a_list_among_the_parameters_is_not_changed() -> None:
    from verify.language.reading import refused

    found = refused("output(1)\nq = 1", "q: private[list], eps: public[float]")
    assert "cannot be assigned" in found.reason
    assert found.place.line == 4


def test_the_harness_can_fail() -> None:
    """A wrong reading would be seen: Python's own tree of another program tells something else."""
    assert by_program("output(n)", 1) != by_python("output(n + 1)", 1)
