"""The uses of a draw, and the noise's factor in them."""

from __future__ import annotations

import pytest

from hedgerow.verify.language.program import Name, format_expression
from hedgerow.verify.prove.search.noise_uses import (
    list_noise_uses,
    list_public_tests,
    split_linear_use,
)
from verify.language.reading import read
from verify.prove.proving import expression


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("x + z", [("1", "x")]),
        ("x - 2 * z / 3", [("-2/3", "x")]),
        ("b * (x + z)", [("b", "b * x")]),
        ("t <= x + z", [("1", "x - t")]),
        ("-(z - x)", [("-1", "x")]),
        ("z + z", [("1 + 1", "0")]),
        ("x + z if x > 0 else y + z", [("1", "x if 0 < x else y")]),
        ("x + z > 0 and y - z > 0", [("1", "x"), ("-1", "y")]),
        ("max(x + z, 0)", [("1", "x")]),
        ("z * z", [("1", "0")]),
        ("x / z", [("1", "0")]),
        ("x + y", []),
    ],
)
def test_a_use_is_a_factor_of_the_noise_and_a_rest(text: str, parts: list[tuple[str, str]]) -> None:
    found = split_linear_use(expression(text), "z")
    assert [(format_expression(one.factor), format_expression(one.rest)) for one in found] == parts


def test_uses_are_written_with_the_values_before_the_draw() -> None:
    about = read(
        """
        z = laplace(1 / eps)
        y = x + z
        if b:
            y = y + 1
        output(y > 2)
        for i in range(n):
            y = y + 1
        return y + z
        """
    )
    found = list_noise_uses(about, about.samples[0])
    assert [(format_expression(one.expression), one.is_condition) for one in found] == [
        ("x + z", False),
        ("x + z + 1", False),
        ("2 < (x + z + 1 if b else x + z)", True),
        ("?y + z", False),
    ]
    assert [one.is_known for one in found] == [True, True, True, False]


def test_public_tests_mention_counters_only() -> None:
    about = read(
        """
        c = 0
        z = laplace(1 / eps)
        c = c + 1
        if c < n:
            output(x + z)
        """
    )
    (found,) = list_public_tests(about, about.samples[0], frozenset({"c", "n"}))
    assert format_expression(found) == "c + 1 < n"
    assert list_public_tests(about, about.samples[0], frozenset({"n"})) == []
    assert Name("z") not in [one.expression for one in list_noise_uses(about, about.samples[0])]
