"""The chapters about answers: protection, price, groups, stored answers, hidden groups, filters."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import exp
from typing import ClassVar, Self

from rich.console import Group, RenderableType
from rich.text import Text

from hedgerow.charts.text_bars import TextBar
from hedgerow.demo.chapter import ClinicSession, PaidChapter, QuestionReceipt, build_bars
from hedgerow.demo.layout import (
    format_number,
    show_below,
    show_budget,
    show_chart,
    show_receipt,
    show_sql,
    show_text,
)
from hedgerow.privacy.budget_view import Balance

__all__ = [
    "BY_REGION",
    "DiscoveryChapter",
    "FilterChapter",
    "GroupsChapter",
    "PriceChapter",
    "ProtectionChapter",
    "RepeatChapter",
]

BY_REGION = "SELECT region, COUNT(*) AS visits, AVG(cost) AS mean_cost\nFROM visits GROUP BY region"
_ALL_PATIENTS = "SELECT COUNT(*) AS n FROM patients"
_EPSILON, _DISCOVERY_EPSILON = Fraction(1, 2), Fraction(3, 4)
_WANTED_ERROR = 5


@dataclass(frozen=True)
class ProtectionChapter(PaidChapter, name="protected", title="Who is protected?"):
    """The unit of protection, and what the whole budget means.

    ``guess`` is the most that anybody can come to believe, from even odds, that one patient is in
    the data: e^E/(1 + e^E) for a budget E.
    """

    policy: str
    unit: str
    neighbours: str
    guess: float
    truth: int
    account: Balance

    @classmethod
    def ask(cls, session: ClinicSession) -> Self:
        table, account = session.db.policy.table("patients"), session.account
        assert table is not None
        ((people,),) = session.query_exact(_ALL_PATIENTS)
        guess = 1 / (1 + exp(-float(account.total)))
        unit, neighbours = str(table.unit), str(table.neighbours)
        return cls(str(session.policy), unit, neighbours, guess, people, account)

    def render(self, width: int) -> RenderableType:  # noqa: ARG002
        text = (
            f". It protects {self.unit} under {self.neighbours}: a person with all her rows in all"
            " tables. It declares what is public about the columns, and one budget that all"
            " analysts share. All answers together change the odds that you are in the data by at"
            f" most a factor of e^{float(self.account.total):g}. Somebody who begins at 50 % ends"
            f" at most {100 * self.guess:.0f} % sure, whatever else they know, except with a"
            " probability of one in a billion."
        )
        return Group(
            Text.assemble("The policy is one page, ", (self.policy, "name"), text),
            show_below(Text(f"◆ {self.truth:,} patients", style="truth")),
            show_budget(self.account),
        )


@dataclass(frozen=True)
class PriceChapter(PaidChapter, name="explained", title="What would it cost?"):
    """The cost of a question before it is asked.

    ``epsilon`` is what it takes to count patients to within ``error``.
    """

    sql: str
    words: str
    error: int
    epsilon: Fraction
    account: Balance

    @classmethod
    def ask(cls, session: ClinicSession) -> Self:
        words = repr(session.db.explain(BY_REGION, epsilon=_EPSILON))
        epsilon = session.db.explain(_ALL_PATIENTS, error=_WANTED_ERROR).epsilon
        return cls(BY_REGION, words, _WANTED_ERROR, epsilon, session.account)

    def render(self, width: int) -> RenderableType:  # noqa: ARG002
        return Group(
            show_sql(self.sql, "EXPLAIN PRIVACY, at epsilon 0.5"),
            Text(self.words),
            show_text(
                "Explaining reads no data and costs nothing. It also works backwards: counting"
                f" patients to within about {self.error} takes epsilon {float(self.epsilon):g}."
            ),
            show_budget(self.account),
        )


@dataclass(frozen=True)
class _GroupedAnswer(PaidChapter):
    """Counts and means of groups, with their intervals and a remark below the charts."""

    remark: ClassVar[str]

    sql: str
    counts: tuple[TextBar, ...]
    means: tuple[TextBar, ...]
    receipt: QuestionReceipt

    def __init_subclass__(cls, *, remark: str, **options: str) -> None:
        super().__init_subclass__(**options)
        cls.remark = remark

    @classmethod
    def ask(cls, session: ClinicSession) -> Self:
        answer = session.query(cls.question, _EPSILON)
        exact = session.query_exact(cls.question)
        counts, means = ({row[0]: row[place] for row in exact} for place in (1, 2))
        return cls(
            cls.question,
            build_bars(answer, "visits", counts),
            build_bars(answer, "mean_cost", means),
            session.build_receipt(answer),
        )

    def render(self, width: int) -> RenderableType:
        key = self.question.split()[1].rstrip(",")
        radius = max(((bar.high - bar.low) / 2 for bar in self.counts), default=0)
        return Group(
            show_sql(self.sql),
            show_chart((key, "visits"), self.counts, width),
            show_below(show_chart((key, "mean cost"), self.means, width, zoomed=True)),
            show_text(self.remark.format(radius=format_number(radius))),
            show_receipt(self.receipt),
        )


@dataclass(frozen=True)
class GroupsChapter(
    _GroupedAnswer,
    name="grouped",
    title="What does a visit cost?",
    question=BY_REGION,
    remark=(
        "The brackets are 95 % intervals. For the counts, ± {radius} is too small to see. For the"
        " means it is wider, because one visit may cost up to 10,000. (The axis of the means does"
        " not begin at 0.)"
    ),
):
    """Counts and means of all rows, by region."""


@dataclass(frozen=True)
class RepeatChapter(
    PaidChapter,
    name="again",
    title="The same question again",
    question=(
        "select region, count(*) as n, avg(cost + 0) as money\nfrom visits where 1 = 1 group by 1"
    ),
):
    """The same question in other words; ``same`` if every number came out as before."""

    sql: str
    same: bool
    receipt: QuestionReceipt

    @classmethod
    def ask(cls, session: ClinicSession) -> Self:
        first, second = session.query(BY_REGION, _EPSILON), session.query(cls.question, _EPSILON)
        numbers = [[list(row.values()) for row in answer.rows] for answer in (first, second)]
        return cls(cls.question, numbers[0] == numbers[1], session.build_receipt(second))

    def render(self, width: int) -> RenderableType:  # noqa: ARG002
        same = "the same numbers" if self.same else "other numbers"
        return Group(
            show_sql(self.sql),
            Text.assemble(
                "Written differently, with the same meaning: ",
                (same, "answer"),
                f", from ledger entry {self.receipt.entry}.",
            ),
            show_text(
                "A question is paid for once. Whoever asks it again gets the stored answer and"
                " learns nothing more from it."
            ),
            show_budget(self.receipt.account),
        )


@dataclass(frozen=True)
class DiscoveryChapter(
    PaidChapter,
    name="discovered",
    title="Groups that the policy does not list",
    question=(
        "SELECT diagnosis, COUNT(*) AS visits\nFROM visits GROUP BY diagnosis ORDER BY visits DESC"
    ),
):
    """Counts of groups that the policy does not list.

    ``truth_hidden`` (for the custodian) has the groups that too few people share.
    """

    sql: str
    threshold: int
    counts: tuple[TextBar, ...]
    truth_hidden: tuple[tuple[str, int], ...]
    receipt: QuestionReceipt

    @classmethod
    def ask(cls, session: ClinicSession) -> Self:
        answer = session.query(cls.question, _DISCOVERY_EPSILON)
        threshold = session.db.explain(cls.question, epsilon=_DISCOVERY_EPSILON).threshold or 0
        truth = dict(session.query_exact(cls.question))
        shown = {row["diagnosis"] for row in answer.rows}
        hidden = tuple((key, count) for key, count in truth.items() if key not in shown)
        bars = build_bars(answer, "visits", truth)
        return cls(cls.question, threshold, bars, hidden, session.build_receipt(answer))

    def render(self, width: int) -> RenderableType:
        hidden = ", ".join(f"{name} ({count})" for name, count in self.truth_hidden)
        return Group(
            show_sql(self.sql),
            show_chart(("diagnosis", "visits"), self.counts, width),
            show_text(
                "The policy does not list the diagnoses, and a rare one may point at a person. So a"
                f" group is shown only if its noisy count reaches {self.threshold:,}. Delta pays"
                " for the small chance that a group of a single person gets through."
            ),
            show_below(Text(f"◆ not shown: {hidden}", style="truth")) if hidden else Text(),
            show_receipt(self.receipt),
        )


@dataclass(frozen=True)
class FilterChapter(
    _GroupedAnswer,
    name="filtered",
    title="Some of the rows",
    question=(
        "SELECT smoker, COUNT(*) AS visits, AVG(cost) AS mean_cost\nFROM visits WHERE diagnosis ="
        " 'lung cancer' AND age >= 40 GROUP BY smoker"
    ),
    remark="Fewer rows, the same noise: the smaller a group, the wider its interval in proportion.",
):
    """Counts and means of some of the rows; a WHERE costs nothing more."""
