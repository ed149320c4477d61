"""The chapters about limits: refusals, averaging, the exhausted budget, and the ledger."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from hedgerow.charts.text_bars import TextBar
from hedgerow.demo.chapter import Chapter, ClinicSession, PaidChapter, build_bars
from hedgerow.demo.layout import (
    show_below,
    show_budget,
    show_chart,
    show_rows,
    show_sql,
    show_text,
)
from hedgerow.errors import BudgetExceeded, Refused
from hedgerow.ledger import verify
from hedgerow.mechanisms import Laplace
from hedgerow.privacy.budget_view import Balance

__all__ = [
    "AveragingChapter",
    "ExhaustedBudgetChapter",
    "LedgerChapter",
    "LedgerCharge",
    "RefusalChapter",
    "RefusedQuestion",
    "UnpaidChapter",
]

REFUSED_QUESTIONS = (
    "SELECT * FROM patients",
    "SELECT region, SUM(length_of_stay) FROM visits GROUP BY region",
)
REPEATS = 50  # how often the attacker repeats one question
_MAX_VARIANTS = 20  # new questions that the attacker tries
_EPSILON, _TOO_MUCH = Fraction(1, 10), Fraction(1)
_MAX_LISTED_CHARGES = 12


@dataclass(frozen=True)
class RefusedQuestion:
    """A question that is not answered, and the refusal."""

    sql: str
    message: str


@dataclass(frozen=True)
class RefusalChapter(PaidChapter, name="refused", title="What no budget buys"):
    """Questions that no budget buys: rows, and sums without bounds."""

    refusals: tuple[RefusedQuestion, ...]
    account: Balance

    @classmethod
    def ask(cls, session: ClinicSession) -> Self:
        refusals = []
        for sql in REFUSED_QUESTIONS:
            try:
                session.query(sql, _EPSILON)
            except Refused as problem:
                refusals.append(RefusedQuestion(sql, str(problem)))
        return cls(tuple(refusals), session.account)

    def render(self, width: int) -> RenderableType:  # noqa: ARG002
        messages = (Text(refusal.message, style="bad") for refusal in self.refusals)
        return Group(
            *(Padding(message, (0, 0, 1, 0)) for message in messages),
            Text(
                "A refusal marks the place and says what to write instead. It comes before any data"
                " are read, and costs nothing."
            ),
            show_budget(self.account),
        )


@dataclass(frozen=True)
class AveragingChapter(
    PaidChapter,
    name="attacked",
    title="Averaging the noise away",
    question="SELECT COUNT(*) AS n FROM patients WHERE smoker AND age >= 90",
):
    """An attacker who asks again and again and averages.

    ``repeats`` of one question gave ``different`` numbers; ``answers`` are those of new questions
    that mean nearly the same. ``spread`` and ``honest`` are standard deviations: of the average of
    k answers at epsilon e, whose noise is sqrt(k) times narrower than that of one, and of a single
    question at k e, whose noise is k times narrower.
    """

    repeats: int
    different: int
    sql: str
    epsilon: Fraction
    answers: tuple[TextBar, ...]
    average: float
    spread: float
    honest: float
    refused: str
    truth: int
    account: Balance

    @classmethod
    def ask(cls, session: ClinicSession) -> Self:
        ((truth,),) = session.query_exact(cls.question)
        answers, message = list[TextBar](), ""
        for number in range(_MAX_VARIANTS):
            variant = f" AND bmi > {10 + number / 10:.1f}" if number else ""
            try:
                answer = session.query(cls.question + variant, _EPSILON, "mallory")
            except BudgetExceeded as problem:
                message = str(problem)
                break
            (bar,) = build_bars(answer, "n", {})
            answers.append(TextBar(str(number + 1), bar.answer, bar.low, bar.high, truth))
        repeats, paid = REPEATS if answers else 0, max(len(answers), 1)
        repeated = (session.query(cls.question, _EPSILON, "mallory") for _ in range(repeats))
        return cls(
            repeats,
            len({answer.rows[0]["n"] for answer in repeated}),
            cls.question,
            _EPSILON,
            tuple(answers),
            sum(bar.answer for bar in answers) / paid,
            _compute_deviation(_EPSILON) / paid**0.5,
            _compute_deviation(_EPSILON * paid),
            message,
            truth,
            session.account,
        )

    def render(self, width: int) -> RenderableType:
        if not self.answers:
            refusal = Text(self.refused, style="bad")
            return Group(show_sql(self.sql), refusal, show_budget(self.account))
        count, epsilon = len(self.answers), float(self.epsilon)
        return Group(
            show_sql(self.sql, f"mallory asks {self.repeats} times at epsilon {epsilon:g}"),
            Text.assemble(
                f"{self.repeats} answers, ",
                (f"{self.different} number", "answer"),
                ": there is nothing to average. So she asks questions that only look new, with AND"
                " bmi > 10.1, AND bmi > 10.2 and so on, and pays each time:\n",
            ),
            show_chart(("try", "answer"), self.answers, width, zoomed=True),
            show_below(Text(f'"{self.refused}"', style="bad")) if self.refused else Text(),
            show_text(
                f"The average of {count} is {self.average:,.1f}, off by about {self.spread:.1f}. A"
                f" single question at epsilon {count * epsilon:g} would have been off by about"
                f" {self.honest:.1f}. The budget runs out before the noise averages out."
            ),
            show_budget(self.account),
        )


def _compute_deviation(epsilon: Fraction) -> float:
    """Return the standard deviation of a count at this epsilon."""
    return float(Laplace.calibrate(sensitivity=1, epsilon=epsilon).scale) * 2**0.5


@dataclass(frozen=True)
class ExhaustedBudgetChapter(
    PaidChapter,
    name="spent",
    title="One question too many",
    question="SELECT COUNT(*) AS n FROM patients WHERE age >= 80",
):
    """A question that asks for more than is left.

    An empty ``message`` means that the budget was raised since and covers it; then it is not asked.
    """

    sql: str
    epsilon: Fraction
    message: str
    account: Balance

    @classmethod
    def ask(cls, session: ClinicSession) -> Self:
        message = ""
        if not session.db.explain(cls.question, epsilon=_TOO_MUCH).covered:
            try:
                session.query(cls.question, _TOO_MUCH)
            except BudgetExceeded as problem:
                message = str(problem)
        return cls(cls.question, _TOO_MUCH, message, session.account)

    def render(self, width: int) -> RenderableType:  # noqa: ARG002
        sql = show_sql(self.sql, f"epsilon {float(self.epsilon):g}")
        if not self.message:
            covered = (
                "The budget was raised since, or this question was paid for. It is covered, so"
                " there is nothing to refuse."
            )
            return Group(sql, show_text(covered), show_budget(self.account))
        return Group(
            sql,
            Text(f'"{self.message}"', style="bad"),
            show_text(
                "From here on nobody gets an answer that the budget does not cover, neither this"
                " analyst nor the next. Answers given so far may be used for ever. A custodian may"
                " raise the budget; the ledger records it."
            ),
            show_budget(self.account),
        )


@dataclass(frozen=True)
class LedgerCharge:
    """One charge in the ledger."""

    entry: int
    analyst: str
    about: str
    epsilon: Fraction


@dataclass(frozen=True)
class LedgerChapter(PaidChapter, name="kept", title="The receipts"):
    """The ledger, recomputed from its entries alone."""

    ledger: str
    entries: int
    sound: bool
    spent: Fraction
    charges: tuple[LedgerCharge, ...]

    @classmethod
    def ask(cls, session: ClinicSession) -> Self:
        path = session.db.policy.ledger_path
        assert path is not None
        report = verify(path)
        charges = []
        for entry in session.db.ledger.entries():
            if entry.kind == "charge":
                body, about = entry.body, entry.body["about"]
                subject = f"{', '.join(about['aggregates'])} of {about['table']}"
                epsilon = Fraction(body["epsilon"])
                charges.append(LedgerCharge(entry.seq, body["analyst"], subject, epsilon))
        spent = sum((charge.epsilon for charge in charges), Fraction(0))
        return cls(str(path), report.entries, report.sound, spent, tuple(charges))

    def render(self, width: int) -> RenderableType:  # noqa: ARG002
        rows = show_rows(("entry", "who", "asked for", "epsilon"), ("entry", "epsilon"))
        for charge in self.charges[-_MAX_LISTED_CHARGES:]:
            epsilon = f"{float(charge.epsilon):g}"
            rows.add_row(str(charge.entry), charge.analyst, charge.about, epsilon)
        verdict = ("nothing is wrong", "good") if self.sound else ("something is wrong", "bad")
        summary = f"; charges of epsilon {float(self.spent):g} in total."
        command = f"hedgerow ledger verify {self.ledger.removesuffix('.ledger')}.toml"
        return Group(
            rows,
            show_below(Text.assemble(f"{self.entries} entries, recomputed: ", verdict, summary)),
            show_text(
                "Every charge is on disk before any data are read, and holds the hash of the entry"
                " before it. Edited or missing entries are found by"
            ),
            show_below(Text(command, style="name")),
        )


@dataclass(frozen=True)
class UnpaidChapter(Chapter, name="unpaid"):
    """A chapter that the budget no longer covers, because other questions were asked since."""

    title: str
    sql: str
    message: str
    account: Balance

    @property
    def heading(self) -> str:
        """The title of the chapter that could not be paid for."""
        return self.title

    def render(self, width: int) -> RenderableType:  # noqa: ARG002
        return Group(
            show_sql(self.sql),
            Text(f'"{self.message}"', style="bad"),
            show_text(
                "Other questions have used up the budget since. 'hedgerow demo --reset' makes the"
                " clinic anew, with a full budget."
            ),
            show_budget(self.account),
        )
