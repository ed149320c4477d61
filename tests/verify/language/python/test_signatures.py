"""Python files: every mechanism is found and none is run; heads outside of the language are
refused with their line.
"""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.verify import laplace, mechanism, private, public
from hedgerow.verify.language.program import (
    Kind,
    Name,
    Neighbours,
    Noise,
    Number,
    Program,
    Relation,
    Sample,
    format_expression,
)
from hedgerow.verify.language.python import read_program, read_programs, returns_single_value
from hedgerow.verify.language.signature import MAX_TEXT_LENGTH
from hedgerow.verify.language.unsupported import UnsupportedProgram
from verify.language.reading import HEAD, PROGRAMS, gallery, read, refused

ISSUE = """
from hedgerow.verify import mechanism, private, public, laplace, output

@mechanism(epsilon="eps", neighbours="all")
def above_threshold(q: private[list], size: public[int], T: public[float], \
N: public[int], eps: public[float]):
    threshold = T + laplace(2 / eps)
    count = 0
    i = 0
    while i < size and count < N:
        if q[i] + laplace(4 * N / eps) >= threshold:
            output(True)
            count += 1
        else:
            output(False)
        i += 1

raise SystemExit("a file is read, never run")
"""


def test_the_example_is_read_with_its_lines() -> None:
    (program,) = read_programs(ISSUE)
    assert isinstance(program, Program)
    assert program.name == "above_threshold"
    assert program.place.line == 5
    assert [one.place.line for one in program.samples] == [6, 10]
    assert [format_expression(one.parameters[0]) for one in program.samples] == [
        "2 / eps",
        "4 * N / eps",
    ]
    assert program.claim.neighbours == Neighbours(Relation.ALL)
    assert program.source.startswith("@mechanism")
    assert program.source.endswith("i += 1")
    assert [(one.name, one.kind, one.private, one.list) for one in program.parameters[:2]] == [
        ("q", Kind.REAL, True, True),
        ("size", Kind.INT, False, False),
    ]


def test_the_whole_gallery_is_read() -> None:
    assert len(gallery()) > 50
    assert {"above_threshold", "noisy_max", "one_time_pad", "DummySum2"} <= gallery().keys()


def test_several_mechanisms_come_in_order_and_a_wrong_one_spoils_only_itself() -> None:
    text = (
        f"{HEAD}def b(x: private[float], eps: public[float]):\n    return x.y\n\n{HEAD}def a(eps:"
        " public[float]):\n    return 1\n"
    )
    one, other = read_programs(text)
    assert isinstance(one, UnsupportedProgram)
    assert (one.name, one.place.line) == ("b", 3)
    assert isinstance(other, Program)


def test_a_file_without_mechanisms_has_none() -> None:
    assert read_programs("def f(x):\n    return x\n") == []


@pytest.mark.parametrize(
    ("text", "told", "line"),
    [
        ("def f(:\n", "Python", 1),
        ("x = 1\nif x\n", "Python", 2),
        ("x = '\0'", "Python", 0),
        ("x = " + "(" * 5000 + ")" * 5000, "Python", None),
        ("x = " + "-" * 90_000 + "1", "Python", None),
        ("#" * (MAX_TEXT_LENGTH + 1), "characters", 0),
        ("x=1\n" * 20_000, "syntax nodes", 0),
    ],
)
def test_what_is_not_a_python_file_is_one_refusal(text: str, told: str, line: int | None) -> None:
    (outside,) = read_programs(text, "file.py")
    assert isinstance(outside, UnsupportedProgram)
    assert told in outside.reason
    assert outside.name == "file.py"
    assert line is None or outside.place.line == line


@pytest.mark.parametrize(
    ("parameters", "told"),
    [
        ("x, eps: public[float]", "declare x private"),
        ("x: float, eps: public[float]", "declare x private"),
        ("x: secret[float], eps: public[float]", "declare x"),
        ("x: private, eps: public[float]", "declare x"),
        ("x: private[str], eps: public[float]", "a parameter must be int, float"),
        ("x: private[list[str]], eps: public[float]", "a parameter must be int, float"),
        ("x: 'private[', eps: public[float]", "is not a Python expression"),
        ("*x, eps: public[float]", "parameters cannot have"),
        ("x: private[float] = 1, *, eps: public[float]", "parameters cannot have"),
        ("eps: public[float], **x", "parameters cannot have"),
        ("m: private[bits[k]], eps: public[float]", "k may be read before"),
        ("m: private[bits[k]], k: private[int], eps: public[float]", "k may be read before"),
    ],
)
def test_parameters_outside_of_the_language(parameters: str, told: str) -> None:
    outside = refused("return 1", parameters)
    assert told in outside.reason
    assert outside.name == "f"
    assert outside.place.line == 2


@pytest.mark.parametrize(
    ("head", "told"),
    [
        ("@mechanism\n", "write the claim as"),
        ('@mechanism("eps")\n', "write the claim as"),
        ('@mechanism(epsilon="eps")\n', "needs neighbours"),
        ('@mechanism(neighbours="one")\n', "needs epsilon"),
        ('@mechanism(epsilon="eps", neighbours="one", rho=1)\n', "not rho"),
        ('@mechanism(epsilon=eps, neighbours="one")\n', "literal"),
        ('@mechanism(epsilon="eps +", neighbours="one")\n', "is not a Python expression"),
        ('@mechanism(epsilon="x", neighbours="one")\n', "mentions x"),
        ('@mechanism(epsilon="q[0]", neighbours="one")\n', "in the claim"),
        ('@mechanism(epsilon="laplace(1)", neighbours="one")\n', "cannot draw noise"),
        ('@mechanism(epsilon=-1, neighbours="one")\n', "literal"),
        ('@mechanism(epsilon="-1", neighbours="one")\n', "at least 0"),
        ('@mechanism(epsilon="True", neighbours="one")\n', "a number is needed"),
        ('@mechanism(epsilon="eps", neighbours=None)\n', "must be one of"),
        ('@mechanism(epsilon="eps", neighbours=("l1", x))\n', "a pair such as"),
        ('@mechanism(epsilon="eps", neighbours=("l1", -1))\n', "a pair such as"),
        ('@mechanism(epsilon="eps", neighbours=["one"])\n', "a pair such as"),
        ('@cache\n@mechanism(epsilon="eps", neighbours="one")\n', "must be the only decorator"),
    ],
)
def test_claims_outside_of_the_language(head: str, told: str) -> None:
    outside = refused("return 1", head=head)
    assert told in outside.reason
    assert outside.place.line > 0


def test_claims_in_the_language() -> None:
    program = read(
        "return 1",
        head='@hedgerow.verify.mechanism(epsilon="2*eps", delta="1/8", neighbours=("group", 3))\n',
    )
    assert (format_expression(program.claim.epsilon), program.claim.neighbours) == (
        "2 * eps",
        Neighbours(Relation.GROUP, 3),
    )
    assert program.claim.delta is not None
    assert (
        read("return 1", head='@mechanism(epsilon=0, delta=0, neighbours="one")\n').claim.delta
        is None
    )
    assert read(
        "return 1", head='@mechanism(epsilon=0.1, neighbours="one")\n'
    ).claim.epsilon == Number(Fraction(1, 10))


def test_annotations_as_text_and_lists_of_all_kinds() -> None:
    kinds = (
        "a: 'private[list[int]]', m: private['bits[n + 1]'], w: public[list[bits[n]]], v:"
        " public[bool], n: public[int], eps: public[float]"
    )
    program = read("return 1", kinds)
    found = [
        (one.kind, one.list, format_expression(one.width) if one.width else None)
        for one in program.parameters[:4]
    ]
    assert found == [
        (Kind.INT, True, None),
        (Kind.BITS, False, "n + 1"),
        (Kind.BITS, True, "n"),
        (Kind.BOOL, False, None),
    ]


def test_a_chain_of_choices_that_is_too_deep_is_refused() -> None:
    chain = "if n == 0:\n    pass\n" + "".join(f"elif n == {k}:\n    pass\n" for k in range(1, 600))
    assert "nested too deeply" in refused(f"{chain}return 1").reason


SUMS = (PROGRAMS / "sums.py").read_text(encoding="utf-8")


@given(
    at=st.integers(0, len(SUMS)),
    length=st.integers(0, 40),
    more=st.text("()[]:,=+-*^x1 \n'\"", max_size=5),
)
@settings(max_examples=60, deadline=None, derandomize=True)
def test_a_mangled_file_is_read_or_refused(at: int, length: int, more: str) -> None:
    for found in read_programs(SUMS[:at] + more + SUMS[at + length :]):
        assert isinstance(found, Program | UnsupportedProgram)


def test_an_async_function_is_refused() -> None:
    (outside,) = read_programs(f"{HEAD}async def f(eps: public[float]):\n    return 1\n")
    assert isinstance(outside, UnsupportedProgram)
    assert "async" in outside.reason


@mechanism(epsilon="eps", neighbours="one")
def noisy(x: private[float], eps: public[float]):
    """A function of this file."""
    return x + laplace(1 / eps)


def test_a_function_is_read_from_its_source() -> None:
    program = read_program(noisy.__wrapped__)
    assert program.name == "noisy"
    (sample,) = program.samples
    assert isinstance(sample, Sample)
    assert sample.noise is Noise.LAPLACE
    with open(__file__, encoding="utf-8") as file:
        assert "laplace(1 / eps)" in file.read().splitlines()[sample.place.line - 1]
    assert program.claim.epsilon == Name("eps")


def test_a_function_without_source_or_claim_is_refused() -> None:
    scope: dict[str, object] = {}
    exec("def f(): return 1", scope)
    with pytest.raises(UnsupportedProgram, match="not available"):
        read_program(scope["f"])  # type: ignore[arg-type]
    with pytest.raises(UnsupportedProgram, match="@mechanism"):
        read_program(test_an_async_function_is_refused)
    with pytest.raises(UnsupportedProgram, match="@mechanism"):
        read_program(lambda: 1)


def test_a_refused_function_raises() -> None:
    @mechanism(epsilon="eps", neighbours="one")
    def wrong(x: private[float], eps: public[float]):
        return x @ eps

    with pytest.raises(UnsupportedProgram, match="not in the language"):
        read_program(wrong.__wrapped__)


@pytest.mark.parametrize(
    ("body", "one"),
    [
        ("return x", True),
        ("if n > 1:\n    return 1\nreturn 2", True),
        ("return x, x", False),
        ("return [x]", False),
        ("output(x)\nreturn x", False),
        ("if n > 1:\n    return\nreturn 2", False),
        ("if n > 1:\n    return None\nreturn 2", False),
        ("if n > 1:\n    return 1\noutput(1)", False),
        ("out = []\nout.append(x)\nreturn out", False),
        ("for i in range(n):\n    return i", False),
    ],
)
def test_whether_a_function_gives_one_value(body: str, one: bool) -> None:
    assert returns_single_value(read(body)) is one
