"""Programs in a process of their own: they answer, and what goes wrong there ends it."""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from engines.sandbox.helpers_confinement import has_seccomp
from hedgerow.engines.framing import ChannelBroken
from hedgerow.errors import Refused, SourceError
from hedgerow.verify.language.interpreter import program_process as apart
from hedgerow.verify.language.interpreter.program_process import ProgramProcess
from verify.language.reading import read

PARAMETERS = (
    "q: private[list[int]], n: public[int], b: public[bool], l: public[list], eps: public[float]"
)
PUBLIC: dict[str, Any] = {"n": 10**5000, "b": True, "l": (Fraction(1, 3),), "eps": Fraction(1, 7)}


def started(
    body: str, *, seconds: float = 60, memory: int = 2**31, **public: Any
) -> ProgramProcess:
    return ProgramProcess(read(body, PARAMETERS), PUBLIC | public, seconds=seconds, memory=memory)


def test_it_tells_what_the_program_tells() -> None:
    child = started(
        "output(b)\noutput(3 * l[0] == 1)\noutput(q[0] + (0 if n > 1 else 1))\noutput(q[1] +"
        " laplace(1 / eps) > -100000)"
    )
    try:
        assert child.rehearse({"q": [0, 0]}) is None
        assert child.run({"q": [5, 0]}) == [True, True, 5, True]
        assert child.run({"q": [6, 0]})[2] == 6
    finally:
        child.terminate()
    assert child._process.poll() is not None


FOREVER = "y = 0\nwhile q[0] >= 0:\n    y = y + laplace(1)\nreturn 1"
FAILS = "return exp(q[0])"


def test_a_late_answer_ends_it() -> None:
    child = started(FOREVER, seconds=0.3)
    with pytest.raises(ChannelBroken):
        child.run({"q": [0]})
    assert child._process.poll() is not None
    with pytest.raises(Refused, match=r"more than 0\.3 seconds or too much memory"):
        started(FOREVER, seconds=0.3).rehearse({"q": [0]})


def test_why_it_fails_is_told_of_a_rehearsal_only() -> None:
    child = started(FAILS)
    try:
        with pytest.raises(Refused, match="above 10,000"):
            child.rehearse({"q": [10**6]})
        with pytest.raises(ChannelBroken) as told:
            child.run({"q": [10**6]})
        assert not told.value.args
        assert child.run({"q": [0]}) == [1.0]
    finally:
        child.terminate()


def test_memory_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "_BASE_ADDRESS_SPACE", 2**29)
    body = (
        "y0 = uniform_bits(1000000)\n"
        + "".join(f"y{k + 1} = concat(y{k}, y{k})\n" for k in range(14))
        + "return bit(y14, 0)"
    )
    child = started(body, memory=2**20)
    try:
        with pytest.raises(ChannelBroken):
            child.run({"q": [5]})
    finally:
        child.terminate()
    with pytest.raises(Refused, match="memory"):
        started(body, memory=2**20).rehearse({"q": [5]})


def test_one_that_does_not_start_is_no_failure_of_the_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "_CHILD_CODE", "import sys; sys.exit(1)")
    with pytest.raises(SourceError, match="could not be started"):
        started("return 1")


@pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux has the layers that confine a process"
)
def test_its_process_is_confined_like_the_engine() -> None:
    child = started("return q[0]")
    try:
        lines = Path(f"/proc/{child._process.pid}/status").read_text(encoding="ascii").splitlines()
    finally:
        child.terminate()
    status = {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}
    # at most CAP_DAC_READ_SEARCH
    assert (status["NoNewPrivs"], int(status["CapEff"], 16) & ~(1 << 2)) == ("1", 0)
    assert status["Seccomp"] == ("2" if has_seccomp() else "0")
