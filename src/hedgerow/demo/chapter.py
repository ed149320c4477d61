"""The base of a chapter of the tour, the open clinic it asks, and the receipt of a question.

A chapter class draws its page in ``render``, and one that is paid for asks its questions in
``ask``; its fields are the chapter's JSON. Fields named ``truth`` hold what only a custodian sees.
They are here because the clinic is made up; an analyst never gets them.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar, Self

import duckdb
from rich.console import RenderableType

from hedgerow.answers.answer import Answer
from hedgerow.charts.text_bars import TextBar
from hedgerow.database import Database
from hedgerow.privacy.budget_view import Balance, format_decimals

__all__ = ["Chapter", "ClinicSession", "PaidChapter", "QuestionReceipt", "build_bars"]


@dataclass(frozen=True)
class QuestionReceipt:
    """The cost of a question, its ledger entry, and the budget after it.

    ``reused`` marks an answer that was paid for before and is free now.
    """

    entry: int
    cost: Fraction
    reused: bool
    account: Balance


class ClinicSession:
    """An open clinic for the chapters to ask."""

    def __init__(self, policy: Path, db: Database) -> None:
        self.policy = policy
        self.db = db

    @property
    def account(self) -> Balance:
        """The epsilon budget of the patients."""
        view = self.db.budgets["patients"]
        return view if isinstance(view, Balance) else view.epsilon

    def query(self, sql: str, epsilon: Fraction, analyst: str = "ana") -> Answer:
        """Ask a question as an analyst and pay for it."""
        answer = self.db.query(sql, epsilon=epsilon, analyst=analyst)
        assert isinstance(answer, Answer)
        return answer

    def build_receipt(self, answer: Answer) -> QuestionReceipt:
        """Return the receipt of an answer that was just given."""
        receipt = answer.receipt
        return QuestionReceipt(
            receipt.entry, Fraction(answer.cost.epsilon), receipt.reused, self.account
        )

    def query_exact(self, sql: str) -> list[tuple[Any, ...]]:
        """Return the exact answer, read straight from the files, as only a custodian could."""
        folder = self.policy.parent
        with duckdb.connect(":memory:") as files:
            for table in ("patients", "visits"):
                files.read_parquet(str(folder / f"{table}.parquet")).create_view(table)
            return files.execute(sql).fetchall()


@dataclass(frozen=True)
class Chapter(ABC):
    """A chapter of the tour, known by ``name`` in JSON and by ``page_title`` on its page."""

    name: ClassVar[str]
    page_title: ClassVar[str]
    question: ClassVar[str]

    def __init_subclass__(cls, *, name: str = "", title: str = "", question: str = "") -> None:
        cls.name, cls.page_title, cls.question = name, title, question

    @abstractmethod
    def render(self, width: int) -> RenderableType:
        """Draw the page of this chapter, ``width`` cells wide."""

    @property
    def heading(self) -> str:
        """The title above the page."""
        return self.page_title

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain data for JSON."""
        fields: dict[str, Any] = _encode_value(self)
        return {"chapter": self.name} | fields


class PaidChapter(Chapter):
    """A chapter that asks its own questions."""

    @classmethod
    @abstractmethod
    def ask(cls, session: ClinicSession) -> Self:
        """Ask the questions of this chapter."""


def _encode_value(value: Any) -> Any:
    if isinstance(value, Balance):
        return value.to_dict()
    if isinstance(value, Fraction):
        return format_decimals(value, up=True, padded=True)
    if dataclasses.is_dataclass(value):
        return {
            field.name: _encode_value(getattr(value, field.name))
            for field in dataclasses.fields(value)
        }
    return [_encode_value(item) for item in value] if isinstance(value, tuple) else value


def build_bars(answer: Answer, column: str, truth: Mapping[str, Any]) -> tuple[TextBar, ...]:
    """Return a bar for each row of an answer, with its interval and the true value."""
    key = answer.columns[0]
    bars = []
    for row, pair in zip(answer.rows, answer.interval(column), strict=True):
        label = str(row[key]).lower() if isinstance(row[key], bool) else str(row[key])
        low, high = pair or (0, 0)
        bars.append(TextBar(label, row[column] or 0, low, high, truth.get(row[key], 0)))
    return tuple(bars)
