"""The needs that a trace puts on the shifts."""

from __future__ import annotations

from hedgerow.verify.language.program import Expression, Program
from hedgerow.verify.language.type_inference import infer_kinds
from hedgerow.verify.prove.checker import normalise_program
from hedgerow.verify.prove.search.templates import make_templates
from hedgerow.verify.prove.search.trace_runs import TraceRunner, list_needs
from hedgerow.verify.prove.search.traces import FixedChoices, Trace
from hedgerow.verify.prove.solver import z3
from verify.prove.proving import expression, program, shipped


def broken(
    about: Program,
    number: int,
    pointwise: bool = False,
    bad: dict[int, Expression] | None = None,
    **shifts: str,
) -> set[str]:
    fixed = {int(site[1:]): expression(text) for site, text in shifts.items()}
    runner = TraceRunner(
        about, Trace(about, FixedChoices(str(number))), {}, fixed, {}, pointwise, bad or {}
    )
    return {one.obligation for one in list_needs(runner, {}) if one.condition is False}


def test_right_shifts_survive_every_trace_and_wrong_ones_do_not() -> None:
    about = normalise_program(shipped()["above_threshold"])
    good = {"s0": "1", "s1": "2 if q@1[i@1] + @noise >= threshold@1 else 0"}
    assert not any(broken(about, number, **good) for number in range(60))
    assert any("branch" in broken(about, number, **{**good, "s0": "0"}) for number in range(60))
    assert any(
        "cost" in broken(about, number, s0="0", s1="q@1[i@1] - q@2[i@2]") for number in range(120)
    )


def test_one_answer_at_a_time() -> None:
    about = normalise_program(shipped()["noisy_max"])
    assert not any(
        broken(about, number, True, s0="2 if i@1 == @answer else 0") for number in range(60)
    )
    assert any("output" in broken(about, number, True, s0="0") for number in range(60))


def test_excused_noise_is_excused() -> None:
    about = normalise_program(shipped()["stable_value"])
    bad = {
        0: expression(
            "(K < count@1) != (K < count@2) and 1 + ln(1 / (2 * delta)) / eps - 1 <= @noise"
        )
    }
    assert any(
        "output" in broken(about, number, s0="distance@1 - distance@2") for number in range(400)
    )
    assert not any(
        broken(about, number, bad=bad, s0="distance@1 - distance@2") for number in range(400)
    )


def test_support() -> None:
    about = normalise_program(
        program("""
@mechanism(epsilon="eps", neighbours="one")
def one(x: private[float], eps: public[float]):
    output(x + exponential(1 / eps))
    output(uniform(0, 1))
""")
    )
    assert any("support" in broken(about, number, s0="x@1 - x@2", s1="0") for number in range(60))
    assert any("support" in broken(about, number, s0="0", s1="1") for number in range(60))


def test_runs_that_do_not_end_demand_nothing() -> None:
    about = normalise_program(
        program("""
@mechanism(epsilon="eps", neighbours="one")
def one(x: private[float], eps: public[float]):
    i = 0
    while i < 3:
        i += 0
    output(x)
""")
    )
    assert not broken(about, 0)


def test_with_unknowns_the_needs_are_terms() -> None:
    about = normalise_program(shipped()["laplace_mechanism"])
    (template,) = make_templates(about, infer_kinds(about), False)
    unknowns = [z3.Int(f"u{number}") for number in range(template.unknown_count)]
    for number in range(5):
        runner = TraceRunner(
            about, Trace(about, FixedChoices(str(number))), {0: template}, {}, {0: unknowns}
        )
        every = [
            one.condition for one in list_needs(runner, {}) if not isinstance(one.condition, bool)
        ]
        solver = z3.Solver()
        solver.add(*every, unknowns[0] == 0, unknowns[1] == -1)
        assert solver.check() == z3.sat
