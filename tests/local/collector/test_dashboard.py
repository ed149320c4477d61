"""The page: metrics, counts, losses and values with intervals, without scripts."""

from __future__ import annotations

import re
import tracemalloc
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.local.collector import dashboard as page
from hedgerow.local.collector.counter_store import BatchCounters, CounterStore
from hedgerow.local.collector.dashboard import MAX_CANDIDATES, Dashboard
from hedgerow.local.collector.epochs import EpochCalendar
from hedgerow.local.metric import Metric
from hedgerow.local.planning.simulated_frequencies import simulate_counters
from hedgerow.local.protocols import Duchi, KAry, LocalProtocol, LongitudinalUnary, Rappor
from local import expected

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
def store(tmp_path: Path) -> CounterStore:
    return CounterStore(tmp_path / "counts")


def add(store: CounterStore, metric: Metric, values: Any, key: str = "a") -> None:
    store.add(
        [BatchCounters(metric, key.encode(), metric.scheme.aggregate(metric.scheme.encode(values)))]
    )


def test_it_shows_every_metric_and_its_values(store: CounterStore) -> None:
    add(store, METRIC, np.repeat([3, 7], [6_000, 3_000]))
    add(store, replace(METRIC, epoch=6), np.repeat(1, 500))
    add(store, MEAN, np.full(1_000, 50))
    read = Reader(Dashboard(store, EpochCalendar([METRIC, MEAN, AGAIN])).to_html())
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
    assert "No value stands out" in said  # nothing has come in of the third


def monitor(text: str) -> list[list[str]]:
    """The cells of the first table, row by row."""
    rows = re.findall(r"<tr.*?</tr>", text[: text.index("</table>")])
    return [
        [re.sub("<.*?>", "", cell) for cell in re.findall(r"<t[hd].*?</t[hd]>", row)]
        for row in rows
    ]


def test_the_monitor_says_what_a_client_gives_away_by_its_cap_and_so_far(
    store: CounterStore,
) -> None:
    for epoch in (5, 6, 7):
        add(store, replace(METRIC, epoch=epoch), [1])
    endless = Metric.of("texts", Rappor(k=32, h=2, m=4, f=0, p=16_384, q=49_152))
    held = EpochCalendar([METRIC, AGAIN])
    rows = monitor(Dashboard(store, held).to_html())
    assert rows[0] == [
        "metric",
        "one report",
        "cap 1",
        "cap 2",
        "cap 3",
        "cap 5",
        "cap 10",
        "epochs",
        "so far",
    ]
    assert rows[1] == ["colour per report", "4", "4", "8", "12", "20", "40", "3", "12"]
    assert rows[2] == [
        "home per value",
        "0.99994",
        "2.9997",
        "5.9994",
        "8.9991",
        "14.999",
        "29.997",
        "0",
        "0",
    ]
    assert rows[3] == ["all together", "", "6.9997", "14", "21", "34.999", "69.997", "", "12"]
    assert "unbounded" in Dashboard(store, EpochCalendar([endless])).to_html()


def test_rows_for_programs(store: CounterStore) -> None:
    assert isinstance(METRIC.scheme, KAry)
    store.add(
        [
            BatchCounters(
                METRIC, b"a", expected.answers(METRIC.scheme, np.repeat([3, 7], [6_000, 3_000]))
            )
        ]
    )
    (row,) = Dashboard(store, EpochCalendar([METRIC])).to_dict()["metrics"]
    assert (row["id"], row["epoch"], row["hash"], row["reports"]) == (
        "colour",
        7,
        METRIC.hash.hex(),
        9_000,
    )
    assert (row["present"], row["memoised"], row["epsilon"]) == (True, False, METRIC.epsilon)
    assert [found["value"] for found in row["detected"]] == [3, 7]
    assert (
        Metric(row["id"], row["protocol"], tuple(row["parameters"].items()), row["epoch"]) == METRIC
    )


class Clock:
    """A clock that the test sets; what takes time moves it."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_it_follows_the_store_and_takes_a_tenth_of_the_time(
    store: CounterStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Metric] = []
    clock, real = Clock(), page.detect_values

    def slow(metric: Metric, counters: Any, **given: Any) -> Any:
        asked.append(metric)
        clock.now += 2.0
        return real(metric, counters, **given)

    monkeypatch.setattr(page, "detect_values", slow)
    overview = Dashboard(store, EpochCalendar([METRIC]), clock=clock)
    assert overview.rows()[0].reports == 0
    add(store, METRIC, np.repeat(3, 4_000))
    clock.now = 19.9
    for _ in range(3):
        (row,) = overview.rows()
        assert (row.reports, row.decoded_reports, row.estimates) == (4_000, 0, ())
    assert "From the first 0 reports." in overview.to_html()
    clock.now = 20.0
    for _ in range(3):
        (row,) = overview.rows()
        assert (row.reports, row.decoded_reports) == (4_000, 4_000)
        assert row.estimates is not None
        assert row.estimates[0].value == 3
    assert "From the first" not in overview.to_html()
    clock.now = 1_000.0
    overview.rows()
    assert len(asked) == 2  # nothing has come in since


def test_only_the_last_epochs_are_shown_and_kept(store: CounterStore) -> None:
    for epoch in range(20):
        add(store, replace(METRIC, epoch=epoch), [1])
    overview = Dashboard(store, EpochCalendar([replace(METRIC, epoch=19)]))
    assert [row.metric.epoch for row in overview.rows()] == [19, 18, 17, 16, 15]
    assert len(overview._decoded) == 5
    add(store, replace(METRIC, epoch=20), [1])
    overview.rows()
    assert len(overview._decoded) == 5


def test_long_lists_are_cut_on_the_page_only(store: CounterStore) -> None:
    add(store, METRIC, np.repeat(np.arange(50), 4_000))
    overview = Dashboard(store, EpochCalendar([METRIC]))
    found = overview.rows()[0].estimates
    assert found is not None
    assert len(found) == 50
    text = overview.to_html()
    assert text.count('class="bar"') == 25
    assert "25 more were detected" in text


TEXTS = Metric.of("home", Rappor(k=32, h=2, m=8, f=0, p=16_384, q=49_152))


def test_texts_need_candidates(store: CounterStore) -> None:
    add(store, TEXTS, np.repeat(["a.example"], 500))
    overview = Dashboard(store, EpochCalendar([TEXTS]))
    said = " ".join(Reader(overview.to_html()).said)
    for part in (
        "500 reports",
        "any text",
        "Pass --candidates to hedgerow local collect, or use hedgerow local decode",
        "unbounded",
    ):
        assert part in said
    (row,) = overview.to_dict()["metrics"]
    assert (row["detected"], row["lifetime_epsilon"], row["reports"]) == (None, None, 500)
    assert row["loss"]["so_far"] is None


def test_texts_are_found_among_candidates(store: CounterStore) -> None:
    told = expected.reports(TEXTS, {"a.example": 6_000, "<b>.example": 3_000})
    store.add([BatchCounters(TEXTS, b"a", TEXTS.scheme.aggregate(told))])
    listed = ["c.example", "<b>.example", "a.example", "d.example", "a.example"]
    overview = Dashboard(store, EpochCalendar([TEXTS]), {"home": listed})
    (row,) = overview.rows()
    assert row.estimates is not None
    assert [finding.value for finding in row.estimates] == ["a.example", "<b>.example"]
    assert "<b>.example" in Reader(overview.to_html()).said  # as a text, and not as a tag


@pytest.mark.parametrize(
    ("candidates", "told"),
    [
        (
            {"none": ["a"]},
            "must belong to a metric of this collector that counts values; got 'none'",
        ),
        (
            {"age": ["a"]},
            "must belong to a metric of this collector that counts values; got 'age'",
        ),
        (
            {"colour": ["a"]},
            "of 'colour' must have one distinct name for each of its 50 codes; got 1",
        ),
        (
            {"colour": [*map(str, range(49)), "7"]},
            "of 'colour' must have one distinct name for each of its 50 codes; got 50",
        ),
        (
            {"colour": [*map(str, range(50)), "7"]},
            "of 'colour' must have one distinct name for each of its 50 codes; got 51",
        ),
        ({"home": []}, "must be 1 to 10,000 texts"),
        (
            {"home": [str(number) for number in range(10_001)]},
            "hedgerow local decode takes more; got 10001",
        ),
    ],
)
def test_candidates_that_cannot_be_looked_for(
    store: CounterStore, candidates: dict[str, list[str]], told: str
) -> None:
    with pytest.raises(InvalidArgument, match=told):
        Dashboard(store, EpochCalendar([METRIC, TEXTS, MEAN]), candidates)


def test_codes_have_names(store: CounterStore) -> None:
    assert isinstance(METRIC.scheme, KAry)
    store.add(
        [
            BatchCounters(
                METRIC, b"a", expected.answers(METRIC.scheme, np.repeat([0, 3], [5_000, 2_000]))
            )
        ]
    )
    overview = Dashboard(
        store,
        EpochCalendar([METRIC]),
        {"colour": ["red", "green", "blue", "<i>black</i>", *map(str, range(46))]},
    )
    (row,) = overview.rows()
    assert row.estimates is not None
    assert [finding.value for finding in row.estimates] == ["red", "<i>black</i>"]
    assert "<i>black</i>" in Reader(overview.to_html()).said


@pytest.mark.parametrize(
    ("before", "told"),
    [
        (KAry(4, 60_000), "0"),  # other rules for texts that are codes now
        # the same texts would take too much memory in that many cohorts
        (Rappor(k=8, h=2, m=1 << 15, f=0, p=16_384, q=49_152), None),
        (Rappor(k=64, h=2, m=8, f=0, p=16_384, q=49_152), "a.example"),
    ],
)
def test_an_earlier_epoch_may_have_had_other_rules(
    store: CounterStore, before: LocalProtocol, told: str | None
) -> None:
    earlier, texts = Metric.of("home", before), ["a.example", *map(str, range(100))]
    now = replace(TEXTS, epoch=1)
    if isinstance(before, Rappor):
        store.add(
            [
                BatchCounters(
                    earlier,
                    b"a",
                    before.aggregate(expected.reports(earlier, {"a.example": 1 << 16})),
                )
            ]
        )
    else:
        add(store, earlier, np.zeros(5_000, np.int64))
    rows = Dashboard(store, EpochCalendar([now]), {"home": texts}).rows()
    assert [row.metric for row in rows] == [now, earlier]
    assert (None if rows[1].estimates is None else str(rows[1].estimates[0].value)) == told
    # The other way round: names of codes are no candidates.
    again = Dashboard(
        store, EpochCalendar([Metric.of("home", KAry(2, 60_000), epoch=2)]), {"home": ["yes", "no"]}
    ).rows()
    assert isinstance(before, Rappor) == (again[1].estimates is None)


def test_many_cohorts_leave_room_for_fewer_candidates(store: CounterStore) -> None:
    """Else a list that is short enough for 128 cohorts would fill the memory in 4,096."""
    wide = Metric.of("wide", Rappor(k=8, h=2, m=4_096, f=16_384, p=16_384, q=49_152))
    texts = [str(number) for number in range(513)]
    with pytest.raises(
        InvalidArgument,
        match=(
            "must be 1 to 512 texts with 4,096 cohorts; hedgerow local decode takes more; got 513"
        ),
    ):
        Dashboard(store, EpochCalendar([wide]), {"wide": texts})
    (row,) = Dashboard(store, EpochCalendar([wide]), {"wide": texts[:3]}).rows()
    assert row.estimates == ()


@pytest.mark.long
def test_the_longest_list_of_candidates_takes_little_memory(store: CounterStore) -> None:
    """Hundreds of the texts are found, so that there is much to fit. All at once it would take
    more than 70 MB.
    """
    texts = [f"page-{number}.example" for number in range(MAX_CANDIDATES)]
    scheme = Rappor(k=128, h=2, m=128, f=2, p=2_048, q=63_488)
    home = Metric.of("home", scheme)
    held = (200_000 / np.arange(1, MAX_CANDIDATES + 1)).astype(np.int64)
    store.add(
        [
            BatchCounters(
                home,
                b"one",
                simulate_counters(scheme, scheme.hash_values(texts, home.permanent_hash), held),
            )
        ]
    )
    overview = Dashboard(store, EpochCalendar([home]), {"home": texts})
    tracemalloc.start()
    try:
        (row,) = overview.rows()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(row.estimates or ()) > 200
    assert peak < 40 << 20


def test_a_metric_of_very_many_values_is_not_decoded_here(store: CounterStore) -> None:
    many = Metric.of("many", KAry(1 << 20, 60_000))
    (row,) = Dashboard(store, EpochCalendar([many])).rows()
    assert (row.estimates, row.reports) == (None, 0)
    assert "too many values for the page" in row.reason
