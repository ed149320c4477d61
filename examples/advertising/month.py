"""A month of clicks: sixty-four questions for the price of ten, because each question is about one
day and nobody is in more than three days.

    python examples/advertising/month.py            thirty days, half a minute
    python examples/advertising/month.py --small    ten of the thirty days

Files are written to build/examples/advertising. Run the cells below (``# %%``) one by one in an
editor that supports them, or run the whole script. docs/examples/advertising.md explains the month
with its pictures.
"""

# %% Setup
from __future__ import annotations

import argparse
import sys
from datetime import date
from fractions import Fraction
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

import campaign
import campaign_charts
import duckdb

import hedgerow as hr

options = argparse.ArgumentParser(
    description="A month of clicks by age, region and gender, asked day by day."
)
options.add_argument("--small", action="store_true", help="ten days in place of thirty")
options.add_argument(
    "--out", type=Path, help="where files go; default: build/examples/advertising, and -small"
)
chosen = options.parse_args()
out = chosen.out or Path(
    "build/examples/advertising-small" if chosen.small else "build/examples/advertising"
)
out.mkdir(parents=True, exist_ok=True)

# %% The data
# A made-up November, from a fixed seed: a row for each time somebody was shown an advertisement
# for walking boots. As is usual, the campaign has a *frequency cap*: nobody sees it on more than
# three days of the month, or more than twice on a day.

days = campaign.DAYS[12:22] if chosen.small else campaign.DAYS
campaign.write_days(out, 7_000 * len(days), days)

# %% The custodian's policy
# The frequency cap is public, and it is all the policy needs. The table is cut into thirty parts,
# one for each day; a person contributes to at most three of them, with at most two rows. So the
# questions of three days can depend on one person, however many are asked.

policy = f"""\
[database]
name = "campaign"

[budget]
epsilon = 3.0             # what all answers of the month together may give away about one person

[tables.impressions]
source     = "impressions.parquet"
unit       = "user_id"
neighbours = "add-remove"
max_units  = 1_000_000
max_groups = 1            # a person has one region, one age and one gender
max_rows_per_group = {campaign.MOST_A_DAY}
columns.day       = {{ type = "date", values = "2026-11-01 … 2026-11-30" }}
columns.region    = {{ values = ["capital", "coast", "lakes", "midlands", "north", "south"] }}
columns.age_group = {{ values = ["18 to 24", "25 to 34", "35 to 49", "50 to 64", "65 and up"] }}
columns.gender    = {{ values = ["female", "male"] }}
columns.clicked   = {{ type = "integer", min = 0, max = 1 }}

[tables.impressions.partition]
column = "day"
max_parts_per_unit = {campaign.MOST_DAYS}
"""
(out / "campaign.toml").write_text(policy, encoding="utf-8")
db = hr.open(out / "campaign.toml")

# %% Every morning: the dashboard of the day before
# Two questions, 0.3 each. A mean of something that is 0 or 1 is a rate; the sum and the count
# behind it are free. If the whole interval of a region is far below its usual rate, something is
# wrong there, and a third question looks closer, at most once a day.

EACH = Fraction("0.3")
RATES = (
    "AVG(clicked) AS rate, SUM(clicked) AS clicks, COUNT(clicked) AS shown FROM impressions WHERE"
    " day = DATE"
)


def dashboard(day: date, keys: str) -> str:
    return f"SELECT {keys}, {RATES} '{day}' GROUP BY {keys}"


regions, audiences, wrong, closer = [], [], [], {}
for day in days:
    by_region = db.query(dashboard(day, "region"), epsilon=EACH)
    by_audience = db.query(dashboard(day, "age_group, gender"), epsilon=EACH)
    if day == days[0]:
        print(f"The dashboard of {day}\n", by_region, by_audience, "", sep="\n")
    for place, (low, high) in enumerate(by_region.interval("rate")):
        region = by_region.rows[place]["region"]
        usual = sum(answer.rows[place]["clicks"] for answer in regions) / max(
            sum(answer.rows[place]["shown"] for answer in regions), 1
        )
        if high < 0.5 * usual and day not in closer:
            print(
                f"{day}: the {region} had a rate between {low:.1%} and {high:.1%} where {usual:.1%}"
                " is usual. Is it one age, or all?\n"
            )
            closer[day] = db.query(
                f"SELECT age_group, {RATES} '{day}' AND region = '{region}' GROUP BY age_group",
                epsilon=EACH,
            )
            wrong.append((day, region))
            print(closer[day], "\n")
    regions.append(by_region)
    audiences.append(by_audience)
    if day.day % 10 == 0:
        print(f"{day}, {2 * len(regions) + len(closer)} questions so far: {db.budget}\n")

# %% What the month tells
# Days add up. The noise of thirty days is independent, so errors add up by their squares, and no
# new question is needed: did people over 50 like the film that was shown from the 16th on?


def added(answers: list, name: str) -> list[tuple[float, float]]:
    """Return sums over days, row by row, each with the approximate 95 % error of the sum."""
    totals = [
        sum(answer.rows[place][name] for answer in answers) for place in range(len(answers[0].rows))
    ]
    squares = [
        [((high - low) / 2) ** 2 for low, high in answer.interval(name)] for answer in answers
    ]
    return [
        (total, sum(each) ** 0.5)
        for total, each in zip(totals, zip(*squares, strict=True), strict=True)
    ]


def rates(answers: list) -> list[tuple[float, float, float]]:
    """Return clicks over impressions, with interval ends that account for both errors."""
    return [
        (clicks / shown, (clicks - off) / (shown + away), (clicks + off) / (shown - away))
        for (clicks, off), (shown, away) in zip(
            added(answers, "clicks"), added(answers, "shown"), strict=True
        )
    ]


groups = [(row["age_group"], row["gender"]) for row in audiences[0].rows]
new = days.index(campaign.FILM)
before, after = rates(audiences[:new]), rates(audiences[new:])
print(f"\n{'audience':20}{'old film':>9}   about 95 %        {'new film':>9}   about 95 %")
for (age, gender), one, two in zip(groups, before, after, strict=True):
    print(
        f"{age + ', ' + gender:20}{one[0]:9.2%} {one[1]:8.2%} … {one[2]:6.2%}   {two[0]:9.2%}"
        f" {two[1]:8.2%} … {two[2]:6.2%}"
    )

# %% One question about the whole month
# It reads all parts, so it is charged to the whole table. A person may have six rows in a month,
# more than the two of the policy; `contribution_bounds_per_group` allows that for this question.

month_sql = """
    SELECT region,
           SUM(clicked, contribution_bounds_per_group => (0, 6)) AS clicks,
           COUNT(*, contribution_bounds_per_group => (0, 6)) AS shown,
           SUM(clicked, contribution_bounds_per_group => (0, 6))
               / COUNT(*, contribution_bounds_per_group => (0, 6)) AS rate
    FROM impressions GROUP BY region"""
month = db.query(month_sql, epsilon=EACH)
print("\nThe whole month, by region\n", month, "", sep="\n")

# %% What it would have cost without parts
# Every question charged to the whole table, one after the other. A budget is a value, so this can
# be computed before any question is asked.

answers = [*regions, *audiences, *closer.values(), month]
asked = sum(answer.receipt.epsilon for answer in answers)
plain, dark = hr.Budget(epsilon=3), None
for day in days:
    try:
        plain = plain.charge(hr.Loss(2 * EACH))
    except hr.BudgetExceeded:
        dark = day
        break
print(
    f"{len(answers)} questions at {float(EACH)} are epsilon {float(asked):.1f}. Charged with parts:"
    f" {float(db.budget.spent):.1f}."
)
print(f"Without parts, a budget of 3 would have refused the dashboard of {dark}.\n")

# %% The budget, part by part
# `spent` of a part is the largest loss of a person in it: the questions about the whole table,
# about this day, and about the two most expensive other days. A repeated question gets the same
# answer at no cost.

view = db.query(
    "SELECT part, spent, \"left\" FROM hedgerow.budget WHERE currency = 'epsilon' ORDER BY part"
)
spent = db.budget
print(view)
print(spent)

# %% The pictures
# Made of noisy answers alone, so they may be published.

(out / "month.svg").write_text(campaign_charts.month(days, regions, wrong), encoding="utf-8")
(out / "audience.svg").write_text(campaign_charts.audience(groups, before, after), encoding="utf-8")
daily = [float(EACH * (2 + (day in closer))) for day in days]
(out / "budget.svg").write_text(
    campaign_charts.budget(days, daily, float(EACH), float(asked), float(db.budget.total)),
    encoding="utf-8",
)

# %% For the custodian's eyes only
# The same SQL on the file itself is exact and must stay secret. It is shown here because these
# people do not exist.

engine = duckdb.connect()
engine.execute(f"CREATE TABLE impressions AS SELECT * FROM '{out / 'impressions.parquet'}'")
held = total = 0
for keys, given in (("region", regions), ("age_group, gender", audiences)):
    for day, answer in zip(days, given, strict=True):
        exact = engine.sql(dashboard(day, keys) + f" ORDER BY {keys}").fetchall()
        held += sum(
            low <= row[-3] <= high
            for row, (low, high) in zip(exact, answer.interval("rate"), strict=True)
        )
        total += len(exact)
print(
    f"For the custodian: {held} of {total} daily rates have the exact one in their 95 % interval."
)
exact = engine.sql(
    month_sql.replace(", contribution_bounds_per_group => (0, 6)", "") + " ORDER BY region"
).fetchall()
inside = sum(
    low <= row[2] <= high for row, (low, high) in zip(exact, month.interval("shown"), strict=True)
)
print(f"Of the whole month, {inside} of {len(exact)} counts have it in theirs.")
print(f"Pictures: {out / 'month.svg'}, {out / 'audience.svg'}, {out / 'budget.svg'}")
db.close()
