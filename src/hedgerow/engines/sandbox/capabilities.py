"""Capabilities: the privileges of root, which the process gives up."""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable
from typing import Final

__all__ = ["drop_capabilities"]

_DROP_BOUND: Final = 24
_HEADER: Final = struct.pack("=Ii", 0x20080522, 0)  # the third version, of this thread
_SETS: Final = struct.Struct("=6I")  # effective, permitted, inheritable; twice, for 64 bits
_READ_ANY: Final = 1 << 2  # CAP_DAC_READ_SEARCH


def drop_capabilities(library: ctypes.CDLL, paths: Iterable[str]) -> str:
    """Drop all capabilities and return a description of what is left.

    Where root must read a path of another user, the capability to read any file is kept: it does
    not allow writing.
    """
    bound = 0
    # until there are no more, or no right to drop any
    while library.prctl(_DROP_BOUND, bound, 0, 0, 0) == 0:
        bound += 1
    held = ctypes.create_string_buffer(_SETS.size)
    _check_result(library.capget(_HEADER, held))
    permitted, more = _SETS.unpack(held.raw)[1::3]
    _set_capabilities(library, 0, permitted, more)
    kept = 0 if all(map(_is_readable, paths)) else permitted & _READ_ANY
    _set_capabilities(library, kept, kept)
    if not kept:
        return "no capability is left"
    return "only CAP_DAC_READ_SEARCH is left, to read the data files of other users"


def _set_capabilities(library: ctypes.CDLL, effective: int, permitted: int, more: int = 0) -> None:
    _check_result(library.capset(_HEADER, _SETS.pack(effective, permitted, 0, 0, more, 0)))


def _check_result(result: int) -> None:
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def _is_readable(path: str) -> bool:
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_CLOEXEC))
    except OSError as error:  # others, such as a missing file, are reported by its reader
        return not isinstance(error, PermissionError)
    return True
