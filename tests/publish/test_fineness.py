"""Parts of a row: how fine they are, and that what is published of people with many rows is true."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hedgerow.errors import Refused
from hedgerow.linear import Bins, Block, Rest
from hedgerow.privacy.unit import RELATIONS
from hedgerow.publish import cumulative, histogram
from hedgerow.publish.asked import queries
from hedgerow.publish.crosstabs import crosstabs
from hedgerow.publish.cumulative import cdf
from hedgerow.publish.domain import Attribute, Domain
from hedgerow.publish.fineness import refined
from hedgerow.publish.histogram import sparse_histogram
from hedgerow.publish.sketch import Sketch
from hedgerow.publish.terms import Terms
from hedgerow.purse import Purse
from publish.capped import LOSING, ROWS, SHAPES, built, meaning, people, tabulated

CODE = Attribute("code", "integer", (0, 1, 2, 3, 4))
PAIR = Domain((CODE, Attribute("other", "integer", (0, 1))))
ONE = Domain((CODE,))
ASKED = np.array([[1, 0, 1, 0, 0, 1, 0, 0, 0, 2], [0, 0, 1, 1, -1, 0, 0, 0, 0, 0]])

Answers = Callable[[Any], Any]  # from the exact table of codes and others
KINDS: dict[str, tuple[Callable[[Terms], Sketch], Answers]] = {
    "histogram": (lambda terms: histogram.histogram(terms, PAIR), lambda table: table.ravel()),
    "sparse": (lambda terms: sparse_histogram(terms, PAIR, delta=Fraction(1, 1000)), lambda table: table.ravel()),
    "cdf": (lambda terms: cdf(terms, ONE), lambda table: np.cumsum(table.sum(axis=1))),
    "marginals": (
        lambda terms: crosstabs(terms, PAIR),
        lambda table: np.concatenate([table.sum(axis=1), table.sum(axis=0), table.ravel()]),
    ),
    "queries": (
        lambda terms: queries(terms, PAIR, matrix=ASKED, names=["a", "b"]),
        lambda table: ASKED.astype(object) @ table.ravel(),
    ),
}


def terms_of(noise: str, most: int, relation: str, price: Fraction = Fraction(2)) -> Terms:
    return replace(Terms.question(price, noise, rows=most, relation=relation), losing=LOSING)


def table_of(kind: str, sizes: tuple[int, ...], shape: str, rows: str, most: int, fine: int) -> Any:
    world = people(shape, rows)
    if kind == "queries":  # crossed as one attribute of all combinations
        world = [[(code * sizes[1] + other,) for code, other in one] for one in world]
        sizes = (sizes[0] * sizes[1],)
    return tabulated([[row[: len(sizes)] for row in one] for one in world], sizes, most, fine)


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
@pytest.mark.parametrize("kind", KINDS)
def test_no_answer_lacks_more_than_is_told_and_that_is_a_hundredth_of_the_noise(kind: str, noise: str) -> None:
    """Without noise, over all shapes, numbers of rows, caps and relations: the parts beside exact fractions."""
    sketched, answers = KINDS[kind]
    sizes = ONE.sizes if kind == "cdf" else PAIR.sizes
    lost = 0.0
    for most, relation in itertools.product((1, 2), RELATIONS):
        sketch, terms = refined(sketched, terms_of(noise, most, relation))
        assert sketch.lacking <= 0.01
        assert terms.lost(1) <= 0.01 * sketch.accuracy[0].rms
        for shape, rows in itertools.product(SHAPES, ROWS):
            world = people(shape, rows)
            exact, parts = (answers(meaning(world, PAIR.sizes, most, terms.fine, exact=each)) for each in (True, False))
            if kind == "cdf":
                world = [[row[:1] for row in one] for one in world]
                exact, parts = (np.cumsum(meaning(world, sizes, most, terms.fine, exact=each)) for each in (True, False))
            combinations = np.abs(ASKED).sum() if kind == "queries" else 10
            off = [abs(float(one - Fraction(int(other), terms.fine))) for one, other in zip(exact, parts, strict=True)]
            assert max(off) <= terms.lost(int(combinations))
            lost = max(lost, *off)
    assert lost > 0


def checked(kind: str, noise: str, relation: str, times: int = 40, *, shape: str = "ratings", rows: str = "seven", most: int = 1) -> None:
    """Many draws: their means, how far they are spread, and how often they are outside. Alarm below 1e-9."""
    sketched, answers = KINDS[kind]
    sketch, terms = refined(sketched, terms_of(noise, most, relation))
    world = people(shape, rows)
    sizes = ONE.sizes if kind == "cdf" else PAIR.sizes
    exact = meaning([[row[: len(sizes)] for row in one] for one in world], sizes, most, terms.fine, exact=True)
    truth = np.array([float(one) for one in (np.cumsum(exact) if kind == "cdf" else answers(exact))])
    found = built(sketch, terms, table_of(kind, sizes, shape, rows, most, terms.fine), times)
    counts, low, high = (np.stack([one.table.column(name).to_numpy() for one in found]) for name in ("count", "count_low", "count_high"))
    rms = sketch.accuracy[0].rms
    spread = np.sqrt(np.square(counts - truth).mean())
    assert 0.5 * rms < spread < 2 * rms
    assert np.abs(counts.mean(axis=0) - truth).max() < 7 * 2 * rms / times**0.5
    outside = ((low[:, -1] > truth[-1]) | (high[:, -1] < truth[-1])).sum()
    assert outside <= 0.05 * times + 6.5 * (0.05 * times) ** 0.5
    assert found[0].facts["fine"] == terms.fine > 1
    assert np.allclose((high - low)[0].max(), 2 * max(line.radius or 0.0 for line in sketch.accuracy))


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "sparse"])
def test_what_is_published_is_true(kind: str, noise: str, relation: str) -> None:
    checked(kind, noise, relation)


@pytest.mark.parametrize("kind", ["histogram", "cdf"])
def test_parts_that_are_told_for_rows_are_seen(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: nobody divides by the number of parts."""
    module = histogram if kind == "histogram" else cumulative
    monkeypatch.setattr(module, "measured", lambda purse, all_, tell: [purse.measure(*one) for one in all_])
    with pytest.raises(AssertionError):
        checked(kind, "laplace", "add-remove")


def test_noise_for_whole_rows_is_not_paid_for_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: terms forget the parts, and ask for too little noise. Its price does not, nor does the purse."""
    sketched, _ = KINDS["histogram"]
    honest, terms = refined(sketched, terms_of("laplace", 1, "add-remove"))
    assert honest.total.epsilon == 2
    monkeypatch.setattr(Terms, "reach", lambda self, block: block.sensitivity(self.rows, self.relation).group(self.group))
    planted = sketched(terms)
    assert planted.total.epsilon == 2 * terms.fine
    with pytest.raises(Refused, match="more than"):
        built(replace(planted, total=honest.total), terms, tabulated(people("ratings", "one"), PAIR.sizes, 1, terms.fine), 1)


def test_a_sparse_histogram_tells_what_many_share() -> None:
    sketched, _ = KINDS["sparse"]
    for noise in ("laplace", "gaussian"):
        sketch, terms = refined(sketched, terms_of(noise, 1, "add-remove"))
        (made,) = built(sketch, terms, tabulated([[(0, 0)] * 3 + [(1, 1)]] * 400, PAIR.sizes, 1, terms.fine), 1)
        told = made.table.to_pydict()
        assert (told["code"], told["other"]) == ([0, 1], [0, 1])
        assert np.abs(np.array(told["count"]) - [300, 100]).max() < 30
        whole = sparse_histogram(terms_of(noise, 1, "add-remove"), PAIR, delta=Fraction(1, 1000))
        least = whole.build(built_of(whole)).facts["threshold"]
        assert isinstance(least, int)
        assert made.facts["threshold"] < least + (1 if noise == "laplace" else 5)
        assert f"{made.facts['threshold']:,.2f} or more" in sketch.notes[0]


def built_of(sketch: Sketch) -> Purse:
    return Purse(tabulated([], PAIR.sizes, 1, 2), sketch.total, rows=1, relation="add-remove")


@pytest.mark.parametrize(("units", "fine"), [(1, 128), (1000, 2**17), (10**7, 2**30), (10**9, 2**32)])
def test_parts_are_as_fine_as_the_units_are_many(units: int, fine: int) -> None:
    found, terms = refined(KINDS["histogram"][0], replace(Terms(Fraction(1)), losing=(units, 2**36)))
    assert terms.fine == fine
    assert found.lacking == 0.0
    assert terms.lost(1) <= 0.01 * found.accuracy[0].rms * (1 if units < 10**9 else 100)


def sketch_of(block: Block, lacking: float = 0.0) -> Callable[[Terms], Sketch]:
    def sketched(terms: Terms) -> Sketch:
        law = terms.law(block)
        return Sketch("any", PAIR, "any", terms.total, (), KINDS["histogram"][0](terms).build, (), ((block, law),), lacking / terms.fine)

    return sketched


def test_numbers_have_room_if_units_are_as_few_as_declared() -> None:
    wide = Block(((0, Rest(2**10)), (1, Rest(2**10))))
    _, terms = refined(sketch_of(wide), replace(Terms(Fraction(100), rows=2), losing=(10**6, 2**36)))
    assert terms.fine * 2 * 10**6 * wide.gain <= 2**62 < 2 * terms.fine * 2 * 10**6 * wide.gain
    _, terms = refined(sketch_of(wide), replace(Terms(Fraction(100)), losing=(2**45, 2**45)))
    assert terms.fine == 2


def test_parts_are_finer_where_answers_lack_more() -> None:
    _, terms = refined(sketch_of(Block(((0, Bins(5)),)), lacking=2.0**20), replace(Terms(Fraction(1)), losing=(1, 2**36)))
    assert 2.0**20 / terms.fine <= 0.01 < 2.0**21 / terms.fine


def test_what_is_too_fine_to_be_drawn_is_made_coarser() -> None:
    _, terms = refined(sketch_of(Block(((0, Bins(5)),)), lacking=2.0**60), replace(Terms(Fraction(1, 1000)), losing=(1, 2**36)))
    assert 10**12 / 8 <= terms.fine * 1000 <= 10**12


def test_what_is_refused_of_rows_is_refused_of_parts() -> None:
    seen: list[int] = []

    def never(terms: Terms) -> Sketch:
        seen.append(terms.fine)
        raise Refused("No.")

    with pytest.raises(Refused, match="No"):
        refined(never, replace(Terms(Fraction(1)), losing=(10**7, 2**36)))
    assert seen == [2**30, 1]

    def hardly(terms: Terms) -> Sketch:
        seen.append(terms.fine)
        if terms.fine > 1:
            raise Refused("Too fine.")
        return KINDS["histogram"][0](terms)

    with pytest.raises(Refused, match="Too fine"):
        refined(hardly, replace(Terms(Fraction(1)), losing=(100, 2**36)))
    assert seen[-1] == 2
