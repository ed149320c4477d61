"""The ledger in a PostgreSQL server: 64 clients, 600 terminated backends, fsync on; moves killed at
every step; a full disk.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

from engines.postgresql.helpers_server import get_server
from hedgerow.errors import LedgerError
from hedgerow.ledger.anchored_ledger import AnchoredLedger
from hedgerow.ledger.chain_verification import verify
from hedgerow.privacy.loss import Loss
from ledger.filed import program
from ledger.helpers_nemesis import get_durable_server, spend_under_faults
from ledger.helpers_stores import TableStore
from ledger.making import pay, quick_folder

EACH = 4
SMALL = Loss(Fraction(1, 10**5))


def test_64_clients_and_600_terminated_backends(tmp_path: Path) -> None:
    ended, seconds = spend_under_faults(
        tmp_path, processes=4, threads=16, units=2000, terminations=600, restarts=2
    )
    assert ended == 600
    half, *_ = statistics.quantiles(seconds, n=2)
    print(f"p50 {half:.2f} s, p99 {statistics.quantiles(seconds, n=100)[98]:.2f} s")


@pytest.mark.parametrize("first", range(1, EACH + 1))
@pytest.mark.parametrize(
    ("old", "new"),
    [("sqlite", "postgresql"), ("postgresql", "sqlite"), ("postgresql", "postgresql")],
)
def test_a_move_that_dies_leaves_at_most_one_open(
    old: str, new: str, first: int, tmp_path: Path
) -> None:
    with quick_folder(tmp_path) as folder:
        deaths, opened = map(
            int, program("moving.py", folder, get_server().port, old, new, first, EACH).split()
        )
    assert deaths > 8
    assert 0 < opened <= deaths + 1


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of two megabytes for a table."""
    place = Path("/dev/shm") / f"hedgerow-small-{os.getpid()}"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m,mode=777", "tmpfs", str(place)], check=False
    )
    if mounted.returncode:
        place.rmdir()
        pytest.skip("needs the right to mount a file system")
    shutil.chown(place, "postgres")  # whose server it is when root runs the tests
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)
    place.rmdir()


def fill(ledger: AnchoredLedger, granted: list[int]) -> None:
    while True:
        granted.append(pay(ledger, SMALL, question="x" * 6000).seq)


def test_a_full_disk_loses_no_charge(tmp_path: Path, small_disk: Path) -> None:
    server, granted = get_durable_server(), list[int]()
    store = TableStore(tmp_path, server=server).make(0)
    with server.connect() as owner:
        owner.execute(f"CREATE TABLESPACE small_{os.getpid()} LOCATION '{small_disk}'")
        owner.execute(f"ALTER TABLE {store.schema}.entries SET TABLESPACE small_{os.getpid()}")
    # Compression would make room.
    store.change("ALTER TABLE entries ALTER COLUMN body SET STORAGE PLAIN")
    with store.open() as ledger:
        for _ in range(2):
            with pytest.raises(LedgerError, match="is on a full disk"):
                fill(ledger, granted)
        assert [entry.seq for entry in ledger.entries() if entry.kind == "charge"] == granted
        with server.connect() as owner:
            owner.execute(f"ALTER TABLE {store.schema}.entries SET TABLESPACE pg_default")
            owner.execute(f"DROP TABLESPACE small_{os.getpid()}")
        granted.append(pay(ledger, SMALL).seq)
        assert ledger.state.budget("patients").charged == len(granted) * SMALL
    assert len(granted) > 100
    report = verify(store.place)
    assert report.sound, report.problem
