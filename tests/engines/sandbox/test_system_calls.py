from __future__ import annotations

import os

from hedgerow.engines.sandbox.system_calls import ALLOWED, CONDITIONAL, PROCESSORS


def test_every_system_call_has_one_unique_number() -> None:
    for processor in PROCESSORS.values():
        listed = [*ALLOWED.values(), *(rule.numbers for rule in CONDITIONAL.values())]
        numbers = [
            numbers[processor.column] for numbers in listed if numbers[processor.column] is not None
        ]
        assert len(numbers) == len(set(numbers))
        assert all(numbers != (None, None) for numbers in listed)


def test_no_call_is_allowed_by_name_that_has_a_rule_or_that_writes() -> None:
    assert not set(ALLOWED) & set(CONDITIONAL)
    stems = (
        "creat",
        "trunc",
        "rename",
        "unlink",
        "link",
        "mkdir",
        "rmdir",
        "mknod",
        "chmod",
        "chown",
        "xattr",
        "utime",
    )
    more = (
        "exec",
        "fork",
        "ptrace",
        "process_vm",
        "socket",
        "connect",
        "io_uring",
        "mount",
        "bpf",
        "handle",
        "kill",
    )
    kept = {"readlink", "readlinkat", "epoll_create", "epoll_create1"}
    assert not [
        name for name in ALLOWED if name not in kept and any(stem in name for stem in stems + more)
    ]


def test_opening_rules_cover_every_flag_that_writes() -> None:
    for name in ("open", "openat"):
        for flags in (os.O_WRONLY, os.O_RDWR, os.O_CREAT, os.O_TRUNC, os.O_APPEND, os.O_TMPFILE):
            assert flags & CONDITIONAL[name].forbidden_bits
        assert (
            not (os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY | os.O_NONBLOCK | os.O_NOFOLLOW)
            & CONDITIONAL[name].forbidden_bits
        )


def test_calls_with_pointer_arguments_are_not_listed() -> None:
    assert not {"openat2", "clone3"} & {*ALLOWED, *CONDITIONAL}
