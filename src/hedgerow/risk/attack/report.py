"""The report on an attack: what was done, the picture, and what each epsilon would mean. For the custodian alone."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from hedgerow.publish.report import Section
from hedgerow.risk.attack.ceilings import EPSILONS, Ceiling, choices
from hedgerow.risk.attack.comparison import FEW, NOISY, Comparison, halvings
from hedgerow.risk.attack.guarded import Guarded
from hedgerow.risk.attack.picture import belief_figure, figure, percent
from hedgerow.risk.attack.secret import Target
from hedgerow.risk.page import page

__all__ = ["ALARM", "failing", "html", "in_words", "notes"]

_ONE_IN: Final = Fraction(1, 10**6)
_STRONG: Final = 0.95  # a column of which so much comes back is rebuilt
ALARM: Final = 1e-9  # how rarely a line that is within its ceiling is taken for one above it


def failing(guard: Guarded) -> Fraction:
    """With which probability a bound on belief is allowed to fail: never where the budget is pure."""
    return Fraction(0) if guard.delta is None else max(_ONE_IN, min(1000 * guard.delta, Fraction(1, 2)))


def in_words(found: Comparison) -> list[str]:
    """What came out, in sentences."""
    words = []
    rebuilt = [
        line.publisher for line in map(found.best, dict.fromkeys(line.publisher for line in found.before)) if line.success.rate >= _STRONG
    ]
    if rebuilt:
        words.append(f"The secrets of {found.people} people, rebuilt almost whole from published counts: {', '.join(rebuilt)}.")
    for guard in found.guards:
        best, ceiling = found.best(guard.name), guard.ceilings[0]
        but = failing(guard)
        believed = percent(ceiling.belief(but=but), up=True)
        chance = f", but for a chance of one in {round(1 / but):,}" if but else ""
        luck = " (more than that is luck: run it more often)" if best.success.rate > guard.ceiling else ""
        words.append(
            f"Hedgerow, total {guard.name}: {percent(best.success.rate)} right by the best attack, and no attack gets more, on average, "
            f"than {percent(guard.ceiling, 2, up=True)}{luck}. Who believed 50 % can believe {believed} at most afterwards{chance}."
        )
    above = found.above(ALARM)
    if above:
        named = ", ".join(f"{line.publisher} ({line.attack})" for line in above)
        words.append(f"ALARM: above the ceiling, which should not be possible: {named}. Please report this.")
    return words


def notes(target: Target) -> list[str]:
    """What was done with less than was asked for."""
    people = target.crowd.people
    if people >= target.wanted:
        return []
    return [f"{people} people were attacked and not {target.wanted:,}: no more have the secret, or no more lack it."]


def html(target: Target, found: Comparison) -> str:
    """The page."""
    budget, rule = target.budget, target.table
    facts = [
        ("Table", f"{rule.name}, version {rule.version}"),
        ("Secret", target.words),
        ("Neighbours", str(rule.neighbours)),
        ("Noise", budget.noise),
        (
            "Budget of the policy",
            f"epsilon {float(budget.epsilon):g}" + ("" if budget.delta is None else f", delta {float(budget.delta):g}"),
        ),
        ("Attacked", f"{found.people} people, {found.runs} run{'s' if found.runs > 1 else ''} of each attack"),
        ("Charged", "nothing: the attacked databases were copies with ledgers of their own, in memory"),
    ]
    sections = [
        Section("What came out", (*in_words(found), *notes(target)), figures=(figure(found),)),
        Section("How it was done", _done(found.people)),
        *_choosing(found),
    ]
    return page(f"Attack on {target.column} of {rule.name}", facts, sections)


def _choosing(found: Comparison) -> list[Section]:
    if not found.guards:
        return []
    first = found.guards[0]
    table = tuple(
        (f"{float(choice.epsilon):g}", percent(choice.belief, up=True), percent(choice.success, up=True))
        for choice in choices(first.relation, "attribute", sorted({*EPSILONS, *(guard.epsilon for guard in found.guards)}))
    )
    curves = [(guard.name, guard.ceilings[0]) for guard in sorted(found.guards, key=lambda guard: guard.epsilon)]
    titles = ("total epsilon", "who believed 50 % can believe at most", "guesses right at most")
    presence: tuple[str, ...] = ()
    if first.relation == "add-remove":
        there = Ceiling("add-remove", "presence", Fraction(1))
        presence = (f"Whether somebody is in the data at all is hidden better: {percent(there.belief(), up=True)} at most at epsilon 1.",)
    return [Section("Choosing epsilon", (_CHOOSING, *presence), titles, table, figures=(belief_figure(curves, failing(first)),))]


def _done(people: int) -> tuple[str, ...]:
    return (
        "Of the table it was counted how many people have the secret and how many do not; nothing else of it was used. That limits how "
        "many can be attacked. In each run a fair coin decides for each of them whether it is one with the secret or one without it. So an "
        "attacker who learns nothing gets half of them right, however rare the secret is.",
        "The attacker knows everything but the secrets: who is there, what all other columns say, how answers are made and how wide "
        "their noise is. Only the secrets are asked for, in sums over groups of people.",
        "One by one: each person is a group. That is enough against exact answers, and it is the best attack on Hedgerow.",
        f"Crossing halves, against what is published by habit: {halvings(people):,} times everybody is divided into halves at random, so "
        "that rounding hardly changes a count and no count is small enough to be left out. Crossing groups, against Hedgerow: "
        f"{NOISY} times everybody is divided into groups of {FEW}, because few questions get more of the budget each. The attacks differ "
        "because each is the better one against what it attacks. Answers are put together by least squares or linear programming.",
        "Through Hedgerow two analysts take turns until their common budget is empty, and pool what they got.",
    )


_CHOOSING: Final = (
    "A total of epsilon over all questions bounds what anybody can come to believe about one person, whatever else they know. The "
    "table is about a secret in somebody's record, without delta; a small delta adds a small chance that it fails."
)
