"""Two hosts serve one policy: each has its folder, and the server of the ledger has the rest."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from engines.postgresql.helpers_server import ROLE
from hedgerow.errors import LedgerError
from hedgerow.ledger.location import ServerLocation
from hedgerow.policy import read_policy
from hedgerow.service.problems import NotAuthenticated
from hedgerow.service.query_service import QueryService
from hedgerow.service.settings import ServiceSettings
from hedgerow.service.shared_state import build_flight_locks, locate_accounts
from hedgerow.service.single_flight import FlightLocks
from ledger.helpers_stores import TableStore, allow_lossy_server
from service import helpers_service
from service.helpers_service import COUNT, make_service


def test_a_service_of_one_host_keeps_files(tmp_path: Path) -> None:
    policy = read_policy(helpers_service.write_clinic(tmp_path))
    assert locate_accounts(policy) == tmp_path / "clinic.accounts"
    assert isinstance(build_flight_locks(tmp_path / "x", wait=1), FlightLocks)


@pytest.fixture
def hosts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[QueryService]]:
    allow_lossy_server(monkeypatch)
    store = TableStore(tmp_path)
    store.change(f"GRANT CREATE ON SCHEMA {store.schema} TO {ROLE}")
    address = f"{store.place.address}?schema={store.schema}"
    monkeypatch.setattr(
        helpers_service,
        "POLICY",
        helpers_service.POLICY.replace("[database]", f'[database]\nledger = "{address}"', 1),
    )
    first = tmp_path / "first"
    first.mkdir()
    here = make_service(first)
    shutil.copytree(first, tmp_path / "second")  # policy, data and anchor
    there = QueryService(
        ServiceSettings(
            tmp_path / "second" / "clinic.toml",
            departures=here.settings.departures,
            limits=here.settings.limits,
        )
    )
    yield [here, there]
    here.close()
    there.close()


@pytest.mark.long
def test_two_hosts_are_one_service(hosts: list[QueryService]) -> None:
    here, there = hosts
    assert isinstance(locate_accounts(here._database.policy), ServerLocation)
    token, _ = here.accounts.add_token("ana", "laptop", "test")
    caller = there.find_caller(token)
    # Tokens, request keys, delays and revocations hold on both.
    assert caller.name == "ana"
    answers: list[Any] = [host.ask(caller, COUNT, epsilon=0.25, request="r") for host in hosts]
    assert answers[0].rows == answers[1].rows
    assert not there.accounts.claim_request("ana", "r", "another question")
    for _ in range(8):
        here.accounts.claim_try("ana", "10.0.0.1")
    assert there.accounts.claim_try("ana", "10.0.0.1") > 0
    there.accounts.set_disabled("ana", True, "carl")
    with pytest.raises(NotAuthenticated):
        here.find_caller(token)
    assert here.accounts.read_revision() == there.accounts.read_revision() > 0


@pytest.mark.long
def test_the_same_question_on_two_hosts_at_once_is_charged_once(
    hosts: list[QueryService],
) -> None:
    token, _ = hosts[0].accounts.add_token("ana", "laptop", "test")
    found: list[Any] = []

    def ask(host: QueryService) -> None:
        found.append(host.ask(host.find_caller(token), COUNT, epsilon=Fraction(1, 4)))

    before = len(hosts[0]._database.ledger.entries())
    threads = [threading.Thread(target=ask, args=(host,)) for host in hosts * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(found) == 4
    assert len({str(answer.rows) for answer in found}) == 1
    fresh = hosts[1]._database.ledger.entries()[before:]
    assert [entry.kind for entry in fresh] == ["charge", "answer"]


def test_a_host_without_the_anchor_is_refused(hosts: list[QueryService], tmp_path: Path) -> None:
    shutil.copytree(tmp_path / "second", tmp_path / "third")
    for anchor in (tmp_path / "third").glob("*.anchor"):
        anchor.unlink()
    with pytest.raises(LedgerError, match="A further host gets it from the first one"):
        QueryService(ServiceSettings(tmp_path / "third" / "clinic.toml"))
