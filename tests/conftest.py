"""What holds for the whole suite."""

from __future__ import annotations

import gc
import os
from collections.abc import Generator, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from brief import Costs, Few, Times
from depth import many

# The same examples on every run: a failure seen once is a failure everybody can see.
# Nothing is timed: on a busy machine a slow example is no mistake.
UNTIMED = [HealthCheck.too_slow]
settings.register_profile(
    "house", derandomize=True, deadline=None, max_examples=many(20), suppress_health_check=UNTIMED
)
settings.load_profile("house")

SLOW = Path(__file__).parent / "slow"
OWN_SESSIONS = Path(__file__).parent / "engines" / "duckdb"
# The longest single test begins first, or everybody would wait for it in the end.
FIRST = "test_tool_finds_nothing[types]"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--long-only",
        action="append",
        default=[],
        metavar="PATH",
        help="of the tests below PATH, only those marked long",
    )
    parser.addoption(
        "--brief",
        action="store_true",
        help="what `make check` runs: no costly test, and few cases of each other one",
    )
    parser.addoption("--times", action="store_true", help="print where the processor time goes")
    parser.addoption("--costs", action="store_true", help="write down which tests are costly")


def pytest_configure(config: pytest.Config) -> None:
    for option, plugin in (("--brief", Few), ("--costs", Costs), ("--times", Times)):
        if config.getoption(option):
            config.pluginmanager.register(plugin())


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Files below the paths of ``--long-only`` that hold no long test are not even imported."""
    place = collection_path.relative_to(config.rootpath).as_posix()
    if (
        collection_path.suffix == ".py"
        and _within(place, config.getoption("--long-only"))
        and "mark.long" not in collection_path.read_text(encoding="utf-8")
    ):
        return True
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    _leave_out(config, items)
    items.sort(key=lambda item: item.name != FIRST)
    for item in items:
        if item.path.is_relative_to(SLOW):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(autouse=True, scope="module")
def _shared_engines(request: pytest.FixtureRequest) -> Generator[None]:
    """Modules take each other's engines, but for those that are about engines."""
    if request.path.is_relative_to(OWN_SESSIONS):
        yield
        return
    # imported here: tests of this file run without the package
    from engine_pool import share_engines

    with pytest.MonkeyPatch.context() as patch:
        share_engines(patch)
        yield


def pytest_collection_finish() -> None:
    """Keep the collector away from twenty thousand tests that live to the end anyway: it takes a
    twentieth of the suite's time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Keep the collector away from twenty thousand reports as well, where other processes ran the
    tests: what those left unclosed is found there.
    """
    if session.config.getoption("tx", None) and not hasattr(session.config, "workerinput"):
        gc.freeze()


def _leave_out(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The short tests below the paths of ``--long-only``: `make test` has run those already."""
    below = config.getoption("--long-only")
    left, kept = list[pytest.Item](), list[pytest.Item]()
    for item in items:
        inside = _within(item.nodeid.partition("::")[0], below)
        (left if inside and not item.get_closest_marker("long") else kept).append(item)
    if left:
        items[:] = kept
        config.hook.pytest_deselected(items=left)


def _within(file: str, paths: Sequence[str]) -> bool:
    return any(file == path or file.startswith(f"{path}/") for path in paths)


def _missing_part_fails(report: pytest.TestReport | pytest.CollectReport) -> None:
    """A skip names a part that cannot be had here. Where automation runs (CI=true) every part
    must be there.
    """
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("CI") == "true":
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        report.outcome = "failed"
        report.longrepr = f"{report.nodeid}: with CI=true a missing part fails. {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    _missing_part_fails(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    _missing_part_fails(report)
    return report
