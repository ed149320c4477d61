"""The tables of TPC-H: from the generator at scale factor 1, or a few rows of the same shape for a
quick run.

The generator is ``tpchgen-cli``, which ``make bench`` installs. Its files are the same each time.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from bench.events import FOLDER
from bench.tpch.page import NATIONS

__all__ = ["NAMES", "Missing", "generated", "tiny"]

NAMES = ("customer", "orders", "lineitem", "part", "supplier", "partsupp", "nation", "region")
SCALE = 1
MONEY = pa.decimal128(15, 2)

# Regions of the nations in alphabetical order, as the specification has them.
_REGIONS = ("AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST")
_REGION_OF = (0, 1, 1, 1, 2, 4, 0, 3, 3, 2, 2, 4, 4, 2, 4, 0, 0, 0, 1, 3, 3, 4, 3, 1, 2)
_SEGMENTS = ("AUTOMOBILE", "BUILDING", "FURNITURE", "HOUSEHOLD", "MACHINERY")
_PRIORITIES = ("1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW")
_MODES = ("AIR", "FOB", "MAIL", "RAIL", "REG AIR", "SHIP", "TRUCK")
_PARTS = (
    ("Brand#12", "SM CASE"),
    ("Brand#23", "MED BAG"),
    ("Brand#34", "LG CASE"),
    ("Brand#51", "JUMBO JAR"),
)


class Missing(Exception):
    """Why the tables cannot be had."""


def generated() -> Path:
    """The folder of the tables at scale factor 1, made when it is not there."""
    folder = FOLDER / f"tpch-{SCALE}"
    if folder.exists():
        return folder
    program = Path(sys.executable).parent / "tpchgen-cli"
    if not program.exists():
        raise Missing("tpchgen-cli is not installed: 'make bench' does it")
    FOLDER.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=FOLDER) as place:
        command = [
            program,
            "parquet",
            "--scale-factor",
            str(SCALE),
            "--output-dir",
            place,
            "--quiet",
            "--no-progress",
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Missing((done.stderr.strip() or "tpchgen-cli gave no reason").splitlines()[-1])
        (Path(place) / "made").mkdir()
        for name in NAMES:
            (Path(place) / f"{name}.parquet").rename(Path(place) / "made" / f"{name}.parquet")
        (Path(place) / "made").rename(folder)
    return folder


def tiny(folder: Path, customers: int = 300) -> Path:
    """A few customers: the shapes of the real tables, with the columns that are asked for.
    Everybody has orders in every year.
    """
    rng = np.random.default_rng(customers)
    orders, lines = 10 * customers, 40 * customers
    ordered = np.sort(rng.integers(0, 2_406, orders))
    of = rng.integers(0, orders, lines)
    shipped = ordered[of] + rng.integers(1, 122, lines)
    parts = 40
    made: Mapping[str, Mapping[str, Any]] = {
        "customer": {
            "c_custkey": np.arange(customers), "c_name": _each("Customer", customers),
            "c_address": _each("Street", customers),
            "c_nationkey": rng.integers(0, 25, customers), "c_phone": _each("5", customers),
            "c_comment": _each("none", customers),
            "c_acctbal": _money(rng, -999, 9_999, customers),
            "c_mktsegment": _one_of(rng, _SEGMENTS, customers),
        },
        "orders": {
            "o_orderkey": np.arange(orders), "o_custkey": rng.integers(0, customers, orders),
            "o_orderstatus": _one_of(rng, "FOP", orders),
            "o_totalprice": _money(rng, 900, 500_000, orders), "o_orderdate": _days(ordered),
            "o_orderpriority": _one_of(rng, _PRIORITIES, orders),
            "o_shippriority": np.zeros(orders, dtype=np.int32),
        },
        "lineitem": {
            "l_orderkey": of, "l_partkey": rng.integers(0, parts, lines),
            "l_suppkey": rng.integers(0, 10, lines),
            "l_quantity": _money(rng, 1, 50, lines),
            "l_extendedprice": _money(rng, 900, 100_000, lines),
            "l_discount": _cents(rng.integers(0, 11, lines)),
            "l_tax": _cents(rng.integers(0, 9, lines)),
            "l_returnflag": _one_of(rng, "ANR", lines), "l_linestatus": _one_of(rng, "FO", lines),
            "l_shipdate": _days(shipped),
            "l_commitdate": _days(ordered[of] + rng.integers(30, 91, lines)),
            "l_receiptdate": _days(shipped + rng.integers(1, 31, lines)),
            "l_shipinstruct": _one_of(rng, ("DELIVER IN PERSON", "NONE"), lines),
            "l_shipmode": _one_of(rng, _MODES, lines),
        },
        "part": {
            "p_partkey": np.arange(parts), "p_brand": [_PARTS[i % 4][0] for i in range(parts)],
            "p_container": [_PARTS[i % 4][1] for i in range(parts)],
            "p_size": np.full(parts, 3, dtype=np.int32),
            "p_type": ["PROMO TIN" if i % 3 else "SMALL TIN" for i in range(parts)],
        },
        "supplier": {"s_suppkey": np.arange(10), "s_nationkey": rng.integers(0, 25, 10)},
        "partsupp": {"ps_partkey": np.arange(parts), "ps_suppkey": np.arange(parts) % 10},
        "nation": {
            "n_nationkey": np.arange(25), "n_name": list(NATIONS),
            "n_regionkey": np.array(_REGION_OF),
        },
        "region": {"r_regionkey": np.arange(5), "r_name": list(_REGIONS)},
    }  # fmt: skip
    for name, columns in made.items():
        parquet.write_table(pa.table(columns), folder / f"{name}.parquet")
    return folder


def _each(word: str, count: int) -> list[str]:
    return [f"{word} {i}" for i in range(count)]


def _one_of(rng: np.random.Generator, words: Sequence[str], count: int) -> list[str]:
    return [words[i] for i in rng.integers(0, len(words), count)]


def _cents(numbers: Any) -> pa.Array:
    return pa.array(np.asarray(numbers) / 100).cast(MONEY, safe=False)


def _money(rng: np.random.Generator, low: int, high: int, count: int) -> pa.Array:
    return _cents(100 * rng.integers(low, high + 1, count))


def _days(after: Any) -> pa.Array:
    """Days after 1 January 1992."""
    return pa.array(np.datetime64("1992-01-01") + np.asarray(after))
