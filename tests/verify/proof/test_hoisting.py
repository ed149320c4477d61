"""Noise is drawn before the branches that private data decide."""

from __future__ import annotations

from hedgerow.verify.language.kinds import resolved
from hedgerow.verify.language.program import Assign, If, Sample, statements
from hedgerow.verify.proof.hoisting import hoisted, noisy, private
from verify.proof.proving import program, shipped


def test_moves_the_draw_and_keeps_its_use() -> None:
    before = resolved(shipped()["stability_histogram"])
    after = hoisted(before)
    assert isinstance(before.body[0], If)
    drawn, branch = after.body[0], after.body[1]
    assert isinstance(drawn, Sample)
    assert isinstance(branch, If)
    assert [one.site for one in after.samples] == [one.site for one in before.samples]
    assert any(isinstance(one, Assign) and drawn.name in str(one.value) for one in branch.then)


def test_leaves_alone_what_noise_decides() -> None:
    for name in ("numeric_above_threshold", "adaptive_above_threshold", "propose_test_release", "smart_sum"):
        one = resolved(shipped()[name])
        assert hoisted(one) == one


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
    assert hoisted(one) == one


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
    after = hoisted(one)
    assert [type(one) for one in after.body] == [Sample, Sample, If]
    assert not any(isinstance(one, Sample) for one in statements(after.body[2:]))


def test_where_noise_and_data_flow() -> None:
    one = resolved(shipped()["adaptive_above_threshold"])
    assert "far" in noisy(one)
    assert "cost" not in noisy(one)
    assert "cost" in noisy(one, branches=True)
    assert {"far", "cost", "q"} <= private(one)
    assert "threshold" not in private(one)
