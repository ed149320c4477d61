from __future__ import annotations

import math
import re
from dataclasses import replace
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from hedgerow.privacy import Balance, Budget, DualBalance, Loss
from hedgerow.privacy.budget_view import format_decimals

amounts = st.fractions(min_value=0, max_value=10**6).filter(
    lambda amount: amount == 0 or amount >= Fraction(1, 10**9)
)


@given(amounts, amounts)
def test_left_is_exact_and_never_negative(total: Fraction, spent: Fraction) -> None:
    assert Balance(total, spent).left == max(total - spent, 0)


@given(amounts, amounts)
def test_the_text_never_promises_too_much(total: Fraction, spent: Fraction) -> None:
    account = Balance(total, spent)
    text = {name: Fraction(value) for name, value in account.to_dict().items()}
    hair = Fraction(1, 10**12)
    assert total - hair < text["total"] <= total
    assert min(spent, text["total"]) <= text["spent"] < spent + hair
    assert account.left - 2 * hair < text["left"] <= account.left
    assert text["left"] == max(text["total"] - text["spent"], 0)
    assert (text["spent"] <= text["total"]) is (spent <= total) or spent - total < hair


@given(amounts.filter(bool))
def test_an_exhausted_line_looks_exhausted(total: Fraction) -> None:
    text = Balance(total, total).to_dict()
    assert text["spent"] == text["total"]
    assert text["left"] == "0.000000000000"
    assert Fraction(Balance(total, total + Fraction(1, 10**6)).to_dict()["spent"]) > total


def test_a_small_total_has_digits_too() -> None:
    delta = Balance(Fraction(1, 10**13), Fraction(1, 3 * 10**13))
    assert delta.to_dict() == {"total": "1e-13", "spent": "3.333334e-14", "left": "6.666666e-14"}
    assert Balance(Fraction(1, 10**13), Fraction(0)).to_dict() == {
        "total": "1e-13",
        "spent": "0",
        "left": "1e-13",
    }
    assert Balance(Fraction(1, 10**13), Fraction(1, 10**13)).to_dict()["left"] == "0"
    assert Balance(Fraction(1, 10**13), math.inf).to_dict()["spent"] == "inf"
    assert Balance(Fraction(1, 10**9), Fraction(0)).to_dict()["total"] == "0.000000001000"


@given(st.integers(10, 40), st.fractions(Fraction(1, 10), 1), st.fractions(0, 1))
def test_a_small_line_never_promises_too_much(
    exponent: int, part: Fraction, share: Fraction
) -> None:
    account = Balance(part / 10**exponent, part * share / 10**exponent)
    text = {name: Fraction(value) for name, value in account.to_dict().items()}
    assert account.total * Fraction(99999, 100000) < text["total"] <= account.total
    assert text["left"] <= account.left
    assert text["spent"] + text["left"] == text["total"]


def test_numbers_have_up_to_twelve_decimals() -> None:
    assert format_decimals(Fraction(1, 3)) == "0.333333333333"
    assert format_decimals(Fraction(1, 3), up=True) == "0.333333333334"
    assert format_decimals(Fraction(3)) == format_decimals(Fraction(3), up=True) == "3"
    assert format_decimals(Fraction(0)) == "0"
    assert format_decimals(Fraction(1200)) == "1200"
    assert format_decimals(Fraction(1, 10**20), up=True) == "0.000000000001"
    assert format_decimals(Fraction(12345, 10)) == "1234.5"
    assert format_decimals(Fraction(12345, 10), padded=True) == "1234.500000000000"
    assert format_decimals(math.inf) == "inf"


def test_people_read_no_trailing_zeros_and_json_has_every_decimal() -> None:
    account = Balance(Fraction(5), Fraction(1, 4))
    assert str(account) == repr(account) == "total 5, spent 0.25, left 4.75"
    assert account.to_dict() == {
        "total": "5.000000000000",
        "spent": "0.250000000000",
        "left": "4.750000000000",
    }


def test_a_closed_line_has_nothing_left() -> None:
    account = Balance(Fraction(3), math.inf)
    assert account.left == 0
    assert str(account) == repr(account) == "total 3, closed"
    assert account.to_dict() == {
        "total": "3.000000000000",
        "spent": "inf",
        "left": "0.000000000000",
    }


def test_a_dual_balance_shows_three_lines() -> None:
    line = Balance(Fraction(1), Fraction(1, 4))
    shown = {"total": "1.000000000000", "spent": "0.250000000000", "left": "0.750000000000"}
    account = DualBalance(line, line, line)
    assert account.to_dict() == {"epsilon": shown, "rho": shown, "delta": shown}
    assert [text.split(":")[0] for text in str(account).splitlines()] == ["epsilon", "rho", "delta"]
    assert str(account).count(str(line)) == 3


def test_rho_spent_on_gaussian_noise_is_shown_as_epsilon() -> None:
    """The whole rho is the whole epsilon, and a part of it is a part."""
    budget = Budget(3, 1e-9)
    for share, epsilon in ((Fraction(0), "0"), (Fraction(1, 4), "1.44"), (Fraction(1), "3")):
        view = budget.charge(Loss(math.inf, 0, share * budget.rho)).balance
        assert isinstance(view, DualBalance)
        lines = str(view).splitlines()
        assert (
            lines[0]
            == "epsilon: total 3, closed: Gaussian noise has no pure epsilon, so rho counts"
        )
        assert lines[1].startswith("rho:     total 0.1")
        assert re.fullmatch(rf" +\(spent rho is epsilon {epsilon}[0-9]* at delta 5e-10\)", lines[2])
        assert "inf" not in str(view)
    over = DualBalance(
        Balance(Fraction(1), math.inf),
        Balance(Fraction(1, 100), Fraction(1, 10)),
        Balance(Fraction(1), Fraction(0)),
    )
    assert over.converted_epsilon == math.inf
    assert "at delta" not in str(over)
    assert replace(over, conversion_delta=Fraction(1, 10**6)).converted_epsilon > 1
    assert "Gaussian" not in str(Budget(3, 1e-9).charge(Loss(1)).balance)


def test_parts_are_shown_if_there_are_any() -> None:
    line = Balance(Fraction(1), Fraction(1, 2))
    assert "parts" not in line.to_dict()
    whole = Balance(Fraction(1), Fraction(1, 2), {"visits": {"north": line}})
    assert whole.to_dict() == line.to_dict() | {"parts": {"visits": {"north": line.to_dict()}}}
    dual = DualBalance(line, line, line, {"visits": {"north": DualBalance(line, line, line)}})
    assert dual.to_dict()["parts"] == {
        "visits": {
            "north": {"epsilon": line.to_dict(), "rho": line.to_dict(), "delta": line.to_dict()}
        }
    }
    assert str(whole) == str(line)
