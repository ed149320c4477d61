"""Five databases, and statements in the style of public workloads over them.

The statements stand in tests/questions/workloads, one after another and each with its semicolon. A
comment behind a statement that is refused names the reason: ``-- expect: individual rows``.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

FOLDER = Path(__file__).parent.parent / "tests" / "questions" / "workloads"
STYLES = {
    "web": "ClickBench",
    "orders": "TPC-H",
    "retail": "TPC-DS",
    "forum": "SQLStorm on StackOverflow",
    "survey": "SmartNoise, Qrlew, Tumult, OpenDP",
}
_STATEMENT = re.compile(r"\s*(.+?);[ \t]*(?:-- expect: ([^\n]+))?\n", re.DOTALL)
Tables = dict[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class WorkloadStatement:
    """A statement of a workload, and the reason for which it is refused, if it is."""

    workload: str
    number: int
    sql: str
    refused: str | None

    def __str__(self) -> str:
        return f"{self.workload}-{self.number}"


def read_statements(workload: str) -> list[WorkloadStatement]:
    """Return the statements of a workload."""
    text = (FOLDER / f"{workload}.sql").read_text(encoding="utf-8")
    return [
        WorkloadStatement(workload, number, sql, reason or None)
        for number, (sql, reason) in enumerate(_STATEMENT.findall(text), 1)
    ]


def write_workload(workload: str, folder: Path) -> Path:
    """Write the tables of a workload, the same on every run; return the path of its policy."""
    for table, columns in _TABLES[workload](np.random.default_rng(20261118)).items():
        pq.write_table(pa.table(columns), folder / f"{table}.parquet")
    return Path(shutil.copy(FOLDER / f"{workload}.toml", folder))


def _dates(stream: np.random.Generator, first: str, last: str, count: int) -> np.ndarray:
    days = np.arange(np.datetime64(first), np.datetime64(last) + 1)
    return stream.choice(days, count)


def _times(stream: np.random.Generator, first: str, last: str, count: int) -> np.ndarray:
    ends = np.array([first, last], dtype="datetime64[s]").astype(np.int64)
    return stream.integers(*ends, count).astype("datetime64[s]").astype("datetime64[us]")


def _holes(values: np.ndarray, stream: np.random.Generator, share: float) -> pa.Array:
    """Return values of which a share is missing."""
    return pa.array(values, mask=stream.random(len(values)) < share)


def _build_web(stream: np.random.Generator) -> Tables:
    rows = 4000
    hosts = np.array(["www.fox.example", "owl.example", "www.elk.example", "google.example"])
    paths = np.array(["/news/today", "/sport", "/video/cats", "/games", ""])

    def addresses() -> np.ndarray:
        parts = np.char.add(stream.choice(hosts, rows), stream.choice(paths, rows))
        return np.where(stream.random(rows) < 0.1, "", np.char.add("http://", parts))

    return {
        "hits": {
            "user_id": stream.integers(1, 1200, rows),
            "watch_id": stream.permutation(rows),
            "event_time": _times(stream, "2026-07-01", "2026-07-31T23:59:59", rows),
            "event_date": _dates(stream, "2026-07-01", "2026-07-31", rows),
            "counter_id": stream.choice([62, 8, 3, 17], rows),
            "region_id": stream.integers(0, 21, rows),
            "os": stream.integers(0, 10, rows),
            "browser": stream.choice(["fox", "chrome", "safari", "other"], rows),
            "url": addresses(),
            "referer": addresses(),
            "title": stream.choice(["news of today", "sport", "video games", "owls"], rows),
            "search_phrase": stream.choice(["", "", "owl", "cheap shoes", "weather"], rows),
            "search_engine_id": stream.integers(0, 6, rows),
            "adv_engine_id": stream.choice([0, 0, 0, 1, 2], rows),
            "is_refresh": stream.integers(0, 2, rows),
            "is_mobile": stream.random(rows) < 0.4,
            "is_link": stream.integers(0, 2, rows),
            "width": stream.choice([0, 1024, 1366, 1920], rows),
            "height": stream.choice([0, 768, 1080], rows),
            "phone_model": stream.choice(["", "", "Nut", "Acorn 2"], rows),
            "client_ip": stream.integers(0, 2**32, rows),
            "url_hash": stream.integers(0, 50, rows),
            "load_ms": stream.gamma(2.0, 400, rows).astype(np.int64),
            "price": stream.gamma(2.0, 20, rows),
        },
        "counters": {
            "counter_id": [62, 8, 3, 17],
            "site": ["news", "shop", "blog", "shop"],
            "weight": [1.0, 2.5, 0.5, 4.0],
        },
    }


def _build_orders(stream: np.random.Generator) -> Tables:
    customers, orders, lines = 1000, 3000, 6000
    first, last = "1992-01-01", "1998-12-31"
    return {
        "customers": {
            "customer_id": np.arange(1, customers + 1),
            "nation_id": stream.integers(0, 10, customers),
            "segment": stream.choice(
                ["AUTOMOBILE", "BUILDING", "FURNITURE", "HOUSEHOLD", "MACHINERY"], customers
            ),
            "balance": stream.normal(3000, 2500, customers).round(2),
            "phone": [f"{stream.integers(10, 35)}-555-{n:04d}" for n in range(customers)],
        },
        "orders": {
            "order_id": np.arange(1, orders + 1),
            "customer_id": stream.integers(1, customers - 200, orders),
            "status": stream.choice(["F", "O", "P"], orders),
            "total": stream.gamma(2.0, 40_000, orders).round(2),
            "ordered": _dates(stream, first, last, orders),
            "priority": stream.choice(
                ["1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW"], orders
            ),
            "remark": stream.choice(["", "special packing requests", "leave at door"], orders),
        },
        "lines": {
            "order_id": stream.integers(1, orders + 1, lines),
            "part_id": stream.integers(1, 41, lines),
            "supplier_id": stream.integers(1, 21, lines),
            "quantity": stream.integers(1, 51, lines),
            "price": stream.gamma(3.0, 9000, lines).round(2),
            "discount": stream.integers(0, 11, lines) / 100,
            "tax": stream.integers(0, 9, lines) / 100,
            "returned": stream.choice(["A", "N", "R"], lines),
            "line_status": stream.choice(["F", "O"], lines),
            "shipped": _dates(stream, first, last, lines),
            "committed": _dates(stream, first, last, lines),
            "received": _dates(stream, first, last, lines),
            "mode": stream.choice(["AIR", "MAIL", "RAIL", "SHIP", "TRUCK"], lines),
        },
        **_list_parts_and_nations(),
    }


def _list_parts_and_nations() -> Tables:
    """List the public tables around orders."""
    kinds = ["PROMO STEEL", "MEDIUM TIN", "SMALL BRASS", "PROMO COPPER"]
    nations = ["FRANCE", "GERMANY", "BRAZIL", "CHINA", "INDIA", "KENYA", "PERU", "JAPAN", "EGYPT"]
    return {
        "parts": {
            "part_id": np.arange(1, 41),
            "brand": [f"Brand#{1 + n % 4}" for n in range(40)],
            "kind": [kinds[n % 4] for n in range(40)],
            "size": [1 + 5 * n % 50 for n in range(40)],
            "container": [["SM BOX", "MED BAG", "LG CASE"][n % 3] for n in range(40)],
        },
        "suppliers": {
            "supplier_id": np.arange(1, 21),
            "supplier_nation": np.arange(20) % 10,
            "account": np.linspace(-900, 9000, 20),
        },
        "nations": {
            "nation_id": np.arange(10),
            "nation": [*nations, "CANADA"],
            "region": [
                *("EUROPE", "EUROPE", "AMERICA", "ASIA", "ASIA"),
                *("AFRICA", "AMERICA", "ASIA", "AFRICA", "AMERICA"),
            ],
        },
    }


def _build_retail(stream: np.random.Generator) -> Tables:
    people, sold, web, back = 1000, 5000, 2500, 900
    days = np.arange(np.datetime64("2025-01-01"), np.datetime64("2027-01-01"))

    def build_sales(count: int) -> dict[str, Any]:
        return {
            "customer_sk": stream.integers(1, people, count),
            "date_sk": stream.integers(1, len(days) + 1, count),
            "item_sk": stream.integers(1, 51, count),
            "quantity": stream.integers(1, 101, count),
            "sales_price": stream.gamma(2.0, 30, count).round(2),
            "net_profit": stream.normal(20, 300, count).round(2),
        }

    return {
        "customer": {
            "customer_sk": np.arange(1, people + 1),
            "birth_year": stream.integers(1930, 2008, people),
            "gender": stream.choice(["F", "M"], people),
            "marital": stream.choice(["D", "M", "S", "U", "W"], people),
            "education": stream.choice(["Primary", "Secondary", "College", "Advanced"], people),
            "state": stream.choice(["GA", "OH", "TN", "TX"], people),
            "dependants": stream.integers(0, 10, people),
        },
        "store_sales": {
            **build_sales(sold),
            "store_sk": stream.integers(1, 9, sold),
            "list_price": stream.gamma(2.0, 35, sold).round(2),
            "coupon": stream.choice([0.0, 0.0, 5.0, 12.5], sold),
            "ticket": stream.integers(1, 2000, sold),
        },
        "web_sales": {**build_sales(web), "ship_days": stream.integers(0, 150, web)},
        "store_returns": {
            "customer_sk": stream.integers(1, people, back),
            "date_sk": stream.integers(1, len(days) + 1, back),
            "item_sk": stream.integers(1, 51, back),
            "store_sk": stream.integers(1, 9, back),
            "amount": stream.gamma(2.0, 60, back).round(2),
            "reason": stream.choice(["broken", "wrong", "late", "other"], back),
        },
        **_list_items_and_stores(days),
    }


def _list_items_and_stores(days: Any) -> Tables:
    """List the public tables around sales, with a row of the calendar for each day."""
    months = days.astype("datetime64[M]").astype(int) % 12 + 1
    return {
        "item": {
            "item_sk": np.arange(1, 51),
            "category": [["Books", "Home", "Music", "Shoes", "Sports"][n % 5] for n in range(50)],
            "class": [f"class {n % 8}" for n in range(50)],
            "brand_id": np.arange(50) % 21,
            "brand": [f"brand {n % 21}" for n in range(50)],
            "manager_id": np.arange(50) % 10,
            "current_price": np.linspace(2, 190, 50),
        },
        "date_dim": {
            "date_sk": np.arange(1, len(days) + 1),
            "date": days,
            "year": days.astype("datetime64[Y]").astype(int) + 1970,
            "moy": months,
            "qoy": (months + 2) // 3,
            "day_name": [
                ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"][(n + 2) % 7]
                for n in range(len(days))
            ],
        },
        "store": {
            "store_sk": np.arange(1, 9),
            "store_name": [f"Shop {n}" for n in range(1, 9)],
            "store_state": ["GA", "OH", "TN", "TX"] * 2,
            "floor_space": np.arange(1, 9) * 900,
        },
    }


def _build_forum(stream: np.random.Generator) -> Tables:
    users, posts, comments, votes, badges = 1200, 3000, 3000, 5000, 1500
    first, last = "2024-01-01", "2026-10-31"
    return {
        "users": {
            "id": np.arange(1, users + 1),
            "reputation": np.minimum(stream.pareto(1.0, users) * 50, 90_000).astype(np.int64),
            "created": _times(stream, "2020-01-01", "2026-10-31", users),
            "location": _holes(
                stream.choice(["Berlin", "Lagos", "Lima", "Oslo", "Pune"], users), stream, 0.2
            ),
            "views": stream.poisson(60, users),
            "up_votes": stream.poisson(5, users),
            "down_votes": stream.poisson(2, users),
            "about": ["private"] * users,
        },
        "posts": {
            "id": np.arange(1, posts + 1),
            "owner_id": stream.integers(1, users - 300, posts),
            "post_type": stream.choice([1, 2], posts),
            "score": stream.poisson(3, posts) - 1,
            "view_count": stream.poisson(300, posts),
            "answer_count": stream.poisson(1, posts),
            "created": _times(stream, first, last, posts),
            "closed": _holes(_dates(stream, first, last, posts), stream, 0.9),
            "tags": stream.choice(["sql|duckdb", "python", "mysql|sql", "python|pandas"], posts),
            "title": _holes(
                stream.choice(
                    ["How do I join?", "Why is my query so slow on Mondays only?"], posts
                ),
                stream,
                0.4,
            ),
        },
        "comments": {
            "user_id": stream.integers(1, users, comments),
            "post_id": stream.integers(1, posts + 1, comments),
            "score": stream.poisson(1, comments),
            "created": _times(stream, first, last, comments),
            "text": stream.choice(["Thanks, that works", "Please add a plan", "+1"], comments),
        },
        "votes": {
            "user_id": stream.integers(1, users, votes),
            "post_id": stream.integers(1, posts + 1, votes),
            "vote_type": stream.choice([1, 2, 2, 2, 3, 5], votes),
            "created": _dates(stream, first, last, votes),
        },
        "badges": {
            "user_id": stream.integers(1, users, badges),
            "name": stream.choice(["Teacher", "Student", "Editor", "Critic", "Scholar"], badges),
            "class": stream.integers(1, 4, badges),
            "created": _dates(stream, "2020-01-01", last, badges),
        },
        "vote_types": {
            "vote_type": [1, 2, 3, 5],
            "label": ["accepted", "up", "down", "favourite"],
        },
    }


def _build_survey(stream: np.random.Generator) -> Tables:
    people, spent = 1500, 5000
    return {
        "people": {
            "pid": np.arange(1, people + 1),
            "age": stream.integers(0, 96, people),
            "sex": stream.choice(["f", "m"], people),
            "educ": stream.integers(1, 17, people),
            "race": stream.integers(1, 7, people),
            "income": stream.gamma(2.0, 22_000, people).round(),
            "married": _holes(stream.random(people) < 0.5, stream, 0.02),
            "region": stream.choice(["north", "south", "east", "west"], people),
            "job": stream.choice(["clerk", "nurse", "smith", "none"], people),
        },
        "spending": {
            "pid": stream.integers(1, people - 300, spent),
            "day": _dates(stream, "2026-01-01", "2026-06-30", spent),
            "kind": stream.choice(["food", "rent", "travel", "fun"], spent),
            "amount": stream.gamma(1.5, 80, spent).round(2),
        },
        "degrees": {
            "educ": np.arange(1, 17),
            "degree": ["none"] * 4 + ["school"] * 6 + ["college"] * 5 + ["doctor"],
        },
    }


_TABLES: dict[str, Callable[[np.random.Generator], Tables]] = {
    "web": _build_web,
    "orders": _build_orders,
    "retail": _build_retail,
    "forum": _build_forum,
    "survey": _build_survey,
}
