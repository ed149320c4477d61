from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.ledger.location import ServerLocation
from hedgerow.policy import Policy
from hedgerow.policy.server_ledgers import check_ledger, locate_ledger

HERE = Path("/clinic")


@pytest.mark.parametrize(
    "ledger",
    [
        "clinic.ledger",
        "ledgers/a:b.ledger",
        "postgresql://hedgerow@localhost/clinic",
        "postgresql://hedgerow@db.example/clinic?sslmode=verify-full&schema=clinic_2026",
    ],
)
def test_files_and_safe_addresses_are_accepted(ledger: str) -> None:
    assert list(check_ledger(ledger)) == []


@pytest.mark.parametrize(
    ("ledger", "message"),
    [
        ("postgresql://hedgerow:secret@localhost/clinic", "ledger must not hold a password"),
        ("postgresql:///clinic?password=secret", "ledger must not hold a password"),
        ("postgresql://hedgerow@db.example/clinic", "sslmode=verify-full"),
        ("postgresql:///clinic?options=-c%20fsync=off", "unknown option 'options'"),
        ("mysql://hedgerow:secret@localhost/clinic", "must be a file or an address"),
        ("sc://localhost:15002", "must be a file or an address"),
    ],
)
def test_other_places_are_refused_with_the_fix(ledger: str, message: str) -> None:
    mistakes = list(check_ledger(ledger))
    assert any(message in mistake.message for mistake in mistakes), mistakes
    assert all("secret" not in mistake.message for mistake in mistakes)


def test_a_file_is_beside_the_policy() -> None:
    assert locate_ledger("clinic.ledger", HERE) == HERE / "clinic.ledger"


@pytest.mark.parametrize(
    ("ledger", "address", "schema", "name", "file"),
    [
        (
            "postgresql://hedgerow@localhost/clinic",
            "postgresql://hedgerow@localhost/clinic",
            "hedgerow",
            "postgresql://localhost:5432/clinic hedgerow",
            "localhost-5432-clinic-hedgerow.ledger",
        ),
        (
            "postgresql://a@db:6000/x?schema=y&sslmode=verify-full",
            "postgresql://a@db:6000/x?sslmode=verify-full",
            "y",
            "postgresql://db:6000/x y",
            "db-6000-x-y.ledger",
        ),
        (
            "postgresql:///?service=clinic&sslmode=verify-full",
            "postgresql:///?service=clinic&sslmode=verify-full",
            "hedgerow",
            "service:clinic hedgerow",
            "service-clinic-hedgerow.ledger",
        ),
    ],
)
def test_a_server_has_a_name_without_role_and_options(
    ledger: str, address: str, schema: str, name: str, file: str
) -> None:
    assert locate_ledger(ledger, HERE) == ServerLocation(address, schema, name, HERE / file)


def test_a_policy_names_both_places_of_its_ledger() -> None:
    import polars as pl

    frame = pl.DataFrame({"x": [1]})
    held: Any = {"unit": "row", "neighbours": "add-remove", "epsilon": 1}
    policy = Policy.for_frame(frame, ledger="postgresql://a@localhost/x", **held)
    place = policy.ledger_place
    assert isinstance(place, ServerLocation)
    assert policy.ledger_path == place.path
    file = Policy.for_frame(frame, ledger="x.ledger", **held)
    assert file.ledger_path == file.ledger_place == Path("x.ledger")
    with pytest.raises(InvalidArgument, match="must not hold a password"):
        Policy.for_frame(frame, ledger="postgresql://a:b@localhost/x", **held)
