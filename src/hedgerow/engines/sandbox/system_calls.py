"""The system calls that the process may make, by name, with their numbers on two processors.

All others do not exist for it: opening for writing, renaming, deleting, changing modes or
attributes, starting programs, sockets, io_uring, mounting, tracing. Calls whose arguments decide
(opening, threads) have a rule. None: the processor lacks the call.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final, NamedTuple

__all__ = ["ALLOWED", "CONDITIONAL", "PROCESSORS", "ArgumentRule", "Processor"]


class Processor(NamedTuple):
    """A processor: its audit number in the kernel, its column below, and its number of the seccomp
    call.
    """

    audit_arch: int
    column: int
    seccomp: int


class ArgumentRule(NamedTuple):
    """A condition on the low 32 bits of one argument: bits that must be unset, bits of which one
    must be set, or the allowed values.
    """

    numbers: tuple[int | None, int | None]
    argument: int
    forbidden_bits: int = 0
    required_bits: int = 0
    allowed_values: tuple[int, ...] = ()


PROCESSORS: Final[Mapping[str, Processor]] = {
    "x86_64": Processor(0xC000003E, 0, 317),
    "aarch64": Processor(0xC00000B7, 1, 277),
}

# The last is O_TMPFILE without the bit of O_DIRECTORY, which it contains and which is allowed.
_WRITING: Final = os.O_ACCMODE | os.O_CREAT | os.O_TRUNC | os.O_APPEND | 0o20000000
_THREAD: Final = 0x00010000  # CLONE_THREAD: a thread of this process, so no other process can begin
# Allowed: duplicating, flags of descriptors and open files, locks. Not: leases, signals.
_FCNTL: Final = (0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030)
# Allowed: terminal tests (two), close-on-exec (on, off). Not: attributes or cloning of files.
_IOCTL: Final = (0x5401, 0x802C542A, 0x5451, 0x5450)
_PRCTL: Final = (15, 16, 0x53564D41)  # names of threads and of memory

CONDITIONAL: Final[Mapping[str, ArgumentRule]] = {
    "open": ArgumentRule((2, None), 1, forbidden_bits=_WRITING),
    "openat": ArgumentRule((257, 56), 2, forbidden_bits=_WRITING),
    "clone": ArgumentRule((56, 220), 0, required_bits=_THREAD),
    "fcntl": ArgumentRule((72, 25), 1, allowed_values=_FCNTL),
    "ioctl": ArgumentRule((16, 29), 1, allowed_values=_IOCTL),
    "prctl": ArgumentRule((157, 167), 0, allowed_values=_PRCTL),
    "prlimit64": ArgumentRule((302, 261), 0, allowed_values=(0,)),  # its own limits
}

ALLOWED: Final[Mapping[str, tuple[int | None, int | None]]] = {
    # Reading files and pipes.
    "read": (0, 63),
    "pread64": (17, 67),
    "readv": (19, 65),
    "preadv": (295, 69),
    "preadv2": (327, 286),
    "lseek": (8, 62),
    "close": (3, 57),
    "close_range": (436, 436),
    "dup": (32, 23),
    "dup2": (33, None),
    "dup3": (292, 24),
    "pipe2": (293, 59),
    "fadvise64": (221, 223),
    "readahead": (187, 213),
    "getdents64": (217, 61),
    "getcwd": (79, 17),
    # Writing to the pipe of answers: no file can be opened for writing.
    "write": (1, 64),
    # Asking about files.
    "stat": (4, None),
    "lstat": (6, None),
    "fstat": (5, 80),
    "newfstatat": (262, 79),
    "statx": (332, 291),
    "statfs": (137, 43),
    "fstatfs": (138, 44),
    "access": (21, None),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "readlink": (89, None),
    "readlinkat": (267, 78),
    # Waiting.
    "poll": (7, None),
    "ppoll": (271, 73),
    "select": (23, None),
    "pselect6": (270, 72),
    "epoll_create": (213, None),
    "epoll_create1": (291, 20),
    "epoll_ctl": (233, 21),
    "epoll_wait": (232, None),
    "epoll_pwait": (281, 22),
    "epoll_pwait2": (441, 441),
    "eventfd2": (290, 19),
    # Memory.
    "brk": (12, 214),
    "mmap": (9, 222),
    "munmap": (11, 215),
    "mremap": (25, 216),
    "mprotect": (10, 226),
    "madvise": (28, 233),
    "mincore": (27, 232),
    "membarrier": (324, 283),
    "mbind": (237, 235),
    "get_mempolicy": (239, 236),
    "set_mempolicy": (238, 237),
    "pkey_alloc": (330, 289),
    "pkey_free": (331, 290),
    "pkey_mprotect": (329, 288),
    "map_shadow_stack": (453, None),
    "mseal": (462, 462),
    # Threads.
    "futex": (202, 98),
    "futex_waitv": (449, 449),
    "futex_wake": (454, 454),
    "futex_wait": (455, 455),
    "futex_requeue": (456, 456),
    "set_robust_list": (273, 99),
    "rseq": (334, 293),
    "set_tid_address": (218, 96),
    "gettid": (186, 178),
    "sched_yield": (24, 124),
    "sched_getaffinity": (204, 123),
    "sched_setaffinity": (203, 122),
    "sched_getparam": (143, 121),
    "sched_getscheduler": (145, 120),
    "sched_get_priority_max": (146, 125),
    "sched_get_priority_min": (147, 126),
    "getcpu": (309, 168),
    "arch_prctl": (158, None),
    "exit": (60, 93),
    "exit_group": (231, 94),
    "restart_syscall": (219, 128),
    # Signals that arrive; none can be sent.
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "rt_sigpending": (127, 136),
    "rt_sigsuspend": (130, 133),
    "rt_sigtimedwait": (128, 137),
    "sigaltstack": (131, 132),
    # Time.
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "clock_nanosleep": (230, 115),
    "nanosleep": (35, 101),
    "gettimeofday": (96, 169),
    "time": (201, None),
    "times": (100, 153),
    # Asking about the process and the machine.
    "getpid": (39, 172),
    "getppid": (110, 173),
    "getuid": (102, 174),
    "geteuid": (107, 175),
    "getgid": (104, 176),
    "getegid": (108, 177),
    "getresuid": (118, 148),
    "getresgid": (120, 150),
    "getgroups": (115, 158),
    "getrlimit": (97, 163),
    "getrusage": (98, 165),
    "capget": (125, 90),
    "uname": (63, 160),
    "sysinfo": (99, 179),
    "getrandom": (318, 278),
}
