"""The price of shifting a noise by one unit."""

from __future__ import annotations

import pytest

from hedgerow.verify.language.program import Name
from hedgerow.verify.noise_costs import _format_unit_cost, format_in_runs
from verify.language.reading import read

X = "x: private[float], n: public[int], eps: public[float]"


@pytest.mark.parametrize(
    ("body", "price"),
    [
        ("return x + laplace(1 / eps)", "eps"),
        ("y = 2\nreturn x + laplace(y)", "1 / y"),
        ("c = bernoulli(1 / 2)\nreturn 1", ""),
        ("return 1 + gaussian(1)", ""),
    ],
)
def test_a_move_by_one_has_its_price(body: str, price: str) -> None:
    program = read(body, X)
    (sample,) = program.samples
    assert _format_unit_cost(program, sample, None) == price
    assert _format_unit_cost(program, sample, Name("x@1")) == "x<1>"


def test_names_of_a_certificate_are_written_as_in_judgements() -> None:
    program = read("return b", "b: private[bool], x: private[float], eps: public[float]")
    assert format_in_runs("x@2 - x@1 + @noise", program) == "x<2> - x<1> + noise"
    assert format_in_runs("0 < b@1 and 0 < x@1", program) == "b<1> and 0 < x<1>"
