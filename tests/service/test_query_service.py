from __future__ import annotations

import contextvars
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from hedgerow.answers.answer import Answer
from hedgerow.answers.explanation import Explanation
from hedgerow.database.open_database import accept_policy
from hedgerow.engines.duckdb.process.engine_process import EngineProcess
from hedgerow.errors import BudgetExceeded, InvalidArgument, LedgerError, SourceError
from hedgerow.release.release import SOURCE_FAILED
from hedgerow.service.accounts.records import Caller
from hedgerow.service.departures import Departures
from hedgerow.service.problems import NotAllowed, NotAuthenticated, Overloaded
from hedgerow.service.query_service import QueryService
from hedgerow.service.question_run import allow_abandonment
from service.helpers_service import COUNT, PASSWORD, make_service


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QueryService]:
    made = make_service(tmp_path_factory.mktemp("clinic"))
    yield made
    made.close()


def find_caller(service: QueryService, name: str, **options: bool) -> Caller:
    text, _ = service.accounts.add_token(name, "test", "test", **options)
    return service.find_caller(text)


SHARES = (
    "SELECT region, 1.0 * COUNT(*) / SUM(COUNT(*)) OVER () AS n FROM visits WHERE age < 33"
    " GROUP BY region"
)
CLIPPED = "SELECT COUNT(*, clipped => TRUE) AS n FROM visits WHERE age < 31"
RATIO = (  # the second piece compares with the result of the first
    "SELECT COUNT(*) AS n FROM visits WHERE age < (SELECT AVG(age) / 2 FROM visits WHERE age < 66)"
)


@pytest.mark.parametrize(
    ("sql", "charged"),
    [("SELECT COUNT(*) AS n FROM visits WHERE age < 33", 1), (SHARES, 1), (RATIO, 2), (CLIPPED, 2)],
)
def test_the_same_question_of_many_at_once_is_charged_once(
    service: QueryService, sql: str, charged: int
) -> None:
    callers = [find_caller(service, name) for name in ("ana", "carl", "eve", "ana")]
    found = []

    def ask(caller: Caller) -> None:
        found.append(service.ask(caller, sql, epsilon=0.25))

    before = len(service._database.ledger.entries())
    threads = [threading.Thread(target=ask, args=(caller,)) for caller in callers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    rows = [answer.rows for answer in found]  # type: ignore[union-attr]
    assert len({tuple(row["n"] for row in one) for one in rows}) == 1
    assert len(found) == 4
    fresh = [entry.kind for entry in service._database.ledger.entries()[before:]]
    assert sorted(fresh) == ["answer"] * charged + ["charge"] * charged


@pytest.mark.parametrize(
    ("sql", "kinds"),
    [
        ("SELECT COUNT(*) FROM visits WHERE age < 34", ["charge", "failure"]),
        (SHARES.replace("33", "34"), ["charge", "failure"]),
        (RATIO.replace("66", "34"), ["charge", "charge", "failure", "failure"]),
        (CLIPPED.replace("31", "32"), ["charge", "charge", "failure", "failure"]),
    ],
)
def test_a_failure_is_shared_and_charged_once(
    service: QueryService, monkeypatch: pytest.MonkeyPatch, sql: str, kinds: list[str]
) -> None:
    entered, leave = threading.Event(), threading.Event()

    def fail(run: object, plan: object) -> None:
        entered.set()
        leave.wait(30)
        raise SourceError(SOURCE_FAILED)

    _ = service._database.source
    monkeypatch.setattr(service._database.source, "_run", fail)
    callers = [find_caller(service, name) for name in ("ana", "eve")]
    failures = []

    def ask(caller: Caller) -> None:
        with pytest.raises(SourceError) as failure:
            service.ask(caller, sql, epsilon=0.125)
        failures.append(str(failure.value))

    before = len(service._database.ledger.entries())
    threads = [threading.Thread(target=ask, args=(caller,)) for caller in callers]
    threads[0].start()
    assert entered.wait(30)
    threads[1].start()
    while service.admission._questions < 2:
        pass
    threading.Event().wait(0.2)  # until it waits for the flight
    leave.set()
    for thread in threads:
        thread.join(60)
    assert failures == [SOURCE_FAILED] * 2
    assert [entry.kind for entry in service._database.ledger.entries()[before:]] == kinds


def test_an_engine_that_is_killed_under_a_question_is_one_failure_and_starts_again(
    service: QueryService, monkeypatch: pytest.MonkeyPatch
) -> None:
    ana, pool = find_caller(service, "ana"), service._database.source
    service.ask(ana, "SELECT COUNT(*) FROM visits WHERE age < 37", epsilon=0.125)
    engine = pool._engines[0]  # type: ignore[attr-defined]
    make_runner = engine._make_runner

    def kill_then_run(child: EngineProcess) -> object:
        child._process.kill()
        child._process.wait()
        return make_runner(child)

    monkeypatch.setattr(engine, "_make_runner", kill_then_run)
    before = len(service._database.ledger.entries())
    with pytest.raises(SourceError) as failure:
        service.ask(ana, "SELECT COUNT(*) FROM visits WHERE age < 38", epsilon=0.125)
    assert str(failure.value) == SOURCE_FAILED
    kinds = [entry.kind for entry in service._database.ledger.entries()[before:]]
    assert kinds == ["charge", "failure"]
    monkeypatch.undo()
    service.ask(ana, "SELECT COUNT(*) FROM visits WHERE age < 39", epsilon=0.125)


def test_a_waiting_asker_with_an_exhausted_quota_pays_nothing(
    service: QueryService, monkeypatch: pytest.MonkeyPatch
) -> None:
    sql, source = "SELECT COUNT(*) AS n FROM visits WHERE age < 41", service._database.source
    ana, ben = find_caller(service, "ana"), find_caller(service, "ben")
    with suppress(BudgetExceeded):
        for age in range(42, 50):  # all of his quota
            service.ask(ben, f"SELECT COUNT(*) FROM visits WHERE age < {age}", epsilon=0.5)
    run = source._run  # type: ignore[attr-defined]
    entered, leave = threading.Event(), threading.Event()

    def wait(*arguments: object) -> object:
        entered.set()
        leave.wait(30)
        return run(*arguments)

    monkeypatch.setattr(source, "_run", wait)
    found = []
    threads = [
        threading.Thread(target=lambda who=who: found.append(service.ask(who, sql, epsilon=0.25)))
        for who in (ana, ben)
    ]
    threads[0].start()
    assert entered.wait(30)
    threads[1].start()
    while service.admission._questions < 2:
        pass
    leave.set()
    for thread in threads:
        thread.join(60)
    assert len(found) == 2
    assert len({answer.rows[0]["n"] for answer in found}) == 1  # type: ignore[union-attr]
    with pytest.raises(BudgetExceeded):
        service.ask(ben, "SELECT COUNT(*) FROM visits WHERE age < 51", epsilon=0.5)


def test_a_question_that_waits_and_is_given_up_is_not_charged(service: QueryService) -> None:
    ana, failures = find_caller(service, "ana"), []
    turns = service._database.source._turns  # type: ignore[attr-defined]
    before = len(service._database.ledger.entries())
    engine = turns.take("carl", 1.0)
    with allow_abandonment() as abandoned:

        def ask() -> None:
            with pytest.raises(Overloaded, match="before it was charged") as failure:
                service.ask(ana, "SELECT COUNT(*) FROM visits WHERE age < 52")
            failures.append(failure.value)

        thread = threading.Thread(target=contextvars.copy_context().run, args=(ask,))
        thread.start()
        while not turns._waiting:
            time.sleep(0.001)
        abandoned.set()
        thread.join(30)
    turns.give_back(engine)
    assert len(failures) == 1
    assert len(service._database.ledger.entries()) == before


def test_a_token_that_only_explains_cannot_ask(service: QueryService) -> None:
    caller = find_caller(service, "ana", explains_only=True)
    assert service.explain(caller, COUNT).covered
    with pytest.raises(NotAllowed, match="explain"):
        service.ask(caller, COUNT)
    assert isinstance(service.ask(caller, f"EXPLAIN PRIVACY {COUNT}"), Explanation)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(*) FROM visits WHERE age < 67 -- OPTIONS",
        "SELECT COUNT(*) AS options FROM visits WHERE age < 67",
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_groups_contributed = 1) COUNT(*) FROM visits"
        " WHERE age < 67",
    ],
)
def test_the_word_options_alone_names_no_epsilon(service: QueryService, sql: str) -> None:
    careful = find_caller(service, "ana", needs_epsilon=True)
    with pytest.raises(NotAllowed, match="names its epsilon"):
        service.ask(careful, sql)


def test_a_token_without_implicit_spending_needs_an_epsilon_or_a_stored_answer(
    service: QueryService,
) -> None:
    sql = "SELECT COUNT(*) FROM visits WHERE age < 35"
    careful = find_caller(service, "ana", needs_epsilon=True)
    with pytest.raises(NotAllowed, match="names its epsilon"):
        service.ask(careful, sql)
    group = "region, COUNT(*) FROM visits GROUP BY region"
    for spending in (
        f"{sql} -- OPTIONS(epsilon = 1)",
        f"SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_groups_contributed = 1) {group}",
        'SELECT COUNT(*) AS "OPTIONS" FROM visits WHERE age < 37',
    ):
        with pytest.raises(NotAllowed, match="names its epsilon"):
            service.ask(careful, spending)
    assert isinstance(service.ask(careful, f"EXPLAIN PRIVACY {sql}"), Explanation)
    named = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.25) "
    service.ask(careful, named + "COUNT(*) FROM visits WHERE age < 38")
    service.ask(find_caller(service, "ana"), sql)
    service.ask(careful, sql)  # stored at the default price: free
    service.ask(careful, "SELECT COUNT(*) FROM visits WHERE age < 36", epsilon=0.25)
    assert service.ask(careful, "SELECT * FROM hedgerow.tables").columns


def test_an_accepted_policy_rules_without_a_restart(tmp_path: Path) -> None:
    service = make_service(tmp_path)
    try:
        ana = find_caller(service, "ana")
        service.ask(ana, COUNT)
        file = service.settings.policy
        file.write_text(file.read_text().replace("epsilon = 100", "epsilon = 120", 1))
        accept_policy(file)  # by another process: it has a handle of its own
        file.write_text("being edited")
        left = service.read_budgets(ana)["budgets"]["patients"]
        assert left["epsilon"]["total"].startswith("120")
        answer = service.ask(ana, COUNT)
        assert isinstance(answer, Answer)
        assert answer.receipt.reused
        assert service._database.policy_digest == service._database.ledger.policy_digest
        assert not service._users
    finally:
        service.close()


def test_a_question_that_runs_keeps_its_database_until_it_is_answered(tmp_path: Path) -> None:
    service = make_service(tmp_path)
    try:
        file, old = service.settings.policy, service._database
        with service._current() as running:
            file.write_text(file.read_text().replace("epsilon = 100", "epsilon = 120", 1))
            accept_policy(file)
            with service._current() as fresh:
                assert fresh is not old
            assert running is old
            assert running.ledger.state.seq  # still open
        with pytest.raises(LedgerError):
            _ = old.ledger.state
    finally:
        service.close()


def test_under_the_weaker_promise_every_answer_says_so(service: QueryService) -> None:
    ana = find_caller(service, "ana")
    shares = f"WITH c AS ({COUNT}) SELECT region, 1.0 * n / SUM(n) OVER () AS share FROM c"
    for sql in (COUNT, shares):
        answer = service.ask(ana, sql)
        assert any("may depend on the data" in note for note in answer.notes)


def test_an_answer_leaves_at_the_end_of_its_slot_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = 2.0
    service = make_service(tmp_path, Departures(run_seconds=seconds))
    try:
        ana = find_caller(service, "ana")
        service._database.start()
        begin = time.monotonic()
        answer = service.ask(ana, COUNT)
        assert time.monotonic() - begin >= seconds
        assert not any("may depend on the data" in note for note in answer.notes)
        monkeypatch.setattr(Departures, "wait_until", lambda *_: False)
        with pytest.raises(SourceError) as late:
            service.ask(ana, "SELECT COUNT(*) FROM visits WHERE age < 37")
        assert str(late.value) == SOURCE_FAILED
        assert service._database.ledger.entries()[-1].kind == "failure"
    finally:
        service.close()


def test_logins_slow_down_after_wrong_passwords(
    service: QueryService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hedgerow.service.accounts.passwords._COST", 2)
    service.accounts.set_password("ben", PASSWORD, "carl")
    assert service.log_in("ben", PASSWORD, "10.0.0.9")
    words = set()
    for name in ("ben", "nobody"):
        with pytest.raises(NotAuthenticated) as refusal:
            service.log_in(name, "wrong wrong wrong", f"10.0.0.{name}")
        words.add(str(refusal.value))
    assert words == {"The name or the password is wrong."}
    with pytest.raises(Overloaded, match="Try again in"):
        service.log_in("ben", PASSWORD, "10.0.0.8")


def test_a_statement_that_is_empty_or_huge_is_refused_before_it_is_read(
    service: QueryService,
) -> None:
    ana = find_caller(service, "ana")
    for sql in ("", "  ", "x" * 65_537, "SELECT " + "(" * 41, "SELECT " + "1," * 5_000):
        with pytest.raises(InvalidArgument):
            service.ask(ana, sql)
        with pytest.raises(InvalidArgument):
            service.explain(ana, sql)
