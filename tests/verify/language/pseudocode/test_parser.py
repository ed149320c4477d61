"""Files of the small language: heads, claims, judgements."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.verify.language.judgement import Judgement
from hedgerow.verify.language.program import (
    Kind,
    Neighbours,
    Noise,
    Number,
    Program,
    Relation,
    format_expression,
)
from hedgerow.verify.language.pseudocode import parse_document
from hedgerow.verify.language.signature import MAX_TEXT_LENGTH
from hedgerow.verify.language.unsupported import UnsupportedProgram
from verify.language.reading import PROGRAMS

PAD = """OneTimePad(m : private bits[n]) : public bits[n]
  key :=$ Uniform(bits[n]);
  cipher := m xor key;
  return cipher
"""


def one(text: str) -> Program | UnsupportedProgram:
    (found,) = parse_document(text).programs
    return found


def test_the_one_time_pad_is_read() -> None:
    program = one(PAD)
    assert isinstance(program, Program)
    assert [(p.name, p.kind, p.private) for p in program.parameters] == [
        ("m", Kind.BITS, True),
        ("n", Kind.INT, False),
    ]
    assert program.claim.neighbours.relation is Relation.SECRET
    assert program.claim.epsilon == Number(Fraction(0))
    assert program.samples[0].noise is Noise.BITS
    assert program.source == PAD.rstrip()
    assert [step.place.line for step in program.body] == [2, 3, 4]


def test_the_programs_of_the_mission_are_read() -> None:
    found = parse_document((PROGRAMS / "mission.hr").read_text(encoding="utf-8")).programs
    assert all(isinstance(program, Program) for program in found)
    assert [program.name for program in found][:3] == ["OneTimePad", "BadMean", "Mean"]


@pytest.mark.parametrize(
    ("claim", "epsilon", "neighbours", "delta"),
    [
        ("claim 2 * eps for all", "2 * eps", Neighbours(Relation.ALL), None),
        ("claim eps, 1/100 for one;", "eps", Neighbours(Relation.ONE), "1 / 100"),
        ("claim eps for l1 3", "eps", Neighbours(Relation.L1, 3), None),
        ("skip", "eps", Neighbours(Relation.ONE), None),
    ],
)
def test_claims(claim: str, epsilon: str, neighbours: Neighbours, delta: str | None) -> None:
    program = one(f"f(x : private real, eps : public real)\n  {claim}\n  return 1")
    assert isinstance(program, Program)
    assert format_expression(program.claim.epsilon) == epsilon
    assert program.claim.neighbours == neighbours
    assert (format_expression(program.claim.delta) if program.claim.delta else None) == delta


def test_types() -> None:
    head = (
        "f(a : private list of int, b : public list[bits[4]], c : private bool, d : public float, e"
        " : private list) : public list ="
    )
    program = one(f"{head}\n  return 1")
    assert isinstance(program, Program)
    assert [(p.kind, p.list) for p in program.parameters] == [
        (Kind.INT, True),
        (Kind.BITS, True),
        (Kind.BOOL, False),
        (Kind.REAL, False),
        (Kind.REAL, True),
    ]


@pytest.mark.parametrize(
    ("text", "told", "line"),
    [
        ("f(x : real)\n  return 1", "declare x private or public", 1),
        ("f(x)\n  return 1", ": was expected", 1),
        ("f(x : private text)\n  return 1", "is not a type", 1),
        ("f(x : private real, x : public real)\n  return 1", "two parameters are called x", 1),
        ("f(x : private real\n  return 1", "no closing bracket", 1),
        ("f(x : private real) y\n  return 1", "the end of the line was expected", 1),
        ("f(x : private real) : real\n  return 1", "declare res", 1),
        ("f\n  return 1", "( was expected", 1),
        ("f()", "has no body", 1),
        ("f()\n  claim 1 for one", "has no body", 1),
        ("f()\n  claim 1 for some\n  return 1", "neighbours must be one of", 2),
        ("f()\n  claim 1 for l1 1.5\n  return 1", "must be an integer", 2),
        ("f()\n  claim 1 for l1\n  return 1", "take a number", 2),
        ("f()\n  claim 1\n  return 1", "for was expected", 2),
        ("f()\n  claim eps for one\n  return 1", "mentions eps", 2),
        ("f()\n  return y", "y may be read before", 2),
        ("  f()\n  return 1", "has no body", 1),
        ("x" * (MAX_TEXT_LENGTH + 1), "characters", 0),
        ("f() $\n  return 1", "is not in the language", 1),
        ("f()\n    skip\n  return 1", "the indentation of this line matches no block", 3),
        (
            "f()\n"
            + "".join("  " * depth + "while true do\n" for depth in range(1, 60))
            + "  " * 60
            + "skip",
            "nested more than",
            0,
        ),
    ],
)
def test_heads_outside_of_the_language(text: str, told: str, line: int) -> None:
    found = one(text)
    assert isinstance(found, UnsupportedProgram)
    assert told in found.reason
    assert line in (0, found.place.line)


def test_very_deep_blocks_are_refused_and_not_choked_on() -> None:
    depth = 1500
    text = (
        "f()\n"
        + "".join(" " * level + "while true do\n" for level in range(1, depth))
        + " " * depth
        + "skip"
    )
    found = one(text[: MAX_TEXT_LENGTH - 1] if len(text) > MAX_TEXT_LENGTH else text)
    assert isinstance(found, UnsupportedProgram)


def test_a_wrong_program_spoils_only_itself() -> None:
    first, second = parse_document("f()\n  return y\n\ng()\n  return 1\n").programs
    assert isinstance(first, UnsupportedProgram)
    assert first.name == "f"
    assert isinstance(second, Program)


MISSION = (PROGRAMS / "mission.hr").read_text(encoding="utf-8")


@given(
    at=st.integers(0, len(MISSION)),
    length=st.integers(0, 40),
    more=st.text("()[]{}:;,=+-$<>x1 \n", max_size=5),
)
@settings(max_examples=80, deadline=None, derandomize=True)
def test_a_mangled_file_is_read_or_refused(at: int, length: int, more: str) -> None:
    for found in parse_document(MISSION[:at] + more + MISSION[at + length :]).programs:
        assert isinstance(found, Program | UnsupportedProgram)


FAIR = "Fair(x : private bool) : public bool\n  c :=$ Bernoulli(1/2)\n  return c\n"


def judged(line: str) -> Judgement | UnsupportedProgram:
    (found,) = parse_document(f"{FAIR}{line}").judgements
    return found


def test_a_judgement_is_read() -> None:
    found = judged(
        "judge Fair ~ Fair : x<1> != x<2> and true ==>\n  res<1> = res<2> or c<1> = c<2> [ln(3),"
        " 1/2];"
    )
    assert isinstance(found, Judgement)
    assert found.place.line == 4
    assert format_expression(found.precondition) == "x<1> != x<2> and True"
    assert format_expression(found.postcondition) == "res<1> == res<2> or c<1> == c<2>"
    assert found.epsilon is not None
    assert found.delta is not None
    assert (format_expression(found.epsilon), format_expression(found.delta)) == ("ln(3)", "1 / 2")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("judge Fair ~ Foul : true ==> true", "Foul is not a program"),
        ("judge Fair Fair : true ==> true", "write a judgement as"),
        ("judge Fair ~ Fair true ==> true", ": was expected"),
        ("judge Fair ~ Fair : true", "==> was expected"),
        ("judge Fair ~ Fair : true ==> true [1", "no closing bracket"),
        ("judge Fair ~ Fair : true ==> true [1] 2", "the end of the line was expected"),
        ("judge Fair ~ Fair : x = x ==> true", "the precondition mentions x"),
        ("judge Fair ~ Fair : c<1> = c<2> ==> true", "the precondition mentions c<1>"),
        ("judge Fair ~ Fair : true ==> y<1> = y<2>", "the postcondition mentions y<1>"),
        ("judge Fair ~ Fair : true ==> true [eps]", "eps is not a number"),
        ("judge Fair ~ Fair : ==> true", "an expression was expected"),
    ],
)
def test_judgements_outside_of_the_language(line: str, told: str) -> None:
    document = parse_document(f"{FAIR}{line}")
    found = [*document.judgements, *document.programs]
    (outside,) = (one for one in found if isinstance(one, UnsupportedProgram))
    assert told in outside.reason
    assert outside.place.line == 4


def test_a_judgement_about_a_program_that_was_not_read_is_refused() -> None:
    found = parse_document("f()\n  return y\njudge f ~ f : true ==> true")
    assert isinstance(found.judgements[0], UnsupportedProgram)
