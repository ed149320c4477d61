"""The address of a Connect server, and names of tables and paths."""

from __future__ import annotations

import re

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.policy.server_sources import check_engine, is_server, normalise_table_name
from hedgerow.policy.spark_sources import (
    check_spark_address,
    identify_spark_source,
    is_spark,
    normalise_spark_source,
    split_spark_source,
)

ENGINE = "sc://localhost:15002"


@pytest.mark.parametrize(
    "engine",
    [
        ENGINE,
        "sc://127.0.0.1",
        "sc://[::1]:15002/",
        "sc://localhost/;user_id=hedgerow",
        "sc://spark.example.org:443/;use_ssl=true;x-cluster=7",
    ],
)
def test_addresses_are_accepted_on_this_machine_or_with_tls(engine: str) -> None:
    assert is_spark(engine)
    assert is_server(engine)
    assert list(check_spark_address(engine)) == list(check_engine(engine)) == []


@pytest.mark.parametrize(
    ("engine", "message"),
    [
        ("sc://spark.example.org", "must use TLS, .* add /;use_ssl=true"),
        ("sc://10.0.0.7:15002/;use_ssl=false", "must use TLS"),
        ("sc://0.0.0.0", "must use TLS"),
        ("sc://localhost/;token=abc", "no token and no password: .*SPARK_CONNECT_AUTHENTICATE"),
        ("sc://me:secret@localhost", "no token and no password"),
        ("sc://localhost/;session_id=1", "unknown option 'session_id'"),
        ("sc://localhost/clinic", "must be an address such as sc://host:15002"),
        ("sc://localhost/;use_ssl", "must be an address such as"),
        ("sc://localhost?use_ssl=true", "must be an address such as"),
        ("sc://:15002", "must be an address such as"),
        ("sc://host:port", "must be an address such as"),
        ("sc://[::1", "must be an address such as"),
    ],
)
def test_other_addresses_are_refused(engine: str, message: str) -> None:
    mistakes = [str(mistake) for mistake in check_spark_address(engine)]
    assert len(mistakes) == 1
    assert re.search(message, mistakes[0])
    assert "secret" not in mistakes[0]
    assert "abc" not in mistakes[0]


@pytest.mark.parametrize(
    ("source", "parts", "normal"),
    [
        ("Visits", ("spark_catalog", "default", "visits"), "spark_catalog.default.visits"),
        ("lake.Visits", ("spark_catalog", "lake", "visits"), "spark_catalog.lake.visits"),
        ("a.b.c", ("a", "b", "c"), "a.b.c"),
        ("`My ``T.x`", ("spark_catalog", "default", "My `T.x"),
         "spark_catalog.default.`My ``T.x`"),
        ("/data//visits/", ("parquet", "/data/visits"), "parquet:/data/visits"),
        ("file:///data/visits", ("parquet", "/data/visits"), "parquet:/data/visits"),
        ("s3://lake/visits/", ("parquet", "s3://lake/visits"), "parquet:s3://lake/visits"),
        ("delta:s3a://lake/v", ("delta", "s3a://lake/v"), "delta:s3a://lake/v"),
        ("iceberg:/data/v", ("iceberg", "/data/v"), "iceberg:/data/v"),
    ],
)  # fmt: skip
def test_one_source_has_one_name(source: str, parts: tuple[str, ...], normal: str) -> None:
    assert split_spark_source(source) == parts
    assert normalise_spark_source(source) == normalise_table_name(ENGINE, source) == normal
    assert normalise_spark_source(normal) == normal


@pytest.mark.parametrize("source", ["", "a.b.c.d", "a b.c; d/e", "visits'", "data/visits", "a..b"])
def test_other_names_are_refused(source: str) -> None:
    with pytest.raises(InvalidArgument, match="name of a table in the cluster"):
        split_spark_source(source)


def test_other_formats_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="parquet, delta, iceberg"):
        split_spark_source("orc:/data/visits")


def test_the_ledger_knows_a_source_whatever_the_options_are() -> None:
    name = normalise_spark_source("visits")
    assert identify_spark_source("sc://localhost/;user_id=a", name) == identify_spark_source(
        ENGINE, name
    )
    assert identify_spark_source("sc://other", name) != identify_spark_source(ENGINE, name)
    shared = "parquet:s3://lake/visits"
    assert identify_spark_source("sc://a", shared) == identify_spark_source("sc://b", shared)
