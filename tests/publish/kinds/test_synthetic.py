"""Synthetic rows as a publication: columns and values of the real ones, and not one value that
the domain does not have.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.plan.contingency_table import ContingencyTable
from hedgerow.publish.domain import Attribute, Domain
from hedgerow.publish.kinds.synthetic import specify_synthetic
from hedgerow.publish.privacy_parameters import PrivacyParameters
from hedgerow.publish.row_parts import refine_parts
from hedgerow.publish.specification import BuiltTable, Specification
from hedgerow.release.private_table import PrivateTable

DAY = date(2026, 1, 1).toordinal()
DOMAIN = Domain(
    (
        Attribute("region", "text", ("north", "south", "east")),
        Attribute("age", "integer", edges=tuple(map(Fraction, (0, 18, 65, 110)))),
        Attribute("cost", "real", edges=tuple(map(Fraction, (0, 10, 1000)))),
        Attribute("day", "date", edges=(Fraction(DAY), Fraction(DAY + 7), Fraction(DAY + 30))),
        Attribute("smokes", "boolean", (False, True)),
    )
)
ROWS = np.array(
    [[n % 3, (n % 3 + (n % 10 == 0)) % 3, n % 2, (n // 2) % 2, n % 5 == 0] for n in range(4000)],
    dtype=np.int64,
)


def made(sketch: Specification, terms: PrivacyParameters, rows: Any = ROWS) -> BuiltTable:
    purse = PrivateTable(
        ContingencyTable.from_codes(rows, DOMAIN.sizes),
        sketch.cost,
        rows=terms.rows,
        relation=terms.relation,
    )
    found = sketch.build(purse)
    assert purse.spent.epsilon <= sketch.cost.epsilon
    return found


@pytest.mark.parametrize(
    "terms",
    [
        PrivacyParameters(epsilon=Fraction(4)),
        PrivacyParameters(rho=Fraction(1, 2)),
        PrivacyParameters(rho=Fraction(1), relation="change-one"),
    ],
    ids=repr,
)
def test_rows_have_the_columns_and_values_of_the_domain(terms: PrivacyParameters) -> None:
    found = made(specify_synthetic(terms, DOMAIN, target="smokes"), terms)
    table = found.table.to_pandas()
    assert list(table.columns) == ["region", "age", "cost", "day", "smokes"]
    assert set(table["region"]) <= {"north", "south", "east"}
    assert table["age"].between(0, 109).all()
    assert table["age"].dtype == np.int64
    assert table["cost"].between(0, 1000).all()
    assert min(table["day"]) >= date(2026, 1, 1)
    assert max(table["day"]) <= date(2026, 1, 30)
    assert found.facts["rows"] == len(table)
    assert abs(len(table) - 4000) < 600
    quality = found.facts["quality"]
    assert set(quality["attributes"]) == set(DOMAIN.names)
    assert all(set(pair["places"]) <= set(DOMAIN.names) for pair in quality["pairs"])
    assert quality["task"] is None or quality["task"]["target"] == "smokes"
    # What goes together in the rows goes together here: nine of ten have the age that goes with
    # their region.
    ages = np.digitize(table["age"], [18, 65])
    regions = table["region"].map({"north": 0, "south": 1, "east": 2}).to_numpy()
    assert (ages == regions).mean() > 0.6


def test_within_a_bin_numbers_are_drawn_evenly() -> None:
    terms = PrivacyParameters(epsilon=Fraction(20))
    table = made(specify_synthetic(terms, DOMAIN, check=0), terms).table.to_pandas()
    low = table["cost"][table["cost"] < 10]
    assert abs(low.mean() - 5) < 6.5 * 10 / 12**0.5 / len(low) ** 0.5


def test_an_empty_table_gives_few_rows_or_none() -> None:
    terms = PrivacyParameters(epsilon=Fraction(5))
    found = made(specify_synthetic(terms, DOMAIN), terms, np.empty((0, 5), dtype=np.int64))
    assert len(found.table) < 200
    assert found.table.column_names == list(DOMAIN.names)


def test_wrong_checks_targets_and_codes_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="must be among"):
        specify_synthetic(PrivacyParameters(epsilon=Fraction(1)), DOMAIN, target="height")
    sketch = specify_synthetic(PrivacyParameters(epsilon=Fraction(1)), DOMAIN)
    assert sketch.accuracy[0].rms > 0
    assert sketch.cost.epsilon == 1


@pytest.mark.parametrize(
    "price",
    [
        PrivacyParameters(Fraction(1)),
        PrivacyParameters(rho=Fraction(1, 2)),
        PrivacyParameters(Fraction(1, 100)),
        PrivacyParameters(rho=Fraction(1, 10**6)),
    ],
)
@pytest.mark.parametrize("many", [40, 4000])
def test_parts_are_as_fine_as_every_step_can_draw(price: PrivacyParameters, many: int) -> None:
    """Also where rows are so few that pairs are chosen, and where the check gets next to
    nothing.
    """
    options = {"check": Fraction(1, 1000), "target": "smokes"}
    sketch, terms = refine_parts(
        lambda some: specify_synthetic(some, DOMAIN, **options),
        replace(price, truncation_bounds=(10**7, 2**36)),
    )
    assert terms.parts_per_row > 1
    table = ContingencyTable.from_codes(ROWS[:many], DOMAIN.sizes)
    parts = ContingencyTable(DOMAIN.sizes, table.words, np.full(many, terms.parts_per_row))
    found = sketch.build(
        PrivateTable(
            parts, sketch.cost, rows=1, relation="add-remove", parts_per_row=terms.parts_per_row
        )
    )
    assert (found.facts["fine"], found.facts["losing"]) == (terms.parts_per_row, [10**7, 2**36])
    whole = specify_synthetic(price, DOMAIN, **options)
    assert sketch.accuracy[0].rms == pytest.approx(whole.accuracy[0].rms, rel=0.05)


def test_parts_too_fine_to_be_drawn_are_refused_beforehand() -> None:
    with pytest.raises(Refused, match="more noise than can be drawn"):
        specify_synthetic(PrivacyParameters(Fraction(1), parts_per_row=2**38), DOMAIN)
    assert (
        specify_synthetic(PrivacyParameters(Fraction(1), parts_per_row=2**10), DOMAIN, check=0).kind
        == "synthetic"
    )
