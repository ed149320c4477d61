"""Capabilities: the powers of root, which the engine process gives up."""

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
    """Give up all capabilities and return what is left.

    Where root must read a path that belongs to somebody else, the capability to read any file
    stays: it lets nobody write.
    """
    bound = 0
    # until there are no more, or no right to
    while library.prctl(_DROP_BOUND, bound, 0, 0, 0) == 0:
        bound += 1
    held = ctypes.create_string_buffer(_SETS.size)
    _check_result(library.capget(_HEADER, held))
    permitted, more = _SETS.unpack(held.raw)[1::3]
    _set_capabilities(library, 0, permitted, more)
    kept = 0 if all(map(_is_readable, paths)) else permitted & _READ_ANY
    _set_capabilities(library, kept, kept)
    if not kept:
        return "none is left"
    return "one is left, to read files of other users (CAP_DAC_READ_SEARCH), which the data need"


def _set_capabilities(library: ctypes.CDLL, effective: int, permitted: int, more: int = 0) -> None:
    _check_result(library.capset(_HEADER, _SETS.pack(effective, permitted, 0, 0, more, 0)))


def _check_result(result: int) -> None:
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def _is_readable(path: str) -> bool:
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_CLOEXEC))
    except PermissionError:
        return False
    except OSError:  # it is not there, say: whoever needs it will hear of that
        return True
    return True
