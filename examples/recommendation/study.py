# %% [markdown]
# # People you may know, without revealing who knows whom
#
# "You have eight friends in common" is how a network introduces people, and how it gives
# friendships away: make an account, befriend somebody, and watch whom you are introduced to. Here
# recommendations come from the exponential mechanism and its twin, permute-and-flip: a friendship
# between two others changes the chance of each recommendation by a factor of at most e^epsilon.
#
#     .venv/bin/python examples/recommendation/study.py            5,000 users
#     .venv/bin/python examples/recommendation/study.py --small    400 of them, in a few seconds
#
# `recommender.py` has the proofs of the sensitivities, and `graph.py` makes up the people.

# %%
from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1]))

from drawing import Panel, Picture
from recommendation.graph import make
from recommendation.recommender import MOVE, Recommender, advert_scores, friend_scores, strangers

import hedgerow as hr
from hedgerow.mechanisms import Exponential, PermuteAndFlip

reader = argparse.ArgumentParser(description="People you may know, without telling who knows whom.")
reader.add_argument("--small", action="store_true", help="fewer users, in a few seconds")
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
# They do not exist. They live in communities, most have a dozen or two of friends, and a few have
# hundreds. Which pages they like is public.

# %%
graph = make(400, 8, 12) if options.small else make(5000, 60, 40)
degrees = graph.degrees()
low, middle, high = np.quantile(degrees, (0.1, 0.5, 0.99)).astype(int)
print(
    f"{graph.users:,} users, {degrees.sum() // 2:,} friendships; one in ten has at most {low}"
    f" friends, half have {middle},"
)
print(f"one in a hundred has more than {high}\n")

# %% [markdown]
# ## The sensitivity to one friendship
#
# The score of a stranger is the number of common friends. By the proof, a friendship between two
# others changes the score of one stranger at most, by 1. We check this: remove friendships, add
# others, and compare the scores.

# %%
chance = np.random.default_rng(3)
moved, furthest = 0, 0
for _ in range(20 if options.small else 300):
    target = int(chance.integers(graph.users))
    x = int(chance.choice(np.flatnonzero(graph.friends[target])))  # an end that matters
    y = int(chance.choice(np.delete(np.arange(graph.users), [target, x])))
    before = friend_scores(graph.friends, target)
    other = graph.friends.copy()
    other[x, y] = other[y, x] = not other[x, y]
    change = np.abs(friend_scores(other, target) - before)
    moved, furthest = max(moved, int(np.count_nonzero(change))), max(furthest, int(change.max()))
print(
    f"Friendships between others, added or taken away: at most {moved} score moved, by at most"
    f" {furthest}\n"
)

# %% [markdown]
# ## Ana opens the app
#
# Half of the people have as many friends as she, or more. What she is shown goes to her alone: her
# own friends she knows, and everybody else's friendships are what the epsilon is about. Three
# strangers for the price of one are each chosen at a third of it, and it shows. How many friends
# they have in common is exact, for us to judge by; Ana is not told.

# %%
recommender = Recommender(graph.friends, graph.likes, epsilon=5)
ana = int(np.flatnonzero(degrees == middle)[0])
best = int(friend_scores(graph.friends, ana).max())
print(f"Ana has {degrees[ana]} friends, and up to {best} in common with a stranger.")
for many, words in ((1, "One stranger"), (3, "Three")):
    shown = recommender.people(ana, epsilon=2, many=many)
    common = [str(np.count_nonzero(graph.friends[ana] & graph.friends[one])) for one in shown]
    print(f"{words} for epsilon 2: friends in common {', '.join(common)}")
page = recommender.advert(ana, epsilon=0.2)
pages = advert_scores(graph.friends, ana, graph.likes)
print(
    f"An advert for epsilon 0.2: page {page}, {pages[page]} ways lead to it; {pages.max()} to the"
    f" best, {pages.mean():.0f} on average"
)
print(f"Ana's budget: {recommender.accounts[ana].balance}\n")

# %% [markdown]
# ## How good are they?
#
# Quality is the score of who was chosen over the score of the best, 1 without privacy. A stranger
# drawn blindly has about 2 %. With 5,000 strangers, a score has to stand out by about
# ln(5,000)/epsilon, some 8 friends at epsilon 1. So there is a price, and those with few friends
# pay it. No method can spare them: where the best has two friends in common, two edges make any
# stranger as good.

# %%
Row = tuple[float, float, float, float]
people = chance.choice(graph.users, 60 if options.small else 300, replace=False)
known = [friend_scores(graph.friends, int(one)) for one in people]
wares = [advert_scores(graph.friends, int(one), graph.likes) for one in people]
ladder = (0.01, 1, 50) if options.small else (0.1, 0.25, 0.5, 1, 2, 4, 8)
steps = (0.001, 0.1, 50) if options.small else (0.003, 0.01, 0.03, 0.1, 0.3, 1)
some, lots = degrees[people] < 12, degrees[people] >= 30
groups = {"fewer than 12 friends": some, "12 to 29": ~some & ~lots, "30 or more": lots}


def quality(mechanism: Exponential | PermuteAndFlip, scores: list[np.ndarray]) -> np.ndarray:
    """Return the share of the best score that one selection gets, for each target."""
    return np.array([each[mechanism.sample(each)] / max(each.max(), 1) for each in scores])


def summary(epsilon: float, shares: np.ndarray) -> Row:
    """Return the mean with its 95 % interval."""
    radius = 1.96 * float(np.std(shares, ddof=1)) / len(shares) ** 0.5
    return (
        epsilon,
        float(shares.mean()),
        max(float(shares.mean()) - radius, 0.0),
        min(float(shares.mean()) + radius, 1.0),
    )


def blindly(scores: list[np.ndarray]) -> float:
    """Return the quality of a uniform choice."""
    return float(np.mean([each.mean() / max(each.max(), 1) for each in scores]))


curves: dict[str, list[Row]] = {
    "permute-and-flip": [],
    "exponential": [],
    **{name: [] for name in groups},
    "adverts": [],
}
for epsilon in ladder:
    flipped = quality(
        PermuteAndFlip.calibrate(sensitivity=MOVE, epsilon=epsilon, monotone=True), known
    )
    curves["permute-and-flip"].append(summary(epsilon, flipped))
    for words, members in groups.items():
        curves[words].append(summary(epsilon, flipped[members]))
    curves["exponential"].append(
        summary(
            epsilon,
            quality(Exponential.calibrate(sensitivity=MOVE, epsilon=epsilon, monotone=True), known),
        )
    )
for epsilon in steps:
    curves["adverts"].append(
        summary(
            epsilon,
            quality(
                PermuteAndFlip.calibrate(sensitivity=MOVE, epsilon=epsilon, monotone=True), wares
            ),
        )
    )

print(f"Quality of a recommended stranger, {len(people)} targets: mean and 95 % interval")
print(
    "  epsilon    permute-and-flip    exponential         "
    + "".join(f"{words:>22}" for words in groups)
)
for place, epsilon in enumerate(ladder):
    cells = [curves[words][place] for words in ("permute-and-flip", "exponential", *groups)]
    print(
        f"  {epsilon:>7g}"
        + "".join(
            f"    {value:>4.0%} ({start:.0%} … {stop:.0%})".ljust(22)
            for _, value, start, stop in cells
        ).rstrip()
    )
print(f"  blindly    {blindly(known):.1%}\n")
print("Quality of an advert")
print(
    "".join(
        f"  {epsilon:>7g}    {value:>4.0%} ({a:.0%} … {b:.0%})\n"
        for epsilon, value, a, b in curves["adverts"]
    ),
    end="",
)
print(f"  blindly    {blindly(wares):.0%}\n")

# %% [markdown]
# An advert is so much cheaper because its score adds up over many strangers, and one friendship
# still moves it by 1 only.
#
# ## A budget for each user
#
# All that Ana is ever shown comes out of her budget, which protects the others from her. When it is
# spent she gets no more recommendations. How many does epsilon 5 pay for? With a delta the
# exponential mechanism is charged by rho = epsilon²/8, which goes further when each recommendation
# is small.

# %%


def lasts(budget: hr.Budget, loss: hr.Loss) -> int:
    """Count the charges of this size that the budget covers."""
    times = 0
    while budget.covers(loss):
        budget, times = budget.charge(loss), times + 1
    return times


print("Recommendations that epsilon 5 pays for")
print("  each at    pure    with delta 1e-6")
for epsilon in (0.05, 0.1, 0.5, 1):
    price = Exponential.calibrate(sensitivity=MOVE, epsilon=epsilon, monotone=True).loss(MOVE)
    print(
        f"  {epsilon:>7g} {lasts(hr.Budget(epsilon=5), price):>7}"
        f" {lasts(hr.Budget(epsilon=5, delta=1e-6), price):>12}"
    )
given = 3
try:
    while True:
        recommender.people(ana, epsilon=0.25)
        given += 1
except hr.BudgetExceeded as refusal:
    print(f"Ana was given {given} answers, then: {refusal}\n")

# %% [markdown]
# ## A mistake that looks like a good idea
#
# Why choose among all strangers, when only friends of friends can score? Because *who is a friend
# of a friend* is what we protect. Take a stranger with one friend in common with Ana, and take that
# one friendship away: from then on he could never be chosen.

# %%
scores = friend_scores(graph.friends, ana)
lonely = int(strangers(graph.friends, ana)[np.flatnonzero(scores == 1)[0]])
via = int(np.flatnonzero(graph.friends[ana] & graph.friends[lonely])[0])
without = graph.friends.copy()
without[lonely, via] = without[via, lonely] = False
after = friend_scores(without, ana)
place = int(np.flatnonzero(strangers(graph.friends, ana) == lonely)[0])
sure = Exponential.calibrate(sensitivity=MOVE, epsilon=1, monotone=True)
ratio = sure.log_prob(place, scores) - sure.log_prob(place, after)
print(
    f"Among all strangers, the friendship changes the chance of him by a factor of e^{ratio:.3f}:"
    " within epsilon 1."
)
with_it, without_it = np.count_nonzero(scores), np.count_nonzero(after)
print(
    f"Among friends of friends he is one of {with_it} with it, and none of {without_it} without it:"
    " no epsilon at all.\n"
)

# %% [markdown]
# ## The picture

# %%
picture = Picture(980, 384)
marks = {mark / 4: f"{25 * mark} %" for mark in range(5)}
ticks = {epsilon: f"{epsilon:g}" for epsilon in ladder}
whole = Panel(picture, 60, 66, 256, 230, (ladder[0], ladder[-1]), (0.0, 1.05), logarithmic=True)
whole.frame(
    f"A stranger out of {graph.users:,}",
    "score of the chosen one over the best",
    "epsilon",
    ticks,
    marks,
)
whole.level(blindly(known), "mist")
whole.curve(curves["exponential"], "orange", 2)
whole.curve(curves["permute-and-flip"], "blue", -2)
apart = Panel(picture, 372, 66, 256, 230, (ladder[0], ladder[-1]), (0.0, 1.05), logarithmic=True)
apart.frame(
    "By how many friends the target has",
    "permute-and-flip",
    "epsilon",
    ticks,
    dict.fromkeys(marks, ""),
)
for shift, (words, colour) in enumerate(zip(groups, ("red", "blue", "green"), strict=True)):
    apart.curve(curves[words], colour, 2 * (shift - 1))
adverts = Panel(picture, 684, 66, 256, 230, (steps[0], steps[-1]), (0.0, 1.05), logarithmic=True)
adverts.frame(
    f"An advert out of {graph.likes.shape[1]}",
    "permute-and-flip",
    "epsilon",
    {one: f"{one:g}" for one in steps},
    dict.fromkeys(marks, ""),
)
adverts.level(blindly(wares), "mist")
adverts.curve(curves["adverts"], "blue")
legends = [
    (60, "permute-and-flip", "blue"),
    (198, "exponential", "orange"),
    (372, "under 12", "red"),
    (464, "12 to 29", "blue"),
]
for x, words, colour in [*legends, (556, "30 or more", "green")]:
    picture.line([(x, 360), (x + 18, 360)], colour, 2.4)
    picture.words(x + 24, 364, words)
picture.line([(684, 360), (702, 360)], "mist", 1.6, "5 4")
picture.words(708, 364, "drawn blindly; bars are 95 % intervals")
file = options.out / "recommendation.svg"
picture.write(
    file,
    "Quality of private recommendations against epsilon: strangers, by the target's number of"
    " friends, and adverts",
)
print(f"The picture is in {file}")
