"""The service beside ``Database.query``: what each protocol adds, how many questions a second, what
connections cost, and what a crowd without a name does to the others.

The schedule is off (``--untimed``): it waits on purpose.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from time import perf_counter, sleep

from bench.channels import compute_auc
from bench.peers import Peers
from bench.report import Row, Section, worst
from bench.serving import HttpClient, ServeProcess, WireClient, add_analysts, serve_together

__all__ = ["service"]

# Analysts, and how many new questions each asks: nobody may ask more than 600 times in a minute.
ANALYSTS = {1: 60, 8: 16, 64: 4}
NAMES = [f"analyst{number}" for number in range(max(ANALYSTS))]
PROTOCOLS = {"HTTP": HttpClient, "PostgreSQL": WireClient}
STORED = "SELECT region, COUNT(*) AS n FROM visits GROUP BY region"
HALF_OPEN, IDLE = 1_000, 500
POLICY = """\
[database]
name = "speed"

[budget]
epsilon = 10000
default_epsilon = 0.01

[tables.visits]
source = "visits.csv"
unit = "person"
neighbours = "add-remove"
population = "people"
max_units = 10_000
max_groups = 1
max_rows_per_group = 1
[tables.visits.columns]
person = { type = "integer" }
age = { type = "integer", min = 0, max = 110 }
region = { values = ["north", "south", "east", "west"] }
"""
# A crowd: connections that send the beginning of a request and then nothing, from many addresses of
# this machine, each of which comes again when it is closed.
_CROWD = """
import selectors, socket, sys, time
port, wanted = int(sys.argv[1]), int(sys.argv[2])
watched, number = selectors.DefaultSelector(), 0
def join():
    global number
    number += 1
    one = socket.socket()
    one.bind((f"127.0.{number // 200 % 5 + 1}.{number % 200 + 1}", 0))
    one.connect(("127.0.0.1", port))
    one.setblocking(False)
    one.sendall(b"POST /api/v1/query HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nX-A: ")
    watched.register(one, selectors.EVENT_READ)
for _ in range(wanted):
    join()
print("ready", flush=True)
while True:
    for key, _ in watched.select(0.5):
        try:
            is_closed = not key.fileobj.recv(4096)
        except OSError:
            is_closed = True
        if is_closed:
            watched.unregister(key.fileobj)
            key.fileobj.close()
            time.sleep(0.02)
            join()
"""


def service(peers: Peers, *, quick: bool = False) -> Section:  # noqa: ARG001
    """Measure the service."""
    with tempfile.TemporaryDirectory() as name:
        policy = _write_data(Path(name))
        logins = _measure_logins(policy, 6 if quick else 300)
        tokens = add_analysts(policy, NAMES)
        with serve_together(policy, 1, "--untimed") as (process,):
            bench = _ServiceBench(process, tokens)
            rows = bench.measure_stored(policy, 10 if quick else 200)
            for analysts, each in ANALYSTS.items():
                for is_new, count in ((True, each), (False, 3 * each)):
                    rows.append(bench.measure_rate(analysts, 1 if quick else count, is_new=is_new))
            rows += bench.measure_connections(20 if quick else IDLE)
            rows.append(bench.measure_crowd(20 if quick else 280, 20 if quick else HALF_OPEN))
    auc, error = logins
    rows.append(_row("AUC of known and unknown names", "time of a login", auc, None))
    overhead = [
        row for row in rows if row["what"] == "added by the service, ms" and row["how"] == "median"
    ]
    crowd = [row for row in rows if row["what"] == "p99, times"]
    return Section(
        "Service: HTTP and the PostgreSQL protocol over Database.query, schedule off",
        rows,
        [
            worst("HTTP adds at most 5 ms", 5, overhead, "HTTP"),
            worst("the PostgreSQL protocol adds at most 5 ms", 5, overhead, "PostgreSQL"),
            worst(f"p99 beside {HALF_OPEN:,} half-open connections within 2x", 2, crowd, "HTTP"),
            worst("the same over the PostgreSQL protocol", 2, crowd, "PostgreSQL"),
            worst("AUC of login times at most 0.55", 0.55, rows[-1:], "HTTP"),
        ],
        [
            f"One process with two engines. The standard error of the AUC is {error:.3f}. The crowd"
            " and all clients run on the same processors as the service."
        ],
    )


def _row(what: str, how: str, http: float | None, wire: float | None) -> Row:
    return {"what": what, "how": how, "HTTP": http, "PostgreSQL": wire}


def _write_data(folder: Path) -> Path:
    lines = [f"{n},{n % 90},{('north', 'south', 'east', 'west')[n % 4]}" for n in range(4_000)]
    (folder / "visits.csv").write_text("person,age,region\n" + "\n".join(lines) + "\n")
    (folder / "speed.toml").write_text(POLICY)
    return folder / "speed.toml"


def _time(function: Callable[[], object]) -> float:
    """Return the milliseconds of a call."""
    start = perf_counter()
    function()
    return (perf_counter() - start) * 1e3


def _measure_logins(policy: Path, tries: int) -> tuple[float, float]:
    """Compare the times of wrong passwords for names that exist and names that do not."""
    from contextlib import closing

    from hedgerow.service.accounts.records import Role
    from hedgerow.service.query_service import QueryService
    from hedgerow.service.settings import ServiceSettings

    taken: dict[bool, list[float]] = {True: [], False: []}
    with closing(QueryService(ServiceSettings(policy))) as opened:
        opened.accounts.add_account("known", Role.analyst, "a password of its own", "bench")
        turns = [True, False] * tries
        random.shuffle(turns)
        for turn, is_known in enumerate(turns):
            name, address = "known" if is_known else f"nobody{turn}", f"10.0.{turn}.1"

            def log_in(name: str = name, address: str = address) -> None:
                with suppress(Exception):
                    opened.log_in(name, "a wrong password", address)

            taken[is_known].append(_time(log_in))
            opened.accounts.forgive_try(name, address)
    return compute_auc(taken[True], taken[False])


class _ServiceBench:
    """The measurements over one process."""

    def __init__(self, process: ServeProcess, tokens: dict[str, str]) -> None:
        self._process, self._tokens = process, tokens
        self._number = 0

    def _connect(self, protocol: str, name: str) -> HttpClient | WireClient:
        return PROTOCOLS[protocol](self._process, name, self._tokens[name], "speed")

    def measure_stored(self, policy: Path, calls: int) -> list[Row]:
        """Return the milliseconds of a stored answer over both protocols and by the function
        below them, all in turns."""
        import hedgerow

        clients = [
            self._connect(protocol, name) for protocol, name in zip(PROTOCOLS, NAMES, strict=False)
        ]
        with hedgerow.open(policy) as database:
            asks: list[Callable[[], object]] = [
                lambda: database.query(STORED),
                *(partial(client.ask, STORED) for client in clients),
            ]
            taken: list[list[float]] = [[] for _ in asks]
            for _ in range(calls + 5):
                for ask, times in zip(asks, taken, strict=True):
                    times.append(_time(ask))
        for client in clients:
            client.close()
        rows = []
        for how, place in (("median", 0.5), ("fastest tenth", 0.1)):
            direct, *both = (sorted(times[5:])[int(calls * place)] for times in taken)
            rows.append(_row("Database.query of a stored answer, ms", how, direct, direct))
            rows.append(_row("added by the service, ms", how, *(one - direct for one in both)))
        return rows

    def measure_rate(self, analysts: int, each: int, *, is_new: bool) -> Row:
        """Return how many questions a second some analysts have answered at once."""
        rates = []
        for place, protocol in enumerate(PROTOCOLS):
            names = (NAMES[10 * place + 10 :] + NAMES)[:analysts]
            clients = [self._connect(protocol, name) for name in names]

            def work(client: HttpClient | WireClient, numbers: Sequence[int]) -> None:
                for number in numbers:
                    client.ask(_make_question(number) if is_new else STORED)

            threads = []
            for client in clients:
                numbers = range(self._number, self._number + each)
                self._number += each
                threads.append(threading.Thread(target=work, args=(client, numbers)))
            start = perf_counter()
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            rates.append(analysts * each / (perf_counter() - start))
            for client in clients:
                client.close()
        kind = "new questions" if is_new else "stored answers"
        return _row(f"{kind} a second", f"{analysts} analysts", *rates)

    def measure_connections(self, count: int) -> list[Row]:
        """Hold idle connections; return the memory of each, and how many still answer."""
        memory, alive = [], []
        for protocol in PROTOCOLS:
            before = self._process.read_memory()
            clients = []
            for number in range(count):
                client = self._connect(protocol, NAMES[number % len(NAMES)])
                client.ask("SELECT * FROM hedgerow.budget")
                clients.append(client)
            memory.append((self._process.read_memory() - before) / count / 1024)
            sleep(2)
            answered = 0
            for client in clients:
                with suppress(Exception):
                    client.ask("SELECT * FROM hedgerow.budget")
                    answered += 1
                client.close()
            alive.append(float(answered))
        return [
            _row("an idle connection, kB", f"of {count}", *memory),
            _row("idle connections that answer", f"of {count}", *alive),
        ]

    def measure_crowd(self, calls: int, crowd: int) -> Row:
        """Return how much longer the slowest answers take beside a crowd of half-open connections
        to the same port."""
        ratios = []
        for place, (protocol, port) in enumerate(
            zip(PROTOCOLS, (self._process.port, self._process.pg_port), strict=True)
        ):
            client = self._connect(protocol, NAMES[2 + place])
            # In turns, without and with the crowd, so that both have the same other load.
            slowest: dict[bool, list[float]] = {True: [], False: []}
            for is_crowded in (False, True) * 2:
                with _gather_crowd(port, crowd * is_crowded):
                    slowest[is_crowded] += [
                        _time(partial(client.ask, STORED)) for _ in range(calls // 4)
                    ]
            client.close()
            p99 = {key: sorted(times)[len(times) * 99 // 100] for key, times in slowest.items()}
            ratios.append(p99[True] / p99[False])
        return _row("p99, times", f"{crowd:,} half-open connections", *ratios)


def _make_question(number: int) -> str:
    low, width = divmod(number, 40)
    return f"SELECT COUNT(*) AS n FROM visits WHERE age BETWEEN {low} AND {low + width}"


@contextmanager
def _gather_crowd(port: int, size: int) -> Iterator[None]:
    """Keep so many half-open connections to a port, by a process of its own."""
    if not size:
        yield
        return
    with subprocess.Popen(
        [sys.executable, "-c", _CROWD, str(port), str(size)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        sleep(2)  # until the service has accepted them all
        try:
            yield
        finally:
            process.kill()
