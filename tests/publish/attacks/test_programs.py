"""Every kind of publication on neighbouring tables: the same questions at the same price, exact
answers no farther apart than declared, and nothing published that depends on anything else. And an
audit from outside."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest

from hedgerow.plan.contingency_table import ContingencyTable
from hedgerow.publish.domain import Attribute, Domain
from hedgerow.publish.kinds.registry import KINDS
from hedgerow.publish.privacy_parameters import PrivacyParameters
from hedgerow.publish.specification import Specification
from hedgerow.release.private_table import PrivateTable
from hedgerow.verify.audit import audit_one_run
from publish.synthetic.helpers_recording import trial

WIDE = Domain(
    (
        Attribute("a", "integer", (0, 1, 2)),
        Attribute("b", "text", ("x", "y")),
        Attribute("c", "real", edges=tuple(map(Fraction, range(5)))),
    )
)
LONG = Domain((Attribute("day", "integer", tuple(range(37))),))
MATRIX = np.array(
    [
        [int(cell % 3 == 0) for cell in range(WIDE.cell_count)],
        [int(cell < 7) * 2 for cell in range(WIDE.cell_count)],
    ]
)
CASES: dict[str, tuple[Domain, dict[str, Any]]] = {
    "histogram": (WIDE, {}),
    "marginals": (WIDE, {"ways": 2}),
    "cdf": (LONG, {}),
    "stream": (LONG, {}),
    "queries": (WIDE, {"matrix": MATRIX, "names": ["first", "second"]}),
    "synthetic": (WIDE, {}),
}
PRICES = {
    "pure": {"epsilon": Fraction(2)},
    "rho": {"rho": Fraction(1, 5)},
}


def sketched(kind: str, terms: PrivacyParameters) -> tuple[Specification, tuple[int, ...]]:
    domain, options = CASES[kind]
    sizes = (domain.cell_count,) if kind == "queries" else domain.sizes
    return KINDS[kind](terms, domain, **options), sizes


def neighbours(
    sizes: tuple[int, ...], rows: int, relation: str, chance: Random
) -> tuple[ContingencyTable, ContingencyTable]:
    """A unit of up to so many rows, often all alike, comes, or becomes another."""

    def some(count: int) -> list[list[int]]:
        row = [chance.randrange(size) for size in sizes]
        return [
            row if chance.random() < 0.6 else [chance.randrange(size) for size in sizes]
            for _ in range(count)
        ]

    others = some(chance.choice((0, 3, 40)))
    first, second = (
        some(chance.randint(1, rows)),
        some(chance.randint(0, rows)) if relation == "change-one" else [],
    )
    return ContingencyTable.from_codes(
        np.array([*others, *second]).reshape(-1, len(sizes)), sizes
    ), ContingencyTable.from_codes(np.array([*others, *first]), sizes)


def test_every_kind_has_a_case() -> None:
    """But one: which cells a sparse histogram tells may differ, with probability delta;
    ``test_purse`` has its trials.
    """
    assert set(CASES) | {"sparse histogram"} == set(KINDS)


@pytest.mark.parametrize("relation", ["add-remove", "change-one"])
@pytest.mark.parametrize("price", PRICES)
@pytest.mark.parametrize("kind", CASES)
def test_neighbours_see_the_same_program(kind: str, price: str, relation: str) -> None:
    chance = Random(f"{kind} {price} {relation}")
    for rows in (1, 3):
        sketch, sizes = sketched(
            kind, PrivacyParameters(**PRICES[price], rows=rows, relation=relation)
        )

        def program(purse: PrivateTable, sketch: Specification = sketch) -> Any:
            table = sketch.build(purse).table
            numbers = [name for name in table.column_names if name.startswith("count")] or [
                table.column_names[0]
            ]
            return np.array([table[name].to_numpy() for name in numbers])

        for _ in range(6):
            tables = neighbours(sizes, rows, relation, chance)
            assert trial(program, tables, sketch.cost, rows=rows, relation=relation) == []


def test_a_unit_with_more_rows_than_declared_would_be_seen() -> None:
    """The trial has teeth: three rows where one was declared."""
    sketch, sizes = sketched("histogram", PrivacyParameters(epsilon=Fraction(1)))
    tables = (
        ContingencyTable.from_codes(np.empty((0, 3), dtype=np.int64), sizes),
        ContingencyTable.from_codes([[0, 0, 0]] * 3, sizes),
    )
    found = trial(lambda purse: sketch.build(purse).table["count"].to_numpy(), tables, sketch.cost)
    assert found == ["exact answers differ by more than was declared"]


CANARIES, SURE = 2000, 1 - 1e-9


@pytest.mark.parametrize(
    ("price", "claimed"), [({"epsilon": Fraction(1)}, 1.0), ({"rho": Fraction(1, 20)}, 2.0)]
)
def test_an_audit_of_one_histogram_finds_no_more_than_was_paid(
    price: dict[str, Fraction], claimed: float
) -> None:
    """One canary in each cell or not: the score of a canary is its noisy count. rho 1/20 is
    below epsilon 2 at delta 10^-6.
    """
    domain = Domain((Attribute("cell", "integer", tuple(range(CANARIES))),))
    sketch = KINDS["histogram"](PrivacyParameters(**price), domain)

    def scores(included: Any) -> Any:
        table = ContingencyTable.from_codes(np.flatnonzero(included)[:, None], (CANARIES,))
        return (
            sketch.build(PrivateTable(table, sketch.cost, rows=1, relation="add-remove"))
            .table["count"]
            .to_numpy()
        )

    delta = 0.0 if "epsilon" in price else 1e-6
    found = audit_one_run(scores, CANARIES, confidence=SURE, delta=delta)
    assert found.epsilon <= claimed
    assert found.correct > found.guesses / 2


def test_the_same_audit_refutes_a_histogram_with_a_sixth_of_the_noise() -> None:
    domain = Domain((Attribute("cell", "integer", tuple(range(CANARIES))),))
    sketch = KINDS["histogram"](PrivacyParameters(epsilon=Fraction(6)), domain)

    def scores(included: Any) -> Any:
        table = ContingencyTable.from_codes(np.flatnonzero(included)[:, None], (CANARIES,))
        return (
            sketch.build(PrivateTable(table, sketch.cost, rows=1, relation="add-remove"))
            .table["count"]
            .to_numpy()
        )

    assert audit_one_run(scores, CANARIES, confidence=SURE).refutes(1)
