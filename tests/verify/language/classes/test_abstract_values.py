from __future__ import annotations

import ast
from fractions import Fraction

import pytest

from hedgerow.verify.language.classes.abstract_values import build_number_node
from hedgerow.verify.language.unsupported import UnsupportedProgram


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (3, "3"),
        (-3, "-3"),
        (True, "True"),
        (Fraction(6, 2), "3"),
        (Fraction(-1, 4), "-1 / 4"),
        (Fraction(1, 4), "1 / 4"),
    ],
)
def test_numbers_as_programs_write_them(value: object, written: str) -> None:
    assert ast.unparse(build_number_node(value)) == written


@pytest.mark.parametrize("value", [None, "text", 0.5])
def test_arguments_that_are_no_exact_numbers_are_refused(value: object) -> None:
    with pytest.raises(UnsupportedProgram, match="is not a number"):
        build_number_node(value)
