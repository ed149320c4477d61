"""Pieces of chapters, for the tests that draw them."""

from __future__ import annotations

from fractions import Fraction

from hedgerow.charts.text_bars import TextBar
from hedgerow.demo.chapters import Receipt
from hedgerow.privacy.budget_view import Balance

ACCOUNT = Balance(Fraction(1), Fraction(6, 10))
RECEIPT = Receipt(3, Fraction(3, 10), False, ACCOUNT)
FREE = Receipt(3, Fraction(0), True, ACCOUNT)
COUNTS = (TextBar("north", 500, 440, 560, 510), TextBar("south", 90, 30, 150, 77))
MEANS = (TextBar("north", 50, 45, 55, 51), TextBar("south", 60, 55, 65, 52))
