"""A refusal has its line and its program."""

from __future__ import annotations

import pickle

from hedgerow.errors import Refused
from hedgerow.verify.language.program import Place
from hedgerow.verify.language.unsupported import UnsupportedProgram


def test_the_message_has_the_line() -> None:
    outside = UnsupportedProgram("lambda is not in the language", Place(7))
    assert str(outside) == "line 7: lambda is not in the language"
    assert isinstance(outside, Refused)


def test_without_a_line_there_is_none_in_the_message() -> None:
    assert str(UnsupportedProgram("the file is too long")) == "the file is too long"


def test_it_is_about_a_program_and_survives_a_pipe() -> None:
    outside = UnsupportedProgram("no", Place(7, 2)).with_name("f")
    again = pickle.loads(pickle.dumps(outside))
    assert (again.reason, again.place, again.name) == ("no", Place(7, 2), "f")
