"""Reading of regular expressions: one tree for all spellings, and what is refused."""

from __future__ import annotations

import pytest

from hedgerow.sql.syntax.regular_expressions import (
    PatternError,
    RegularExpression,
)


@pytest.mark.parametrize(
    ("spellings", "rendered"),
    [
        (("ab", "(a)b", "(?:a)(b)", "a{1}b", "[a][b]", "a{1,1}?b"), "ab"),
        (("a|b|c", "[abc]", "[a-c]", "(a|[bc])"), "[a-c]"),
        (("a*", "a{0,}", "(?:a)*"), "a*"),
        (("a+", "a{1,}"), "a+"),
        (("a?", "a{0,1}"), "a?"),
        (("a{2}?", "a{2,2}", "a{2}"), "a{2}"),
        (("a{2,}", "(a){2,}"), "a{2,}"),
        (("a{2,3}?",), "a{2,3}?"),
        ((".", "[^\\n]"), "[^\\x{a}]"),
        (("\\D", "[^0-9]", "[^\\d]"), "[^0-9]"),
        (("[\\s\\S]",), "[\\x{0}-\\x{10ffff}]"),
        (("ab|cd", "(?:ab)|(?:cd)", "(ab|cd)"), "ab|cd"),
        (("(ab|cd)e",), "(?:ab|cd)e"),
        (("(ab)+",), "(?:ab)+"),
        (("^a-\\.$",), "^a\\-\\.$"),
        (("[a-]", "[-a]", "[\\-a]"), "[\\-a]"),
        (("|a",), "|a"),
    ],
)
def test_spellings_with_one_meaning_have_one_tree(
    spellings: tuple[str, ...], rendered: str
) -> None:
    trees = {RegularExpression(written).build()[0] for written in spellings}
    assert trees == {rendered}


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ("a" * 1001, "more than 1000 characters"),
        ("a)", "closes a bracket"),
        ("(a", "not closed"),
        ("(a|b", "not closed"),
        ("[a", "ends too early"),
        ("[]", "must be written"),
        ("a\\", "ends too early"),
        ("a**", "two repetitions"),
        ("a+*", "two repetitions"),
        ("a*?+", "two repetitions"),
        ("(a*)+", "may be empty"),
        ("(|a)*", "may be empty"),
        ("^*", "may be empty"),
        ("(a?b?){2}", "may be empty"),
        ("*a", "must be written"),
        ("a{x", "must be written"),
        ("a{,3}", "must be written"),
        ("]", "must be written"),
        ("a{1001}", "more than 1000 times"),
        ("a{3,2}", "swapped, or 0"),
        ("a{0}", "swapped, or 0"),
        ("a{23}{4}", "two repetitions"),
        ("a{2003}", "more than 1000 times"),
        ("(a{40}){40}", "too large"),
        ("(?i)a", "sets a flag"),
        ("(?P<n>a)", "names a group"),
        ("(?!a)", "looks around"),
        ("(a)\\1", "refers back"),
        ("\\b", "not supported"),
        ("\\pL", "not supported"),
        ("[[:alpha:]]", "must be written"),
        ("[z-a]", "run forwards"),
        ("[\\d-z]", "run forwards"),
        ("[^\\s\\S]", "no character is in"),
    ],
)
def test_the_rest_is_refused(written: str, problem: str) -> None:
    with pytest.raises(PatternError, match=problem):
        RegularExpression(written).build()


def test_groups_are_wanted_only_where_every_match_goes_through_them() -> None:
    pattern = RegularExpression("(a)(?:(b)|c)(d)?((e)f)")
    assert pattern.groups == 5
    tree, numbers = pattern.build([5, 0, 4])
    assert tree == "a[b-c]d?((e)f)"
    assert numbers == [2, 0, 1]
    for group in (2, 3):
        with pytest.raises(PatternError, match="repeated, optional"):
            pattern.build([group])
    with pytest.raises(PatternError, match="no group 6"):
        pattern.build([6])
    assert RegularExpression("a", whole=True).build()[0] == "^a$"
