"""Draws are moved in front of branches on private data."""

from __future__ import annotations

from hedgerow.verify.language.program import Assign, If, Sample, walk_statements
from hedgerow.verify.language.type_inference import resolve_program
from hedgerow.verify.prove.hoisting import find_noisy_variables, find_private_variables, hoist_draws
from verify.prove.proving import program, shipped


def test_moves_the_draw_and_keeps_its_use() -> None:
    before = resolve_program(shipped()["stability_histogram"])
    after = hoist_draws(before)
    assert isinstance(before.body[0], If)
    drawn, branch = after.body[0], after.body[1]
    assert isinstance(drawn, Sample)
    assert isinstance(branch, If)
    assert [one.site for one in after.samples] == [one.site for one in before.samples]
    assert any(isinstance(one, Assign) and drawn.name in str(one.value) for one in branch.then)


def test_leaves_alone_what_noise_decides() -> None:
    for name in (
        "numeric_above_threshold",
        "adaptive_above_threshold",
        "propose_test_release",
        "smart_sum",
    ):
        one = resolve_program(shipped()[name])
        assert hoist_draws(one) == one


def test_leaves_alone_what_could_change_the_draw() -> None:
    one = program("""
@mechanism(epsilon="eps", neighbours="one")
def one(x: private[float], eps: public[float]):
    if x > 0:
        scale = 1 / eps
        output(laplace(scale))
    y = 0
    if x > 1:
        i = 0
        while i < 3:
            i += 1
        y = laplace(1 / eps)
    output(y)
""")
    assert hoist_draws(one) == one


def test_reaches_into_branches_of_branches() -> None:
    one = program("""
@mechanism(epsilon="eps", neighbours="one")
def one(x: private[float], n: public[int], eps: public[float]):
    if x > 0:
        if n > 3:
            output(laplace(1 / eps))
        else:
            output(laplace(2 / eps))
""")
    after = hoist_draws(one)
    assert [type(one) for one in after.body] == [Sample, Sample, If]
    assert not any(isinstance(one, Sample) for one in walk_statements(after.body[2:]))


def test_where_noise_and_data_flow() -> None:
    one = resolve_program(shipped()["adaptive_above_threshold"])
    assert "far" in find_noisy_variables(one)
    assert "cost" not in find_noisy_variables(one)
    assert "cost" in find_noisy_variables(one, branches=True)
    assert {"far", "cost", "q"} <= find_private_variables(one)
    assert "threshold" not in find_private_variables(one)
