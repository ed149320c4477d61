from __future__ import annotations

import math
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from hedgerow.privacy import Account, DualAccount
from hedgerow.privacy.account import decimals

amounts = st.fractions(min_value=0, max_value=10**6)


@given(amounts, amounts)
def test_left_is_exact_and_never_negative(total: Fraction, spent: Fraction) -> None:
    assert Account(total, spent).left == max(total - spent, 0)


@given(amounts, amounts)
def test_the_text_never_promises_too_much(total: Fraction, spent: Fraction) -> None:
    account = Account(total, spent)
    text = {name: Fraction(value) for name, value in account.to_dict().items()}
    hair = Fraction(1, 10**12)
    assert total - hair < text["total"] <= total
    assert spent <= text["spent"] < spent + hair
    assert account.left - hair < text["left"] <= account.left


def test_twelve_decimals() -> None:
    assert decimals(Fraction(1, 3)) == "0.333333333333"
    assert decimals(Fraction(1, 3), up=True) == "0.333333333334"
    assert decimals(Fraction(3)) == decimals(Fraction(3), up=True) == "3.000000000000"
    assert decimals(Fraction(1, 10**20), up=True) == "0.000000000001"
    assert decimals(Fraction(12345, 10)) == "1234.500000000000"
    assert decimals(math.inf) == "inf"


def test_a_closed_line_has_nothing_left() -> None:
    account = Account(Fraction(3), math.inf)
    assert account.left == 0
    assert str(account) == "total 3.000000000000, spent inf, left 0.000000000000"


def test_dual() -> None:
    line = Account(Fraction(1), Fraction(1, 4))
    shown = {"total": "1.000000000000", "spent": "0.250000000000", "left": "0.750000000000"}
    account = DualAccount(line, line, line)
    assert account.to_dict() == {"epsilon": shown, "rho": shown, "delta": shown}
    assert [text.split(":")[0] for text in str(account).splitlines()] == ["epsilon", "rho", "delta"]
    assert str(account).count(str(line)) == 3


def test_parts_are_told_where_there_are_any() -> None:
    line = Account(Fraction(1), Fraction(1, 2))
    assert "parts" not in line.to_dict()
    whole = Account(Fraction(1), Fraction(1, 2), {"visits": {"north": line}})
    assert whole.to_dict() == line.to_dict() | {"parts": {"visits": {"north": line.to_dict()}}}
    dual = DualAccount(line, line, line, {"visits": {"north": DualAccount(line, line, line)}})
    assert dual.to_dict()["parts"] == {"visits": {"north": {"epsilon": line.to_dict(), "rho": line.to_dict(), "delta": line.to_dict()}}}
    assert str(whole) == str(line)
