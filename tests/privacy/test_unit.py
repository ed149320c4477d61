from __future__ import annotations

import math
from collections import Counter, deque, namedtuple
from collections.abc import Callable, Hashable, Iterable, Iterator
from fractions import Fraction
from itertools import combinations_with_replacement, product
from statistics import median

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.errors import InvalidArgument
from hedgerow.privacy import Unit

Rows = list[tuple[Hashable, ...]]
Person = dict[str, Hashable]

ROW_UNITS = [
    Unit("add-remove"),
    Unit("change-one"),
    Unit("add-remove", group=2),
    Unit("change-one", group=3),
]
ID_UNITS = [
    Unit("add-remove", "id"),
    Unit("change-one", "id"),
    Unit("add-remove", "id", 2),
    Unit("change-one", "id", 2),
]

people = st.lists(
    st.fixed_dictionaries({"id": st.sampled_from([None, 1, 2, 3, 4]), "x": st.integers(0, 2)}),
    max_size=6,
)


# --- the metric


@pytest.mark.parametrize("unit", ROW_UNITS + ID_UNITS)
@given(a=people, b=people, c=people)
def test_distance_is_a_metric(
    unit: Unit, a: list[Person], b: list[Person], c: list[Person]
) -> None:
    if unit.relation == "change-one":  # equally many, so that most distances are finite
        n = min(map(len, (a, b, c)))
        a, b, c = a[:n], b[:n], c[:n]
    d = unit.distance
    assert d(a, b) == d(b, a)
    assert d(a, c) <= d(a, b) + d(b, c)
    assert d(a, a[::-1]) == 0
    kept = [
        Counter(
            map(_frozen, rows if unit.owner == "row" else [r for r in rows if r["id"] is not None])
        )
        for rows in (a, b)
    ]
    assert (d(a, b) == 0) == (kept[0] == kept[1])


def _frozen(row: Person) -> Hashable:
    return tuple(sorted(row.items(), key=str))


def _paths(
    states: list[Hashable], neighbours: Callable[[Hashable, Hashable], bool], start: Hashable
) -> dict[Hashable, int]:
    """Return distances by breadth-first search over the neighbour relation itself."""
    found, queue = {start: 0}, deque([start])
    while queue:
        here = queue.popleft()
        for there in states:
            if there not in found and neighbours(here, there):
                found[there] = found[here] + 1
                queue.append(there)
    return found


def _bags(values: Iterable[Hashable], most: int) -> Iterator[tuple[Hashable, ...]]:
    values = list(values)
    for size in range(most + 1):
        yield from combinations_with_replacement(values, size)


def test_rows_distance_is_the_shortest_path() -> None:
    states: list[Hashable] = list(_bags("ab", 4))

    def added(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
        return abs(len(a) - len(b)) == 1 and not (
            Counter(min(a, b, key=len)) - Counter(max(a, b, key=len))
        )

    def changed(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
        return len(a) == len(b) and (Counter(a) - Counter(b)).total() == 1

    for relation, neighbours in (("add-remove", added), ("change-one", changed)):
        unit = Unit(relation)  # type: ignore[arg-type]
        for start in states:
            paths = _paths(states, neighbours, start)  # type: ignore[arg-type]
            for end in states:
                a, b = [(x,) for x in start], [(x,) for x in end]  # type: ignore[attr-defined]
                assert unit.distance(a, b) == paths.get(end, math.inf)


def test_people_distance_is_the_shortest_path() -> None:
    # A state gives each of three possible people no rows, or one of three bags of rows.
    states: list[Hashable] = list(product([(), ("a",), ("b",), ("a", "b")], repeat=3))

    def there(state: tuple[tuple[str, ...], ...]) -> int:
        return sum(map(bool, state))

    def added(a: tuple[tuple[str, ...], ...], b: tuple[tuple[str, ...], ...]) -> bool:
        return sum(x != y for x, y in zip(a, b, strict=True)) == 1 and abs(there(a) - there(b)) == 1

    def changed(a: tuple[tuple[str, ...], ...], b: tuple[tuple[str, ...], ...]) -> bool:
        gone = sum(bool(x) and x != y for x, y in zip(a, b, strict=True))
        return there(a) == there(b) and gone == 1

    def rows(state: tuple[tuple[str, ...], ...]) -> list[Person]:
        return [{"id": i, "x": x} for i, bag in enumerate(state) for x in bag]

    for relation, neighbours in (("add-remove", added), ("change-one", changed)):
        unit = Unit(relation, "id")  # type: ignore[arg-type]
        for start in states[::7]:
            paths = _paths(states, neighbours, start)  # type: ignore[arg-type]
            for end in states:
                assert unit.distance(rows(start), rows(end)) == paths.get(  # type: ignore[arg-type]
                    end, math.inf
                )


def test_distances_of_small_examples() -> None:
    assert Unit("add-remove").distance([(1,), (1,), (2,)], [(1,), (3,)]) == 3
    assert Unit("change-one").distance([(1,), (1,), (2,)], [(1,), (3,), (3,)]) == 2
    assert Unit("change-one").distance([(1,)], []) == math.inf
    assert Unit("add-remove", group=2).distance([(1,), (1,), (2,)], [(1,), (3,)]) == 2
    assert Unit("change-one", group=5).distance([(1,)], []) == math.inf
    ann, ann_more, bob = {"id": 1, "x": 5}, {"id": 1, "x": 6}, {"id": 2, "x": 5}
    assert Unit("add-remove", "id").distance([ann, ann_more], []) == 1
    assert Unit("add-remove", "id").distance([ann], [ann, ann_more]) == 2
    assert Unit("change-one", "id").distance([ann], [ann, ann_more]) == 1
    assert Unit("change-one", "id").distance([ann, ann_more], [bob]) == 1
    assert Unit("change-one", "id").distance([ann, bob], [bob]) == math.inf


def test_rows_without_an_id_are_dropped() -> None:
    nobody = [{"id": None, "x": i} for i in range(3)] + [
        {"id": math.nan, "x": 1},
        {"id": np.float32("nan"), "x": 1},
    ]
    for relation in ("add-remove", "change-one"):
        assert Unit(relation, "id").distance(nobody, []) == 0  # type: ignore[arg-type]
        assert Unit(relation).distance(nobody, nobody[1:]) > 0  # type: ignore[arg-type]


def test_rows_are_dicts_tuples_or_named_tuples() -> None:
    visit = namedtuple("visit", "id x")
    assert Unit("add-remove", "id").distance([visit(1, 2), visit(1, 3)], [visit(2, 2)]) == 2
    assert Unit("add-remove").distance([{"a": 1, "b": 2}], [{"b": 2, "a": 1}]) == 0
    assert Unit("add-remove").distance([(math.nan, 1)], [(float("nan"), 1)]) == 0
    assert Unit("add-remove").distance([{"a": math.nan}], [{"a": np.float64("nan")}]) == 0


@pytest.mark.parametrize(
    ("unit", "rows", "told"),
    [
        (Unit("add-remove"), ["secret"], "tuples or dicts"),
        (Unit("add-remove"), [(["secret"],)], "hashable"),
        (Unit("add-remove", "id"), [{"id": ["secret"]}], "hashable"),
        (Unit("add-remove", "id"), [("secret", 1)], "id column 'id'"),
        (Unit("add-remove", "id"), [{"name": "secret"}], "id column 'id'"),
    ],
)
def test_bad_rows_are_refused_without_showing_them(
    unit: Unit, rows: list[tuple[str]], told: str
) -> None:
    with pytest.raises(InvalidArgument, match=told) as caught:
        unit.distance(rows, [])
    assert caught.value.argument == "rows"
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("relation", ["", "add/remove", None, 1, True])
def test_bad_relation_is_refused(relation: object) -> None:
    with pytest.raises(
        InvalidArgument, match=r"^relation must be 'add-remove' or 'change-one'; got"
    ):
        Unit(relation)  # type: ignore[arg-type]


@pytest.mark.parametrize("owner", ["", None, 1, True])
def test_bad_owner_is_refused(owner: object) -> None:
    with pytest.raises(InvalidArgument, match=r"^owner must be"):
        Unit("add-remove", owner)  # type: ignore[arg-type]


@pytest.mark.parametrize("group", [0, -1, 1.5, True, np.True_, "2", None, math.nan, math.inf])
def test_bad_group_is_refused(group: object) -> None:
    with pytest.raises(InvalidArgument, match=r"^group must be"):
        Unit("add-remove", group=group)  # type: ignore[arg-type]


# --- what the table of sensitivities claims, run
# ---------------------------------------------------------------------------------- Rows are
# (value, kept by the WHERE clause). Each claim is |f(a) - f(b)| <= bound * distance(a, b), and some
# pair reaches it.

Statistic = Callable[[Rows], Fraction]


def count(rows: Rows) -> Fraction:
    return Fraction(sum(bool(kept) for _, kept in rows))


def total(rows: Rows) -> Fraction:
    return Fraction(sum(x for x, _ in rows))  # type: ignore[misc]


def total_where(rows: Rows) -> Fraction:
    return Fraction(sum(x for x, kept in rows if kept))  # type: ignore[misc]


def mean(rows: Rows) -> Fraction:
    return total(rows) / len(rows)


def maximum(rows: Rows) -> Fraction:
    return Fraction(max(x for x, _ in rows))  # type: ignore[type-var]


def middle(rows: Rows) -> Fraction:
    return Fraction(median(x for x, _ in rows))  # type: ignore[type-var]


def move(f: Statistic, a: Rows, b: Rows) -> Fraction:
    return abs(f(a) - f(b))


def histogram_move(a: Rows, b: Rows) -> Fraction:
    left, right = Counter(x for x, _ in a), Counter(x for x, _ in b)
    return Fraction(sum(abs(left[x] - right[x]) for x in left | right))


N = 4
CLAIMS: list[tuple[str, str, Callable[[int, int], Fraction], Callable[[Rows, Rows], Fraction]]] = [
    ("count", "change-one", lambda low, high: Fraction(1), lambda a, b: move(count, a, b)),
    ("count", "add-remove", lambda low, high: Fraction(1), lambda a, b: move(count, a, b)),
    ("sum", "change-one", lambda low, high: Fraction(high - low), lambda a, b: move(total, a, b)),
    (
        "sum",
        "add-remove",
        lambda low, high: Fraction(max(abs(low), abs(high))),
        lambda a, b: move(total, a, b),
    ),
    (
        "sum where",
        "change-one",
        lambda low, high: Fraction(max(high, 0) - min(low, 0)),
        lambda a, b: move(total_where, a, b),
    ),
    (
        "sum where",
        "add-remove",
        lambda low, high: Fraction(max(abs(low), abs(high))),
        lambda a, b: move(total_where, a, b),
    ),
    (
        "mean",
        "change-one",
        lambda low, high: Fraction(high - low, N),
        lambda a, b: move(mean, a, b),
    ),
    ("max", "change-one", lambda low, high: Fraction(high - low), lambda a, b: move(maximum, a, b)),
    (
        "median of 3",
        "change-one",
        lambda low, high: Fraction(high - low),
        lambda a, b: move(middle, a[:3], b[:3]),
    ),
    ("histogram", "change-one", lambda low, high: Fraction(2), histogram_move),
    ("histogram", "add-remove", lambda low, high: Fraction(1), histogram_move),
]
RANGES = [(-3, 5), (2, 6), (-6, -1), (50, 60)]


@pytest.mark.long
@pytest.mark.parametrize(("name", "relation", "bound", "moved"), CLAIMS)
@given(data=st.data())
def test_the_sensitivity_table_is_never_exceeded(
    name: str,
    relation: str,
    bound: Callable[[int, int], Fraction],
    moved: Callable[[Rows, Rows], Fraction],
    data: st.DataObject,
) -> None:
    low, high = data.draw(st.sampled_from(RANGES))
    row = st.tuples(st.sampled_from([low, low + 1, high]), st.booleans())
    size = {"median of 3": 3, "mean": N}.get(name)
    rows = st.lists(row, min_size=1 if size is None else size, max_size=size or 5)
    a, b = data.draw(rows), data.draw(rows)
    assert moved(a, b) <= bound(low, high) * Unit(relation).distance(a, b)  # type: ignore[arg-type]


@pytest.mark.parametrize("low_high", RANGES)
@pytest.mark.parametrize(("name", "relation", "bound", "moved"), CLAIMS)
def test_the_table_is_tight(
    name: str,
    relation: str,
    bound: Callable[[int, int], Fraction],
    moved: Callable[[Rows, Rows], Fraction],
    low_high: tuple[int, int],
) -> None:
    low, high = low_high
    rows: Rows = [(x, kept) for x in (low, high) for kept in (True, False)]
    padding: dict[str, Rows] = {
        "median of 3": [(low, True), (high, True)],
        "mean": [(low, True)] * (N - 1),
    }
    starts = [[*padding.get(name, [(low, True)]), row] for row in rows]
    unit = Unit(relation)  # type: ignore[arg-type]
    ends = [*starts, *(start[:-1] for start in starts)] if relation == "add-remove" else starts
    reached = max(moved(a, b) for a in starts for b in ends if unit.distance(a, b) == 1)
    assert reached == bound(low, high)


def test_the_width_is_too_little_for_a_sum_under_where() -> None:
    a: Rows = [(60, True)]
    b: Rows = [(55, False)]
    assert Unit("change-one").distance(a, b) == 1
    assert move(total_where, a, b) == 60 > 60 - 50


@given(
    data=st.data(),
    relation=st.sampled_from(["add-remove", "change-one"]),
    cap=st.integers(1, 3),
    span=st.sampled_from(RANGES),
)
def test_a_person_moves_a_capped_sum_by_the_cap_times_a_row(
    data: st.DataObject, relation: str, cap: int, span: tuple[int, int]
) -> None:
    low, high = span
    person = st.fixed_dictionaries(
        {"id": st.sampled_from([1, 2, 3]), "x": st.sampled_from([low, high])}
    )
    a, b = (data.draw(st.lists(person, max_size=8)) for _ in range(2))

    def capped(rows: list[dict[str, int]]) -> int:
        return sum(
            sum(sorted(row["x"] for row in rows if row["id"] == who)[:cap]) for who in (1, 2, 3)
        )

    row = max(abs(low), abs(high)) if relation == "add-remove" else max(high, 0) - min(low, 0)
    assert abs(capped(a) - capped(b)) <= cap * row * Unit(
        relation,  # type: ignore[arg-type]
        "id",
    ).distance(a, b)
