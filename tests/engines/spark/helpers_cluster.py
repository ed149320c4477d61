"""A real Spark cluster for the tests: a master, two workers and a Connect server on loopback.

All processes of one run of the suite share a cluster. It is started by the first that needs it, and
this module, run as a program, watches over it: when the last of them has gone, so has the cluster.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import os
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
HOME = Path(sys.prefix) / "spark"  # in the .venv
WORKERS = 2
JAVA_FLAGS = (
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-XX:+IgnoreUnrecognizedVMOptions",
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-Djava.net.preferIPv4Stack=true",
    *(
        f"--add-opens=java.base/{package}=ALL-UNNAMED"
        for package in (
            "java.lang java.lang.invoke java.lang.reflect java.io java.net java.nio java.util"
            " java.util.concurrent java.util.concurrent.atomic jdk.internal.ref sun.nio.ch"
            " sun.nio.cs sun.security.action sun.util.calendar"
        ).split()
    ),
)
SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.connect.grpc.binding.address": "127.0.0.1",
    "spark.executor.memory": "700m",
    "spark.executor.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.codegen.cache.maxEntries": "50",
    "spark.ui.enabled": "false",
    "spark.log.level": "WARN",
}
START_SECONDS = 600.0
USERS = "users"
READY = "ready"


class Cluster:
    """The processes of a cluster, in a folder of its own."""

    def __init__(self, folder: Path, *, cores: int = 1, workers: int = WORKERS) -> None:
        self.folder, self.cores = folder, cores
        self.port, self._master = find_port(), find_port()
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self._start("master", "256m", "deploy.master.Master", "--port", str(self._master))
        for number in range(workers):
            self.start_worker(number)
        settings = {
            **SETTINGS,
            "spark.connect.grpc.binding.port": str(self.port),
            "spark.sql.warehouse.dir": str(folder / "warehouse"),
            "spark.local.dir": str(folder / "local"),
        }
        self._start(
            "connect",
            "900m",
            "deploy.SparkSubmit",
            "--master",
            self._master_address,
            *(part for pair in settings.items() for part in ("--conf", "=".join(pair))),
            "--class",
            "org.apache.spark.sql.connect.service.SparkConnectServer",
            "spark-internal",
        )

    @property
    def _master_address(self) -> str:
        return f"spark://127.0.0.1:{self._master}"

    @property
    def address(self) -> str:
        return f"sc://127.0.0.1:{self.port}"

    def start_worker(self, number: int) -> None:
        limits = ("--cores", str(self.cores), "--memory", "1g")
        self._start(
            f"worker{number}",
            "256m",
            "deploy.worker.Worker",
            *("--webui-port", "0", "--work-dir", str(self.folder / "work"), *limits),
            self._master_address,
        )

    def _start(self, name: str, memory: str, main: str, *arguments: str) -> None:
        host = [] if main == "deploy.SparkSubmit" else ["--host", "127.0.0.1"]
        with (self.folder / f"{name}.log").open("ab") as log:
            self.processes[name] = subprocess.Popen(
                [
                    *("java", f"-Xmx{memory}", *JAVA_FLAGS, "-cp", f"{HOME}/jars/*"),
                    *(f"org.apache.spark.{main}", *host, *arguments),
                ],
                env={
                    "PATH": os.environ["PATH"],
                    "SPARK_HOME": str(HOME),
                    "SPARK_LOCAL_IP": "127.0.0.1",
                    "SPARK_SCALA_VERSION": "2.13",
                    "LC_ALL": "C.UTF-8",
                },
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
            )

    def wait(self) -> None:
        """Wait until the server answers; its log tells why it does not."""
        until = time.monotonic() + START_SECONDS
        while time.monotonic() < until and self.processes["connect"].poll() is None:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port)):
                return
            time.sleep(0.2)
        raise RuntimeError((self.folder / "connect.log").read_text()[-2000:])

    def stop(self) -> None:
        # Workers end their executors when they are asked to end.
        for process in reversed(self.processes.values()):
            process.terminate()
        for process in self.processes.values():
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(10)
            process.kill()
            process.wait()


def find_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def install() -> None:
    """Fetch the server's jars once, as the lock has them, into the .venv."""
    lock = (HERE / "requirements.lock").read_text()
    if (HOME / "lock").is_file() and (HOME / "lock").read_text() == lock:
        return
    shutil.rmtree(HOME, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=HOME.parent) as folder:
        # Downloaded only: installing would build a wheel of half a gigabyte.
        subprocess.run(
            [
                *(sys._base_executable, "-m", "pip", "download", "-q", "--no-deps"),
                *("--require-hashes", "-d", folder, "-r", str(HERE / "requirements.lock")),
            ],
            check=True,
            stdin=subprocess.DEVNULL,
            cwd=ROOT,
        )
        (archive,) = Path(folder).glob("pyspark-*.tar.gz")
        with tarfile.open(archive) as packed:
            for member in packed:
                _, _, inside = member.name.partition("/deps/")
                if inside.startswith("jars/") and member.isfile():
                    member.name = inside
                    packed.extract(member, HOME, filter="data")
    (HOME / "lock").write_text(lock)


def prepare() -> None:
    """Fetch what a cluster consists of; without Java there is none."""
    if shutil.which("java") is None:
        message = "needs Java: apt-get install default-jre-headless"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    with locked(HOME.parent / "spark.lock"):
        install()


@functools.cache
def get_address() -> str:
    """The address of the cluster that this run of the suite shares."""
    prepare()
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
    folder = Path(tempfile.gettempdir()) / f"hedgerow-spark-{run}"
    with locked(folder / "lock"):
        (folder / USERS).mkdir(exist_ok=True)
        (folder / USERS / str(os.getpid())).write_text(read_start(str(os.getpid())))
        if not (folder / READY).exists():
            with (folder / "watch.log").open("wb") as log:
                watcher = subprocess.Popen(
                    [sys.executable, __file__, str(folder)],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
            while not (folder / READY).exists():
                if watcher.poll() is not None:
                    raise RuntimeError((folder / "watch.log").read_text()[-2000:])
                time.sleep(0.1)
            watcher.returncode = 0  # nobody waits for it: it ends after this process
        return (folder / READY).read_text()


def watch(folder: Path) -> None:
    """Run a cluster until nobody uses it any more."""
    cluster = Cluster(folder)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        cluster.wait()
        (folder / "new").write_text(cluster.address)
        (folder / "new").rename(folder / READY)
        while any(map(is_alive, list((folder / USERS).iterdir()))):
            time.sleep(1)
    finally:
        cluster.stop()
        shutil.rmtree(folder, ignore_errors=True)


def is_alive(user: Path) -> bool:
    """Whether a process is there still, and not a later one of the same number."""
    return read_start(user.name) == user.read_text()


def read_start(process: str) -> str:
    """When a process began, in ticks since the machine did; nothing where it has ended."""
    try:
        return Path("/proc", process, "stat").read_text().rpartition(")")[2].split()[19]
    except OSError:
        return ""


if __name__ == "__main__":
    watch(Path(sys.argv[1]))
