"""Certificates are plain data that survive storage and nothing else."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.verify.language.program import Length, Name
from hedgerow.verify.language.unsupported import UnsupportedProgram
from hedgerow.verify.prove.certificate import Certificate, Failure, hash_program, split_tail
from verify.prove.proving import above_threshold, expression


def test_reads_back_what_it_wrote() -> None:
    _, proof = above_threshold()
    every = replace(
        proof,
        rates=(None, Name("eps")),
        excused=(expression("True and eps <= @noise"), None),
        variants=(Length("q@1"),),
    )
    assert Certificate.from_json(every.to_json()) == every


@pytest.mark.parametrize("text", ["", "[]", "{}", "null", '{"program": 3}', "[" * 100_000])
def test_refuses_other_documents(text: str) -> None:
    with pytest.raises(InvalidArgument, match="must be a document"):
        Certificate.from_json(text)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("epsilon", {"number": "1/0"}),
        ("epsilon", {"number": 1}),
        ("epsilon", ["frobnicate", "x"]),
        ("epsilon", ["+", "x"]),
        ("mode", "as you like"),
        ("shifts", [[]]),
        ("invariants", [3]),
    ],
)
def test_refuses_a_document_with_something_else_in_it(field: str, value: object) -> None:
    _, proof = above_threshold()
    plain = json.loads(proof.to_json())
    with pytest.raises(InvalidArgument):
        Certificate.from_json(json.dumps(plain | {field: value}))


def test_says_its_alignment_to_people() -> None:
    _, proof = above_threshold()
    said = proof.format_lines()
    assert said[0] == "noise 0: 1"
    assert "loop 0: i@1 == i@2" in said


def test_the_hash_is_of_the_text_and_of_what_was_understood() -> None:
    about, _ = above_threshold()
    assert hash_program(about) == hash_program(replace(about))
    assert hash_program(about) != hash_program(replace(about, source=about.source + " "))
    assert hash_program(about) != hash_program(replace(about, body=about.body[:-1]))


def test_a_failure_says_its_line() -> None:
    about, _ = above_threshold()
    assert str(Failure("it leaks", about.body[0].place)).endswith(": it leaks")
    assert str(Failure("it leaks")) == "it leaks"


def test_an_excuse_is_a_condition_and_a_tail() -> None:
    when, start = split_tail(expression("x@1 > 0 and eps <= @noise"))
    assert (when, start) == (expression("x@1 > 0"), Name("eps"))
    for other in (
        "x@1 > 0",
        "@noise > 0 and eps <= @noise",
        "x@1 > 0 and @noise <= eps",
        "x@1 > 0 and @noise <= @noise",
    ):
        with pytest.raises(UnsupportedProgram, match="does not say which noise"):
            split_tail(expression(other))
