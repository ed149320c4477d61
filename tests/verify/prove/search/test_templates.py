"""Templates of shifts."""

from __future__ import annotations

import pytest

from hedgerow.verify.language.program import format_expression
from hedgerow.verify.language.type_inference import infer_kinds
from hedgerow.verify.prove.checker import normalise_program
from hedgerow.verify.prove.search.excused_tails import list_excused_tails
from hedgerow.verify.prove.search.templates import (
    ShiftTemplate,
    make_shift,
    make_templates,
    rename_for_run,
)
from verify.prove.proving import expression, program, shipped


def found(name: str, pointwise: bool = False) -> list[tuple[list[str], list[str]]]:
    about = normalise_program(shipped()[name])
    return [
        ([format_expression(x) for x in one.terms], [format_expression(x) for x in one.cases])
        for one in make_templates(about, infer_kinds(about), pointwise)
    ]


def test_distances_and_cases() -> None:
    assert found("above_threshold") == [
        (["1"], []),
        (["1", "q@2[i@2] - q@1[i@1]"], ["threshold@1 <= q@1[i@1] + @noise"]),
    ]
    assert found("smart_sum")[0][0] == [
        "1",
        "total@2 + q@2[i@2] - (total@1 + q@1[i@1])",
    ]
    assert found("noisy_mean")[0][0] == ["1", "total@2 / size - total@1 / size"]
    assert found("noisy_max", pointwise=True)[0][1] == ["i@1 == @answer"]
    assert found("count_rows")[0][0] == ["1", "len(q@2) - len(q@1)"]
    assert found("gap_above_threshold")[1][1] == ["threshold@1 <= q@1[i@1] + @noise"]


@pytest.mark.parametrize(
    "told",
    [
        "output(noisy >= 0)",
        "output(1 if noisy >= 0 else 2)",
        "above = noisy >= 0\n    output(above)",
    ],
)
def test_conditions_in_outputs_and_choices_are_cases_too(told: str) -> None:
    about = normalise_program(
        program(f"""
@mechanism(epsilon="eps", neighbours="one")
def one(x: private[float], eps: public[float]):
    noisy = x + laplace(1 / eps)
    {told}
""")
    )
    (one,) = make_templates(about, infer_kinds(about), False)
    assert [format_expression(case) for case in one.cases] == ["0 <= x@1 + @noise"]


def test_shifts_are_written_as_people_do() -> None:
    d = expression("x@2 - x@1")
    plain = ShiftTemplate(0, (expression("1"), d), ())
    assert format_expression(make_shift(plain, (0, 0))) == "0"
    assert format_expression(make_shift(plain, (1, -1))) == "1 - (x@2 - x@1)"
    assert format_expression(make_shift(plain, (-2, 2))) == "-2 + 2 * (x@2 - x@1)"
    cases = ShiftTemplate(0, (expression("1"),), (expression("@noise < 3"),))
    assert format_expression(make_shift(cases, (2, 0))) == "2 if @noise < 3 else 0"
    assert format_expression(make_shift(cases, (1, 1))) == "1"
    assert cases.unknown_count == 2


def test_excuses() -> None:
    several = [
        {site: format_expression(one) for site, one in each.items()}
        for each in list_excused_tails(normalise_program(shipped()["propose_test_release"]))
    ]
    assert several[0] == {}
    assert several[1][0].endswith("and ln(1 / delta) / eps <= @noise")
    assert list(list_excused_tails(normalise_program(shipped()["above_threshold"]))) == [{}]


@pytest.mark.parametrize(
    ("run", "said"), [(1, "q@1[i@1] + N + len(q@1) < 3"), (2, "q@2[i@2] + N + len(q@2) < 3")]
)
def test_in_a_run(run: int, said: str) -> None:
    from hedgerow.verify.language.program import Apply, Length, Name, Number, Read

    total = Apply("+", (Apply("+", (Read("q", Name("i")), Name("N"))), Length("q")))
    one = Apply("<", (total, Number(expression("3").value)))  # type: ignore[union-attr]
    assert format_expression(rename_for_run(one, run, frozenset({"q"}), frozenset({"N"}))) == said
