from __future__ import annotations

import pytest

from hedgerow.verify.language.classes import read_class_programs
from hedgerow.verify.language.program import Program
from verify.language.classes.classes import HEAD, NUMBER, read, refused
from verify.language.classes.showing import lines

RESPONSE = NUMBER.replace('"additive"', '"response"').replace(
    "scale: Fraction", "scale: Fraction\n    values: int = 2"
)
BEFORE = (
    "\nfrom hedgerow.mechanisms.selection.scores import check_index, check_flag\nfrom"
    " hedgerow.privacy.grid import get_grid\n"
)


def test_a_function_of_the_package_that_is_no_word_is_read() -> None:
    found = read("return exact if check_flag(True, 'flag') else unknown", NUMBER, BEFORE)
    assert lines(found) == ["output exact"]
    assert "def check_flag" in found.source


def test_a_grid_is_read_in_its_own_file() -> None:
    found = read(
        "return get_grid(Fraction(1, 2)).add_noise(exact, _NOISE, self.scale)", NUMBER, BEFORE
    )
    assert lines(found) == [
        "t = scale / (1 / 2)",
        "noise ~ geometric(t)",
        "output (exact + noise) / 2",
    ]
    # the line of the call
    assert {one.place.line for one in found.samples} == {found.place.line + 1}


def test_categories_lie_where_they_lie() -> None:
    found = read(
        "return exact if not (exact < 0).any() and not (exact >= 2).any() else unknown", RESPONSE
    )
    assert lines(found) == ["output exact"]


def test_more_than_two_values_are_no_truth() -> None:
    text = (
        HEAD + RESPONSE + "        return bool(exact) if exact.dtype == np.bool_ else bool(exact)\n"
    )
    found = {one.name: one for one in read_class_programs(text, "mine.py")}
    assert isinstance(found["Mine.sample (one of 2)"], Program)
    assert "cannot become a Boolean" in str(found["Mine.sample (one of 4)"])


def test_types_of_arrays() -> None:
    found = read(
        "return exact.astype(np.bool_) if np.asarray(exact).dtype == np.bool_ and exact.dtype.kind"
        " == 'b' else unknown",
        RESPONSE,
    )
    assert lines(found) == ["output exact"]


@pytest.mark.parametrize(
    ("value", "head", "reason"),
    [
        ("check_index(exact, 3)", NUMBER, "check_index is not a function the verifier knows"),
        ("np.sum(exact)", NUMBER, "numpy.sum is not a function the verifier knows"),
        ("get_grid(Fraction(1)).gone(exact)", NUMBER, "is not in the language"),
        (
            "get_grid(Fraction(1, 3)).add_noise(exact, _NOISE, self.scale)",
            NUMBER,
            "cannot be evaluated",
        ),
        (
            "get_grid(Fraction(1)).add_noise(exact > 1, _NOISE, self.scale)",
            NUMBER,
            "is not a function the verifier knows",
        ),
        ("exact + 1", RESPONSE, "arithmetic on a category or a bound"),
        ("(exact < 1).any()", RESPONSE, "of a category is not in the language"),
        ("self.gone()", NUMBER, "is not in the language"),
        ("self.scale.gone()", NUMBER, "is not in the language"),
        ("_NOISE.gone()", NUMBER, "is not in the language"),
        ("exact.reshape(3)", NUMBER, "is not in the language"),
        ("exact.astype(np.bool_)", NUMBER, "is not in the language"),
        ("exact.astype(np.int8)", NUMBER, "is not in the language"),
        ("bool(exact)", NUMBER, "the argument of this call must be of kind"),
    ],
)
def test_calls_that_are_not_understood(value: str, head: str, reason: str) -> None:
    assert reason in refused(f"return {value}", head, BEFORE)
