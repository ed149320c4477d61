"""An example, run in small as its own program."""

from __future__ import annotations

import contextlib
import io
import runpy
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


@contextlib.contextmanager
def ran(script: str, out: Path, modules: Sequence[str]) -> Iterator[SimpleNamespace]:
    """All names of a script, such as "advertising/month.py", after a small run, and what it
    ``told``. The ``modules`` beside it are forgotten afterwards."""
    path = EXAMPLES / script
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(io.StringIO()) as told:
        patch.syspath_prepend(path.parent)
        patch.setattr(sys, "argv", [path.name, "--small", "--out", str(out)])
        names = runpy.run_path(str(path), run_name="__main__")
        yield SimpleNamespace(**{**names, "told": told.getvalue()})
    for module in modules:
        sys.modules.pop(module, None)
