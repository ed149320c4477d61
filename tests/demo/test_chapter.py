from __future__ import annotations

import json
from fractions import Fraction

from hedgerow.demo.answer_chapters import RepeatChapter
from hedgerow.demo.chapter import QuestionReceipt
from hedgerow.privacy.budget_view import Balance


def test_a_chapter_becomes_plain_data() -> None:
    receipt = QuestionReceipt(3, Fraction(3, 10), False, Balance(Fraction(1), Fraction(6, 10)))
    document = RepeatChapter("SELECT 1", True, receipt).to_dict()
    assert document == {
        "chapter": "again",
        "sql": "SELECT 1",
        "same": True,
        "receipt": {
            "entry": 3,
            "cost": "0.300000000000",
            "reused": False,
            "account": {
                "total": "1.000000000000",
                "spent": "0.600000000000",
                "left": "0.400000000000",
            },
        },
    }
    assert json.loads(json.dumps(document)) == document
