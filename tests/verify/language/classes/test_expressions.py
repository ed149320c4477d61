from __future__ import annotations

import pytest

from verify.language.classes.classes import NUMBER, RUN, read, refused
from verify.language.classes.showing import lines

FLAG = NUMBER.replace("scale: Fraction", "scale: Fraction\n    grid: Fraction = Fraction(1, 2)")


def last(body: str, head: str = NUMBER) -> str:
    return lines(read(body, head))[-1]


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("exact if 1 < 2 else unknown", "exact"),
        ("exact if self.scale > 1 else -exact", "exact if 1 < scale else -exact"),
        (
            "exact if 1 < self.scale < 2 else 3 * exact",
            "exact if 1 < scale and scale < 2 else 3 * exact",
        ),
        ("exact if self.scale > 1 and 1 > 0 else -exact", "exact if 1 < scale else -exact"),
        (
            "exact if not self.scale > 1 or self.scale < 0 else -exact",
            "exact if not 1 < scale or scale < 0 else -exact",
        ),
        ("exact if False or True else unknown", "exact"),
        (
            "exact if isinstance(exact, int) and not isinstance(exact, (list, tuple)) else unknown",
            "exact",
        ),
        ("exact if type(exact) is int else unknown", "exact"),
        ("exact.reshape(exact.shape) if exact.ndim == 0 else unknown", "exact"),
        ("exact + Sensitivity.of(2).l2_squared", "exact + 4"),
        ("exact + getattr(self, 'scale')", "exact + scale"),
    ],
)
def test_expressions(value: str, told: str) -> None:
    assert last(f"return {value}") == f"output {told}"


def test_fields_with_a_default_are_known() -> None:
    assert last("return exact + self.grid", FLAG) == "output exact + 1 / 2"


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("[exact]", "is not in the language"),
        ("exact + None", "is not a number"),
        ("exact + 0.5", "is not a number"),
        ("self.gone", "the value of return self.gone is not in the language"),
        ("exact.gone()", "is not in the language"),
        ("lambda: 1", "is not in the language"),
        ("exact and 1", "is not a Boolean"),
        ("exact if exact > 1 else None if exact < 0 else exact", "is not in the language"),
        (
            "exact if exact > _NOISE.draw(self.scale) and _NOISE.draw(self.scale) > 2 else 1",
            "may not be evaluated",
        ),
        ("_NOISE.draw(self.scale) if exact > 1 else 2", "may not be evaluated"),
        ("exact > 1 and 1 < 0", "is not in the language"),
        ("isinstance(exact, Fraction)", "is not in the language"),
        ("(1)(2)", "is not in the language"),
        ("max(*exact)", "is not in the language"),
        ("max(exact, 1)", "builtins.max is not a function the verifier knows"),
        ("Fraction('a')", "cannot be evaluated"),
        ("open('x')", "open is not defined here"),
    ],
)
def test_expressions_that_are_not_understood(value: str, reason: str) -> None:
    assert reason in refused(f"return {value}")


def test_a_list_is_seen_to_entry_by_entry() -> None:
    found = read(
        "for answer in [parse_private_whole(one, 'answers') - threshold for one in answers]:\n"
        "    yield answer",
        RUN,
    )
    assert "    output answers[place] - threshold" in lines(found)


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        ("[one for one in answers if one > 1]", "is not in the language"),
        ("[one for one in answers for two in answers]", "is not in the language"),
        ("[one + _NOISE.draw(self.scale) for one in answers]", "may not be evaluated"),
        ("[one for one in threshold]", "is not in the language"),
        ("[None for one in answers]", "is not in the language"),
    ],
)
def test_lists_that_are_not_understood(made: str, reason: str) -> None:
    assert reason in refused(f"for answer in {made}:\n    yield answer", RUN)


def test_a_list_that_would_be_worked_out_later_is_refused() -> None:
    body = (
        "for answer in answers:\n    left -= 1\n    for other in [one + left for one in answers]:\n"
        "        yield other"
    )
    assert "is not in the language" in refused(body, RUN)
