"""The drawing of each chapter: the question that a user would ask, the answer, what it means in
plain words, the budget.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from hedgerow.charts.text_bars import TextBar, draw_bar, draw_gauge, draw_span
from hedgerow.demo.chapters import (
    Again,
    Attacked,
    Audited,
    Discovered,
    Explained,
    Filtered,
    Grouped,
    Kept,
    Protected,
    Receipt,
    Refused,
    Spent,
    Unpaid,
)
from hedgerow.numeric.formatting import format_share
from hedgerow.privacy.budget_view import Balance

__all__ = [
    "again",
    "attacked",
    "audited",
    "discovered",
    "explained",
    "filtered",
    "grouped",
    "kept",
    "protected",
    "refused",
    "spent",
    "unpaid",
]

_GAUGE = 30


def _sql(text: str, *before: str) -> Padding:
    """A question as it is asked, under what else is said on the line."""
    shown = Syntax(text, "sql", theme="ansi_dark", background_color="default", word_wrap=True)
    return Padding(Group(*(Text(line, style="faint") for line in before), shown), (0, 0, 1, 0))


def _say(text: str) -> Padding:
    return Padding(Text(text), (1, 0, 0, 0))


def _budget(account: Balance, cost: Fraction = Fraction(0)) -> Padding:
    total, left = float(account.total), float(account.left)
    paid = f"{float(cost):g} paid, " if cost else ""
    bar = draw_gauge(left / total, float(cost) / total, _GAUGE)
    return Padding(
        Text.assemble("budget  ", bar, f"  {paid}", (f"{left:g} of {total:g} left", "answer")),
        (1, 0, 0, 0),
    )


def _paid(receipt: Receipt) -> RenderableType:
    free = f"Paid for before, by ledger entry {receipt.entry}: free now."
    told = [Padding(Text(free, style="good"), (1, 0, 0, 0))] if receipt.reused else []
    return Group(*told, _budget(receipt.account, receipt.cost))


def _number(value: float) -> str:
    return f"{value:,.0f}"


def _radius(bars: Sequence[TextBar]) -> float:
    return max(((bar.high - bar.low) / 2 for bar in bars), default=0)


def _chart(
    head: tuple[str, str], bars: Sequence[TextBar], width: int, *, zoomed: bool = False
) -> Table:
    """Label, answer, bar with its interval, and at the right what only the custodian sees."""
    label = max(5, *map(len, [head[0], *(bar.label for bar in bars)]))
    answers = [
        (
            _number(bar.answer)
            if zoomed
            else f"{_number(bar.answer)} ± {_number((bar.high - bar.low) / 2)}"
        )
        for bar in bars
    ]
    number, truth = (
        max(map(len, texts))
        for texts in ([head[1], *answers], ["◆", *(_number(bar.truth) for bar in bars)])
    )
    space = max(width - label - number - truth - 6, 10)
    top = max([1.0, *(max(bar.high, bar.truth) for bar in bars)])
    start = min((min(bar.low, bar.truth) for bar in bars), default=0.0) if zoomed else 0.0
    rows = Table.grid(padding=(0, 2, 0, 0))
    rows.add_column(justify="right", width=label)
    rows.add_column(justify="right", width=number)
    rows.add_column(width=space, no_wrap=True)
    rows.add_column(justify="right", width=truth)
    axis = _number(start) + _number(top).rjust(space - len(_number(start)))
    rows.add_row(*(Text(word, style="faint") for word in (*head, axis)), Text("◆", style="truth"))
    for bar, answer in zip(bars, answers, strict=True):
        drawn = draw_span(bar, start, top, space) if zoomed else draw_bar(bar, top, space)
        rows.add_row(
            bar.label, Text(answer, style="answer"), drawn, Text(_number(bar.truth), style="truth")
        )
    return rows


def protected(it: Protected, _: int) -> RenderableType:
    total = float(it.account.total)
    return Group(
        Text.assemble(
            ("The policy is one page, ", ""),
            (it.policy, "name"),
            f". It protects {it.unit} under {it.neighbours}: a person with all her rows in all"
            " tables. It declares what everybody knows about the columns, and one budget for these"
            " people, whoever asks. All answers together tell a world with you from one without"
            f" you by a factor of e^{total:g} at most: whoever holds it for a toss-up whether you"
            f" are in the data will be at most {format_share(it.guess)} sure in the end, whatever else"
            " they know, but for a chance of one in a billion.",
        ),
        Padding(Text(f"◆ {it.truth:,} patients", style="truth"), (1, 0, 0, 0)),
        _budget(it.account),
    )


def explained(it: Explained, _: int) -> RenderableType:
    return Group(
        _sql(it.sql, "EXPLAIN PRIVACY, at epsilon 0.5"),
        Text(it.words),
        _say(
            "Explaining touches no data and costs nothing. It works backwards as well: to count"
            f" patients to within about {it.error} takes epsilon {float(it.epsilon):g}."
        ),
        _budget(it.account),
    )


def grouped(it: Grouped, width: int) -> RenderableType:
    return Group(
        _sql(it.sql),
        _chart(("region", "visits"), it.counts, width),
        Padding(_chart(("region", "mean cost"), it.means, width, zoomed=True), (1, 0, 0, 0)),
        _say(
            "The brackets are 95 % intervals. Those of the counts, ±"
            f" {_number(_radius(it.counts))}, are too small to see; those of the means are not,"
            " because one visit may cost up to 10,000. (The axis of the means does not begin"
            " at 0.)"
        ),
        _paid(it.receipt),
    )


def again(it: Again, _: int) -> RenderableType:
    same = "the same numbers" if it.same else "other numbers"
    return Group(
        _sql(it.sql),
        Text.assemble(
            "Another spelling, the same meaning: ",
            (same, "answer"),
            f", from ledger entry {it.receipt.entry}.",
        ),
        _say(
            "A question is paid for once. Whoever asks it again gets the stored answer, and nobody"
            " learns more from it."
        ),
        _budget(it.receipt.account),
    )


def discovered(it: Discovered, width: int) -> RenderableType:
    hidden = ", ".join(f"{name} ({count})" for name, count in it.truth_hidden)
    return Group(
        _sql(it.sql),
        _chart(("diagnosis", "visits"), it.counts, width),
        _say(
            "Nobody declared which diagnoses there are, and a rare one may point at a person. So a"
            f" group is shown only when its noisy count reaches {it.threshold:,}; the chance that"
            " this gives a single person away is what delta pays for."
        ),
        Padding(Text(f"◆ not shown: {hidden}", style="truth"), (1, 0, 0, 0)) if hidden else Text(),
        _paid(it.receipt),
    )


def filtered(it: Filtered, width: int) -> RenderableType:
    return Group(
        _sql(it.sql),
        _chart(("smoker", "visits"), it.counts, width),
        Padding(_chart(("smoker", "mean cost"), it.means, width, zoomed=True), (1, 0, 0, 0)),
        _say(
            "Fewer rows, the same noise: the smaller the group, the wider its interval beside it."
            " True and false are keys of their own."
        ),
        _paid(it.receipt),
    )


def refused(it: Refused, _: int) -> RenderableType:
    pages: list[RenderableType] = [
        Padding(Text(refusal.message, style="bad"), (0, 0, 1, 0)) for refusal in it.refusals
    ]
    return Group(
        *pages,
        Text(
            "A refusal says where and what to write instead. It happens before anything is charged"
            " and before data are looked at."
        ),
        _budget(it.account),
    )


def attacked(it: Attacked, width: int) -> RenderableType:
    if not it.answers:
        return Group(_sql(it.sql), Text(it.refused, style="bad"), _budget(it.account))
    count, price = len(it.answers), float(it.epsilon)
    return Group(
        _sql(it.sql, f"mallory asks {it.repeats} times at epsilon {price:g}, and averages"),
        Text.assemble(
            f"{it.repeats} answers, ",
            (f"{it.different} number", "answer"),
            ": there is nothing to average. So she asks what only looks new, with AND bmi > 10.1,"
            " AND bmi > 10.2 and so on, and pays each time:\n",
        ),
        _chart(("try", "answer"), it.answers, width, zoomed=True),
        Padding(Text(f'"{it.refused}"', style="bad"), (1, 0, 0, 0)) if it.refused else Text(),
        _say(
            f"The average of {count} is {it.average:,.1f}, off by about {it.spread:.1f}. One honest"
            f" question at epsilon {count * price:g} would have been off by about {it.honest:.1f}."
            " Noise averages out more slowly than the budget runs out."
        ),
        _budget(it.account),
    )


def spent(it: Spent, _: int) -> RenderableType:
    if not it.message:
        said = _say(
            "Somebody has raised the budget since, or paid for this: there is enough for it, and so"
            " nothing to refuse."
        )
        return Group(_sql(it.sql, f"epsilon {float(it.epsilon):g}"), said, _budget(it.account))
    return Group(
        _sql(it.sql, f"epsilon {float(it.epsilon):g}"),
        Text(f'"{it.message}"', style="bad"),
        _say(
            "From here on nobody gets what is not left, not this analyst and not the next; the sums"
            " are fractions and leave no crumbs. Answers given so far may be used for ever, and a"
            " custodian may raise the budget: openly, as an entry of the ledger."
        ),
        _budget(it.account),
    )


def kept(it: Kept, _: int) -> RenderableType:
    rows = Table(box=None, padding=(0, 2, 0, 0), show_edge=False, header_style="faint")
    for title in ("entry", "who", "asked for", "epsilon"):
        rows.add_column(title, justify="right" if title in ("entry", "epsilon") else "left")
    for charge in it.charges[-12:]:
        rows.add_row(str(charge.entry), charge.analyst, charge.about, f"{float(charge.epsilon):g}")
    sound = (
        Text("nothing is wrong", style="good")
        if it.sound
        else Text("something is wrong", style="bad")
    )
    return Group(
        rows,
        Padding(
            Text.assemble(
                f"{it.entries} entries, recomputed: ",
                sound,
                f"; charges of epsilon {float(it.spent):g} in all.",
            ),
            (1, 0, 0, 0),
        ),
        _say(
            "Every charge is on disk before the data are touched, tied to the one before by its"
            " hash. An edited or shortened ledger shows:"
        ),
        Padding(
            Text(f"hedgerow ledger verify {it.ledger.removesuffix('.ledger')}.toml", style="name"),
            (1, 0, 0, 0),
        ),
    )


def unpaid(it: Unpaid, _: int) -> RenderableType:
    return Group(
        _sql(it.sql),
        Text(f'"{it.message}"', style="bad"),
        _say(
            "Other questions were asked here since, and they have used the budget up. 'hedgerow"
            " demo --reset' makes the clinic anew."
        ),
        _budget(it.account),
    )


def audited(it: Audited, _: int) -> RenderableType:
    rows = Table(box=None, padding=(0, 2, 0, 0), show_edge=False, header_style="faint")
    for title in ("noise", "claims", "audit", "by the event", "verdict"):
        rows.add_column(title)
    for found in it.findings:
        verdict = Text("refuted", style="bad") if found.refuted else Text("stands", style="good")
        rows.add_row(
            found.name,
            f"{found.claim:g}",
            Text(f"≥ {found.epsilon:.2f}", style="answer"),
            found.event,
            verdict,
        )
    return Group(
        rows,
        _say(
            f"Two makers of Laplace noise claim epsilon 1. The auditor sees {it.samples:,} outputs"
            " each for the true values 0 and 1, and nothing else. The textbook formula in floating"
            " point, which is what numpy has, is given away by the last bits of its numbers. Ours"
            " are whole grid steps with exactly the stated probabilities."
        ),
    )
