from __future__ import annotations

import json
from fractions import Fraction

from hedgerow.demo.chapters import Bar, Histogram, Payment, plain
from hedgerow.privacy.account import Account


def test_a_chapter_as_data() -> None:
    payment = Payment("ages", Fraction(3, 10), Account(Fraction(1), Fraction(6, 10)))
    document = plain(Histogram((Bar("0–9", 5, 0, 11, 4),), 6, payment))
    assert document == {
        "chapter": "histogram",
        "bars": [{"label": "0–9", "answer": 5, "low": 0, "high": 11, "truth": 4}],
        "radius": 6,
        "payment": {
            "question": "ages",
            "cost": "0.300000000000",
            "account": {"total": "1.000000000000", "spent": "0.600000000000", "left": "0.400000000000"},
        },
    }
    assert json.loads(json.dumps(document)) == document
