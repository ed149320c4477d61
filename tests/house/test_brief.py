"""`make check` leaves out what costs most and no file whole, and which cases it runs is settled
by their names.
"""

from __future__ import annotations

import re
from pathlib import Path

from brief import CASES, COSTLY, PROMISED, drawn, found_costly

ROOT = Path(__file__).parents[2]


def cases(test: str, count: int) -> list[str]:
    return [f"{test}[{number}]" for number in range(count)]


def names(file: Path) -> list[str]:
    """What begins in the first column: functions, classes and assignments."""
    return (
        re.findall(r"^(?:def |class )?(\w+)", file.read_text(encoding="utf-8"), re.MULTILINE)
        if file.is_file()
        else []
    )


def test_few_cases_are_drawn_and_no_costly_test() -> None:
    found = drawn(
        [
            *cases("a.py::test_many", 100),
            *cases("a.py::test_two", 2),
            "a.py::test_one",
            "a.py::test_costly",
        ],
        {"a.py::test_costly"},
    )
    assert sum(case.startswith("a.py::test_many[") for case in found) == CASES
    assert {*cases("a.py::test_two", 2), "a.py::test_one"} <= found
    assert len(found) == CASES + 3


def test_the_same_cases_are_drawn_in_any_order_and_a_new_one_moves_at_most_one() -> None:
    before = drawn(cases("a.py::test_many", 100), ())
    assert drawn(reversed(cases("a.py::test_many", 100)), ()) == before
    assert all(
        len(before - drawn(cases("a.py::test_many", 100 + more), ())) <= more
        for more in range(1, 9)
    )


def test_each_test_draws_cases_of_its_own() -> None:
    places = [
        {case.partition("[")[2] for case in drawn(cases(f"a.py::test_{name}", 100), ())}
        for name in "abcdefgh"
    ]
    assert len(set.union(*places)) > 2 * CASES


def test_a_test_is_costly_when_a_case_of_it_is_on_average() -> None:
    seconds = {
        "a.py::test_cheap": 0.01,
        "a.py::test_costly": 0.5,
        "a.py::test_once[0]": 0.15,
        "a.py::test_once[1]": 0.01,
    }
    assert found_costly(seconds) == ["a.py::test_costly"]


def test_no_file_is_left_out_whole_and_nothing_promised() -> None:
    assert found_costly({"a.py::test_less": 0.3, "a.py::test_more": 0.4, "b.py::test_only": 5}) == [
        "a.py::test_more"
    ]
    assert (
        found_costly(dict.fromkeys(PROMISED, 9.0) | {"tests/house/test_layers.py::test_cheap": 0.0})
        == []
    )


def test_promised_tests_run_with_all_their_cases() -> None:
    for test in PROMISED:
        assert drawn([*cases(test, 30), *cases("a.py::test_many", 30)], {test}) >= set(
            cases(test, 30)
        )


def test_listed_and_promised_tests_exist_and_do_not_overlap() -> None:
    listed = COSTLY.read_text(encoding="utf-8").split()
    there = {
        f"{file}::{name}"
        for file in {test.split("::")[0] for test in (*listed, *PROMISED)}
        for name in names(ROOT / file)
    }
    gone = [test for test in listed if "::".join(test.split("::")[:2]) not in there]
    assert gone == [], "Run 'make costs', or take the names out."
    assert not PROMISED & set(listed)
    assert there >= PROMISED
