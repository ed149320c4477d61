"""Judgements as data."""

from __future__ import annotations

from hedgerow.verify.language.judgement import RESULT, Judgement, Undecided, tag_name
from hedgerow.verify.language.program import Place, Program, Truth, format_expression
from hedgerow.verify.language.pseudocode import parse_document
from verify.language.reading import PROGRAMS


def test_a_tagged_name_is_how_relations_write_it() -> None:
    assert tag_name("x", 1) == "x<1>"
    assert tag_name(RESULT, 2) == "res<2>"


def test_the_gallery_has_ten_and_their_programs() -> None:
    document = parse_document((PROGRAMS / "judgements.hr").read_text(encoding="utf-8"))
    read = [one for one in document.judgements if isinstance(one, Judgement)]
    assert len(read) == len(document.judgements) >= 10
    first = read[0]
    assert isinstance(document.programs[0], Program)
    assert first.left is first.right is document.programs[0]
    assert first.precondition == Truth(True)
    assert format_expression(first.postcondition) == "res<1> == res<2>"
    assert first.epsilon is first.delta is None
    assert any(one.delta is not None for one in read)


def test_undecided_is_neither_yes_nor_no_and_has_a_reason() -> None:
    undecided = Undecided("too many values", Place(3))
    assert not undecided
    assert undecided.verdict == "UNKNOWN"
    assert (str(undecided), undecided.place.line) == ("too many values", 3)
