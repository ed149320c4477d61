from __future__ import annotations

from pathlib import Path

import pytest

from engines.sandbox.helpers_confinement import landlock_version, run_alone
from hedgerow.engines.sandbox.landlock import list_rights

CODE = """
import ctypes, errno, json, os, sys
from hedgerow.engines.sandbox.landlock import allow_reading_only
folder = sys.argv[1]
library = ctypes.CDLL(None, use_errno=True)
library.prctl(38, 1, 0, 0, 0)

def tried(path, flags):
    try:
        os.close(os.open(path, flags))
    except OSError as error:
        return errno.errorcode[error.errno]
    return "done"

try:
    paths = [f"{folder}/{name}" for name in ("sub", "link", "absent", "file/x")]
    words = allow_reading_only(library, paths)
except OSError as error:
    print(json.dumps([error.strerror, []]))
    raise SystemExit
names = ["sub", "sub/inner", "link", "target", "file"]
flags = (os.O_RDONLY, os.O_RDWR)
print(json.dumps([words, [[tried(f"{folder}/{name}", flag) for flag in flags] for name in names]]))
"""


def test_only_allowed_folders_and_files_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    for name in ("sub/inner", "target", "file"):
        (tmp_path / name).touch()
    (tmp_path / "link").symlink_to(tmp_path / "target")
    words, found = run_alone(CODE, str(tmp_path))
    if not landlock_version():
        assert words
        assert found == []
        return
    read, refused = ["done", "EACCES"], ["EACCES", "EACCES"]
    assert found == [["done", "EISDIR"], read, read, read, refused]
    assert "write nothing (version" in words


@pytest.mark.parametrize(
    ("version", "rights", "fields"),
    [
        (1, 13, 1),
        (2, 14, 1),
        (3, 15, 1),
        (4, 15, 2),
        (5, 16, 2),
        (6, 16, 3),
        (7, 16, 3),
        (99, 16, 3),
    ],
)
def test_each_landlock_version_gets_only_the_rights_it_supports(
    version: int, rights: int, fields: int
) -> None:
    assert list_rights(version) == [2**rights - 1, 3, 3][:fields]
