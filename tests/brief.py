"""What `make check` runs of the suite, so that it takes a minute and not four: no costly test, and
few cases of each other one.

`make test` runs all of them. A new test is in `make check` until `make costs` finds it costly.
"""

from __future__ import annotations

import heapq
import os
import zlib
from collections import defaultdict
from collections.abc import Collection, Generator, Iterable, Mapping
from pathlib import Path

import pytest

CASES = 2  # of one test
SECONDS = 0.1  # a case, on a quiet machine: what takes more is costly
COSTLY = Path(__file__).with_name("costly.txt")
# `make check` promises the layers, and that seeded mistakes are found, all of them, whatever they
# take.
PROMISED = {
    "tests/house/test_layers.py::test_house",
    "tests/database/attacks/test_seeded.py::test_nothing_shows_the_mistake",
    "tests/database/attacks/test_seeded.py::test_values_that_are_not_numbers_are_not_counted",
    "tests/database/attacks/test_seeded.py::test_two_separately_opened_tables_get_the_same_noise",
    "tests/ledger/faults/test_sharing.py::test_no_other_writer_starts_while_the_ledger_is_read",
}


def drawn(cases: Iterable[str], costly: Collection[str]) -> set[str]:
    """Drawn by their names: the same ones on every machine, other ones for each test, and a new
    case moves at most one.
    """
    tests = defaultdict[str, list[str]](list)
    for case in cases:
        tests[_test(case)].append(case)
    few = (
        heapq.nsmallest(CASES, of, key=lambda case: zlib.crc32(case.encode()))
        for test, of in tests.items()
        if test not in costly
    )
    return {
        case for of in (*few, *(tests[test] for test in PROMISED & tests.keys())) for case in of
    }


def found_costly(seconds: Mapping[str, float]) -> list[str]:
    """The tests whose cases take too long on average, but never all tests of a file: each file
    has a part in `make check`.
    """
    tests, files = (
        defaultdict[str, list[float]](list),
        defaultdict[str, list[tuple[float, str]]](list),
    )
    for case, each in seconds.items():
        tests[_test(case)].append(each)
    for test, all_ in tests.items():
        files[test.partition("::")[0]].append((sum(all_) / len(all_), test))
    cheapest = {min(of)[1] for of in files.values()}
    return sorted(
        test
        for of in files.values()
        for mean, test in of
        if mean > SECONDS and test not in cheapest | PROMISED
    )


def _test(case: str) -> str:
    return case.partition("[")[0]


class Few:
    """Leaves out after everybody else has: of what a marker or ``-k`` leaves, not of what it
    takes away.
    """

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        kept = drawn(
            (item.nodeid for item in items), set(COSTLY.read_text(encoding="utf-8").split())
        )
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in kept])
        items[:] = [item for item in items if item.nodeid in kept]


class Costs:
    """Writes the list of what is costly, when nothing failed. Waiting counts too: a test may
    have a process of its own.
    """

    def __init__(self) -> None:
        self.seconds = defaultdict[str, float](float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[report.nodeid] += report.duration

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if exitstatus == 0 and not hasattr(session.config, "workerinput"):
            COSTLY.write_text(
                "".join(f"{test}\n" for test in found_costly(self.seconds)), encoding="utf-8"
            )


class Times:
    """Prints where the processor time goes: user and system seconds, those of ended children
    included, by folder, by file and by test.
    """

    def __init__(self) -> None:
        self.before = sum(os.times()[:4])
        self.seconds = defaultdict[str, float](float)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        now = sum(os.times()[:4])
        report.processor_seconds = now - self.before  # type: ignore[attr-defined]
        self.before = now
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[_test(report.nodeid)] += getattr(report, "processor_seconds", 0.0)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        folders, files = defaultdict[str, float](float), defaultdict[str, float](float)
        for test, spent in self.seconds.items():
            file = test.partition("::")[0]
            files[file] += spent
            folders["/".join(file.split("/")[1:-1][:2]) or "."] += spent
        terminalreporter.section(f"processor seconds: {sum(self.seconds.values()):.0f}")
        for places, least in ((folders, 1.0), (files, 3.0), (self.seconds, 1.0)):
            for place, spent in sorted(places.items(), key=lambda item: -item[1]):
                if spent >= least:
                    terminalreporter.write_line(f"{spent:8.1f}  {place}")
            terminalreporter.write_line("")
