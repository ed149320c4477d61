"""Pieces of chapters, for the tests that draw them."""

from __future__ import annotations

from fractions import Fraction

from hedgerow.demo.chapters import Bar, Receipt
from hedgerow.privacy.account import Account

ACCOUNT = Account(Fraction(1), Fraction(6, 10))
RECEIPT = Receipt(3, Fraction(3, 10), False, ACCOUNT)
FREE = Receipt(3, Fraction(0), True, ACCOUNT)
COUNTS = (Bar("north", 500, 440, 560, 510), Bar("south", 90, 30, 150, 77))
MEANS = (Bar("north", 50, 45, 55, 51), Bar("south", 60, 55, 65, 52))
