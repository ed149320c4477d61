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
        ("exact * 1", "exact"),
        ("1 * exact / 1", "exact"),
        ("-exact + 2 * 3", "-exact + 6"),
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
        ("exact + 2 ** 3", "exact + 8"),
        ("exact if 'a' in 'abc' else unknown", "exact"),
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
        ("[exact]", "is not understood"),
        ("exact // 2", "the operator in exact // 2 is not understood"),
        ("exact + None", "is not a number"),
        ("exact + 0.5", "is not a number"),
        ("1 / 0 + exact", "has no value"),
        ("exact + 'a' * 2", "is not a number"),
        ("exact + 2 ** 65", "an exponent is a whole number up to 64"),
        ("exact < 'a'", "is not a number"),
        ("exact in (1, 2)", "is not understood"),
        ("self.gone", "what return self.gone gives is not understood"),
        ("exact.gone()", "is not understood"),
        ("lambda: 1", "is not understood"),
        ("~exact", "is not understood"),
        ("exact and 1", "only what is True or False decides"),
        ("exact if exact > 1 else None if exact < 0 else exact", "is not understood"),
        (
            "exact if exact > _NOISE.draw(self.scale) and _NOISE.draw(self.scale) > 2 else 1",
            "may not be reached",
        ),
        ("_NOISE.draw(self.scale) if exact > 1 else 2", "may not be reached"),
        ("exact > 1 and 1 < 0", "is not understood"),
        ("isinstance(exact, Fraction)", "is not understood"),
        ("(1)(2)", "is not understood"),
        ("max(*exact)", "is not understood"),
        ("max(exact, 1)", "builtins.max has no meaning here"),
        ("Fraction('a')", "has no value"),
        ("open('x')", "open has no value here"),
    ],
)
def test_expressions_that_are_not_understood(value: str, reason: str) -> None:
    assert reason in refused(f"return {value}")


def test_a_list_is_seen_to_entry_by_entry() -> None:
    found = read(
        "for answer in [parse_private_whole(one, 'answers') - threshold for one in answers]:\n    yield"
        " answer",
        RUN,
    )
    assert "    output answers[place] - threshold" in lines(found)


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        ("[one for one in answers if one > 1]", "is not understood"),
        ("[one for one in answers for two in answers]", "is not understood"),
        ("[one + _NOISE.draw(self.scale) for one in answers]", "may not be reached"),
        ("[one for one in threshold]", "is not understood"),
        ("[None for one in answers]", "is not understood"),
    ],
)
def test_lists_that_are_not_understood(made: str, reason: str) -> None:
    assert reason in refused(f"for answer in {made}:\n    yield answer", RUN)


def test_a_list_that_would_be_worked_out_later_is_refused() -> None:
    body = (
        "for answer in answers:\n    left -= 1\n    for other in [one + left for one in answers]:\n"
        "        yield other"
    )
    assert "is not understood" in refused(body, RUN)
