"""Answers that are computed from noisy answers: their cost, receipts and tables."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import pytest

from database.clinic import exactly
from hedgerow.answers.postprocessed_answer import PostprocessedAnswer
from hedgerow.errors import InvalidArgument

SQL = (
    "SELECT region, n, n / (SELECT COUNT(*) FROM data) AS share FROM"
    " (SELECT region, COUNT(*) AS n FROM data GROUP BY region) t"
)


@pytest.fixture(scope="module")
def answer() -> Iterator[PostprocessedAnswer]:
    with exactly(epsilon=3) as db:
        db.query("SELECT COUNT(*) FROM data", epsilon=1)
        found = db.query(SQL, epsilon=1)
        assert isinstance(found, PostprocessedAnswer)
        yield found


def test_the_cost_is_that_of_new_pieces(answer: PostprocessedAnswer) -> None:
    assert answer.cost.epsilon == Fraction(1, 2)
    assert sorted(receipt.reused for receipt in answer.receipts) == [False, True]
    assert not answer.receipt.reused


def test_it_prints_like_an_answer(answer: PostprocessedAnswer) -> None:
    text = repr(answer)
    assert "north" in text
    assert "Cost: epsilon 0.5" in text
    assert "all of which hold together at 95 %" in text
    assert "<table" in answer._repr_html_()


def test_json_has_all_receipts_and_intervals(answer: PostprocessedAnswer) -> None:
    found = answer.to_dict()
    assert found["columns"] == ["region", "n", "share"]
    assert len(found["receipts"]) == 2
    assert set(found["intervals"]) == set(found["columns"])
    assert found["intervals"]["region"] == [None] * 4
    assert all(pair is not None for pair in found["intervals"]["share"])


def test_arrow_columns_have_types(answer: PostprocessedAnswer) -> None:
    types = {field.name: str(field.type) for field in answer.to_arrow().schema}
    assert types == {"region": "string", "n": "int64", "share": "double"}
    assert len(answer) == 4


def test_an_unknown_column_is_refused(answer: PostprocessedAnswer) -> None:
    assert len(answer.interval("n", rows=2)) == 2
    assert answer.interval("region", rows=2) == [None, None]
    with pytest.raises(InvalidArgument, match=r"0\.95 here"):
        answer.interval("n", 0.99)
    with pytest.raises(InvalidArgument, match="region, n, share"):
        answer.interval("m")


def test_frames_have_the_intervals_that_the_answer_has(answer: PostprocessedAnswer) -> None:
    with_ends = [
        name for name in answer.columns if any(pair is not None for pair in answer.interval(name))
    ]
    added = [f"{name}_{end}" for name in with_ends for end in ("low", "high")]
    assert sorted(answer.to_pandas(intervals=True)) == sorted([*answer.columns, *added])
    assert list(answer.to_pandas()) == list(answer.columns)
    assert with_ends
