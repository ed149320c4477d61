from __future__ import annotations

import os
from pathlib import Path

from engines.sandbox.helpers_confinement import run_alone

CODE = """
import ctypes, errno, json, os, sys
from hedgerow.engines.sandbox.capabilities import drop_capabilities

def tried(flags):
    try:
        os.close(os.open(sys.argv[1], flags))
    except OSError as error:
        return errno.errorcode[error.errno]
    return "done"

words = drop_capabilities(ctypes.CDLL(None, use_errno=True), sys.argv[1:])
lines = open("/proc/self/status").read().splitlines()
told = dict(line.split(":\\t") for line in lines if line.startswith("Cap"))
sets = {name: int(text, 16) for name, text in told.items()}
print(json.dumps([words, sets, tried(os.O_RDONLY), tried(os.O_WRONLY)]))
"""
ROOT = os.geteuid() == 0


def test_no_capability_is_left(tmp_path: Path) -> None:
    (tmp_path / "mine").touch()
    words, sets, reading, _ = run_alone(CODE, str(tmp_path / "mine"), str(tmp_path / "absent"))
    assert words == "no capability is left"
    assert {sets[name] for name in ("CapEff", "CapPrm", "CapInh", "CapAmb")} == {0}
    # only whoever may drop them has them dropped; without the others they are worth nothing
    assert sets["CapBnd"] == 0 or not ROOT
    assert reading == "done"


def test_root_keeps_the_capability_to_read_private_files_but_cannot_write(
    tmp_path: Path,
) -> None:
    theirs = tmp_path / "theirs"
    theirs.touch(mode=0o600)
    if ROOT:
        os.chown(theirs, 12345, 12345)
    else:
        theirs.chmod(0)
    words, sets, reading, writing = run_alone(CODE, str(theirs))
    kept = 1 << 2 if ROOT else 0
    assert {sets[name] for name in ("CapEff", "CapPrm")} == {kept}
    assert {sets[name] for name in ("CapInh", "CapAmb")} == {0}
    assert ("CAP_DAC_READ_SEARCH" in words) == ROOT
    assert (reading, writing) == ("done" if ROOT else "EACCES", "EACCES")
