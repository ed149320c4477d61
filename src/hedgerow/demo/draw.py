"""The drawing of each chapter: the code that a user would write, the answer, what it means in plain words, the budget."""

from __future__ import annotations

from fractions import Fraction

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from hedgerow.demo import plot
from hedgerow.demo.chapters import Audited, Averaged, Chosen, Counted, Histogram, Led, Protected, Refusal, Survey
from hedgerow.privacy.account import Account

__all__ = ["audited", "averaged", "chosen", "counted", "histogram", "led", "protected", "refusal", "survey"]

_GAUGE = 30


def _code(*lines: str) -> Padding:
    return Padding(Syntax("\n".join(lines), "python", theme="ansi_dark", background_color="default"), (0, 0, 1, 0))


def _percent(share: float, places: int = 1) -> str:
    return f"{100 * share:.{places}f} %"


def _say(text: str) -> Padding:
    return Padding(Text(text), (1, 0, 0, 0))


def _answers(*rows: tuple[str, str, str, str]) -> Table:
    """Name, answer, how sure it is, and at the right what only the custodian sees."""
    table = Table.grid(expand=True, padding=(0, 2, 0, 0))
    for _ in range(2):
        table.add_column(no_wrap=True)
    table.add_column(ratio=1)
    table.add_column(justify="right", no_wrap=True)
    for name, answer, sure, truth in rows:
        table.add_row(name, Text(answer, style="answer"), sure, Text(f"◆ {truth}" if truth else "", style="truth"))
    return table


def _budget(account: Account, cost: Fraction = Fraction(0)) -> Padding:
    total, left = float(account.total), float(account.left)
    paid = f"{float(cost):g} paid, " if cost else ""
    bar = plot.gauge(left / total, float(cost) / total, _GAUGE)
    return Padding(Text.assemble("budget  ", bar, f"  {paid}", (f"{left:g} of {total:g} left", "answer")), (1, 0, 0, 0))


def protected(it: Protected, _: int) -> RenderableType:
    total = float(it.account.total)
    return Group(
        _code(f'unit = Unit("{it.relation}", owner="{it.owner}")', f"budget = Budget(epsilon={total:g})"),
        Text(
            f"A person with all her visits. Neighbours are this file and the same file had one person never come (distance {it.distance}). "
            f"All answers together tell the two apart by a factor of e^{total:g} at most: whoever holds it for a toss-up whether you are "
            f"in the file will be at most {_percent(it.guess, 0)} sure in the end, whatever else they know and however they compute."
        ),
        _budget(it.account),
    )


def counted(it: Counted, _: int) -> RenderableType:
    return Group(
        _code(
            "m = Laplace.calibrate(sensitivity=1, epsilon=0.1)",
            "budget = budget.after(m.loss(1))    # every question pays first",
            "patients = m.sample(len(ages))",
        ),
        _answers(("patients", f"{it.answer:,} ± {it.radius}", "with 95 %", f"{it.truth:,}")),
        _say(f"One person moves a count by 1. Whole-number noise of scale {it.scale:g} hides that, and little else."),
        _budget(it.payment.account, it.payment.cost),
    )


def averaged(it: Averaged, _: int) -> RenderableType:
    middle = it.most // 2
    return Group(
        _code(
            f"m = Laplace.calibrate(sensitivity={middle}, epsilon=0.2)",
            f"{middle} + m.sample(sum(age - {middle} for age in ages)) / patients",
        ),
        _answers(("mean age", f"{it.answer:.1f}", f"between {it.low:.1f} and {it.high:.1f} with 95 %", f"{it.truth:.1f}")),
        _say(
            f"The custodian declared ages from {it.least} to {it.most}; to read the range off the data would leak it. Only the sum is "
            "paid for: the noisy number of patients is known already, and whatever is made of known answers is free."
        ),
        _budget(it.payment.account, it.payment.cost),
    )


def histogram(it: Histogram, width: int) -> RenderableType:
    top = max(1, *(max(item.high, item.truth) for item in it.bars))
    label, number, truth = 7, 8, 5
    space = width - label - number - truth - 6
    rows = Table.grid(padding=(0, 2, 0, 0))
    rows.add_column(justify="right", width=label)
    rows.add_column(justify="right", width=number)
    rows.add_column(width=space, no_wrap=True)
    rows.add_column(justify="right", width=truth)
    rows.add_row("age", "patients", Text("0" + f"{top}".rjust(space - 1), style="faint"), Text("◆", style="truth"))
    for item in it.bars:
        answer, exact = Text(f"{item.answer} ± {it.radius}", style="answer"), Text(f"{item.truth}", style="truth")
        rows.add_row(item.label, answer, plot.bar(item, top, space), exact)
    return Group(
        _code("m = Laplace.calibrate(sensitivity=1, epsilon=0.3)", "m.sample(counts)"),
        rows,
        _say(
            f"Each person stands in one bar, so {len(it.bars)} bars cost as much as one. The brackets hold all together with 95 %. "
            "What came out below 0 is shown as 0: free as well."
        ),
        _budget(it.payment.account, it.payment.cost),
    )


def chosen(it: Chosen, _: int) -> RenderableType:
    names = Text(" · ").join(Text(f"▶ {name} ◀", style="answer") if name == it.answer else Text(name) for name in it.candidates)
    return Group(
        _code("m = Exponential.calibrate(sensitivity=1, epsilon=0.2, monotone=True)", "DIAGNOSES[m.sample(counts)]"),
        Padding(names, (0, 0, 1, 0)),
        _answers(("chosen", it.answer, "", it.truth)),
        _say(
            "A name comes out and no count. The more patients have it, the likelier it is chosen: with 95 % at most "
            f"{it.radius:.0f} patients fewer than the commonest."
        ),
        _budget(it.payment.account, it.payment.cost),
    )


def led(it: Led, _: int) -> RenderableType:
    return Group(
        _code("m = NoisyMax.calibrate(sensitivity=1, epsilon=0.2, monotone=True)", "m.sample_with_gap(counts)"),
        _answers(("first", it.answer, f"by about {it.lead} patients", f"{it.truth}, by {it.true_lead}")),
        _say("Every count gets noise and only the largest is named. How far it leads the second is told at no further cost."),
        _budget(it.payment.account, it.payment.cost),
    )


def survey(it: Survey, _: int) -> RenderableType:
    return Group(
        _code("m = RandomizedResponse(truth=1/2)", "m.estimate([m.sample(answer) for answer in answers])"),
        Padding(
            Text(
                f'{it.people:,} other people are asked "Did you ever skip your medicine?" and trust nobody. Each throws a coin at home: '
                "heads, say the truth; tails, say what a second coin says. No answer can be held against anyone: it gives away epsilon "
                f"{it.epsilon:.2f} at most."
            ),
            (0, 0, 1, 0),
        ),
        _answers(
            ("said yes", _percent(it.reported), "coins included", ""),
            ("estimate", _percent(it.answer), f"between {_percent(it.low)} and {_percent(it.high)} with 95 %", _percent(it.truth)),
        ),
        _say(
            f"Had they trusted a custodian, the same epsilon would give ± {_percent(it.trusted, 2)}: noise on every answer blurs more than "
            "noise on one total. The survey has its own epsilon; the clinic's budget is as it was."
        ),
    )


def refusal(it: Refusal, _: int) -> RenderableType:
    rows = Table.grid(padding=(0, 2, 0, 0))
    for paid in it.paid:
        total = float(paid.account.total)
        rows.add_row(
            paid.question,
            f"{float(paid.cost):g}",
            plot.gauge(float(paid.account.left) / total, float(paid.cost) / total, _GAUGE),
            "answered",
        )
    rows.add_row(it.question, f"{float(it.asked):g}", plot.gauge(0, 0, _GAUGE), Text("refused", style="bad"))
    return Group(
        rows,
        Padding(Text(f'"{it.message}"', style="bad"), (1, 0, 0, 0)),
        _say(
            "0.1 + 0.2 + 0.3 + 0.2 + 0.2 is 1 and leaves exactly nothing: the sums are fractions. From here on nobody gets a fresh answer "
            "about these people, not this analyst and not the next. The answers given so far may be used for ever."
        ),
    )


def audited(it: Audited, _: int) -> RenderableType:
    rows = Table(box=None, padding=(0, 2, 0, 0), show_edge=False, header_style="faint")
    for title in ("noise", "claims", "audit", "by the event", "verdict"):
        rows.add_column(title)
    for found in it.findings:
        verdict = Text("refuted", style="bad") if found.refuted else Text("stands", style="good")
        rows.add_row(found.name, f"{found.claim:g}", Text(f"≥ {found.epsilon:.2f}", style="answer"), found.event, verdict)
    return Group(
        _code("audit(mechanism, one=0.0, other=1.0)"),
        rows,
        _say(
            f"Two makers of Laplace noise claim epsilon 1. The auditor sees {it.samples:,} outputs each for the true values 0 and 1, and "
            "nothing else. The textbook formula in floating point, which is what numpy has, is given away by the last bits of its numbers. "
            "Ours are whole grid steps with exactly the stated probabilities."
        ),
    )
