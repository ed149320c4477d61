"""Lines and words of the small language."""

from __future__ import annotations

import pytest

from hedgerow.verify.language.pseudocode.lexer import tokenise_lines
from hedgerow.verify.language.unsupported import UnsupportedProgram


def texts(text: str) -> list[list[str]]:
    return [[word.text for word in line.tokens] for line in tokenise_lines(text)]


def test_words_and_signs() -> None:
    assert texts("x :=$ Laplace(1.5e2/eps)") == [
        ["x", ":=$", "Laplace", "(", "1.5e2", "/", "eps", ")"]
    ]
    assert texts("a++b<=c ==> x<1> = y<2>") == [
        ["a", "++", "b", "<=", "c", "==>", "x<1>", "=", "y<2>"]
    ]
    assert texts("x<10") == [["x", "<", "10"]]


def test_lines_have_their_depth_and_their_number() -> None:
    first, second = tokenise_lines("f()\n\n    # a remark\n    x := 1 // another\n")
    assert (first.indent, second.indent) == (0, 4)
    assert (second.place.line, second.place.column) == (4, 4)
    assert tokenise_lines("\tx")[0].indent == 8


def test_a_line_goes_on_while_a_bracket_is_open() -> None:
    assert texts("f(x,\n  y)\n  z") == [["f", "(", "x", ",", "y", ")"], ["z"]]


@pytest.mark.parametrize(
    ("text", "told", "line"),
    [
        ("x := $", "'$' is not in the language", 1),
        ("x\ny := 'a'", "is not in the language", 2),
        ("f(x", "no closing bracket", 1),
        ("x\nf)", "no opening bracket", 2),
        ("x" * 2001, "2000 characters", 1),
    ],
)
def test_what_is_no_word_is_refused(text: str, told: str, line: int) -> None:
    with pytest.raises(UnsupportedProgram) as caught:
        tokenise_lines(text)
    assert told in caught.value.reason
    assert caught.value.place.line == line
