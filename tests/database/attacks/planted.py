"""Where each planted mistake shows."""

from __future__ import annotations

from dataclasses import dataclass, replace

from database.attacks import mutants as old
from database.attacks import wider_mutants as new
from database.attacks.mutants import Patch
from database.attacks.neighbours import ID, World
from database.attacks.shop import Shop


@dataclass(frozen=True)
class Case:
    """A mutant, where it shows, and the kind of breach that must be found there."""

    plant: Patch
    world: World | Shop
    sql: str
    breach: str
    everywhere: bool = False  # all neighbours are asked from the words on, not only the first
    bug: str = ""  # of another system, and where it was told there


PERSON = World(ID, "add-remove", 2, 2, "laplace", "integer")
REPLACED = World(ID, "change-one", 2, 2, "gaussian", "text")
ROW = World("row", "add-remove", 1, 1, "laplace", "integer")
DECLARED = "SELECT region, level, COUNT(*) FROM data GROUP BY region, level"
OPEN = "SELECT city, COUNT(*) FROM data GROUP BY city"
ONCE = World(ID, "add-remove", 2, 1, "laplace", "integer")
SHOP = Shop("add-remove", 2, 3, "laplace", "integer")
SWAPPED = Shop("change-one", 2, 2, "laplace", "integer")
UNPARTNERED = (
    "SELECT COUNT(*) FROM visits v LEFT JOIN orders o ON o.customer = v.customer AND o.region ="
    " v.region"
)

CASES = (
    Case(old.charge_after_answer, PERSON, "SELECT COUNT(*) FROM data", "order"),
    Case(old.clip_after_sum, ROW, "SELECT SUM(age) FROM data", "distance"),
    Case(
        old.measures_at_one_epsilon,
        PERSON,
        "SELECT SUM(age), COUNT(cost) FROM data",
        "price",
        bug="smartnoise-200",
    ),
    Case(
        old.mean_at_half_price,
        PERSON,
        "SELECT AVG(age) FROM data",
        "distance",
        bug="smartnoise-202",
    ),
    Case(old.mean_at_half_price, REPLACED, "SELECT AVG(score) FROM data", "distance"),
    Case(old.sensitivity_from_data, ROW, "SELECT SUM(age) FROM data", "plan", everywhere=True),
    Case(old.noise_reused, PERSON, DECLARED, "noise", bug="opendp-2344"),
    Case(old.limit_before_noise, PERSON, DECLARED, "shape"),
    Case(old.limit_before_noise, REPLACED, OPEN, "lone groups", everywhere=True),
    Case(old.nan_passes_clamp, PERSON, "SELECT SUM(cost) FROM data", "status", everywhere=True),
    Case(old.bound_kept, PERSON, "SELECT SUM(age * 3) FROM data", "distance", bug="smartnoise-201"),
    Case(old.threshold_for_one_group, PERSON, OPEN, "threshold"),
    Case(old.threshold_for_one_group, REPLACED, OPEN, "threshold"),
    Case(old.cut_for_one_side, replace(REPLACED, noise="laplace"), OPEN, "threshold"),
    Case(old.cut_too_low, PERSON, OPEN, "threshold"),
    Case(old.no_group_cap, PERSON, OPEN, "lone groups"),
    Case(old.no_group_cap, REPLACED, DECLARED, "distance"),
    Case(old.ties_past_the_cap, PERSON, OPEN, "lone groups"),
    Case(old.ties_past_the_cap, REPLACED, DECLARED, "distance"),
    Case(old.others_decide, PERSON, OPEN, "distance"),
    Case(old.no_row_cap, PERSON, "SELECT SUM(age) FROM data", "distance"),
    Case(old.python_rounding, ROW, "SELECT SUM(gap) FROM data", "distance"),
    Case(new.values_without_cap, PERSON, "SELECT COUNT(DISTINCT city) FROM data", "distance"),
    Case(
        new.values_without_cap,
        PERSON,
        "SELECT SUM(DISTINCT age + score * 200 + 9000) FROM data",
        "distance",
    ),
    Case(new.values_without_cap, PERSON, "SELECT MEDIAN(age) FROM data", "distance"),
    Case(
        new.values_without_cap,
        REPLACED,
        "SELECT region, MODE(level) FROM data GROUP BY region",
        "distance",
    ),
    Case(new.values_of_the_last, ONCE, "SELECT COUNT(DISTINCT age) FROM data", "distance"),
    Case(new.moments_of_one_row, PERSON, "SELECT VAR_POP(age) FROM data", "distance"),
    Case(new.moments_of_one_row, REPLACED, "SELECT COVAR_POP(age, score) FROM data", "distance"),
    Case(new.pick_for_one_row, PERSON, "SELECT MEDIAN(age) FROM data", "price"),
    Case(
        new.pick_for_one_group, PERSON, "SELECT region, MAX(age) FROM data GROUP BY region", "price"
    ),
    Case(new.pick_as_if_added, REPLACED, "SELECT MIN(age), MODE(region) FROM data", "price"),
    Case(
        new.pick_as_if_added,
        REPLACED,
        "SELECT region, MEDIAN(age, method => 'laplace') FROM data GROUP BY region",
        "price",
    ),
    Case(
        new.delta_twice,
        PERSON,
        "SELECT city, MEDIAN(age, method => 'propose', bound => 3) FROM data GROUP BY city",
        "threshold",
    ),
    Case(
        new.limits_not_applied,
        PERSON,
        "SELECT SUM(age, contribution_bounds_per_group => (0, 50)) FROM data",
        "distance",
    ),
    Case(
        new.filter_after_the_bound,
        PERSON,
        "SELECT COUNT(*) FILTER (WHERE age > 5) FROM data",
        "distance",
    ),
    Case(new.rest_beyond_the_cap, PERSON, "SELECT COUNT(*), SUM(age) FROM data", "distance"),
    Case(
        new.sum_keeps_bounds,
        PERSON,
        "SELECT SUM(score + age) FROM data",
        "distance",
        bug="smartnoise-319",
    ),
    Case(
        new.name_keeps_bounds,
        PERSON,
        "SELECT SUM(age) FROM (SELECT age * 9 AS age FROM data)",
        "distance",
        bug="opendp-2949",
    ),
    Case(
        new.lower_bound_twice, ROW, "SELECT SUM(temp) FROM data", "distance", bug="diffprivlib-105"
    ),
    Case(new.clip_not_used, ROW, "SELECT SUM(price) FROM data", "distance"),
    Case(
        new.clip_not_used,
        ROW,
        "SELECT COVAR_POP(price, price * 2) FROM data",
        "distance",
        bug="smartnoise-622",
    ),
    Case(
        new.join_without_the_unit,
        SHOP,
        "SELECT COUNT(*) FROM orders o JOIN visits v ON o.customer = v.customer WHERE month = 5",
        "distance",
    ),
    Case(
        new.join_without_the_unit,
        SHOP,
        "SELECT COUNT(*) FROM visits a JOIN visits b ON a.customer = b.customer WHERE b.month = 5",
        "distance",
    ),
    *(
        Case(
            new.join_without_the_unit,
            SHOP,
            f"SELECT COUNT(*) FROM orders WHERE {condition}",
            "distance",
        )
        for condition in (
            "EXISTS (SELECT 1 FROM visits v WHERE v.customer = orders.customer AND v.month = 5)",
            "EXISTS (SELECT 1 FROM visits v WHERE v.customer = orders.customer AND v.minutes"
            " > orders.amount + 30)",
            "region = 'west' OR customer IN (SELECT customer FROM visits WHERE month = 5)",
        )
    ),
    Case(
        new.fold_over_all,
        SHOP,
        "SELECT SUM(m) FROM (SELECT customer, MAX(minutes) AS m FROM visits GROUP BY customer)",
        "distance",
    ),
    Case(new.one_owner, SHOP, "SELECT COUNT(*) FROM items", "distance"),
    Case(new.one_owner, SWAPPED, "SELECT COUNT(*) FROM returns", "distance"),
    Case(
        new.rows_without_cap,
        SHOP,
        "SELECT COUNT(*) FROM visits JOIN towns USING (region)",
        "distance",
    ),
    Case(new.unpartnered_are_nobodys, SHOP, UNPARTNERED, "distance"),
)
