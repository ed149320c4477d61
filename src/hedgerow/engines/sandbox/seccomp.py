"""Seccomp: a filter of system calls without those that open for writing.

A call that is not listed fails as if the kernel lacked it (ENOSYS), so that libraries fall back to
an older call: threads start with clone instead of clone3, whose flags a filter cannot read. A
listed call with a forbidden argument fails with EPERM. A call in the 32-bit numbering ends the
process.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys
from collections.abc import Iterable, Iterator
from typing import Final

from hedgerow.engines.sandbox.system_calls import (
    ALLOWED,
    CONDITIONAL,
    PROCESSORS,
    ArgumentRule,
    Processor,
)

__all__ = ["assemble_filter", "filter_system_calls"]

_LOAD, _EQUAL, _ANY_BIT, _RETURN = 0x20, 0x15, 0x45, 0x06
_ALLOW: Final = 0x7FFF0000
_KILL_PROCESS: Final = 0x80000000
_REFUSE: Final = 0x00050000 | errno.EPERM
_UNKNOWN: Final = 0x00050000 | errno.ENOSYS
_NUMBER, _PROCESSOR, _ARGUMENTS = 0, 4, 16  # offsets in the data that a filter sees
_SET_FILTER: Final = 1
# For every thread, and without the speculation limits that older kernels put on filtered processes.
_FLAGS: Final = 1 | 4

Instruction = tuple[int, int, int, int]  # code, jump if true, jump if false, constant


def filter_system_calls(library: ctypes.CDLL) -> str:
    """Filter the system calls of this process for good and return a description; raise OSError if
    refused.
    """
    machine = os.uname().machine
    processor = PROCESSORS.get(machine)
    if processor is None or sys.maxsize < 2**32 or sys.byteorder != "little":
        raise OSError(errno.ENOTSUP, f"no list of system calls for {machine}")
    code = b"".join(struct.pack("=HBBI", *line) for line in assemble_filter(processor))
    program = ctypes.create_string_buffer(code, len(code))
    header = ctypes.create_string_buffer(
        struct.pack("@HP", len(code) // 8, ctypes.addressof(program))
    )
    number, action = ctypes.c_long(processor.seccomp), ctypes.c_long(_SET_FILTER)
    if library.syscall(number, action, ctypes.c_long(_FLAGS), header) != 0:
        raise OSError(ctypes.get_errno(), "refused")
    return "no call that opens for writing, renames, deletes, starts a program or opens a socket"


def assemble_filter(processor: Processor) -> list[Instruction]:
    """Assemble the filter program for a processor."""
    lines: list[Instruction] = [
        (_LOAD, 0, 0, _PROCESSOR),
        (_EQUAL, 1, 0, processor.audit_arch),
        (_RETURN, 0, 0, _KILL_PROCESS),
        (_LOAD, 0, 0, _NUMBER),
    ]
    for rule in CONDITIONAL.values():
        lines += _match_number(rule.numbers[processor.column], _assemble_rule(rule))
    for numbers in ALLOWED.values():
        lines += _match_number(numbers[processor.column], [(_RETURN, 0, 0, _ALLOW)])
    return [*lines, (_RETURN, 0, 0, _UNKNOWN)]


def _match_number(number: int | None, block: Iterable[Instruction]) -> Iterator[Instruction]:
    if number is not None:
        body = list(block)
        yield _EQUAL, 0, len(body), number
        yield from body


def _assemble_rule(rule: ArgumentRule) -> Iterator[Instruction]:
    yield _LOAD, 0, 0, _ARGUMENTS + 8 * rule.argument
    if rule.forbidden_bits:
        yield _ANY_BIT, 1, 0, rule.forbidden_bits
        yield _RETURN, 0, 0, _ALLOW
    elif rule.required_bits:
        yield _ANY_BIT, 0, 1, rule.required_bits
        yield _RETURN, 0, 0, _ALLOW
    for value in rule.allowed_values:
        yield _EQUAL, 0, 1, value
        yield _RETURN, 0, 0, _ALLOW
    yield _RETURN, 0, 0, _REFUSE
