"""Cross tables: what is in the table, what it costs, how far off it is said to be and is."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.plan.contingency_table import ContingencyTable
from hedgerow.publish.domain import Attribute, Domain
from hedgerow.publish.kinds.marginals import specify_marginals
from hedgerow.publish.privacy_parameters import PrivacyParameters
from hedgerow.publish.specification import BuiltTable
from hedgerow.release.private_table import PrivateTable

REGION, SMOKES = (
    Attribute("region", "text", ("north", "south", "east")),
    Attribute("smokes", "boolean", (False, True)),
)
AGE = Attribute("age", "integer", edges=tuple(map(Fraction, (0, 18, 65, 110))))
DOMAIN = Domain((REGION, SMOKES, AGE))
ROWS = np.array([[n % 3, n % 2, (n // 3) % 3] for n in range(900)])
TERMS = (
    PrivacyParameters(epsilon=Fraction(2)),
    PrivacyParameters(rho=Fraction(1, 2)),
    PrivacyParameters(rho=Fraction(1, 2), relation="change-one", rows=2),
)


def made(terms: PrivacyParameters, ways: int = 2) -> BuiltTable:
    sketch = specify_marginals(terms, DOMAIN, ways=ways)
    purse = PrivateTable(
        ContingencyTable.from_codes(ROWS, DOMAIN.sizes),
        sketch.cost,
        rows=terms.rows,
        relation=terms.relation,
    )
    found = sketch.build(purse)
    assert purse.spent == sketch.cost
    return found


@pytest.mark.parametrize("terms", TERMS, ids=repr)
def test_every_table_is_there_with_null_where_a_column_is_summed_out(
    terms: PrivacyParameters,
) -> None:
    table = made(terms).table.to_pandas()
    names = ["region", "smokes", "age", "region x smokes", "region x age", "smokes x age"]
    assert list(dict.fromkeys(table["marginal"])) == names
    assert [int((table["marginal"] == name).sum()) for name in names] == [3, 2, 3, 6, 9, 6]
    part = table[table["marginal"] == "region x age"]
    assert part["smokes"].isna().all()
    assert part["region"].tolist() == ["north"] * 3 + ["south"] * 3 + ["east"] * 3
    assert part["age_from"].tolist() == [0, 18, 65] * 3
    exact = ContingencyTable.from_codes(ROWS, DOMAIN.sizes).marginal((0, 2)).ravel()
    assert np.abs(part["count"].to_numpy() - exact).max() < 60
    assert (part["count_low"] < part["count"]).all()
    assert part["count_clean"].min() >= 0


@pytest.mark.parametrize("terms", TERMS, ids=repr)
def test_the_tables_agree_with_each_other(terms: PrivacyParameters) -> None:
    table = made(terms).table.to_pandas()
    alone = table[table["marginal"] == "region"]["count"].to_numpy()
    for name in ("region x smokes", "region x age"):
        part = table[table["marginal"] == name]
        assert part.groupby("region", sort=False, observed=True)[
            "count"
        ].sum().to_numpy() == pytest.approx(alone)


@pytest.mark.long
def test_the_price_is_shown_beforehand_and_errors_are_as_stated() -> None:
    """Over many runs the mean square of the error is the variance that was told, table by table,
    and intervals cover.
    """
    terms = PrivacyParameters(rho=Fraction(1, 2))
    sketch, table = (
        specify_marginals(terms, DOMAIN),
        ContingencyTable.from_codes(ROWS, DOMAIN.sizes),
    )
    runs = [
        sketch.build(PrivateTable(table, sketch.cost, rows=1, relation="add-remove"))
        for _ in range(400)
    ]
    exact = np.concatenate(
        [
            ContingencyTable.from_codes(ROWS, DOMAIN.sizes).marginal(p).ravel()
            for p in ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2))
        ]
    )
    counts = np.array([run.table["count"].to_numpy() for run in runs])
    names = np.asarray(runs[0].table["marginal"].to_pylist())
    for name, variance in runs[0].facts["variances"].items():
        errors = (counts - exact)[:, names == name]
        # Cells of a table are correlated; as many as runs are independent. Chernoff's bound for 400
        # squares of normal numbers: below 1e-11.
        assert 0.55 < (errors**2).mean() / variance < 1.6
    low, high = runs[0].table["count_low"].to_numpy(), runs[0].table["count_high"].to_numpy()
    radius = (high - low) / 2
    missed = (np.abs(counts - exact) > radius).mean(axis=0)
    # of 400 at 5 %, more than 59 come with probability 5e-14
    assert missed.max() < 0.05 + 9 * (0.05 * 0.95 / 400) ** 0.5


def test_three_ways_and_one() -> None:
    assert len(made(TERMS[1], 3).facts["variances"]) == 7
    assert set(made(TERMS[0], 1).table["marginal"].to_pylist()) == {"region", "smokes", "age"}


def test_too_many_ways_or_cells_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidArgument, match="at most the number of columns, 3"):
        specify_marginals(TERMS[0], DOMAIN, ways=4)
    monkeypatch.setattr("hedgerow.publish.kinds.marginals.MAX_CELLS", 20)
    with pytest.raises(
        Refused, match=r"6 tables have 29 cells; the limit is 20.*region x age \(9\)"
    ):
        specify_marginals(TERMS[0], DOMAIN)


def test_many_tables_are_summarised_by_the_best_and_the_worst() -> None:
    wide = Domain(tuple(Attribute(f"c{n}", "integer", tuple(range(2 + n))) for n in range(6)))
    told = specify_marginals(TERMS[1], wide).accuracy
    assert (len(told), told[0].name, told[0].answers) == (
        7,
        "every cell of every table",
        sum(range(2, 8)) + sum(a * b for a in range(2, 8) for b in range(a + 1, 8)),
    )
