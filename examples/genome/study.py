# %% [markdown]
# # A genome study that reveals nobody's genome
#
# Three thousand people with a disease, three thousand without, and a hundred thousand variants of
# the genome. Which of them are associated with the disease? Published allele counts of such studies
# have exposed participants: anybody with your genome could infer from the counts alone whether you
# were among the cases. Here every release of the study is charged to one budget.
#
#     .venv/bin/python examples/genome/study.py            the whole study
#     .venv/bin/python examples/genome/study.py --small    a tenth of it, in a few seconds
#
# `association.py` has the proofs of the sensitivities, and `cohort.py` makes up the people.

# %%
from __future__ import annotations

import argparse
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1]))

from drawing import Panel, Picture
from genome.association import SCORE, Custodian, chi_square, odds_ratio, p_value, scores, top
from genome.cohort import CHROMOSOMES, WIDTH, make

import hedgerow as hr
from hedgerow.mechanisms import Exponential, Gaussian, PermuteAndFlip

reader = argparse.ArgumentParser(description="A genome study that tells nobody's genome.")
reader.add_argument(
    "--small", action="store_true", help="fewer people and variants, in a few seconds"
)
reader.add_argument(
    "--out",
    type=Path,
    default=Path("build/examples"),
    metavar="FOLDER",
    help="where the picture goes",
)
options = reader.parse_args()

# %% [markdown]
# ## The people
#
# They do not exist. Variants come in loci of twenty that are inherited together, and ten variants
# in ten loci raise the odds of the disease, by 1.2 to 1.6 for each copy: these we would like to
# find.

# %%
loci, each = (250, 1500) if options.small else (5000, 3000)
odds = (1.8, 2.2) if options.small else (1.22, 1.26, 1.3, 1.34, 1.38, 1.42, 1.46, 1.5, 1.55, 1.6)
study = make(loci, each, odds)
exact = study.tables()  # secret: from here on only the custodian may look at it
wanted = len(odds)
planted = {item.variant // WIDTH: item for item in study.planted}
print(f"{each:,} cases, {each:,} controls, {study.variants:,} variants, {wanted} of them planted\n")


def name(variant: int) -> str:
    """Return the position of a variant: its chromosome, and million bases along it."""
    chromosome, along = study.place(variant)
    return f"{chromosome}:{along:.2f}"


# %% [markdown]
# ## One budget for everything
#
# Epsilon 1 at delta 10^-6 for everything that is ever released about these people. Internally,
# Hedgerow accounts in *rho*, in which many small releases add up better than in epsilon. Three
# fifths pay for the selection of variants, the rest for tables of the selected ones.

# %%
budget = hr.Budget(epsilon=1, delta=1e-6)
custodian = Custodian(exact, budget)
to_find, to_tell = budget.rho * Fraction(3, 5), budget.rho * Fraction(2, 5)
print(
    f"The budget: epsilon {float(budget.epsilon):g} at delta {float(budget.delta or 0):g}, which is"
    f" rho {float(budget.rho):.4f}"
)

# %% [markdown]
# ## Which variants?
#
# Releasing all counts to find the largest differences would drown them in noise: one person changes
# every variant at once, so the noise grows with the root of their number. *Selection* does not
# depend on how many scores one person changes, only on how much each changes: by 1.

# %%
everything = Gaussian.calibrate(sensitivity=hr.Sensitivity.each(study.variants, SCORE), rho=to_find)
choice = Exponential.calibrate(sensitivity=SCORE, rho=to_find / wanted)
print(f"Told all together, every difference would be off by about {float(everything.scale):,.0f}.")
print(
    f"Chosen, a variant is within {choice.error(0.05, study.variants):,.0f} of the best one left,"
    " 19 times out of 20."
)
found = custodian.most_associated(wanted, to_find, WIDTH)
hits = [variant // WIDTH in planted for variant in found]
print(
    f"{sum(hits)} of the {wanted} that were chosen lie in a planted locus. (Only we can know that:"
    " we planted them.)\n"
)

# %% [markdown]
# ## Are they associated?
#
# A table for each variant found: cases and controls by number of copies, with Gaussian noise in
# every cell. The usual chi-square test would take the noise for a difference between the groups.
# Ours knows how much of it there is.
#
# The variants were chosen because they look different, out of very many. So a p-value has to be
# below 0.05 divided by the number of *all* variants; then the chance that any innocent one passes
# is at most 5 %, however they were chosen.

# %%
noisy, noise = custodian.noisy_tables(found, to_tell)
level = 0.05 / study.variants
p_values = p_value(chi_square(noisy, noise))
print(
    f"Noise in each cell: ±{1.96 * noise:.0f} people, 19 times out of 20. A p-value has to be below"
    f" {level:.0e}.\n"
)
print(
    "  variant         share in cases, controls    odds ratio, 95 % interval    planted     p-value"
)
for place, variant in enumerate(found):
    table = noisy[:, :, place]
    share = table @ [0, 1, 2] / np.maximum(2 * table.sum(axis=1), 1)
    ratio, low, high = odds_ratio(table, noise)
    truth = planted.get(variant // WIDTH)
    told = f"{truth.odds:.2f}" if truth else "no"
    verdict = "associated" if p_values[place] < level else ""
    line = (
        f"  {name(variant):<14}  {share[1]:>10.1%} {share[0]:>10.1%}    {ratio:>10.2f}  {low:>6.2f}"
        f" … {high:<6.2f}"
    )
    print(f"{line} {told:>9}    {p_values[place]:>8.0e}  {verdict}".rstrip())
print()

# %% [markdown]
# ## Does the test keep its word?
#
# Tables where nothing is associated, with the same noise. At a level of 5 % a test may call one in
# twenty of them associated. The usual test calls nearly all of them so where an allele is rare: the
# noise is larger there than what chance would do.

# %%
tries = 5_000 if options.small else 40_000
chance = np.random.default_rng(1)
same_noise = Gaussian(scale=noise)
false_alarms: dict[float, dict[str, tuple[float, float]]] = {}
print(f"False alarms in {tries:,} tables without association (± is a 95 % interval)")
print("  allele share    level    noise known      noise ignored")
for share_of_allele in (0.05, 0.2, 0.5):
    shares = [
        (1 - share_of_allele) ** 2,
        2 * share_of_allele * (1 - share_of_allele),
        share_of_allele**2,
    ]
    innocent = np.moveaxis(chance.multinomial(each, shares, size=(2, tries)), 2, 1)
    seen = same_noise.sample(innocent)
    for allowed in (0.05, 0.01):
        rates = {}
        for label, known in (("known", noise), ("ignored", 0.0)):
            rate = float(np.mean(p_value(chi_square(seen, known)) < allowed))
            rates[label] = (rate, 1.96 * float(np.sqrt(rate * (1 - rate) / tries)))
        if allowed == 0.05:
            false_alarms[share_of_allele] = rates
        words = "    ".join(f"{rate:>6.2%} ± {radius:.2%}" for rate, radius in rates.values())
        print(f"  {share_of_allele:>12.0%}   {allowed:>6.0%}   {words}")
print()

# %% [markdown]
# ## How much epsilon does it take?
#
# The choice alone, again and again at several budgets. On real people each of these runs would be
# charged; with made-up ones we may look. `PermuteAndFlip` is the sharper mechanism for a single
# choice in pure epsilon; `Exponential` costs so little rho that for ten choices, with a delta, it
# wins.

# %%
runs, student = (3, 4.30) if options.small else (8, 2.36)  # and the 97.5 % point of Student's t
grid = (0.01, 1, 50) if options.small else (0.1, 0.2, 0.35, 0.5, 1, 2, 4)
recall: dict[str, list[tuple[float, float, float, float]]] = {
    "exponential": [],
    "permute-and-flip": [],
}
all_scores = scores(exact)
for epsilon in grid:
    mechanisms = {
        "exponential": Exponential.calibrate(
            sensitivity=SCORE, rho=hr.Budget(epsilon=epsilon, delta=1e-6).rho / wanted
        ),
        "permute-and-flip": PermuteAndFlip.calibrate(
            sensitivity=SCORE, epsilon=Fraction(str(epsilon)) / wanted
        ),
    }
    for label, mechanism in mechanisms.items():
        shares_found = [
            np.mean([v // WIDTH in planted for v in top(all_scores, mechanism, wanted, WIDTH)])
            for _ in range(runs)
        ]
        middle, radius = (
            float(np.mean(shares_found)),
            student * float(np.std(shares_found, ddof=1)) / runs**0.5,
        )
        recall[label].append(
            (epsilon, middle, max(middle - radius, 0.0), min(middle + radius, 1.0))
        )
# what exact scores would choose
in_order = np.argsort(-all_scores.reshape(-1, WIDTH).max(axis=1))[:wanted]
without_noise = len(set(in_order.tolist()) & set(planted)) / wanted

print(
    f"Share of the planted loci among {wanted} chosen, {runs} runs each; by exact scores"
    f" {without_noise:.0%}"
)
print("  epsilon    exponential, delta 1e-6    permute-and-flip, pure")
for one, other in zip(recall["exponential"], recall["permute-and-flip"], strict=True):
    print(
        f"  {one[0]:>7g}    {one[1]:>8.0%}  {one[2]:>4.0%} … {one[3]:<10.0%}  {other[1]:>6.0%} "
        f" {other[2]:>4.0%} … {other[3]:.0%}"
    )
print()

# %% [markdown]
# ## The picture
#
# Above, what only the custodian sees: the exact scores along the genome. Published are the places
# of the rings, and their tables.

# %%
picture = Picture(880, 700)
highest = 100 * int(np.ceil(1.1 * all_scores.max() / 100))
ends = np.cumsum(CHROMOSOMES) / sum(CHROMOSOMES)
starts = np.concatenate([[0.0], ends[:-1]])
genome = Panel(picture, 66, 70, 784, 256, (0.0, 1.0), (0.0, highest))
genome.frame(
    f"{study.variants:,} variants, {wanted} of them planted, {wanted} chosen at a budget of epsilon"
    f" {float(budget.epsilon):g}",
    "difference of allele counts, cases against controls (exact: secret)",
    "chromosome",
    {
        (a + b) / 2: str(number)
        for number, (a, b) in enumerate(zip(starts, ends, strict=True), 1)
        if number < 15 or number % 2 == 0
    },
    {mark: f"{mark:,}" for mark in range(0, highest + 1, 200)},
)
along = (np.arange(study.variants) + 0.5) / study.variants
column = (along * genome.width).astype(int)
for colour, chromosomes in (("pale", range(0, 22, 2)), ("mist", range(1, 22, 2))):
    spans, dots = [], []
    for pixel in np.unique(column[np.isin(np.searchsorted(ends, along), chromosomes)]):
        here = np.sort(all_scores[column == pixel])
        solid = here[int(0.95 * (here.size - 1))]  # below it dots would lie on each other
        spans.append((genome.left + pixel + 0.5, genome.at(0, 0)[1], genome.at(0, solid)[1]))
        dots += [
            (genome.left + pixel + 0.5, genome.at(0, score)[1]) for score in here[here > solid]
        ]
    picture.columns(spans, colour)
    picture.dots(dots, colour, 1.3)
truths = [genome.at(along[item.variant], all_scores[item.variant]) for item in study.planted]
picture.dots(truths, "orange", 4)
for variant, hit in zip(found, hits, strict=True):
    tip = f"{name(variant)}, {'planted' if hit else 'not planted'}"
    picture.ring(genome.at(along[variant], all_scores[variant]), "blue" if hit else "red", 8, tip)
picture.dots([(534, 53)], "orange", 4)
picture.words(544, 57, "planted")
for x, words, colour in ((618, "chosen, rightly", "blue"), (740, "chosen, wrongly", "red")):
    picture.ring((x, 53), colour, 6, words)
    picture.words(x + 11, 57, words)

below = Panel(picture, 66, 448, 520, 190, (grid[0], grid[-1]), (0.0, 1.05), logarithmic=True)
ticks = {epsilon: f"{epsilon:g}" for epsilon in grid}
below.frame(
    "How much epsilon does it take?",
    "share of the planted loci that is found",
    "epsilon, for the choice alone",
    ticks,
    {mark / 4: f"{25 * mark} %" for mark in range(5)},
)
below.curve(recall["permute-and-flip"], "green", 2)
below.curve(recall["exponential"], "blue", -2)
for y, words, colour in (
    (478, "exponential mechanism, delta 10⁻⁶", "blue"),
    (500, "permute-and-flip, pure epsilon", "green"),
):
    picture.line([(616, y), (638, y)], colour, 2.2)
    picture.words(646, y + 4, words)
picture.words(616, 532, f"Means of {runs} runs, with 95 % intervals.")
picture.words(616, 550, f"By exact scores: {without_noise:.0%}.")
file = options.out / "genome.svg"
picture.write(
    file,
    "Scores of all variants along the genome with those planted and those chosen; below, the share"
    " found against epsilon",
)
print(f"The picture is in {file}")

# %% [markdown]
# ## What it cost
#
# Everything that was released about these people is in one budget, and the budget is spent: any
# further question is refused.

# %%
print(custodian.budget.balance)
try:
    custodian.noisy_tables(found[:1], to_tell)
except hr.BudgetExceeded as refusal:
    print(refusal)
