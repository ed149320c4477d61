"""Audits of a function in a file, as ``hedgerow audit FILE:FUNCTION`` runs them.

The file is Python. It declares the setup by names at its top level:

    NEIGHBOURS = (one, other)   two neighbouring data sets; FUNCTION(data) runs on both, many times
    BATCH = True                optional: FUNCTION(data, n) returns n independent outputs at once
    CELLS = 10_000              instead of NEIGHBOURS: a one-run audit, in which FUNCTION(included)
                                returns one score per canary

In a file with several functions, each can have its own setup as attributes, which take precedence:
``FUNCTION.neighbours = (one, other)``, ``FUNCTION.batch = True``, ``FUNCTION.cells = 10_000``.
"""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from hedgerow.errors import InvalidArgument
from hedgerow.verify.audit.blackbox import Audit, Progress, audit
from hedgerow.verify.audit.one_run import OneRunAudit, audit_one_run

__all__ = ["audit_target", "load"]

_MODULE_NAME = "hedgerow_audited"


def load(target: str) -> Callable[..., Any]:
    """Run the file and return the function that ``FILE:FUNCTION`` names."""
    path, name = _parse_target(target)
    with _importing_siblings(path):
        return _find_function(_run_file(path), name)


def audit_target(
    target: str,
    samples: int = 100_000,
    confidence: float = 0.95,
    delta: float = 0.0,
    *,
    progress: Progress | None = None,
) -> Audit | OneRunAudit:
    """Audit the function that ``FILE:FUNCTION`` names, on the data sets that its file declares."""
    path, name = _parse_target(target)
    with _importing_siblings(path):
        module = _run_file(path)
        function = _find_function(module, name)
        cells = _find_setting(module, function, "cells")
        neighbours = _find_setting(module, function, "neighbours")
        batch = bool(_find_setting(module, function, "batch"))
        if cells is not None:
            _check_call(function, name, 1)
            return audit_one_run(function, cells, confidence=confidence, delta=delta)
        if neighbours is None:
            raise InvalidArgument(
                "target",
                f"must have a setup; write NEIGHBOURS = (one, other) in {path.name}",
            )
        if not isinstance(neighbours, (tuple, list)) or len(neighbours) != 2:
            raise InvalidArgument(
                "NEIGHBOURS", f"in {path.name} must be a pair of data sets, (one, other)"
            )
        _check_call(function, name, 2 if batch else 1)
        one, other = neighbours
        return audit(
            function,
            one,
            other,
            samples=samples,
            confidence=confidence,
            delta=delta,
            batch=batch,
            progress=progress,
        )


def _parse_target(target: str) -> tuple[Path, str]:
    file, _, name = target.rpartition(":")
    if not file or not name:
        raise InvalidArgument("target", "must have the form FILE:FUNCTION", target)
    path = Path(file)
    if not path.is_file():
        raise InvalidArgument("target", f"must name an existing file; {path} does not exist")
    return path, name


def _find_function(module: ModuleType, name: str) -> Callable[..., Any]:
    file = Path(module.__file__ or "").name
    function = getattr(module, name, None)
    if function is None:
        raise InvalidArgument("target", f"must name a function of its file; {file} has no {name}")
    if not callable(function):
        raise InvalidArgument("target", f"must name a function; {name} in {file} is not callable")
    return cast(Callable[..., Any], function)


def _run_file(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(_MODULE_NAME, path)
    if spec is None or spec.loader is None:
        raise InvalidArgument("target", f"must name a Python file; {path.name} is not one")
    module = importlib.util.module_from_spec(spec)
    sys.modules[_MODULE_NAME] = module  # dataclasses and pickle look their module up by name
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as failure:
        raise InvalidArgument(
            "target",
            f"must name a file that runs; {path.name} raised {type(failure).__name__}: {failure}",
        ) from failure
    return module


def _check_call(function: Callable[..., Any], name: str, count: int) -> None:
    """Refuse a function that cannot take its arguments; a function without a readable signature is
    accepted.
    """
    try:
        signature = inspect.signature(function)
    except ValueError:
        return
    try:
        signature.bind(*range(count))
    except TypeError as failure:
        raise InvalidArgument(
            "target",
            f"must name a function that can be called with {count} argument{'s' * (count > 1)};"
            f" {name} takes {signature}",
        ) from failure


@contextmanager
def _importing_siblings(path: Path) -> Iterator[None]:
    """Let the file import modules in its folder, as ``python FILE`` would."""
    folder = path.resolve().parent
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


def _find_setting(module: ModuleType, function: Callable[..., Any], name: str) -> Any:
    return getattr(function, name, getattr(module, name.upper(), None))
