from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hedgerow.answers.answer import Answer
from hedgerow.database.open_database import accept_policy
from hedgerow.errors import InvalidArgument, SourceError
from hedgerow.release.release import SOURCE_FAILED
from hedgerow.service.accounts.records import Caller
from hedgerow.service.departures import Departures
from hedgerow.service.problems import NotAllowed, NotAuthenticated, Overloaded
from hedgerow.service.query_service import QueryService
from service.helpers_service import COUNT, PASSWORD, make_service


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QueryService]:
    made = make_service(tmp_path_factory.mktemp("clinic"))
    yield made
    made.close()


def find_caller(service: QueryService, name: str, **options: bool) -> Caller:
    text, _ = service.accounts.add_token(name, "test", "test", **options)
    return service.find_caller(text)


def test_the_same_question_of_many_at_once_is_charged_once(service: QueryService) -> None:
    sql = "SELECT COUNT(*) AS n FROM visits WHERE age < 33"
    callers = [find_caller(service, name) for name in ("ana", "ben", "eve") * 3]
    found = []

    def ask(caller: Caller) -> None:
        found.append(service.ask(caller, sql, epsilon=0.25))

    before = len(service._database.ledger.entries())
    threads = [threading.Thread(target=ask, args=(caller,)) for caller in callers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len({answer.rows[0]["n"] for answer in found}) == 1  # type: ignore[union-attr]
    assert len(found) == 9
    fresh = service._database.ledger.entries()[before:]
    assert [entry.kind for entry in fresh] == ["charge", "answer"]


def test_a_failure_is_shared_and_charged_once(
    service: QueryService, monkeypatch: pytest.MonkeyPatch
) -> None:
    entered, leave = threading.Event(), threading.Event()

    def fail(plan: object) -> None:
        entered.set()
        leave.wait(30)
        raise SourceError(SOURCE_FAILED)

    _ = service._database.source
    monkeypatch.setattr(service._database.source, "run", fail)
    callers = [find_caller(service, name) for name in ("ana", "eve")]
    failures = []

    def ask(caller: Caller) -> None:
        with pytest.raises(SourceError) as failure:
            service.ask(caller, "SELECT COUNT(*) FROM visits WHERE age < 34", epsilon=0.25)
        failures.append(str(failure.value))

    before = len(service._database.ledger.entries())
    threads = [threading.Thread(target=ask, args=(caller,)) for caller in callers]
    threads[0].start()
    assert entered.wait(30)
    threads[1].start()
    while service.admission._waiting["eve"] == 0:
        pass
    threading.Event().wait(0.3)  # until it waits for the flight
    leave.set()
    for thread in threads:
        thread.join(60)
    assert failures == [SOURCE_FAILED] * 2
    kinds = [entry.kind for entry in service._database.ledger.entries()[before:]]
    assert kinds == ["charge", "failure"]


def test_a_token_that_only_explains_cannot_ask(service: QueryService) -> None:
    caller = find_caller(service, "ana", explains_only=True)
    assert service.explain(caller, COUNT).covered
    with pytest.raises(NotAllowed, match="explain"):
        service.ask(caller, COUNT)


def test_a_token_without_implicit_spending_needs_an_epsilon_or_a_stored_answer(
    service: QueryService,
) -> None:
    sql = "SELECT COUNT(*) FROM visits WHERE age < 35"
    careful = find_caller(service, "ana", needs_epsilon=True)
    with pytest.raises(NotAllowed, match="names its epsilon"):
        service.ask(careful, sql)
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
        accept_policy(file)
        left = service.read_budgets(ana)["budgets"]["patients"]
        assert left["epsilon"]["total"].startswith("120")
        answer = service.ask(ana, COUNT)
        assert isinstance(answer, Answer)
        assert answer.receipt.reused
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
        monkeypatch.setattr(Departures, "wait_for_slot", lambda *_: False)
        with pytest.raises(SourceError) as late:
            service.ask(ana, "SELECT COUNT(*) FROM visits WHERE age < 37")
        assert str(late.value) == SOURCE_FAILED
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
    for sql in ("", "  ", "x" * 100_001):
        with pytest.raises(InvalidArgument):
            service.ask(ana, sql)
        with pytest.raises(InvalidArgument):
            service.explain(ana, sql)
