"""Neighbouring tables in a cluster: what analysts see of them, and how far cells move."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import hedgerow as hr
from database.attacks.judging import moved
from database.attacks.raising import CALM, POISON, table
from database.attacks.seam import renamed, versioned, versions
from database.attacks.seeking import ONE_TABLE, Scene
from engines.spark.helpers_cluster import get_address
from engines.spark.helpers_worlds import DEADLINE, open_tables, write_table
from hedgerow.errors import Unsupported

NEIGHBOURS = 8
QUESTIONS = 3
POLICY = """
[database]
name = "{name}"
engine = "{address}"
ledger = "{name}.ledger"
[budget]
epsilon = 10000
delta = 0.01
[tables.data]
source = "{folder}"
unit = "id"
neighbours = "add-remove"
max_groups = 3
max_rows_per_group = 1
max_units = 9
[tables.data.columns]
i = {{ type = "integer", min = -10, max = 10 }}
k = {{ type = "integer", min = 0, max = 100 }}
r = {{ type = "real", min = -8, max = 8, step = 0.5 }}
t = {{ type = "text" }}
d = {{ type = "date" }}
b = {{ type = "boolean" }}
"""


@contextmanager
def open_pair(folder: Path) -> Iterator[tuple[hr.Database, hr.Database]]:
    """The tables of ``raising`` in a cluster: without the person, and with them."""
    opened = []
    for name, rows in (("calm", CALM), ("poisoned", CALM + POISON)):
        write_table(table(rows), folder / name / "data")
        text = POLICY.format(name=name, address=get_address(), folder=folder / name / "data")
        (folder / name / "policy.toml").write_text(text)
        opened.append(hr.open(folder / name / "policy.toml", deadline=DEADLINE))
    with opened[0] as calm, opened[1] as poisoned:
        yield calm, poisoned


def seek_in_cluster(
    name: str, pairs: int, folder: Path, scene: Scene = ONE_TABLE
) -> tuple[int, list[str]]:
    """Compare the cells of so many pairs of neighbours, or a few more, with what is declared."""
    random, found, violations = Random(name), 0, list[str]()
    while found < pairs:
        world = scene.draw(random)
        data = scene.base(random, world)
        neighbours = scene.neighbours(random, world, data, NEIGHBOURS)
        with versions(world, [data, *neighbours], asked=1) as opened:
            source = open_tables(_name_tables(opened), folder)
            try:
                for _ in range(QUESTIONS):
                    asked = opened.ask(0, sql := scene.question(random))
                    if asked.plan is None or not _is_supported(source, asked.plan):
                        continue
                    one = source.run(versioned(asked.plan, 0))
                    for version in range(1, len(opened)):
                        other = source.run(versioned(asked.plan, version))
                        problems = moved(asked.plan, opened.unit, one, other)
                        violations += [f"{world}: {sql}: {problem}" for problem in problems]
                        found += 1
            finally:
                source.close()
    return found, violations


def _name_tables(opened: Any) -> dict[str, Any]:
    entries = opened._catalog.tables
    return {
        f"{name} {version}": (tables[name], renamed(entries[name].schema, version))
        for version, tables in enumerate(opened._tables)
        for name in entries
    }


def _is_supported(source: Any, plan: Any) -> bool:
    try:
        source.prepare(versioned(plan, 0))
    except Unsupported:
        return False
    return True
