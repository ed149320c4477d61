"""The words in which authors write a mechanism, and ``@mechanism``, which makes of a function
something that can be proved and run.

    from hedgerow.verify import laplace, mechanism, private, public

    @mechanism(epsilon="eps", neighbours="one")
    def noisy(x: private[float], eps: public[float]):
        return x + laplace(1 / eps)

    noisy.verify()         # a Verdict
    noisy(x=3, eps=0.5)    # runs what was proved: over the reals, with exact noise

The function itself is never called: its source is read once, and what is proved and what runs are
made of the same reading.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hedgerow.errors import InvalidArgument, Unsupported

if TYPE_CHECKING:
    from hedgerow.verify.language.program import Program
    from hedgerow.verify.verdict import Verdict

__all__ = [
    "ProgramMechanism",
    "bernoulli",
    "bit",
    "bits",
    "concat",
    "exponential",
    "gaussian",
    "geometric",
    "laplace",
    "mechanism",
    "output",
    "private",
    "public",
    "uniform",
    "uniform_bits",
]


class _Annotation:
    """``private[float]``: read from the source, kept here so that the source is Python."""

    def __init__(self, word: str) -> None:
        self._word = word

    def __getitem__(self, of: Any) -> Any:
        return _Annotation(f"{self._word}[{getattr(of, '__name__', of)}]")

    def __repr__(self) -> str:
        return self._word


class _LanguageWord:
    """A word of the language. Python never calls it: a mechanism is read, not run."""

    def __init__(self, word: str) -> None:
        self._word = word

    def __call__(self, *_: Any) -> Any:
        raise Unsupported(
            f"{self._word} is a word inside of a function with @mechanism above it; it cannot be"
            " called elsewhere."
        )

    def __repr__(self) -> str:
        return self._word


private: Any = _Annotation("private")
public: Any = _Annotation("public")
bits: Any = _Annotation("bits")
output: Any = _LanguageWord("output")
laplace: Any = _LanguageWord("laplace")
geometric: Any = _LanguageWord("geometric")
exponential: Any = _LanguageWord("exponential")
gaussian: Any = _LanguageWord("gaussian")
uniform: Any = _LanguageWord("uniform")
bernoulli: Any = _LanguageWord("bernoulli")
uniform_bits: Any = _LanguageWord("uniform_bits")
concat: Any = _LanguageWord("concat")
bit: Any = _LanguageWord("bit")


class ProgramMechanism:
    """A function that was read as a program. Call it to run it; ``verify`` says whether its
    claim holds.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        functools.update_wrapper(self, function)

    @property
    def name(self) -> str:
        return self._function.__name__

    @functools.cached_property
    def program(self) -> Program:
        """What was read. Raises ``Outside``, with the line, where the function is not in the
        language.
        """
        from hedgerow.verify.language.python import read_program

        return read_program(self._function)

    @functools.cached_property
    def _returns_one_value(self) -> bool:
        from hedgerow.verify.language.python import returns_single_value

        return returns_single_value(self.program)

    def verify(self, *, seconds: float = 120) -> Verdict:
        """PROVED, REFUTED or UNKNOWN, with what shows it. ``seconds`` are a last resort: how
        much is tried is counted.
        """
        from hedgerow.verify.language.unsupported import UnsupportedProgram
        from hedgerow.verify.verifier import verify_program

        try:
            return verify_program(self.program, seconds=seconds)
        except UnsupportedProgram as outside:
            return verify_program(outside.with_name(self.name))

    def __call__(self, *given: Any, **named: Any) -> Any:
        """One run: what it returns if that is one value, and else the list of all that it tells,
        in order.
        """
        from hedgerow.verify.language.interpreter import run_program

        try:
            arguments = inspect.signature(self._function).bind(*given, **named).arguments
        except TypeError as error:
            raise InvalidArgument("arguments", f"of {self.name} do not fit: {error}") from None
        told = run_program(self.program, arguments)
        return told[0] if self._returns_one_value else told

    def __repr__(self) -> str:
        return f"<mechanism {self.name}>"


def mechanism(
    *, epsilon: str | float, neighbours: str | tuple[str, int], delta: str | float | None = None
) -> Callable[..., ProgramMechanism]:  # noqa: ARG001
    """Above a function: what it claims to cost. The claim is read from the source, like the
    function, so it is written out there.

    ``epsilon`` and ``delta`` are numbers, or expressions in public parameters as text: "2*eps".
    ``neighbours`` is "one", "all", "increasing", "decreasing", "row", "secret", ("l1", k) or
    ("group", k); ``program.Relation`` says what each means.
    """
    return ProgramMechanism
