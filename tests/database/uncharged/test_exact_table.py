"""Rows that cost nothing look and travel like an answer."""

from __future__ import annotations

import json
import math

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from hedgerow.database.uncharged.exact_table import ExactTable
from hedgerow.errors import InvalidArgument

LISTING = ExactTable(
    {"name": "text", "left": "real", "entries": "integer", "public": "boolean"},
    [
        {"name": "patients", "left": 2.5, "entries": 3, "public": False},
        {"name": "<b>\x1b[31m", "left": math.inf, "entries": None, "public": True},
    ],
)


def test_an_exact_table_costs_nothing_and_has_no_receipt() -> None:
    assert LISTING.cost.epsilon == 0
    assert LISTING.receipt is None
    assert LISTING.columns == ("name", "left", "entries", "public")
    assert len(LISTING) == 2


def test_nothing_in_it_has_an_interval() -> None:
    assert LISTING.interval("left") == [None, None]
    assert LISTING.interval("left", 0.9, rows=1) == [None]
    with pytest.raises(
        InvalidArgument, match="column must be one of name, left, entries, public; got 'right'"
    ):
        LISTING.interval("right")


def test_an_exact_table_converts_to_data_frames() -> None:
    assert LISTING.to_arrow(intervals=True) == LISTING.to_arrow()  # there is no noise
    assert LISTING.to_arrow().schema.types == [pa.string(), pa.float64(), pa.int64(), pa.bool_()]
    assert list(LISTING.to_pandas()["name"]) == ["patients", "<b>\x1b[31m"]
    assert isinstance(LISTING.to_pandas(), pd.DataFrame)
    assert LISTING.to_polars()["left"].to_list() == [2.5, math.inf]
    assert pl.DataFrame(LISTING).shape == (2, 4)
    empty = ExactTable(LISTING.types, [])
    assert empty.to_arrow().schema == LISTING.to_arrow().schema


def test_an_exact_table_converts_to_json() -> None:
    plain = json.loads(json.dumps(LISTING.to_dict(), allow_nan=False))
    assert plain["rows"][1] == {
        "name": "<b>\x1b[31m",
        "left": "inf",
        "entries": None,
        "public": True,
    }
    assert plain["intervals"]["left"] == [None, None]
    assert plain["receipt"] is None
    assert plain["cost"]["epsilon"] == "0/1"


def test_an_exact_table_prints_without_terminal_control_codes() -> None:
    shown = repr(LISTING)
    assert shown.splitlines()[0].split() == ["name", "left", "entries", "public"]
    assert "patients" in shown
    assert "\x1b" not in shown
    assert shown.endswith("Free: no protected data were read.")


def test_an_exact_table_renders_in_a_notebook() -> None:
    html = LISTING._repr_html_()
    assert "<th>entries</th>" in html
    assert "<td>&lt;b&gt;" in html
    assert "<td>NULL</td><td>true</td>" in html
