"""Publications of people with more rows than count."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hedgerow as hr
from database.publishing.helpers_survey_database import opened
from hedgerow.errors import (
    Unbounded,
)

FRAME = pa.table(
    {
        "id": [n // 4 for n in range(1200)],
        "x": [(n % 4) // 3 for n in range(1200)],
        "y": [n % 5 for n in range(1200)],
    }
)


def guarded(**options: Any) -> hr.Database:
    columns = {"x": [0, 1], "y": (0, 4)}
    return hr.protect(
        FRAME,
        unit="id",
        neighbours="add-remove",
        columns=columns,
        epsilon=100,
        max_groups=1,
        **{"max_rows_per_group": 1, **options},
    )


def test_rows_beyond_the_cap_count_in_part(tmp_path: Path) -> None:
    """300 people, each with three rows of 0 and one of 1: one row counts, and so three quarters
    of it are 0.
    """
    with guarded() as db:
        draft = db.publish.histogram("data", "x", epsilon=10)
        assert "Each person contributes at most 1 row; further rows are scaled down." in repr(draft)
        assert draft.to_dict()["fine"] > 1
        found = draft.to(tmp_path / "x")
        assert np.abs(found.to_pandas()["count"] - [225, 75]).max() < 4
        assert found.histogram().mean().value == pytest.approx(0.25, abs=0.02)
        assert found.facts["fine"] > 1
        assert found.facts["losing"] == [10**7, 2**36]
        answer = db.query("SELECT COUNT(*) FILTER (WHERE x = 1) AS n FROM data", epsilon=10).rows[
            0
        ]["n"]
        assert abs(answer - 75) < 4  # as SQL counts them
        total = db.publish.cdf("data", "y", epsilon=10).to(tmp_path / "y").to_pandas()["count"]
        assert np.abs(total - [60, 120, 180, 240, 300]).max() < 10
        again = draft.to(tmp_path / "again")
        assert again.to_arrow().equals(found.to_arrow())
        assert found.receipt["notes"][-1].endswith(
            f"cut to 1/{found.facts['fine']:,} of a row; intervals include this."
        )


def test_synthetic_rows_are_made_of_parts(tmp_path: Path) -> None:
    with guarded() as db:
        draft = db.publish.synthetic("data", ["x", "y"], epsilon=20)
        found = draft.to(tmp_path / "rows")
        assert found.facts["fine"] > 1
        assert found.receipt["notes"][-1].endswith("of a row.")
        table = found.to_pandas()
        assert abs(len(table) - 300) < 30
        assert abs(table["x"].mean() - 0.25) < 0.05  # by a hash it would be a half


def test_rows_within_the_bound_are_counted_in_full(tmp_path: Path) -> None:
    with opened(tmp_path, unit="row") as db:
        draft = db.publish.histogram("people", "region", epsilon=1)
        assert "in part" not in repr(draft)
        found = draft.to(tmp_path / "out")
        assert "fine" not in found.facts
        assert found.to_arrow().schema.field("count").type == pa.int64()


def test_a_publication_of_truncated_rows_is_not_reused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before rows counted in part, a publication of the same name meant something else."""
    with guarded() as db:
        with monkeypatch.context() as patch:
            for module in ("database.publishing.publisher", "plan.canonical_plans"):
                patch.setattr(f"hedgerow.{module}.can_exceed_row_bound", lambda plan: False)
            db.publish.histogram("data", "x", epsilon=1).to(tmp_path / "before")
        assert db.budget.spent == 1
        found = db.publish.histogram("data", "x", epsilon=1).to(tmp_path / "after")
        assert db.budget.spent == 2
        assert found.facts["fine"] > 1


def test_a_publication_of_a_table_without_caps_names_its_rows() -> None:
    """A missing cap is not 1: the draft says how many rows of a person count, or is refused."""
    with guarded(max_rows_per_group=None) as db:
        with pytest.raises(Unbounded, match=r"data has no declared max_rows_per_group\. Pass rows"):
            db.publish.histogram("data", "x", epsilon=1)
        assert db.publish.histogram("data", "x", epsilon=1, rows=4)._plan.bound.max_rows == 4
