"""A ledger and publications written by version 0.1: they open and verify, and their answers are
found, decoded and free.

The folder ``version_0_1`` was written by that version and is never written again. Names of modules,
classes and fields have changed since; nothing that is stored may derive from one.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import Any

import pytest

import hedgerow
from hedgerow.database import Database
from hedgerow.ledger.sqlite import Ledger
from hedgerow.publish.output.publication import Publication

FOLDER = Path(__file__).parent / "version_0_1"
WRITTEN: dict[str, Any] = json.loads((FOLDER / "answers.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    folder = tmp_path_factory.mktemp("version") / "clinic"
    shutil.copytree(FOLDER, folder)
    Ledger.adopt(folder / "clinic.ledger", "a copy for this test")
    with hedgerow.open(folder / "clinic.toml") as db:
        yield db


def test_the_ledger_verifies_to_its_last_entry(db: Database) -> None:
    entries = db.ledger.entries()
    seq, digest = WRITTEN["last"]
    assert (entries[seq - 1].seq, entries[seq - 1].hash) == (seq, digest)
    assert [entry.kind for entry in entries[seq:]] == ["adopt"]


def test_the_budgets_are_what_they_were(db: Database) -> None:
    # The earlier version wrote all twelve decimals; people now read them without trailing zeros.
    assert {name: str(budget) for name, budget in db.budgets.items()} == {
        name: re.sub(r"\.?0+(?=,|\n|$)", "", text) for name, text in WRITTEN["budget"].items()
    }


@pytest.mark.parametrize("written", WRITTEN["answers"], ids=lambda written: written["sql"][:60])
def test_a_stored_answer_is_found_decoded_and_free(db: Database, written: dict[str, Any]) -> None:
    before = len(db.ledger.entries())
    answer: Any = db.query(written["sql"], epsilon=written["epsilon"])
    assert len(db.ledger.entries()) == before
    assert answer.receipt.reused
    rows = json.loads(json.dumps(answer.rows, default=str))
    # The numbers behind an answer are stored; its last bits follow from how they are combined.
    assert len(rows) == len(written["rows"])
    for row, kept in zip(rows, written["rows"], strict=True):
        assert row.keys() == kept.keys()
        for name, value in kept.items():
            is_real = isinstance(value, float)
            assert row[name] == (pytest.approx(value, rel=1e-12) if is_real else value)


def written_program() -> Any:
    """Load the mechanism that the earlier version ran, from the same text."""
    loader = SourceFileLoader("program", str(FOLDER / "program.txt"))
    module = module_from_spec(spec_from_loader(loader.name, loader))  # type: ignore[arg-type]
    loader.exec_module(module)
    return module.noisy


def test_the_output_of_a_proved_program_is_found_and_free(db: Database) -> None:
    before = len(db.ledger.entries())
    outcome = db.run(written_program(), x=WRITTEN["program"]["x"], eps=1)
    assert list(outcome.outputs) == WRITTEN["program"]["outputs"]
    assert len(db.ledger.entries()) == before


@pytest.mark.parametrize("kind", sorted(WRITTEN["publications"]))
def test_a_publication_loads_with_its_table(kind: str) -> None:
    published = Publication.load(FOLDER / "publications" / kind)
    assert published.receipt["kind"] == kind
    table = WRITTEN["publications"][kind]
    if table is not None:
        found = published.to_arrow().to_pydict()
        assert json.loads(json.dumps(found, default=str)) == table
