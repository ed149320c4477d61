"""Drafts that cost nothing, publications that are paid for, and what happens when something goes
wrong on the way.
"""

from __future__ import annotations

import json
import shutil
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from database.publishing.helpers_survey_database import opened
from database.survey import REGIONS, write_survey
from hedgerow.database.publishing.publisher import Publisher
from hedgerow.errors import (
    BudgetExceeded,
    InvalidArgument,
    Refused,
    Unbounded,
)
from hedgerow.privacy.loss import Loss
from hedgerow.publish.output.publication import Publication


def test_a_draft_shows_its_cost_without_a_charge(tmp_path: Path) -> None:
    with opened(tmp_path) as db:
        before, entries = db.budget, len(list(db.ledger.entries()))
        draft = db.publish.histogram("people", ["region", "age"], bins={"age": 10}, epsilon=1)
        assert (db.budget, len(list(db.ledger.entries()))) == (before, entries)
        assert repr(draft).splitlines()[0] == "Histogram of people: region (3) x age (10)."
        assert "epsilon 1, rho" in repr(draft)
        assert "for each person, with at most 2 rows" in repr(draft)
        said = draft.to_dict()
        assert (said["kind"], said["cells"], said["rows"], said["cost"]["epsilon"]) == (
            "histogram",
            [3, 10],
            2,
            "1/1",
        )
        assert said["accuracy"][0]["rms"] == draft.error == pytest.approx(8**0.5, rel=0.02)


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
@pytest.mark.parametrize(
    ("unit", "neighbours"), [("who", "add-remove"), ("row", "add-remove"), ("who", "change-one")]
)
def test_a_publication_is_near_the_exact_counts_and_charged(
    tmp_path: Path, noise: str, unit: str, neighbours: str
) -> None:
    with opened(tmp_path, noise=noise, unit=unit, neighbours=neighbours) as db:
        found = db.publish.histogram("people", "region", epsilon=10).to(tmp_path / "out")
        table = found.to_pandas()
        assert table["region"].tolist() == list(REGIONS)
        # "elsewhere" is not in the domain: it is nowhere in the publication.
        exact = [sum(1 for n in range(600) if n % 50 and n % 3 == place) for place in range(3)]
        assert np.abs(table["count"] - exact).max() < 40
        assert (table["count_low"] <= table["count"]).all()
        assert (table["count_high"] >= table["count"]).all()
        assert table["count_clean"].min() >= 0
        (charge,) = [entry for entry in db.ledger.entries() if entry.kind == "charge"]
        assert Loss.from_dict(charge.body["charges"]["people"]) == found.cost
        assert found.receipt["ledger"] == {
            "entry": charge.seq,
            "hash": charge.hash,
            "time": charge.time,
        }
        assert charge.body["about"] == {
            "folder": str(tmp_path / "out"),
            "table": "people",
            "publication": "histogram of region",
        }
        assert "secret" not in (tmp_path / "out" / "report.html").read_text() + json.dumps(
            dict(found.receipt)
        )
    assert Publication.load(tmp_path / "out").receipt == found.receipt


def test_a_condition_filters_the_published_rows(tmp_path: Path) -> None:
    with opened(tmp_path) as db:
        draft = db.publish.histogram(
            "people", "smokes", where="age >= 50 AND region IN ('north', 'south')", epsilon=20
        )
        table = draft.to(tmp_path / "out").to_pandas()
        wanted = [n for n in range(600) if (7 * n) % 100 >= 50 and n % 3 < 2 and n % 50]
        exact = [sum(1 for n in wanted if (n % 4 == 0) == value) for value in (False, True)]
        assert np.abs(table["count"] - exact).max() < 12
        for wrong in (
            "age > 5 GROUP BY age",
            "age > 5; DELETE FROM people",
            "note = 'secret 5'",
            "who = 3",
            "COUNT(*) > 5",
        ):
            with pytest.raises(Refused):
                db.publish.histogram("people", "smokes", where=wrong)


def test_a_draft_finds_the_epsilon_for_an_error(tmp_path: Path) -> None:
    with opened(tmp_path) as db:
        draft = db.publish.histogram("people", "region", error=1)
        assert 0.98 < draft.error <= 1
        with pytest.raises(Refused, match=r"expected error is .* Ask with epsilon"):
            db.publish.histogram("people", "region", error=1, epsilon=Fraction(1, 10))
        with pytest.raises(Refused, match="more than epsilon 20"):
            db.publish.histogram("people", "region", error=1e-6)
        with pytest.raises(Refused, match="takes more than epsilon 20"):
            db.publish.histogram("people", "region", error=1e-6, epsilon=1)
        assert db.publish.histogram("people", "region", error=100, epsilon=1).epsilon == 1


def test_invalid_drafts_are_refused_before_the_charge(tmp_path: Path) -> None:
    with opened(tmp_path) as db:
        publish = db.publish
        assert isinstance(publish, Publisher)
        with pytest.raises(
            InvalidArgument, match="must be a protected table of the policy: people"
        ):
            publish.histogram("persons", "region")
        with pytest.raises(InvalidArgument, match="must be a protected table"):
            publish.histogram("regions", "region")
        with pytest.raises(InvalidArgument, match="columns of people"):
            publish.histogram("people", "note")
        with pytest.raises(InvalidArgument, match="columns of people"):
            publish.histogram("people", "who")
        with pytest.raises(InvalidArgument, match="bins"):
            publish.histogram("people", "income")
        with pytest.raises(InvalidArgument, match="rows must be at most 2"):
            publish.histogram("people", "region", rows=3)
        with pytest.raises(Refused, match="at most epsilon 20"):
            publish.histogram("people", "region", epsilon=21)
        with pytest.raises(InvalidArgument, match="ways must be at most"):
            publish.marginals("people", "region", ways=2)
        with pytest.raises(Refused, match="combinations"):
            publish.histogram(
                "people", ["age", "income", "region", "day"], bins={"income": 100_000}
            )
        with pytest.raises(InvalidArgument, match="this path already exists"):
            publish.histogram("people", "region").to(tmp_path)
        assert [entry.kind for entry in db.ledger.entries() if entry.kind == "charge"] == []


def test_a_column_that_is_not_declared_is_refused_with_the_line_to_write(tmp_path: Path) -> None:
    policy = write_survey(tmp_path)
    policy.write_text(policy.read_text().replace("age = { type", "height = { hidden = true }\n#"))
    shutil.copy(tmp_path / "people.parquet", tmp_path / "p")
    import pyarrow.parquet as pq

    table = pq.read_table(tmp_path / "people.parquet")
    pq.write_table(
        table.append_column("height", pa.array([1] * len(table))), tmp_path / "people.parquet"
    )
    with hr.open(policy, in_process=True) as db, pytest.raises(Unbounded, match=r"age = \{ min"):
        db.publish.histogram("people", "age")


def test_an_analyst_pays_from_their_quota(tmp_path: Path) -> None:
    policy = write_survey(tmp_path)
    with hr.open(policy, in_process=True, analyst="ana") as db:
        db.publish.histogram("people", "region", epsilon=2).to(tmp_path / "a")
        with pytest.raises(BudgetExceeded, match="quota"):
            db.publish.histogram("people", "smokes", epsilon=2).to(tmp_path / "b")


def test_an_empty_table_is_published_like_any_other(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    policy = write_survey(tmp_path)
    pq.write_table(
        pq.read_table(tmp_path / "people.parquet").slice(0, 0), tmp_path / "people.parquet"
    )
    with hr.open(policy, in_process=True) as db:
        table = db.publish.histogram("people", "region", epsilon=5).to(tmp_path / "a").to_pandas()
        assert np.abs(table["count"]).max() < 30
        assert len(table) == 3


def test_the_worker_publishes_too(tmp_path: Path) -> None:
    with hr.open(write_survey(tmp_path)) as db:
        found = db.publish.marginals("people", ["region", "smokes"], epsilon=20).to(tmp_path / "a")
        assert set(found.to_pandas()["marginal"]) == {"region", "smokes", "region x smokes"}


def test_a_sparse_histogram_shows_values_shared_by_enough_rows(tmp_path: Path) -> None:
    with opened(tmp_path, noise="gaussian") as db:
        draft = db.publish.histogram(
            "people",
            ["region", "age", "day", "income"],
            bins={"income": 1000},
            sparse=True,
            epsilon=10,
        )
        assert draft.specification.cost.delta > 0
        assert len(draft.to(tmp_path / "none")) == 0  # everybody is alone in so large a domain
        shared = db.publish.histogram("people", "region", sparse=True, delta=1e-12, epsilon=10)
        table = shared.to(tmp_path / "some").to_pandas()
        assert set(table["region"]) == set(REGIONS)
        assert "elsewhere" not in (tmp_path / "some" / "report.html").read_text()
        with pytest.raises(InvalidArgument, match="only a sparse histogram"):
            db.publish.histogram("people", "region", delta=1e-12)
    (tmp_path / "pure").mkdir()
    with opened(tmp_path / "pure") as db, pytest.raises(Refused, match="needs a delta"):
        db.publish.histogram("people", "region", sparse=True)


def test_a_histogram_provides_means_and_quantiles(tmp_path: Path) -> None:
    with opened(tmp_path) as db:
        published = db.publish.histogram("people", "age", bins={"age": 20}, epsilon=20).to(
            tmp_path / "ages"
        )
        mean = published.histogram().mean()
        assert mean.low <= 49.5 <= mean.high
        cdf = db.publish.cdf("people", "age", epsilon=20).to(tmp_path / "cdf")
        with pytest.raises(InvalidArgument, match="must be a histogram"):
            cdf.histogram()


def test_all_options_are_part_of_the_key(tmp_path: Path) -> None:
    with opened(tmp_path) as db:
        north = (
            db.publish.queries("people", ["region = 'north'"], epsilon=5)
            .to(tmp_path / "north")
            .rows
        )
        south = (
            db.publish.queries("people", ["region = 'south'"], epsilon=5)
            .to(tmp_path / "south")
            .rows
        )
        assert (north[0]["question"], south[0]["question"]) == (
            "region = 'north'",
            "region = 'south'",
        )
        columns = ["region", "smokes", "day"]
        two = (
            db.publish.marginals("people", columns, ways=2, epsilon=5)
            .to(tmp_path / "two")
            .to_pandas()
        )
        three = (
            db.publish.marginals("people", columns, ways=3, epsilon=5)
            .to(tmp_path / "three")
            .to_pandas()
        )
        assert three["marginal"].nunique() == two["marginal"].nunique() + 1
        assert db.budget.spent == 20


def test_invalid_synthetic_rows_are_refused_before_the_charge(tmp_path: Path) -> None:
    with opened(tmp_path) as db:
        with pytest.raises(Refused, match="fewer bins"):
            db.publish.synthetic("people", ["region", "income"], bins={"income": 5000})
        with pytest.raises(InvalidArgument, match="check"):
            db.publish.synthetic("people", ["region", "smokes"], check=0.9)
        assert db.budget.spent == 0


def test_a_count_does_not_depend_on_the_other_statistics(tmp_path: Path) -> None:
    """Rows from elsewhere have no region, and smoke nevertheless; and that they have none can be
    asked.
    """
    with opened(tmp_path, unit="row") as db:
        asked = ["smokes", "region = 'north'", "region IS NULL", "region IS NULL OR NOT smokes"]
        counts = [
            round(row["count"])
            for row in db.publish.queries("people", asked, epsilon=20).to(tmp_path / "a").rows
        ]
        smokes = [n % 4 == 0 for n in range(600)]
        region = [None if n % 50 == 0 else REGIONS[n % 3] for n in range(600)]
        exact = [
            sum(smokes),
            region.count("north"),
            region.count(None),
            sum(r is None or not s for r, s in zip(region, smokes, strict=True)),
        ]
        assert np.abs(np.array(counts) - exact).max() <= 8
        assert "is not counted" not in repr(db.publish.queries("people", asked, epsilon=20))
        assert "is not counted" in repr(db.publish.histogram("people", "region"))


def test_questions_may_be_rows_of_a_matrix(tmp_path: Path) -> None:
    """Of regions and of ages in three bins, the first slowest; a row may count more than once."""
    asked = np.array([[1] * 3 + [0] * 6, [0, 0, 2] * 3])
    with opened(tmp_path, unit="row") as db:
        draft = db.publish.queries(
            "people",
            ["north", "old, twice"],
            matrix=asked,
            columns=["region", "age"],
            bins={"age": [0, 30, 60, 99]},
            epsilon=20,
        )
        counts = draft.to(tmp_path / "a").to_pandas()["count"].tolist()
        there = [n for n in range(600) if n % 50]
        assert abs(counts[0] - sum(n % 3 == 0 for n in there)) < 8
        assert abs(counts[1] - 2 * sum((7 * n) % 100 >= 60 for n in there)) < 16
        one = (
            db.publish.queries("people", ["smokers"], matrix=[[0, 1]], columns="smokes", epsilon=20)
            .to(tmp_path / "b")
            .rows
        )
        assert abs(one[0]["count"] - 150) < 8
        with pytest.raises(InvalidArgument, match="must be given together"):
            db.publish.queries("people", ["smokers"], matrix=[[0, 1]])
        with pytest.raises(InvalidArgument, match="a row for each name"):
            db.publish.queries("people", ["smokers", "others"], matrix=[[0, 1]], columns="smokes")
