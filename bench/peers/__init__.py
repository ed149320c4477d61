"""The peers: who they are, the environments they live in, and processes that run them.

Peers whose pins get along with ours are installed beside us (``make bench`` does it); each of the
others gets an environment of its own under ``.bench``, from a lock with hashes. A peer that cannot
be had is left out, and the bench says so and why.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from select import select
from typing import Any

__all__ = ["ABSENT", "PEERS", "Peer", "Peers", "Worker", "hired"]

HERE = Path(__file__).parent
ENVIRONMENTS = HERE.parents[1] / ".bench"
PATIENCE = 120  # seconds for an installation, or for one answer


@dataclass(frozen=True, slots=True)
class Peer:
    """A package, the adapter that drives it, the module it is imported as, and its own lock if
    it cannot live beside us.
    """

    name: str
    adapter: str
    module: str
    lock: str | None = None


PEERS = (
    Peer("opendp", "with_opendp.py", "opendp.prelude"),
    Peer("dp-accounting", "with_dp_accounting.py", "dp_accounting"),
    Peer("python-dp", "with_python_dp.py", "pydp", "python-dp.lock"),
    Peer("diffprivlib", "with_diffprivlib.py", "diffprivlib", "diffprivlib.lock"),
)

ABSENT = {
    "noise of pipeline-dp": "draws its noise through python-dp",
    "noise of tmlt.core and smartnoise-sql": "ten times slower than opendp's",
}


class Absent(Exception):
    """Why a peer cannot take part."""


class Worker:
    """A process in the environment of one peer, idle while it is not asked."""

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self.python = _python(peer)
        self._process = subprocess.Popen(
            [self.python, "-I", "-W", "ignore", HERE / "worker.py", HERE / peer.adapter],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.version = str(self._answer()["version"])

    def _answer(self) -> dict[str, Any]:
        # answers are single lines, so nothing waits in a buffer
        ready, _, _ = select([self._process.stdout], [], [], PATIENCE)
        if not ready:
            self.close()
            raise Absent(f"took more than {PATIENCE} seconds")
        line = self._process.stdout.readline()
        if not line:
            complaint = self._process.stderr.read().strip() or "it stopped without a word"
            self.close()
            raise Absent(complaint.splitlines()[-1])
        return json.loads(line)

    def ask(self, task: str, *arguments: object) -> dict[str, Any]:
        """The answer to one request: ``seconds`` and ``value``, or an ``error``."""
        with suppress(BrokenPipeError):  # it is gone; the answer, or its absence, will say why
            self._process.stdin.write(json.dumps([task, *arguments]) + "\n")
            self._process.stdin.flush()
        return self._answer()

    def close(self) -> None:
        """Let it go."""
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            with suppress(BrokenPipeError):
                pipe.close()
        self._process.wait()


@dataclass(slots=True)
class Peers:
    """Those who came, and why the others did not."""

    workers: dict[str, Worker] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)

    def ask(self, name: str, task: str, *arguments: object) -> dict[str, Any]:
        """The answer of a peer; empty where there is none. A failure is noted once."""
        if name not in self.workers:
            return {}
        try:
            answer = self.workers[name].ask(task, *arguments)
        except Absent as reason:
            answer = {"error": str(reason)}
            del self.workers[name]
        if "error" in answer:
            self.left_out.setdefault(
                " ".join(str(part) for part in (f"{name},", task, *arguments)), answer["error"]
            )
            return {}
        return answer

    def seconds(self, name: str, task: str, *arguments: object) -> float | None:
        """How long the peer took, or None."""
        return self.ask(name, task, *arguments).get("seconds")

    def round(self, name: str, task: str, *arguments: object) -> Callable[[], float | None]:
        """The same, to be called once a round."""
        return lambda: self.seconds(name, task, *arguments)


@contextmanager
def hired(*, wanted: bool = True) -> Iterator[Peers]:
    """All peers that can be had, ready to work; nobody if they are not ``wanted``."""
    peers = Peers(
        left_out=dict(ABSENT) if wanted else {peer.name: "not asked for" for peer in PEERS}
    )
    try:
        for peer in PEERS if wanted else ():
            try:
                peers.workers[peer.name] = Worker(peer)
            except Absent as reason:
                peers.left_out[peer.name] = str(reason)
        yield peers
    finally:
        for worker in peers.workers.values():
            worker.close()


def _python(peer: Peer) -> str:
    """The interpreter of the peer's environment, which is made when it is not there."""
    if peer.lock is None:
        return sys.executable
    lock, folder = HERE / peer.lock, ENVIRONMENTS / peer.name
    python, ready = folder / "bin" / "python", folder / "ready"
    stamp = hashlib.sha256(lock.read_bytes() + sys.version.encode()).hexdigest()
    if not (python.exists() and ready.exists() and ready.read_text(encoding="utf-8") == stamp):
        _run("venv", "--clear", "--without-pip", folder)
        _run("uv", "pip", "sync", "--quiet", "--python", python, "--require-hashes", lock)
        ready.write_text(stamp, encoding="utf-8")
    return str(python)


def _run(*command: object) -> None:
    try:
        done = subprocess.run(
            [sys.executable, "-m", *map(str, command)],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        raise Absent(f"could not be installed within {PATIENCE} seconds") from None
    if done.returncode:
        raise Absent(
            f"could not be installed: {(done.stderr.strip() or 'no reason given').splitlines()[-1]}"
        )
