"""The process that runs programs, from within: its limits, and what it says."""

from __future__ import annotations

import os
import resource
import threading
from fractions import Fraction
from typing import Any

import pytest

from hedgerow.engines.framing import receive_message, send_message
from hedgerow.verify.language.encoding import encode
from hedgerow.verify.language.interpreter import child_main as child
from verify.language.reading import read

PROGRAM = read("return exp(x)", "x: private[float], eps: public[float]")


def test_answers_and_failures() -> None:
    given = {"eps": Fraction(1)}
    assert child._run_request(PROGRAM, given | {"x": 0}, False) == {"ok": True, "outputs": [1.0]}
    assert child._run_request(PROGRAM, given | {"x": 10**6}, True) == {
        "ok": False,
        "reason": "exp is applied to a number above 10,000. Pass other arguments.",
    }
    assert child._run_request(PROGRAM, given | {"x": 10**6}, False) == {"ok": False, "reason": None}
    assert child._run_request(None, given, True) == {"ok": False, "reason": None}


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    found: dict[int, Any] = {}
    hard = {resource.RLIMIT_AS: resource.RLIM_INFINITY, resource.RLIMIT_CPU: 3}
    monkeypatch.setattr(
        resource, "getrlimit", lambda limit: (0, hard.get(limit, resource.RLIM_INFINITY))
    )
    monkeypatch.setattr(resource, "setrlimit", lambda limit, ends: found.__setitem__(limit, ends))
    child._limit_resources(2**30, 60)
    assert found == {
        resource.RLIMIT_AS: (2**30, 2**30),
        resource.RLIMIT_CPU: (3, 3),
        resource.RLIMIT_CORE: (0, 0),
        resource.RLIMIT_FSIZE: (0, 0),
    }


def test_it_serves_until_the_pipe_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a thread, with pipes in the place of standard input and output."""
    to, back, ended = os.pipe(), os.pipe(), threading.Event()
    ends = iter((to[0], back[1]))
    confined: list[object] = []
    monkeypatch.setattr(child, "_limit_resources", lambda space, seconds: None)
    monkeypatch.setattr(child, "apply_layers", confined.append)
    monkeypatch.setattr(os, "dup", lambda _: next(ends))
    monkeypatch.setattr(os, "dup2", lambda *_: None)
    monkeypatch.setattr(os, "_exit", lambda status: ended.set())
    thread = threading.Thread(target=child.main)
    thread.start()
    send_message(
        to[1],
        {
            "program": encode(PROGRAM),
            "public": encode([("eps", Fraction(1))]),
            "space": 1,
            "seconds": 0.5,
        },
    )
    assert receive_message(back[0])[0] == {"ok": True}
    send_message(to[1], {"private": encode([("x", 0)]), "rehearsal": False})
    assert receive_message(back[0])[0] == {"ok": True, "outputs": [1.0]}
    os.close(to[1])
    thread.join()
    assert ended.is_set()
    assert confined == [()]
    for descriptor in (to[0], *back):
        os.close(descriptor)
