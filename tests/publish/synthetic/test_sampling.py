from __future__ import annotations

import itertools

import numpy as np
import pytest

from hedgerow.publish.synthetic import sampling as rows
from hedgerow.publish.synthetic.model import ShrunkTable, SyntheticModel
from hedgerow.publish.synthetic.sampling import generate_rows, order_attributes
from publish.synthetic.helpers_tables import people


def _exact(
    codes: np.ndarray,
    sizes: tuple[int, ...],
    pairs: list[tuple[int, int]],
    groups: list[np.ndarray] | None = None,
) -> SyntheticModel:
    """A model that knows everything of these rows."""
    grouped = groups or [np.arange(size) for size in sizes]
    counts = tuple(
        np.bincount(codes[:, place], minlength=size).astype(float)
        for place, size in enumerate(sizes)
    )
    tables = {}
    for a, b in pairs:
        table = np.zeros((int(grouped[a].max()) + 1, int(grouped[b].max()) + 1))
        np.add.at(table, (grouped[a][codes[:, a]], grouped[b][codes[:, b]]), 1.0)
        tables[a, b] = ShrunkTable(table, 1, 0.0)
    return SyntheticModel(float(len(codes)), counts, tuple(grouped), tables)


def _off(model: SyntheticModel, found: np.ndarray, a: int, b: int) -> float:
    table = np.zeros(model.table(a, b).shape)
    np.add.at(table, (model.bins[a][found[:, a]], model.bins[b][found[:, b]]), 1.0)
    return float(np.abs(table / len(found) - model.table(a, b) / model.total).sum() / 2)


SIZES = (12, 3, 2, 4)
PAIRS = list(itertools.combinations(range(4), 2))


@pytest.mark.parametrize("many", [5_000, 20_000])
def test_rows_have_the_tables_of_the_model(many: int) -> None:
    model = _exact(people(10_000), SIZES, PAIRS)
    found = generate_rows(model, many)
    assert found.shape == (many, 4)
    assert max(_off(model, found, a, b) for a, b in PAIRS) < 0.01  # drawn at random: 0.02 and more


def test_rows_are_nearer_than_rows_drawn_at_random() -> None:
    codes = people(4_000)
    model = _exact(codes, SIZES, PAIRS)
    drawn = codes[np.random.default_rng(5).integers(0, 4_000, 4_000)]
    ours, random = (
        np.mean([_off(model, each, a, b) for a, b in PAIRS])
        for each in (generate_rows(model, 4_000), drawn)
    )
    assert ours < random / 2


def test_unrelated_attributes_are_independent_in_all_combinations() -> None:
    """Evenly spaced points must not make patterns: all three-way tables, and codes within groups
    too.
    """
    rng = np.random.default_rng(2)
    codes = np.stack([rng.integers(0, size, 8_000) for size in (6, 6, 6, 6)], axis=1)
    groups = [np.array([0, 0, 0, 1, 1, 1])] * 4
    found = generate_rows(_exact(codes, (6,) * 4, [], groups), 8_000)
    for places in itertools.combinations(range(4), 3):
        table = np.zeros((6, 6, 6))
        np.add.at(table, tuple(found[:, place] for place in places), 1.0)
        singles = [np.bincount(found[:, place], minlength=6) / 8_000 for place in places]
        independent = np.einsum("i,j,k->ijk", *singles) * 8_000
        # about what chance would do, on average
        assert ((table - independent) ** 2 / independent).sum() < 216


def test_a_chain_of_dependences_reaches_through() -> None:
    """Town follows job and job follows age: ages and towns agree, though their table is not
    known.
    """
    codes = people(10_000)
    model = _exact(codes, SIZES, [(0, 1), (1, 3)])
    # as if independent: 0.3
    assert _off(_exact(codes, SIZES, PAIRS), generate_rows(model, 10_000), 0, 3) < 0.03


def test_the_order_follows_the_strongest_ties() -> None:
    ties = np.zeros((4, 4))
    for a, b, tie in [(0, 1, 0.1), (1, 2, 0.5), (2, 3, 0.3)]:
        ties[a, b] = ties[b, a] = tie
    assert order_attributes(ties) == [2, 1, 3, 0]
    assert sorted(order_attributes(np.zeros((3, 3)))) == [0, 1, 2]


def test_codes_of_a_group_keep_their_proportions() -> None:
    codes = np.repeat([[0], [1], [2], [3]], [100, 700, 150, 50], axis=0)
    model = _exact(codes, (4,), [], [np.array([1, 0, 1, 0])])
    assert np.bincount(generate_rows(model, 1_000)[:, 0]) == pytest.approx(
        [100, 700, 150, 50], abs=3
    )


def test_codes_of_an_empty_group_are_even_and_in_it() -> None:
    model = SyntheticModel(10.0, (np.array([0.0, 0.0, 0.0]),), (np.array([0, 0, 1]),), {})
    assert set(generate_rows(model, 40)[:, 0].tolist()) == {0, 1, 2}


@pytest.mark.parametrize("many", [0, -3])
def test_no_rows(many: int) -> None:
    assert generate_rows(_exact(people(10), SIZES, []), many).shape == (0, 4)


def test_tables_that_contradict_each_other_make_rows_all_the_same() -> None:
    """Three coins that are each the opposite of the others."""
    opposite = ShrunkTable(np.array([[0.0, 50.0], [50.0, 0.0]]), 1, 0.0)
    model = SyntheticModel(
        100.0,
        (np.full(2, 50.0),) * 3,
        (np.arange(2),) * 3,
        dict.fromkeys([(0, 1), (0, 2), (1, 2)], opposite),
    )
    found = generate_rows(model, 100)
    assert found.shape == (100, 3)
    assert set(np.unique(found).tolist()) <= {0, 1}


def test_very_many_rows_are_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "_MAX_DISTINCT_ROWS", 1_000)
    model = _exact(people(10_000), SIZES, PAIRS)
    found = generate_rows(model, 2_500)
    assert len(found) == 2_500
    assert len(np.unique(found, axis=0)) <= 1_000
    assert max(_off(model, found, a, b) for a, b in PAIRS) < 0.03
