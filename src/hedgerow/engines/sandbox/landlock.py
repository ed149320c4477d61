"""Landlock: read access to listed paths, and no write access.

It also blocks TCP and signals to other processes, if the kernel is new enough. It does not cover
modes, owners, times and attributes of files, which seccomp does.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import stat
import struct
from collections.abc import Iterable
from typing import Final

__all__ = ["allow_reading_only", "list_rights"]

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same numbers on every processor
_ASK_VERSION: Final = 1
_PATH_BENEATH: Final = 1
_READ_FILE, _READ_FOLDER = 1 << 2, 1 << 3
# Rights to files by the version in which they appeared: 13 at first, then move, truncate, ioctl.
_RIGHTS: Final = {1: (1 << 13) - 1, 2: 1 << 13, 3: 1 << 14, 5: 1 << 15}
_TRUNCATES, _HAS_NETWORK, _HAS_SCOPE = 3, 4, 6
_TCP: Final = 0b11  # bind, connect
_SCOPE: Final = 0b11  # abstract sockets, signals


def allow_reading_only(library: ctypes.CDLL, paths: Iterable[str]) -> str:
    """Allow this process to read these files and folders only, and to write nothing; return a
    description.

    Paths that do not exist are skipped. Raise OSError where the kernel does not support it.
    """
    version = _call_kernel(
        library, _CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_ASK_VERSION)
    )
    fields = list_rights(version)
    asked = struct.pack(f"={len(fields)}Q", *fields)
    rules = _call_kernel(
        library, _CREATE_RULESET, asked, ctypes.c_size_t(len(asked)), ctypes.c_uint32(0)
    )
    try:
        for path in paths:
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                _allow_path(library, rules, path)
        _call_kernel(library, _RESTRICT_SELF, ctypes.c_int(rules), ctypes.c_uint32(0))
    finally:
        os.close(rules)
    less = "" if version >= _TRUNCATES else ", which does not cover truncation"
    return (
        f"can read the sources and Python's libraries, and write nothing (version {version}{less})"
    )


def list_rights(version: int) -> list[int]:
    """List the rights that a version of Landlock can remove: on files, on TCP, on other
    processes.
    """
    rights = sum(rights for since, rights in _RIGHTS.items() if since <= version)
    return [rights, *[_TCP] * (version >= _HAS_NETWORK), *[_SCOPE] * (version >= _HAS_SCOPE)]


def _allow_path(library: ctypes.CDLL, rules: int, path: str) -> None:
    held = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        folder = stat.S_ISDIR(os.fstat(held).st_mode)
        rule = struct.pack("=Qi", _READ_FILE | (_READ_FOLDER if folder else 0), held)
        _call_kernel(
            library,
            _ADD_RULE,
            ctypes.c_int(rules),
            ctypes.c_int(_PATH_BENEATH),
            rule,
            ctypes.c_uint32(0),
        )
    finally:
        os.close(held)


def _call_kernel(library: ctypes.CDLL, number: int, *arguments: object) -> int:
    found = int(library.syscall(ctypes.c_long(number), *arguments))
    if found < 0:
        code = ctypes.get_errno()
        reasons = {
            errno.ENOSYS: "the kernel was built without it, or a container hides it",
            errno.EOPNOTSUPP: "the kernel has it switched off; add landlock to its lsm= list",
        }
        raise OSError(code, reasons.get(code, os.strerror(code)))
    return found
