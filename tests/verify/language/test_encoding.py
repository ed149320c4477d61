"""Programs by value: the same again, and nothing else."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.verify.language.encoding import decode, encode, rebuild_program
from hedgerow.verify.language.program import Apply, Assign, Name, Number, Output, Program, Truth
from verify.language.reading import gallery, read

SMALL = read("return x + laplace(1 / eps)")


def test_the_gallery_is_the_same_again() -> None:
    for program in gallery().values():
        again = rebuild_program(program)
        assert repr(again) == repr(program)
        assert (again.source, again.place) == (program.source, program.place)
        assert [one.place for one in again.body] == [one.place for one in program.body]


@pytest.mark.parametrize(
    "value",
    [None, True, "text", 7, -3 << 20_000, Fraction(1, 3 << 20_000), Fraction(-3), (1, (2, "x"))],
    ids=type,
)
def test_values_are_the_same_again(value: Any) -> None:
    again = decode(json.loads(json.dumps(encode(value))))
    assert again == value
    assert type(again) is type(value)


class Half(Fraction):
    """A number that says something else each time."""

    def __add__(self, other: Any) -> Any:
        return Fraction(0)


class Word(str):
    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = str.__hash__


def test_nothing_comes_along() -> None:
    given = replace(SMALL, body=(Output(Apply("+", (Number(Half(1, 2)), Name(Word("x"))))),))
    (said,) = rebuild_program(given).body
    assert isinstance(said, Output)
    assert isinstance(said.value, Apply)
    number, name = said.value.arguments
    assert isinstance(number, Number)
    assert isinstance(name, Name)
    assert (type(number.value), type(name.name)) == (Fraction, str)


@pytest.mark.parametrize(
    "body",
    [
        (Output(Number(0.5)),),  # type: ignore[arg-type]
        (Output(Number(1)),),  # type: ignore[arg-type]
        (Output(Truth(1)),),  # type: ignore[arg-type]
        (Output(None),),  # type: ignore[arg-type]
        (Output(Name(5)),),  # type: ignore[arg-type]
        (Assign("y", Output(Name("x"))),),  # type: ignore[arg-type]
        (Name("x"),),
        Output(Name("x")),
        (len,),
    ],
)
def test_objects_that_are_no_programs_are_refused(body: Any) -> None:
    with pytest.raises(InvalidArgument, match="program must consist of nodes"):
        rebuild_program(replace(SMALL, body=body))


def test_endless_structures_are_refused() -> None:
    deep: Any = Name("x")
    for _ in range(10_000):
        deep = Apply("negate", (deep,))
    with pytest.raises(InvalidArgument, match="program"):
        rebuild_program(replace(SMALL, body=(Output(deep),)))


@pytest.mark.parametrize(
    "plain", [1.5, {}, {"Nothing": []}, {"Fraction": [1, 2]}, {"Name": ["x"], "Truth": [True]}]
)
def test_other_documents_are_refused(plain: Any) -> None:
    with pytest.raises(InvalidArgument, match="encode"):
        decode(plain)


def test_a_part_alone_is_no_program() -> None:
    with pytest.raises(InvalidArgument, match="program must consist of nodes"):
        rebuild_program(Name("x"))  # type: ignore[arg-type]
    assert isinstance(rebuild_program(SMALL), Program)
