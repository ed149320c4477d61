"""The page: every metric, its counts and what it costs; values with intervals, and nothing that runs."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hedgerow.local import page
from hedgerow.local.epochs import Calendar
from hedgerow.local.page import Overview
from hedgerow.local.protocols import Duchi, KAry, LongitudinalUnary, Rappor
from hedgerow.local.spec import Metric
from hedgerow.local.store import Addition, Store

METRIC = Metric.of("colour", KAry.calibrate(domain=50, epsilon=4), epoch=7)
MEAN = Metric.of("age", Duchi.calibrate(domain=101, epsilon=2))
AGAIN = Metric.of("home", LongitudinalUnary.calibrate(domain=9, epsilon=1, lifetime=3))


class Reader(HTMLParser):
    """Text and tags, and an error for a tag that is never closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.said: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        assert not any(name.startswith("on") or name in ("src", "href") for name, _ in attrs)
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.said.append(data)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "counts")


def add(store: Store, metric: Metric, values: Any, key: str = "a") -> None:
    store.add([Addition(metric, key.encode(), metric.scheme.aggregate(metric.scheme.encode(values)))])


def test_it_shows_every_metric_and_its_values(store: Store) -> None:
    add(store, METRIC, np.repeat([3, 7], [6_000, 3_000]))
    add(store, replace(METRIC, epoch=6), np.repeat(1, 500))
    add(store, MEAN, np.full(1_000, 50))
    read = Reader(Overview(store, Calendar([METRIC, MEAN, AGAIN])).to_html())
    said = " ".join(read.said)
    assert "script" not in read.tags
    for part in (
        "colour, epoch 7",
        "9,000 reports",
        "colour, epoch 6, an earlier epoch",
        "500 reports",
        "age, epoch 0",
        "From 0 at the first",
    ):
        assert part in said
    assert "each further report as much again" in said
    assert "each further value of a client 3" in said
    assert "No value stands out" in said  # nothing has come in of the third


def test_rows_for_programs(store: Store) -> None:
    add(store, METRIC, np.repeat([3, 7], [6_000, 3_000]))
    (row,) = Overview(store, Calendar([METRIC])).to_dict()["metrics"]
    assert (row["id"], row["epoch"], row["hash"], row["reports"]) == ("colour", 7, METRIC.hash.hex(), 9_000)
    assert (row["present"], row["memoised"], row["epsilon"]) == (True, False, METRIC.epsilon)
    assert [found["value"] for found in row["detected"]][:2] == [3, 7]
    assert Metric(row["id"], row["protocol"], tuple(row["parameters"].items()), row["epoch"]) == METRIC


def test_it_follows_the_store_and_computes_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Metric] = []
    real = page.findings
    monkeypatch.setattr(page, "findings", lambda metric, counters: asked.append(metric) or real(metric, counters))
    overview = Overview(store, Calendar([METRIC]))
    assert overview.rows()[0].reports == 0
    add(store, METRIC, np.repeat(3, 100))
    assert [overview.rows()[0].reports for _ in range(3)] == [100, 100, 100]
    assert len(asked) == 2


def test_long_lists_are_cut_on_the_page_only(store: Store) -> None:
    add(store, METRIC, np.repeat(np.arange(50), 4_000))
    overview = Overview(store, Calendar([METRIC]))
    found = overview.rows()[0].found
    assert found is not None
    assert len(found) == 50
    text = overview.to_html()
    assert text.count('class="bar"') == 25
    assert "25 more were detected" in text


def test_texts_need_candidates(store: Store) -> None:
    texts = Metric.of("home", Rappor(k=32, h=2, m=4, f=0, p=16_384, q=49_152))
    add(store, texts, np.repeat(["a.example"], 500))
    overview = Overview(store, Calendar([texts]))
    said = " ".join(Reader(overview.to_html()).said)
    for part in ("500 reports", "any text", "hedgerow local decode", "each further value of a client unbounded"):
        assert part in said
    (row,) = overview.to_dict()["metrics"]
    assert (row["detected"], row["lifetime_epsilon"], row["reports"]) == (None, None, 500)
