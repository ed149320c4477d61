"""How a choice reads."""

from __future__ import annotations

from math import inf

from hedgerow.advisor.recommendation import Option, Recommendation


def choice(*expected: float) -> Recommendation:
    options = tuple(
        Option(f"m{i}", None, value, None if i else 1234.5, f"note {i}")
        for i, value in enumerate(expected)
    )
    return Recommendation("median of about 9 rows", "ranks", "whatever the data", options)


def test_a_table_of_all_options() -> None:
    assert str(choice(0.5, inf, 1e-9)).splitlines() == [
        "median of about 9 rows; errors in ranks, whatever the data",
        "  method    expected  worst, 95 %",
        "  m0             0.5        1,234  note 0",
        "  m1               –            –  note 1",
        "  m2               0            –  note 2",
    ]


def test_the_reason_is_one_sentence() -> None:
    assert choice(0.5).why == "m0, with an expected error of 0.5 ranks: no other method applies."
    assert (
        choice(0.5, 2).why
        == "m0, with an expected error of 0.5 ranks, 4 times better than m1: note 0."
    )
    assert (
        choice(0.5, 0.51).why == "m0, with an expected error of 0.5 ranks, as good as m1: note 0."
    )
    assert choice(0, 0, 5).why == "m0, expected to be off by 0 ranks, as good as m1: note 0."
    for next_best in (1e9, inf):
        assert (
            choice(0.5, next_best).why
            == "m0, with an expected error of 0.5 ranks, far better than m1: note 0."
        )
    assert choice(0, 3).best.method == "m0"
