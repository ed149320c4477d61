"""Does dust make people ill? A study of 200,000 patients that never sees one of them.

    python examples/epidemiology/study.py            200,000 patients, a few seconds
    python examples/epidemiology/study.py --small    80,000 patients

Files are written to build/examples/epidemiology. Run the cells below (``# %%``) one by one in an
editor that supports them, or run the whole script. docs/examples/epidemiology.md explains the study
with its pictures.
"""

# %% Setup
from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

import county
import county_maps
import duckdb

import hedgerow as hr

options = argparse.ArgumentParser(description="Bronchitis in forty districts, asked privately.")
options.add_argument("--small", action="store_true", help="80,000 patients in place of 200,000")
options.add_argument(
    "--out", type=Path, help="where files go; default: build/examples/epidemiology, and -small"
)
chosen = options.parse_args()
out = chosen.out or Path(
    "build/examples/epidemiology-small" if chosen.small else "build/examples/epidemiology"
)
out.mkdir(parents=True, exist_ok=True)

# %% The data
# A made-up county, from a fixed seed: patients, their visits to a doctor in 2026, and a public
# table of the forty districts with their distance from the copper works, their height above the
# sea and the dust in the air. In real life the custodian has these files already.

county.write_county(out, people=80_000 if chosen.small else 200_000)

# %% The custodian's policy
# One page, written before anybody asks. The unit is a patient with all her rows in both tables, so
# even her presence is protected. A join uses the larger caps of its tables. This study asks about
# people and never about visits, so one row in one group per patient is enough in both tables.

names = ", ".join(f'"{name}"' for name in county.DISTRICTS)
policy = f"""\
[database]
name = "county"

[budget]
epsilon = 2.0             # what all answers together may give away about one patient

[tables.patients]
source     = "patients.parquet"
unit       = "patient_id"
neighbours = "add-remove"
max_units  = 500_000
max_groups = 1            # a patient lives in one district and has one age
max_rows_per_group = 1
columns.age      = {{ type = "integer", min = 0, max = 100 }}
columns.district = {{ values = [{names}] }}

[tables.visits]
source     = "visits.parquet"
unit       = "patient_id"
neighbours = "add-remove"
max_units  = 500_000
max_groups = 1
max_rows_per_group = 1
columns.day       = {{ type = "date", values = "2026-01-01 … 2026-12-31" }}
columns.diagnosis = {{ values = ["bronchitis", "infection", "injury", "heart", "other"] }}

[tables.districts]
source = "districts.csv"
public = true             # geography is nobody's secret
columns.kilometres = {{ type = "real", min = 0, max = 50 }}
columns.height     = {{ type = "integer", min = 0, max = 600 }}
columns.dust       = {{ type = "real", min = 0, max = 80 }}
"""
(out / "county.toml").write_text(policy, encoding="utf-8")
db = hr.open(out / "county.toml")

# %% Who is ill
# Everybody who saw a doctor for bronchitis at least once. Visits are aggregated to one row for each
# patient first, so that three visits count as one ill person. Every question of the study begins
# with these lines.

PEOPLE = """\
WITH seen AS (SELECT patient_id, COUNT(*) AS visits FROM visits WHERE diagnosis = 'bronchitis'
              GROUP BY patient_id),
     people AS (SELECT p.district, p.age, CASE WHEN s.visits > 0 THEN 1 ELSE 0 END AS ill
                FROM patients p LEFT JOIN seen s ON s.patient_id = p.patient_id)
"""
AGE = """\
CASE WHEN age < 20 THEN '0 to 19' WHEN age < 40 THEN '20 to 39' WHEN age < 60 THEN '40 to 59'
     WHEN age < 75 THEN '60 to 74' ELSE '75 and up' END"""

# %% Question 1: how does the rate depend on age?
by_age_sql = f"{PEOPLE} SELECT {AGE} AS age_group, AVG(ill) AS rate FROM people GROUP BY age_group"
by_age = db.query(by_age_sql, epsilon=0.2)
print("1. Who had bronchitis in 2026, by age\n", by_age, "", sep="\n")

# %% Question 2: where?
# Hill districts are full of old people, and old people are ill more often. So beside the plain
# rate we ask for a fairer number, the ratio of cases to the cases one would *expect* if everybody
# had the county's rate for their age. Those rates are the answers just given. They are noisy and
# public, so the next question may contain them as plain numbers.

young, adult, middle, old, oldest = (max(round(row["rate"], 4), 0.0001) for row in by_age.rows)
EXPECTED = f"""\
CASE WHEN age < 20 THEN {young} WHEN age < 40 THEN {adult} WHEN age < 60 THEN {middle}
     WHEN age < 75 THEN {old} ELSE {oldest} END"""
by_district_sql = f"""{PEOPLE}
SELECT district, AVG(ill) AS rate, SUM(ill) AS cases, SUM({EXPECTED}) AS expected,
       SUM(ill) / SUM({EXPECTED}) AS ratio
FROM people GROUP BY district ORDER BY ratio DESC"""
# An explanation costs nothing.
print(db.explain(by_district_sql, epsilon=1), "\n")
by_district = db.query(by_district_sql, epsilon=1)
print("2. Cases and expected cases, by district\n", by_district, "", sep="\n")

# %% Noise is not the only randomness
# The intervals above account for the *noise* alone. But the records are random too: a district of
# 5,000 with a risk of 3 % has 130 cases in one year and 170 in another. A study must account for
# both. Byar's limits for a count do the second, taken at the interval ends of the noise. Each is
# taken at 99 %, because at 95 % two of forty districts would be outside by chance.

LEVEL = 0.99


def both_chances(cases: tuple[float, float], expected: tuple[float, float]) -> tuple[float, float]:
    """Return interval ends of a ratio that account for both the noise and the random variation of a
    year."""
    z = 2.576  # of the normal distribution, for 99 %
    low, high = max(cases[0], 0.5), max(cases[1], 0.5) + 1
    least = low * max(1 - 1 / (9 * low) - z / (3 * low**0.5), 0) ** 3
    most = high * (1 - 1 / (9 * high) + z / (3 * high**0.5)) ** 3
    return least / expected[1], most / max(expected[0], 0.5)


ends = [
    both_chances(*each)
    for each in zip(
        by_district.interval("cases", LEVEL), by_district.interval("expected", LEVEL), strict=True
    )
]
found = {
    row["district"]: "high" if low > 1 else "low" if high < 1 else ""
    for row, (low, high) in zip(by_district.rows, ends, strict=True)
}
print(
    "Clearly above what their age explains:",
    ", ".join(name for name, verdict in found.items() if verdict == "high"),
)
print(
    "Clearly below:",
    ", ".join(name for name, verdict in found.items() if verdict == "low") or "none",
    "\n",
)

# %% Question 3: is it dust, or height?
# The public table of districts can be joined freely. At first sight illness depends on *height*,
# which is age again. Subtracting the expected rate from `ill` removes the effect of age. The
# correlation with a rare yes-or-no value is always small: look at the side of 0 on which its
# interval lies.

correlation_sql = f"""{PEOPLE}
SELECT CORR(ill, height) AS with_height,
       CORR(ill - {EXPECTED}, height) AS height_without_age,
       CORR(ill - {EXPECTED}, dust) AS dust_without_age
FROM people JOIN districts d ON d.district = people.district"""
correlation = db.query(correlation_sql, epsilon=0.5)
print("3. What goes with being ill\n", correlation, "", sep="\n")

# %% Question 4: near and far, at the same age
# If the works are to blame, people near them are ill more often *within every age group*.

ZONE = (
    "CASE WHEN kilometres < 6 THEN 'under 6 km' WHEN kilometres < 12 THEN '6 to 12 km' ELSE 'over"
    " 12 km' END"
)
by_zone_sql = f"""{PEOPLE}
SELECT {AGE} AS age_group, {ZONE} AS zone, AVG(ill) AS rate
FROM people JOIN districts d ON d.district = people.district GROUP BY age_group, zone"""
by_zone = db.query(by_zone_sql, epsilon=0.2)
print("4. The same age, near the works and far from them\n", by_zone, "", sep="\n")

# %% What it cost
spent = db.budget
print("The budget:", spent)
again = db.query(by_zone_sql, epsilon=0.2)
print(
    "Whoever asks one of these questions again gets the same answer, for epsilon"
    f" {again.cost.epsilon}.\n"
)

# %% The pictures
# Made of noisy answers alone, so they may be published.

mean_rate = sum(row["cases"] for row in by_district.rows) / sum(
    row["cases"] / row["rate"] for row in by_district.rows if row["rate"] > 0
)
(out / "map.svg").write_text(county_maps.maps(by_district, found, mean_rate), encoding="utf-8")
(out / "ages.svg").write_text(county_maps.ages(by_zone), encoding="utf-8")

# %% For the custodian's eyes only
# The custodian can run the same SQL on the files themselves. The result is exact and must stay
# secret; it is shown here because these patients do not exist.

engine = duckdb.connect()
for name in ("patients.parquet", "visits.parquet", "districts.csv"):
    engine.execute(f"CREATE VIEW {Path(name).stem} AS SELECT * FROM '{out / name}'")
exact = {
    name: (name, *map(float, numbers)) for name, *numbers in engine.sql(by_district_sql).fetchall()
}
covered = sum(
    low <= exact[row["district"]][4] <= high
    for row, (low, high) in zip(by_district.rows, by_district.interval("ratio"), strict=True)
)
print(f"For the custodian: {covered} of 40 ratios have the exact one in their 95 % interval.")

# the planted truth: the risk of a district over that of the whole county
planted = county.relative_risks(out)
print(
    f"{'district':10}{'planted':>9}{'exact':>8}{'answer':>8}  "
    f" {'noise and chance, 99 % each':30}chance alone, 99 %"
)
for row, (low, high) in zip(by_district.rows, ends, strict=True):
    name = row["district"]
    # the interval ends of a study with exact numbers
    least, most = both_chances((exact[name][2],) * 2, (exact[name][3],) * 2)
    if low > 1 or least > 1 or planted[name] >= 1.25:
        with_noise, without = (
            f"{a:.2f} … {b:.2f}  {'found' if a > 1 else 'missed'}"
            for a, b in ((low, high), (least, most))
        )
        print(
            f"{name:10}{planted[name]:9.2f}{exact[name][4]:8.2f}{row['ratio']:8.2f}  "
            f" {with_noise:30}{without}"
        )
(out / "custodian.svg").write_text(
    county_maps.custodian(by_district, ends, found, exact), encoding="utf-8"
)
print(
    f"\nPictures: {out / 'map.svg'}, {out / 'ages.svg'}; for the custodian {out / 'custodian.svg'}"
)
db.close()
