from __future__ import annotations

import ast

import pytest

from hedgerow.verify.language.classes.abstract_values import ConcreteValue
from hedgerow.verify.language.classes.modules import ClassSource, ModuleSource
from hedgerow.verify.language.classes.neighbour_setups import iterate_setups
from hedgerow.verify.language.program import Program
from hedgerow.verify.language.unsupported import UnsupportedProgram
from verify.language.classes.classes import shipped


def worlds(shape: str, method: str) -> list[object]:
    fields = "    monotone: bool\n    grid: int\n    values: int\n    bound: int\n"
    kind = ModuleSource(
        "here", f'class K:\n    shape: str = "{shape}"\n{fields}    def sample({method}): pass\n'
    ).find_definition("K")
    assert isinstance(kind, ClassSource)
    function = kind.find_method("sample")
    assert function is not None
    return [
        (
            one.title,
            one.neighbours,
            one.fixed_fields,
            {
                name: value.value
                for name, value in one.arguments.items()
                if isinstance(value, ConcreteValue)
            },
        )
        for one in iterate_setups(kind, function)
    ]


def test_flags_are_tried_both_ways() -> None:
    found = worlds("tested", "self, answers, threshold, *, gap: bool = False")
    assert found[:3] == [
        ("answers", "'all'", {"monotone": False}, {"gap": False}),
        ("answers, gap", "'all'", {"monotone": False}, {"gap": True}),
        ("answers, rising", "'increasing'", {"monotone": True}, {"gap": False}),
    ]
    assert len(found) == 6


@pytest.mark.parametrize(("shape", "count"), [("additive", 4), ("selection", 3), ("response", 3)])
def test_the_setups_of_each_shape(shape: str, count: int) -> None:
    assert len(worlds(shape, "self, exact")) == count


def test_setups_need_the_fields_of_the_class() -> None:
    kind = ModuleSource(
        "here", 'class K:\n    shape: str = "selection"\n    def sample(self, scores): pass\n'
    ).find_definition("K")
    assert isinstance(kind, ClassSource)
    function = kind.find_method("sample")
    assert function is not None
    assert [one.neighbours for one in iterate_setups(kind, function)] == ["'all'"]


@pytest.mark.parametrize(
    ("shape", "method"),
    [("point", "self, values"), ("tested", "self, counts"), ("tested", "self, answer")],
)
def test_arguments_without_a_setup_are_refused(shape: str, method: str) -> None:
    with pytest.raises(UnsupportedProgram):
        worlds(shape, method)


@pytest.mark.parametrize("name", ["Stable.sample", "ProposeTestRelease.sample"])
def test_the_setup_contains_every_pair_of_the_statement(name: str) -> None:
    """Distances that differ by at most 1 with equal answers, and unlike answers with both
    distances as small as can be.
    """
    program = shipped()[name]
    assert isinstance(program, Program)
    tested = name.startswith("Propose")
    K, H = 3, 7  # noqa: N806

    def given(count: int, part: int = 0) -> tuple[int, int]:
        if tested:
            return part + (H if count > K else 0), max(K - count, count - K - 1)
        return int(count > K), count - K if count > K else K - count + 1

    pairs = {
        (given(count, part), given(count + move, part + other))
        for count in range(-9, 15)
        for move in (-1, 0, 1)
        for part in (0,)
        for other in (-1, 0, 1)
    }
    least = 0 if tested else 1
    for distance in range(least, 5):
        for further in (distance, distance + 1):
            moves = (-1, 0, 1) if tested else (0,)
            assert all(
                any(a[1] == distance and b[1] == further and b[0] - a[0] == move for a, b in pairs)
                for move in moves
            )
    assert any(
        a[1] == b[1] == least and abs(a[0] - b[0]) >= (H - 1 if tested else 1) for a, b in pairs
    )
    # And no pair that it does not speak of: unlike answers, or answers farther apart than 1, only
    # at the least distance.
    assert all(a[1] == b[1] == least for a, b in pairs if abs(a[0] - b[0]) > (1 if tested else 0))
    assert all(abs(a[1] - b[1]) <= 1 for a, b in pairs)
    assert ast.unparse(ast.parse("distance")) in program.source
