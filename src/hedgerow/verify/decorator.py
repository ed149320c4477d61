"""The vocabulary of mechanisms written in Python, and ``@mechanism``, which reads a function as a
program.

    from hedgerow.verify import laplace, mechanism, private, public

    @mechanism(epsilon="eps", neighbours="one")
    def noisy(x: private[float], eps: public[float]):
        return x + laplace(1 / eps)

    noisy.verify()         # a Verdict
    noisy(x=3, eps=0.5)    # runs the proved program: over the reals, with exact noise

The function itself is never called. Its source is read once, and the same reading is proved and
run.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
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


@dataclass(frozen=True, repr=False)
class _Word:
    """A word of the language, which is read from the source."""

    text: str

    def __repr__(self) -> str:
        return self.text


class _Annotation(_Word):
    """An annotation such as ``private[float]``."""

    def __getitem__(self, of: Any) -> Any:
        return _Annotation(f"{self.text}[{getattr(of, '__name__', of)}]")


class _LanguageWord(_Word):
    """A function of the language, which is never called by Python."""

    def __call__(self, *_: Any) -> Any:
        raise Unsupported(
            f"{self.text} cannot be called here. Use it inside a function with @mechanism."
        )


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
    """A function that was read as a program. Call it to run it, or ``verify`` its claim."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        functools.update_wrapper(self, function)

    @property
    def name(self) -> str:
        return self._function.__name__

    @functools.cached_property
    def program(self) -> Program:
        """The program; raises ``UnsupportedProgram``, with the line, if the function is outside the
        language.
        """
        from hedgerow.verify.language.python import read_program

        return read_program(self._function)

    @functools.cached_property
    def _returns_one_value(self) -> bool:
        from hedgerow.verify.language.python import returns_single_value

        return returns_single_value(self.program)

    def verify(self, *, seconds: float = 120) -> Verdict:
        """Return PROVED, REFUTED or UNKNOWN with its evidence. ``seconds`` is a last resort: the
        effort is limited by counting steps.
        """
        from hedgerow.verify.language.unsupported import UnsupportedProgram
        from hedgerow.verify.verifier import verify_program

        try:
            return verify_program(self.program, seconds=seconds)
        except UnsupportedProgram as outside:
            return verify_program(outside.with_name(self.name))

    def __call__(self, *given: Any, **named: Any) -> Any:
        """Run the program once. Return its value if it returns exactly one, and otherwise the list
        of its outputs.
        """
        from hedgerow.verify.language.interpreter import run_program

        try:
            arguments = inspect.signature(self._function).bind(*given, **named).arguments
        except TypeError as error:
            raise InvalidArgument(
                "arguments", f"of {self.name} must match its parameters: {error}"
            ) from None
        outputs = run_program(self.program, arguments)
        return outputs[0] if self._returns_one_value else outputs

    def __repr__(self) -> str:
        return f"<mechanism {self.name}>"


def mechanism(
    *,
    epsilon: str | float,  # noqa: ARG001
    neighbours: str | tuple[str, int],  # noqa: ARG001
    delta: str | float | None = None,  # noqa: ARG001
) -> Callable[..., ProgramMechanism]:
    """Declare the claim of the function below. The claim is read from the source, so write it out
    there.

    ``epsilon`` and ``delta`` are numbers, or expressions in public parameters as text: "2*eps".
    ``neighbours`` is "one", "all", "increasing", "decreasing", "row", "secret", ("l1", k) or
    ("group", k); ``program.Relation`` defines each.
    """
    return ProgramMechanism
