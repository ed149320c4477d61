from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hedgerow.ledger import MemoryLedger
from hedgerow.service.accounts import login_tables
from hedgerow.service.accounts.account_file import AccountFile
from hedgerow.service.accounts.records import LoginMethod
from service.accounts.helpers_stores import PLACES


@pytest.fixture(params=PLACES)
def tables(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AccountFile]:
    file = AccountFile(PLACES[request.param](tmp_path), MemoryLedger())
    yield file
    file.close()


class Clock:
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = time.time()
        monkeypatch.setattr(login_tables.time, "time", lambda: self.now)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def test_wrong_passwords_double_the_delay_of_a_name(tables: AccountFile, clock: Clock) -> None:
    delays = []
    for number in range(14):
        assert tables.claim_try("ana", f"10.0.0.{number}") == 0
        delays.append(tables.claim_try("ana", "10.9.9.9"))
        clock.now += delays[-1]
    assert [round(delay) for delay in delays[:6]] == [1, 1, 1, 2, 4, 8]
    assert round(max(delays)) == 900  # never a lock-out
    assert tables.claim_try("ben", "10.9.9.9") == 0


def test_a_right_password_ends_the_delay_of_its_name(tables: AccountFile) -> None:
    for _ in range(2):
        assert tables.claim_try("ana", "10.0.0.1") == 0
        assert tables.claim_try("ana", "10.0.0.1") > 0
        tables.forgive_try("ana", "10.0.0.1")


def test_whoever_tries_passwords_elsewhere_locks_nobody_out(
    tables: AccountFile, clock: Clock
) -> None:
    assert tables.claim_try("ana", "10.0.0.1") == 0
    tables.forgive_try("ana", "10.0.0.1")
    for number in range(14):
        assert tables.claim_try("ana", f"10.9.0.{number}") == 0
        clock.now += tables.claim_try("ana", "10.9.9.9")
    assert tables.claim_try("ana", "10.9.1.1") == 0
    assert tables.claim_try("ana", "10.9.1.2") > 800
    assert tables.claim_try("ana", "10.0.0.1") == 0
    # There, too, wrong passwords slow down; and a right one helps nobody elsewhere.
    assert tables.claim_try("ana", "10.0.0.1") == pytest.approx(1)
    tables.forgive_try("ana", "10.0.0.1")
    assert tables.claim_try("ana", "10.0.0.1") == 0
    assert tables.claim_try("ana", "10.9.1.2") > 800
    clock.now += 31 * 86_400  # the address is no longer known
    assert tables.claim_try("ana", "10.9.1.2") == 0
    assert tables.claim_try("ana", "10.0.0.1") > 0


def test_an_address_has_more_tries_and_then_delays_too(tables: AccountFile, clock: Clock) -> None:
    for number in range(21):
        assert tables.claim_try(f"name{number}", "10.0.0.1") == 0
    assert tables.claim_try("ana", "10.0.0.1") > 0
    assert tables.claim_try("ana", "10.0.0.2") == 0
    # A right password of one's own gives one try back, not all of them.
    clock.now += 3
    assert tables.claim_try("eve", "10.0.0.1") == 0
    tables.forgive_try("eve", "10.0.0.1")
    assert tables.claim_try("zoe", "10.0.0.1") == 0
    assert tables.claim_try("yan", "10.0.0.1") > 0


def test_failures_are_forgotten_one_after_the_other(tables: AccountFile, clock: Clock) -> None:
    for _ in range(8):
        assert tables.claim_try("ana", "10.0.0.1") == 0
        clock.now += tables.claim_try("ana", "10.0.0.1")
    clock.now += 5 * 600
    assert tables.claim_try("ana", "10.0.0.1") == 0
    assert round(tables.claim_try("ana", "10.0.0.1")) == 2


def test_many_tries_at_once_do_not_outrun_the_delay(tables: AccountFile) -> None:
    assert [tables.claim_try("ana", "10.0.0.1") == 0 for _ in range(10)] == [True] + [False] * 9


def test_a_session_ends_after_its_time_and_when_it_is_not_used(
    tables: AccountFile, clock: Clock
) -> None:
    cookie = tables.open_session("ana")
    session = tables.find_session(cookie)
    assert session is not None
    assert session.form_secret
    assert (session.method, session.confirmed) == (LoginMethod.password, 0)
    assert tables.find_session(cookie + "x") is None
    for _ in range(20):  # used every half hour, it lives its twelve hours
        clock.now += 1800
        if tables.find_session(cookie) is None:
            break
    else:
        clock.now += login_tables.SESSION_SECONDS - 20 * 1800
    assert tables.find_session(cookie) is None
    idle = tables.open_session("ana")
    clock.now += 3599
    assert tables.find_session(idle) is not None
    clock.now += 3601
    assert tables.find_session(idle) is None


def test_a_session_ends_on_the_server_and_with_the_next_login(tables: AccountFile) -> None:
    first = tables.open_session("ana")
    second = tables.open_session("ana", old_cookie=first)
    assert tables.find_session(first) is None
    assert tables.find_session(second) is not None
    tables.close_session(second)
    assert tables.find_session(second) is None


def test_a_login_that_was_started_finishes_once_and_in_time(
    tables: AccountFile, clock: Clock
) -> None:
    state, nonce, verifier = tables.start_login(confirms=True)
    assert tables.finish_login(state + "x") is None
    assert tables.finish_login(state) == (nonce, verifier, True)
    assert tables.finish_login(state) is None
    late, _, _ = tables.start_login(confirms=False)
    clock.now += 601
    assert tables.finish_login(late) is None


def test_a_crowd_of_started_logins_does_not_fill_the_file(
    tables: AccountFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(login_tables, "_MOST_STARTED", 3)
    states = [tables.start_login(confirms=False)[0] for _ in range(9)]
    assert [tables.finish_login(state) is not None for state in states] == [False] * 5 + [True] * 4
