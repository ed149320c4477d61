"""Where a search begins."""

from __future__ import annotations

import pytest

from hedgerow.verify.language.kinds import kinds
from hedgerow.verify.language.program import written
from hedgerow.verify.proof.checker import understood
from hedgerow.verify.proof.search.templates import Template, coin_choices, excuses, in_run, shift, templates
from verify.proof.proving import expression, program, shipped


def found(name: str, pointwise: bool = False) -> list[tuple[list[str], list[str]]]:
    about = understood(shipped()[name])
    return [([written(x) for x in one.terms], [written(x) for x in one.cases]) for one in templates(about, kinds(about), pointwise)]


def test_distances_and_cases() -> None:
    assert found("above_threshold") == [(["1"], []), (["1", "q@2[i@2] - q@1[i@1]"], ["threshold@1 <= q@1[i@1] + @noise"])]
    assert found("smart_sum")[0][0] == ["1", "total@2 - total@1", "q@2[i@2] - q@1[i@1]"]
    assert found("noisy_mean")[0][0] == ["1", "total@2 / size - total@1 / size"]
    assert found("noisy_max", pointwise=True)[0][1] == ["i@1 == @answer"]
    assert found("count_rows")[0][0] == ["1", "len(q@2) - len(q@1)"]
    assert found("gap_above_threshold")[1][1] == ["threshold@1 <= q@1[i@1] + @noise"]


@pytest.mark.parametrize("told", ["output(noisy >= 0)", "output(1 if noisy >= 0 else 2)", "above = noisy >= 0\n    output(above)"])
def test_what_is_told_or_chosen_is_a_case_too(told: str) -> None:
    about = understood(
        program(f"""
@mechanism(epsilon="eps", neighbours="one")
def one(x: private[float], eps: public[float]):
    noisy = x + laplace(1 / eps)
    {told}
""")
    )
    (one,) = templates(about, kinds(about), False)
    assert [written(case) for case in one.cases] == ["0 <= x@1 + @noise"]


def test_shifts_are_written_as_people_do() -> None:
    d = expression("x@2 - x@1")
    plain = Template(0, (expression("1"), d), ())
    assert written(shift(plain, (0, 0))) == "0"
    assert written(shift(plain, (1, -1))) == "1 - (x@2 - x@1)"
    assert written(shift(plain, (-2, 2))) == "-2 + 2 * (x@2 - x@1)"
    cases = Template(0, (expression("1"),), (expression("@noise < 3"),))
    assert written(shift(cases, (2, 0))) == "2 if @noise < 3 else 0"
    assert written(shift(cases, (1, 1))) == "1"
    assert cases.unknowns == 2


def test_coins_and_bits() -> None:
    def options(name: str) -> list[str]:
        about = understood(shipped()[name])
        return [written(one[0]) for one in coin_choices(about, kinds(about))]

    assert options("randomised_response") == ["False", "x@1 != x@2", "True"]
    assert options("one_time_pad") == ["@noise", "@noise xor (m@1 xor m@2)"]
    assert options("one_time_pad_by_addition") == ["@noise", "@noise + m@1 - m@2"]
    about = understood(shipped()["laplace_mechanism"])
    assert list(coin_choices(about, kinds(about))) == [{}]


def test_excuses() -> None:
    several = [{site: written(one) for site, one in each.items()} for each in excuses(understood(shipped()["propose_test_release"]))]
    assert several[0] == {}
    assert several[1][0].endswith("and ln(1 / delta) / eps <= @noise")
    assert list(excuses(understood(shipped()["above_threshold"]))) == [{}]


@pytest.mark.parametrize(("run", "said"), [(1, "q@1[i@1] + N + len(q@1) < 3"), (2, "q@2[i@2] + N + len(q@2) < 3")])
def test_in_a_run(run: int, said: str) -> None:
    from hedgerow.verify.language.program import Apply, Length, Name, Number, Read

    total = Apply("+", (Apply("+", (Read("q", Name("i")), Name("N"))), Length("q")))
    one = Apply("<", (total, Number(expression("3").value)))  # type: ignore[union-attr]
    assert written(in_run(one, run, frozenset({"q"}), frozenset({"N"}))) == said
