"""Where private data go, and on which line they get out."""

from __future__ import annotations

import pytest

from hedgerow.verify.language.taint import Dependence, compute_dependences, list_findings
from verify.language.reading import PROGRAMS, gallery, read

FILES = {
    "bad_mean_without_noise": "sums.py",
    "bad_sum_without_noise": "sums.py",
    "BadMean": "mission.hr",
}


def test_private_data_reach_variables_through_values_and_choices() -> None:
    found = compute_dependences(
        read("y = x\nz = 0\nif y > 1:\n    z = 1\nw = n\nv = y + laplace(1)\nreturn 1")
    )
    assert found["y"] == found["z"] == Dependence(private=True)
    assert found["w"] == Dependence()
    assert found["v"] == Dependence(private=True, noisy=True)
    assert found["y"].is_unprotected
    assert not found["v"].is_unprotected


def test_private_data_reach_variables_around_a_loop() -> None:
    found = compute_dependences(
        read("y = 0\nz = 0\nfor i in range(n):\n    z = y\n    y = q[i]\nreturn 1")
    )
    assert found["z"].private


@pytest.mark.parametrize(
    ("body", "sort", "line"),
    [
        ("y = x\nreturn y", "output", 4),
        ("y = 0\nif x > 1:\n    y = 1\nreturn y", "output", 6),
        ("if x > 1:\n    output(1)", "choice", 3),
        ("y = laplace(x)\nreturn n", "scale", 3),
        ("y = x\nz = laplace(1 / y)\nreturn z", "scale", 4),
        ("y = bernoulli(x)\nreturn n", "scale", 3),
        ("i = 0\nwhile i < x:\n    output(1)\n    i += 1", "loop", 4),
        ("for i in range(k):\n    output(laplace(1))", "loop", 3),
        ("y = q[k]\nz = y + laplace(1)\nreturn z", "index", 3),
        ("while n > 1:\n    y = 1\nreturn 1", "endless", 3),
    ],
)
def test_findings_have_their_line(body: str, sort: str, line: int) -> None:
    found = list_findings(read(body))
    assert (found[0].kind, found[0].place.line) == (sort, line)
    assert str(found[0]).startswith(f"line {line}: ")


def test_the_worst_comes_first() -> None:
    found = list_findings(read("output(x)\ny = laplace(x)\nreturn y"))
    assert [one.kind for one in found] == ["scale", "output"]


@pytest.mark.parametrize(
    "body",
    [
        "return x + laplace(1)",
        "for i in range(n):\n    output(q[i] + laplace(1))",
        "if n > 1:\n    output(1)",
    ],
)
def test_nothing_is_found_in_what_is_covered(body: str) -> None:
    assert list_findings(read(body)) == ()


def test_the_length_of_a_list_is_private_where_a_row_may_be_added() -> None:
    text = "return len(q)"
    assert list_findings(read(text)) == ()
    assert (
        list_findings(read(text, head='@mechanism(epsilon="eps", neighbours="row")\n'))[0].kind
        == "output"
    )


def test_mean_without_noise_is_found_at_its_line() -> None:
    programs = gallery()
    for name in FILES:
        found = list_findings(programs[name])[0]
        assert found.kind == "output"
        assert (
            "return"
            in (PROGRAMS / FILES[name])
            .read_text(encoding="utf-8")
            .splitlines()[found.place.line - 1]
        )
    assert list_findings(programs["Mean"]) == list_findings(programs["noisy_mean"]) == ()


def test_under_row_a_list_is_read_up_to_its_own_length() -> None:
    head = '@mechanism(epsilon="eps", neighbours="row")\n'
    found = list_findings(read("for i in range(n):\n    output(q[i] + laplace(1))", head=head))
    assert (found[0].kind, found[0].place.line) == ("row", 4)
    assert all(
        one.kind != "row"
        for one in list_findings(read("for y in q:\n    output(y + laplace(1))", head=head))
    )
    assert list_findings(read("for i in range(n):\n    output(q[i] + laplace(1))")) == ()


@pytest.mark.parametrize(
    ("body", "sorts"),
    [
        ("if bernoulli(1/4):\n    output(x > 0)\nelse:\n    output(x <= 0)", []),  # a lie, perhaps
        # a number is never one by chance
        ("if bernoulli(1/4):\n    output(x)\nelse:\n    output(0)", ["output"]),
        ("if x > 0:\n    output(bernoulli(1/4))\nelse:\n    output(bernoulli(3/4))", []),
        ("if x > 0:\n    output(bernoulli(1/4))\nelse:\n    output(True)", ["choice"]),
        ("if x > 0:\n    output(True)\nelse:\n    output(False)", ["choice"]),
    ],
)
def test_a_randomised_boolean_is_no_finding(body: str, sorts: list[str]) -> None:
    assert [one.kind for one in list_findings(read(body))] == sorts
