"""Candidate shifts of coins and bit strings."""

from __future__ import annotations

from hedgerow.verify.language.program import format_expression
from hedgerow.verify.language.type_inference import infer_kinds
from hedgerow.verify.prove.checker import normalise_program
from hedgerow.verify.prove.search.coin_shifts import list_coin_shifts
from verify.prove.proving import shipped


def test_coins_and_bits() -> None:
    def options(name: str) -> list[str]:
        about = normalise_program(shipped()[name])
        return [format_expression(one[0]) for one in list_coin_shifts(about, infer_kinds(about))]

    assert options("randomised_response") == ["False", "x@1 != x@2", "True"]
    assert options("one_time_pad") == ["@noise", "@noise xor (m@1 xor m@2)"]
    assert options("one_time_pad_by_addition") == ["@noise", "@noise + m@1 - m@2"]
    about = normalise_program(shipped()["laplace_mechanism"])
    assert list(list_coin_shifts(about, infer_kinds(about))) == [{}]
