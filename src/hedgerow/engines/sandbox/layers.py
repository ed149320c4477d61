"""All layers of the sandbox, applied one after the other before the process sees any data."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from hedgerow.engines.sandbox.capabilities import drop_capabilities
from hedgerow.engines.sandbox.landlock import allow_reading_only
from hedgerow.engines.sandbox.seccomp import filter_system_calls

__all__ = ["LAYER_NAMES", "SandboxLayer", "apply_layers", "find_libraries"]

LAYER_NAMES: Final = ("network", "landlock", "capabilities", "seccomp")

_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000
_NO_NEW_PRIVILEGES: Final = 38
_PACKAGES: Final = ("hedgerow", "numpy", "pyarrow", "duckdb", "_duckdb")
# Shared libraries and their index, time zones, and the sizes of memory and processors, which the
# engine reads. OpenSSL does not load if its settings exist and cannot be read.
_SYSTEM_PATHS: Final = (
    *("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/nix/store", "/gnu/store"),
    *("/etc/ld.so.cache", "/etc/localtime", "/usr/share/zoneinfo"),
    *("/etc/ssl/openssl.cnf", "/etc/pki/tls/openssl.cnf", "/etc/crypto-policies"),
    *("/proc/self", "/proc/meminfo", "/proc/cpuinfo", "/proc/sys/vm", "/dev/null"),
    *("/sys/fs/cgroup", "/sys/devices/system", "/sys/kernel/mm/transparent_hugepage"),
)


class SandboxLayer(NamedTuple):
    """A layer of the sandbox: whether it is active, and what it does or why it is missing."""

    name: str
    active: bool
    detail: str


def apply_layers(sources: Sequence[str]) -> list[SandboxLayer]:
    """Confine this process for good with every layer that the system supports, and report each.

    Threads that already run are not confined: call it before starting any.
    """
    if sys.platform != "linux":
        return [
            SandboxLayer(name, False, f"available on Linux only; this is {sys.platform}")
            for name in LAYER_NAMES
        ]
    library = ctypes.CDLL(None, use_errno=True)
    needed = [*sources, *find_libraries()]
    library.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)  # a precondition of the other layers
    steps: dict[str, Callable[[], str]] = {
        "network": lambda: _leave_network(library),
        "landlock": lambda: allow_reading_only(library, [*needed, *_SYSTEM_PATHS]),
        "capabilities": lambda: drop_capabilities(library, needed),
        "seccomp": lambda: filter_system_calls(library),  # last: it forbids what the others call
    }
    return [_apply_layer(name, step) for name, step in steps.items()]


def find_libraries() -> list[str]:
    """Find the folders from which this process may still import: Python's and those of our
    packages.

    Links are followed, and the folder of the running script is left out.
    """
    found = {
        os.path.dirname(os.path.realpath(os.__file__)),
        f"{sys.prefix}/lib",
        f"{sys.base_prefix}/lib",
    }
    for entry in sys.path:
        if os.path.basename(entry) == "lib-dynload" or os.path.isfile(entry):
            found.add(entry)
        for name in _PACKAGES:
            first = f"{entry}/{name}/__init__.py"
            if os.path.exists(first):
                found |= {entry, os.path.dirname(os.path.dirname(os.path.realpath(first)))}
    return sorted(found)


def _apply_layer(name: str, step: Callable[[], str]) -> SandboxLayer:
    try:
        return SandboxLayer(name, True, step())
    except (OSError, AttributeError) as error:  # the second where the C library lacks the call
        return SandboxLayer(
            name, False, getattr(error, "strerror", None) or "the C library lacks it"
        )


def _leave_network(library: ctypes.CDLL) -> str:
    if library.unshare(_NEW_NETWORK) != 0 and library.unshare(_NEW_USER | _NEW_NETWORK) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return "a network namespace of its own, without any connection"
