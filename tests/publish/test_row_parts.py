"""Parts of a row: how fine they are, and that what is published of people with many rows is
true.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hedgerow.errors import Refused
from hedgerow.privacy.unit import RELATIONS
from hedgerow.publish.domain import Attribute, Domain
from hedgerow.publish.kinds import cdf as cumulative
from hedgerow.publish.kinds import histogram
from hedgerow.publish.kinds.cdf import specify_cdf
from hedgerow.publish.kinds.histogram import specify_sparse_histogram
from hedgerow.publish.kinds.marginals import specify_marginals
from hedgerow.publish.kinds.queries import specify_queries
from hedgerow.publish.privacy_parameters import PrivacyParameters
from hedgerow.publish.row_parts import refine_parts
from hedgerow.publish.specification import Specification
from hedgerow.release.linear_queries import BinSums, QueryBlock, ResidualQueries
from hedgerow.release.private_table import PrivateTable
from publish.helpers_contribution_bounds import (
    LOSING,
    ROWS,
    SHAPES,
    built,
    meaning,
    people,
    tabulated,
)

CODE = Attribute("code", "integer", (0, 1, 2, 3, 4))
PAIR = Domain((CODE, Attribute("other", "integer", (0, 1))))
ONE = Domain((CODE,))
ASKED = np.array([[1, 0, 1, 0, 0, 1, 0, 0, 0, 2], [0, 0, 1, 1, -1, 0, 0, 0, 0, 0]])

Answers = Callable[[Any], Any]  # from the exact table of codes and others
KINDS: dict[str, tuple[Callable[[PrivacyParameters], Specification], Answers]] = {
    "histogram": (
        lambda terms: histogram.specify_histogram(terms, PAIR),
        lambda table: table.ravel(),
    ),
    "sparse": (
        lambda terms: specify_sparse_histogram(terms, PAIR, delta=Fraction(1, 1000)),
        lambda table: table.ravel(),
    ),
    "cdf": (lambda terms: specify_cdf(terms, ONE), lambda table: np.cumsum(table.sum(axis=1))),
    "marginals": (
        lambda terms: specify_marginals(terms, PAIR),
        lambda table: np.concatenate([table.sum(axis=1), table.sum(axis=0), table.ravel()]),
    ),
    "queries": (
        lambda terms: specify_queries(terms, PAIR, matrix=ASKED, names=["a", "b"]),
        lambda table: ASKED.astype(object) @ table.ravel(),
    ),
}


def terms_of(
    noise: str, most: int, relation: str, price: Fraction = Fraction(2)
) -> PrivacyParameters:
    return replace(
        PrivacyParameters.from_epsilon(price, noise, rows=most, relation=relation),
        truncation_bounds=LOSING,
    )


def table_of(kind: str, sizes: tuple[int, ...], shape: str, rows: str, most: int, fine: int) -> Any:
    world = people(shape, rows)
    if kind == "queries":  # crossed as one attribute of all combinations
        world = [[(code * sizes[1] + other,) for code, other in one] for one in world]
        sizes = (sizes[0] * sizes[1],)
    return tabulated([[row[: len(sizes)] for row in one] for one in world], sizes, most, fine)


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
@pytest.mark.parametrize("kind", KINDS)
def test_truncation_stays_within_its_stated_bound_of_a_hundredth_of_the_noise(
    kind: str, noise: str
) -> None:
    """Without noise, over all shapes, numbers of rows, caps and relations: the parts beside
    exact fractions.
    """
    sketched, answers = KINDS[kind]
    sizes = ONE.sizes if kind == "cdf" else PAIR.sizes
    lost = 0.0
    for most, relation in itertools.product((1, 2), RELATIONS):
        sketch, terms = refine_parts(sketched, terms_of(noise, most, relation))
        assert sketch.relative_truncation <= 0.01
        assert terms.truncation_error(1) <= 0.01 * sketch.accuracy[0].rms
        for shape, rows in itertools.product(SHAPES, ROWS):
            world = people(shape, rows)
            exact, parts = (
                answers(meaning(world, PAIR.sizes, most, terms.parts_per_row, exact=each))
                for each in (True, False)
            )
            if kind == "cdf":
                world = [[row[:1] for row in one] for one in world]
                exact, parts = (
                    np.cumsum(meaning(world, sizes, most, terms.parts_per_row, exact=each))
                    for each in (True, False)
                )
            combinations = np.abs(ASKED).sum() if kind == "queries" else 10
            off = [
                abs(float(one - Fraction(int(other), terms.parts_per_row)))
                for one, other in zip(exact, parts, strict=True)
            ]
            assert max(off) <= terms.truncation_error(int(combinations))
            lost = max(lost, *off)
    assert lost > 0


def checked(
    kind: str,
    noise: str,
    relation: str,
    times: int = 40,
    *,
    shape: str = "ratings",
    rows: str = "seven",
    most: int = 1,
) -> None:
    """Many draws: their means, how far they are spread, and how often they are outside. Alarm
    below 1e-9.
    """
    sketched, answers = KINDS[kind]
    sketch, terms = refine_parts(sketched, terms_of(noise, most, relation))
    world = people(shape, rows)
    sizes = ONE.sizes if kind == "cdf" else PAIR.sizes
    exact = meaning(
        [[row[: len(sizes)] for row in one] for one in world],
        sizes,
        most,
        terms.parts_per_row,
        exact=True,
    )
    truth = np.array(
        [float(one) for one in (np.cumsum(exact) if kind == "cdf" else answers(exact))]
    )
    found = built(
        sketch, terms, table_of(kind, sizes, shape, rows, most, terms.parts_per_row), times
    )
    counts, low, high = (
        np.stack([one.table.column(name).to_numpy() for one in found])
        for name in ("count", "count_low", "count_high")
    )
    rms = sketch.accuracy[0].rms
    spread = np.sqrt(np.square(counts - truth).mean())
    assert 0.5 * rms < spread < 2 * rms
    assert np.abs(counts.mean(axis=0) - truth).max() < 7 * 2 * rms / times**0.5
    outside = ((low[:, -1] > truth[-1]) | (high[:, -1] < truth[-1])).sum()
    assert outside <= 0.05 * times + 6.5 * (0.05 * times) ** 0.5
    assert found[0].facts["fine"] == terms.parts_per_row > 1
    assert np.allclose(
        (high - low)[0].max(), 2 * max(line.radius or 0.0 for line in sketch.accuracy)
    )


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "sparse"])
def test_published_intervals_contain_the_exact_counts(kind: str, noise: str, relation: str) -> None:
    checked(kind, noise, relation)


@pytest.mark.parametrize("kind", ["histogram", "cdf"])
def test_parts_reported_as_rows_are_detected(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: nobody divides by the number of parts."""
    module = histogram if kind == "histogram" else cumulative
    monkeypatch.setattr(
        module, "measure_all", lambda purse, all_, tell: [purse.measure(*one) for one in all_]
    )
    with pytest.raises(AssertionError):
        checked(kind, "laplace", "add-remove")


def test_noise_for_whole_rows_is_not_paid_for_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: terms forget the parts, and ask for too little noise. Its price does not, nor
    does the purse.
    """
    sketched, _ = KINDS["histogram"]
    honest, terms = refine_parts(sketched, terms_of("laplace", 1, "add-remove"))
    assert honest.cost.epsilon == 2
    monkeypatch.setattr(
        PrivacyParameters,
        "sensitivity",
        lambda self, block: block.sensitivity(self.rows, self.relation).group(self.group),
    )
    planted = sketched(terms)
    assert planted.cost.epsilon == 2 * terms.parts_per_row
    with pytest.raises(Refused, match="exceeds"):
        built(
            replace(planted, cost=honest.cost),
            terms,
            tabulated(people("ratings", "one"), PAIR.sizes, 1, terms.parts_per_row),
            1,
        )


def test_a_sparse_histogram_tells_what_many_share() -> None:
    sketched, _ = KINDS["sparse"]
    for noise in ("laplace", "gaussian"):
        sketch, terms = refine_parts(sketched, terms_of(noise, 1, "add-remove"))
        (made,) = built(
            sketch,
            terms,
            tabulated([[(0, 0)] * 3 + [(1, 1)]] * 400, PAIR.sizes, 1, terms.parts_per_row),
            1,
        )
        told = made.table.to_pydict()
        assert (told["code"], told["other"]) == ([0, 1], [0, 1])
        assert np.abs(np.array(told["count"]) - [300, 100]).max() < 30
        whole = specify_sparse_histogram(
            terms_of(noise, 1, "add-remove"), PAIR, delta=Fraction(1, 1000)
        )
        least = whole.build(built_of(whole)).facts["threshold"]
        assert isinstance(least, int)
        assert made.facts["threshold"] < least + (1 if noise == "laplace" else 5)
        assert f"{made.facts['threshold']:,.2f} or more" in sketch.notes[0]


def built_of(sketch: Specification) -> PrivateTable:
    return PrivateTable(tabulated([], PAIR.sizes, 1, 2), sketch.cost, rows=1, relation="add-remove")


@pytest.mark.parametrize(
    ("units", "fine"), [(1, 128), (1000, 2**17), (10**7, 2**30), (10**9, 2**32)]
)
def test_parts_are_as_fine_as_the_units_are_many(units: int, fine: int) -> None:
    found, terms = refine_parts(
        KINDS["histogram"][0],
        replace(PrivacyParameters(Fraction(1)), truncation_bounds=(units, 2**36)),
    )
    assert terms.parts_per_row == fine
    assert found.relative_truncation == 0.0
    assert terms.truncation_error(1) <= 0.01 * found.accuracy[0].rms * (1 if units < 10**9 else 100)


def sketch_of(
    block: QueryBlock, lacking: float = 0.0
) -> Callable[[PrivacyParameters], Specification]:
    def sketched(terms: PrivacyParameters) -> Specification:
        law = terms.calibrate(block)
        return Specification(
            "any",
            PAIR,
            "any",
            terms.total,
            (),
            KINDS["histogram"][0](terms).build,
            (),
            ((block, law),),
            lacking / terms.parts_per_row,
        )

    return sketched


def test_numbers_have_room_if_units_are_as_few_as_declared() -> None:
    wide = QueryBlock(((0, ResidualQueries(2**10)), (1, ResidualQueries(2**10))))
    _, terms = refine_parts(
        sketch_of(wide),
        replace(PrivacyParameters(Fraction(100), rows=2), truncation_bounds=(10**6, 2**36)),
    )
    assert (
        terms.parts_per_row * 2 * 10**6 * wide.gain
        <= 2**62
        < 2 * terms.parts_per_row * 2 * 10**6 * wide.gain
    )
    _, terms = refine_parts(
        sketch_of(wide), replace(PrivacyParameters(Fraction(100)), truncation_bounds=(2**45, 2**45))
    )
    assert terms.parts_per_row == 2


def test_parts_are_finer_where_answers_lack_more() -> None:
    _, terms = refine_parts(
        sketch_of(QueryBlock(((0, BinSums(5)),)), lacking=2.0**20),
        replace(PrivacyParameters(Fraction(1)), truncation_bounds=(1, 2**36)),
    )
    assert 2.0**20 / terms.parts_per_row <= 0.01 < 2.0**21 / terms.parts_per_row


def test_parts_too_fine_to_draw_become_coarser() -> None:
    _, terms = refine_parts(
        sketch_of(QueryBlock(((0, BinSums(5)),)), lacking=2.0**60),
        replace(PrivacyParameters(Fraction(1, 1000)), truncation_bounds=(1, 2**36)),
    )
    assert 10**12 / 8 <= terms.parts_per_row * 1000 <= 10**12


def test_a_refusal_of_whole_rows_is_raised_for_parts() -> None:
    seen: list[int] = []

    def never(terms: PrivacyParameters) -> Specification:
        seen.append(terms.parts_per_row)
        raise Refused("No.")

    with pytest.raises(Refused, match="No"):
        refine_parts(
            never, replace(PrivacyParameters(Fraction(1)), truncation_bounds=(10**7, 2**36))
        )
    assert seen == [2**30, 1]

    def hardly(terms: PrivacyParameters) -> Specification:
        seen.append(terms.parts_per_row)
        if terms.parts_per_row > 1:
            raise Refused("Too fine.")
        return KINDS["histogram"][0](terms)

    with pytest.raises(Refused, match="Too fine"):
        refine_parts(
            hardly, replace(PrivacyParameters(Fraction(1)), truncation_bounds=(100, 2**36))
        )
    assert seen[-1] == 2
