from __future__ import annotations

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.policy.server_sources import (
    check_engine,
    identify_server_table,
    is_server,
    normalise_table_name,
    split_table_name,
)


@pytest.mark.parametrize(
    "engine",
    [
        "duckdb",
        "postgresql:///clinic",
        "postgresql://reader@localhost/clinic",
        "postgres://reader@127.0.0.1:5432/clinic",
        "postgresql://reader@[::1]/clinic?sslmode=prefer",
        "postgresql:///clinic?host=/var/run/postgresql",
        "postgresql://reader@db.example/clinic?sslmode=verify-full",
        "postgresql:///?service=clinic&sslmode=verify-full",
    ],
)
def test_addresses_that_are_safe_are_accepted(engine: str) -> None:
    assert list(check_engine(engine)) == []


@pytest.mark.parametrize(
    ("engine", "message"),
    [
        ("postgresql://reader:secret@localhost/clinic", "must not hold a password"),
        ("postgresql:///clinic?password=secret", "must not hold a password"),
        ("postgresql:///clinic?passfile=/x", "must not hold a password"),
        ("postgresql://reader@db.example/clinic", "sslmode=verify-full"),
        ("postgresql://reader@db.example/clinic?sslmode=require", "sslmode=verify-full"),
        ("postgresql://reader@127.0.0.1,db.example/clinic", "sslmode=verify-full"),
        ("postgresql://localhost/clinic?host=db.example", "sslmode=verify-full"),
        ("postgresql://localhost/clinic?hostaddr=10.0.0.1", "sslmode=verify-full"),
        ("postgresql:///?service=clinic", "sslmode=verify-full"),
        ("postgresql:///clinic?options=-c%20role=x", "unknown option 'options'"),
        ("postgresql://localhost:port/clinic", "must be an address such as"),
        ("spark://localhost:7077", "engine must be 'duckdb' or an address"),
        ("mysql://localhost/x", "engine must be 'duckdb' or an address"),
    ],
)
def test_other_addresses_are_refused_with_the_fix(engine: str, message: str) -> None:
    mistakes = list(check_engine(engine))
    assert any(message in mistake.message for mistake in mistakes), mistakes
    assert all("secret" not in mistake.message for mistake in mistakes)


@pytest.mark.parametrize(
    ("source", "parts", "normal"),
    [
        ("visits", ("public", "visits"), "public.visits"),
        ("Public.VISITS", ("public", "visits"), "public.visits"),
        ('"Visits"', ("public", "Visits"), 'public."Visits"'),
        ('clinic."my ""visits"".x"', ("clinic", 'my "visits".x'), 'clinic."my ""visits"".x"'),
    ],
)
def test_a_table_has_one_name(source: str, parts: tuple[str, str], normal: str) -> None:
    assert split_table_name(source) == parts
    assert normalise_table_name("postgresql://h", source) == normal
    assert normalise_table_name("postgresql://h", normal) == normal


@pytest.mark.parametrize("source", ["", "a.b.c", "my visits", '"open', "visits;", 'a."b"c'])
def test_other_names_are_refused(source: str) -> None:
    if source == "visits;":
        # always quoted in statements
        assert normalise_table_name("postgresql://h", source) == 'public."visits;"'
        return
    with pytest.raises(InvalidArgument, match="name of a table in the server"):
        split_table_name(source)


def test_options_of_the_address_do_not_make_another_table() -> None:
    names = {
        identify_server_table(engine, "public.visits")
        for engine in (
            "postgresql://a@localhost/clinic",
            "postgresql://b@localhost:5432/clinic?sslmode=verify-full",
            "postgres:///?host=localhost&dbname=clinic",
        )
    }
    assert names == {"postgresql://localhost:5432/clinic public.visits"}
    assert is_server("postgresql://x")
    assert not is_server("duckdb")
