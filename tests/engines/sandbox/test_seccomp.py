"""The filter on both processors, run by an interpreter of its language: one of them is not the
machine of the tests.
"""

from __future__ import annotations

import errno
import os
import subprocess
import sys

import pytest

from engines.sandbox.helpers_confinement import has_seccomp, run_alone
from hedgerow.engines.sandbox.seccomp import assemble_filter, filter_system_calls
from hedgerow.engines.sandbox.system_calls import ALLOWED, CONDITIONAL, PROCESSORS

ALLOW, END, REFUSED, UNKNOWN = 0x7FFF0000, 0x80000000, 0x50000 | errno.EPERM, 0x50000 | errno.ENOSYS
# Calls by which files, processes or the network could be reached, with their numbers in the
# kernel's two tables.
FORBIDDEN = """
creat:85:- truncate:76:45 ftruncate:77:46 fallocate:285:47 rename:82:- renameat:264:38
renameat2:316:276 unlink:87:- unlinkat:263:35 rmdir:84:- mkdir:83:- mkdirat:258:34 link:86:-
linkat:265:37 symlink:88:- symlinkat:266:36 mknod:133:- mknodat:259:33 chmod:90:- fchmod:91:52
fchmodat:268:53 fchmodat2:452:452 chown:92:- fchown:93:55 lchown:94:- fchownat:260:54 utime:132:-
utimes:235:- futimesat:261:- utimensat:280:88 setxattr:188:5 lsetxattr:189:6 fsetxattr:190:7
removexattr:197:14 lremovexattr:198:15 fremovexattr:199:16 openat2:437:437 open_by_handle_at:304:265
name_to_handle_at:303:264 memfd_create:319:279 memfd_secret:447:447 pwrite64:18:68 writev:20:66
pwritev:296:70 pwritev2:328:287 sendfile:40:71 splice:275:76 tee:276:77 vmsplice:278:75
copy_file_range:326:285 execve:59:221 execveat:322:281 fork:57:- vfork:58:- clone3:435:435
ptrace:101:117 process_vm_readv:310:270 process_vm_writev:311:271 pidfd_open:434:434
pidfd_getfd:438:438 pidfd_send_signal:424:424 kill:62:129 tkill:200:130 tgkill:234:131
rt_sigqueueinfo:129:138 socket:41:198 socketpair:53:199 connect:42:203 bind:49:200 sendto:44:206
sendmsg:46:211 io_uring_setup:425:425 io_uring_enter:426:426 io_uring_register:427:427
io_setup:206:0 io_submit:209:2 mount:165:40 umount2:166:39 mount_setattr:442:442 move_mount:429:429
open_tree:428:428 fsopen:430:430 pivot_root:155:41 chroot:161:51 setns:308:268 unshare:272:97
bpf:321:280 perf_event_open:298:241 userfaultfd:323:282 seccomp:317:277
landlock_create_ruleset:444:444 keyctl:250:219 add_key:248:217 request_key:249:218
init_module:175:105 finit_module:313:273 kexec_load:246:104 setuid:105:146 setresuid:117:147
capset:126:91 swapon:167:224 quotactl:179:60 syslog:103:116 reboot:169:142 chdir:80:49
"""


def run(
    program: list[tuple[int, int, int, int]],
    mark: int,
    number: int,
    arguments: tuple[int, ...] = (),
) -> int:
    """The verdict on a call. Four kinds of instructions, and a place to hold one number."""
    words = {
        0: number,
        4: mark,
        **{16 + 8 * place: value & 0xFFFFFFFF for place, value in enumerate(arguments)},
    }
    held, at = 0, 0
    while True:
        code, true, false, constant = program[at]
        at += 1
        if code == 0x20:
            held = words.get(constant, 0)
        elif code == 0x06:
            return constant
        else:
            assert code in (0x15, 0x45)
            at += true if (held == constant if code == 0x15 else held & constant) else false


@pytest.fixture(params=list(PROCESSORS))
def machine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def verdict(machine: str, number: int | None, *arguments: int) -> int:
    assert number is not None
    return run(
        assemble_filter(PROCESSORS[machine]), PROCESSORS[machine].audit_arch, number, arguments
    )


def test_only_listed_calls_are_allowed(machine: str) -> None:
    processor = PROCESSORS[machine]
    program = assemble_filter(processor)
    plain = {numbers[processor.column] for numbers in ALLOWED.values()}
    ruled = {rule.numbers[processor.column] for rule in CONDITIONAL.values()}
    for number in (*range(1000), 2**30, 2**30 + 257, 2**31):  # those with bit 30 are the x32 way in
        if number not in ruled:
            assert run(program, processor.audit_arch, number) == (
                ALLOW if number in plain else UNKNOWN
            )
    forbidden = dict(
        zip(
            PROCESSORS,
            zip(*(call.split(":")[1:] for call in FORBIDDEN.split()), strict=True),
            strict=True,
        )
    )[machine]
    assert {
        run(program, processor.audit_arch, int(number)) for number in forbidden if number != "-"
    } == {UNKNOWN}


def test_a_call_in_another_numbering_ends_the_process(machine: str) -> None:
    # of 32 bits, and each of the two on the other
    for mark in (0x40000003, 0x40000028, 0xC000003E, 0xC00000B7):
        if mark != PROCESSORS[machine].audit_arch:
            assert run(assemble_filter(PROCESSORS[machine]), mark, 0) == END


def test_files_are_opened_for_reading_alone(machine: str) -> None:
    place = PROCESSORS[machine].column
    for name, before in (("open", (1,)), ("openat", (2**32 - 100, 1))):
        number = CONDITIONAL[name].numbers[place]
        if number is None:
            continue
        for flags in (0, os.O_CLOEXEC, os.O_DIRECTORY | os.O_NONBLOCK):
            assert verdict(machine, number, *before, flags) == ALLOW
        for flags in (1, 2, 3, os.O_CREAT, os.O_TRUNC, os.O_APPEND, os.O_TMPFILE, 2**32 + 2):
            assert verdict(machine, number, *before, flags) == REFUSED


def test_other_processes_files_and_limits_are_out_of_reach(machine: str) -> None:
    clone, fcntl, ioctl, prctl, limits = (
        CONDITIONAL[name].numbers[PROCESSORS[machine].column]
        for name in ("clone", "fcntl", "ioctl", "prctl", "prlimit64")
    )
    assert verdict(machine, clone, 0x3D0F00) == ALLOW  # as a thread begins
    # a process, a user namespace
    assert verdict(machine, clone, 17) == verdict(machine, clone, 0x10000000 | 17) == REFUSED
    assert verdict(machine, fcntl, 3, 1030) == ALLOW
    assert {verdict(machine, fcntl, 3, command) for command in (8, 10, 1024, 1033)} == {REFUSED}
    assert verdict(machine, ioctl, 3, 0x5401) == ALLOW
    assert {
        verdict(machine, ioctl, 3, request)
        for request in (0x40086602, 0x401C5820, 0x40049409, 0x5412)
    } == {REFUSED}
    assert verdict(machine, prctl, 15) == ALLOW
    assert {verdict(machine, prctl, option) for option in (4, 22, 23, 38)} == {REFUSED}
    assert (verdict(machine, limits, 0), verdict(machine, limits, 1)) == (ALLOW, REFUSED)


FILTERED = """
import ctypes, json, os, sys
from hedgerow.engines.sandbox.seccomp import filter_system_calls
library = ctypes.CDLL(None, use_errno=True)
library.prctl(38, 1, 0, 0, 0)
status = open("/proc/self/status")
words = filter_system_calls(library)
told = [line.split()[1] for line in status if line.startswith("Seccomp:")]
print(json.dumps([words, told]))
"""


def test_the_kernel_loads_the_filter() -> None:
    if not has_seccomp():
        with pytest.raises(OSError, match=r"no list of system calls|refused"):
            filter_system_calls(None)  # type: ignore[arg-type]
        return
    words, told = run_alone(FILTERED)
    assert told == ["2"]
    assert "opens for writing" in words


ENDS = """
import ctypes, mmap
from hedgerow.engines.sandbox.seccomp import filter_system_calls
library = ctypes.CDLL(None, use_errno=True)
library.prctl(38, 1, 0, 0, 0)
page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(b"\\xb8\\x14\\x00\\x00\\x00\\xcd\\x80\\xc3")  # mov eax, 20 (getpid); int 0x80; ret
way = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
assert way() > 0 or way() == -38  # as it is without a filter, or on a kernel without 32 bits
filter_system_calls(library)
way()
"""


def test_a_32_bit_call_ends_the_process() -> None:
    if os.uname().machine != "x86_64":
        assert assemble_filter(PROCESSORS["aarch64"])[2] == (0x06, 0, 0, END)
        return
    run = subprocess.run([sys.executable, "-c", ENDS], capture_output=True, text=True, check=False)
    # SIGSYS; or a fault, where the kernel has no such way in
    assert run.returncode in (-31, -11), run.stderr


def test_a_processor_without_a_list_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "uname", lambda: type("uname", (), {"machine": "riscv64"}))
    with pytest.raises(OSError, match="no list of system calls for riscv64"):
        filter_system_calls(None)  # type: ignore[arg-type]
