"""Expressions of the small language."""

from __future__ import annotations

import pytest

from hedgerow.verify.language.program import format_expression
from hedgerow.verify.language.pseudocode.expressions import TokenCursor
from hedgerow.verify.language.pseudocode.lexer import tokenise_lines
from hedgerow.verify.language.unsupported import UnsupportedProgram


def cursor(text: str, *, tags: bool = False) -> TokenCursor:
    (line,) = tokenise_lines(text)
    return TokenCursor(line.tokens, {"l"}, allows_tags=tags)


@pytest.mark.parametrize(
    ("text", "understood"),
    [
        ("1 + 2 * x", "1 + 2 * x"),
        ("(1 + 2) * x", "(1 + 2) * x"),
        ("x - y - z", "x - y - z"),
        ("-x * -2", "-x * -2"),
        ("x = 1 and not y or z", "x == 1 and not y or z"),
        ("x == 1 && ! y || z", "x == 1 and not y or z"),
        ("x > 1", "1 < x"),
        ("x >= y + 1", "y + 1 <= x"),
        ("x <> 1", "x != 1"),
        ("|x - y| <= 1", "abs(x - y) <= 1"),
        ("x mod 2", "x % 2"),
        ("a xor b", "a xor b"),
        ("a ^ b", "a xor b"),
        ("a & b", "a & b"),
        ("~a", "bits~(a)"),
        ("a ++ b", "a ++ b"),
        ("l[i + 1]", "l[i + 1]"),
        ("size(l)", "len(l)"),
        ("max(x, ln(2))", "max(x, ln(2))"),
        ("2.5", "5/2"),
        ("true", "True"),
        ("False", "False"),
    ],
)
def test_expressions(text: str, understood: str) -> None:
    here = cursor(text)
    assert format_expression(here.parse_expression()) == understood
    here.expect_end()


def test_two_runs_have_tags_in_judgements_only() -> None:
    assert (
        format_expression(cursor("x<1> = l<2>[0] + size(l<1>)", tags=True).parse_expression())
        == "x<1> == l<2>[0] + len(l<1>)"
    )
    with pytest.raises(UnsupportedProgram, match="only a judgement"):
        cursor("x<1> + 2").parse_expression()


def test_in_a_judgement_a_bracket_after_a_variable_begins_the_epsilon() -> None:
    here = cursor("x<1> [1]", tags=True)
    assert format_expression(here.parse_expression()) == "x<1>"
    assert here.accept("[")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("1 +", "an expression was expected"),
        (")", "no opening bracket"),
        ("* 2", "an expression was expected"),
        ("and x", "an expression was expected"),
        ("(1", "no closing bracket"),
        ("x[1]", "only a list parameter"),
        ("l", "can only be indexed"),
        ("size(x)", "only a list parameter"),
        ("size(1)", "a name was expected"),
        ("g(x)", "cannot be called"),
        ("Laplace(1)", "draw noise with"),
        ("max(x)", "max takes 2 arguments"),
        ("abs(x, y)", "abs takes 1 argument"),
        ("|x", "| was expected"),
        ("(" * 70 + "x" + ")" * 70, "expressions are nested more than"),
        ("1" * 150, "hundred digits"),
        ("1e999", "hundred digits"),
    ],
)
def test_expressions_outside_of_the_language(text: str, told: str) -> None:
    with pytest.raises(UnsupportedProgram) as caught:
        cursor(text).parse_expression()
    assert told in caught.value.reason


def test_a_word_too_many_is_refused() -> None:
    here = cursor("x y")
    here.parse_expression()
    with pytest.raises(UnsupportedProgram, match="the end of the line was expected"):
        here.expect_end()
