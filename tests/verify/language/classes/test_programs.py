"""The shipped mechanisms as programs: read from the files that run, with the claims of their own
``loss``.
"""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

from hedgerow import mechanisms
from hedgerow.verify.language.classes import read_class_programs
from hedgerow.verify.language.program import Program
from hedgerow.verify.language.unsupported import UnsupportedProgram
from hedgerow.verify.verdict import VerdictKind
from hedgerow.verify.verifier import format_claim, verify_program
from verify.language.classes.classes import HEAD, NUMBER, file_of, program, read, refused, shipped
from verify.language.classes.showing import lines

READ = {
    "Laplace.sample (a number)": "1 / scale for one",
    "Laplace.sample (a number of quarters)": "1 / 4 / scale for one",
    "Laplace.sample (an array)": "1 / scale for l1",
    "Laplace.sample (an array that moves by 3)": "3 * (1 / scale) for l1 3",
    "NoisyMax.sample (scores)": "factor * 2 for all",
    "NoisyMax.sample (scores, rising)": "factor for increasing, in this direction only",
    "NoisyMax.sample (scores, falling)": "factor for decreasing, in this direction only",
    "PermuteAndFlip.sample (scores)": "factor * 2 for all",
    "PermuteAndFlip.sample (scores, rising)": "factor for increasing, in this direction only",
    "PermuteAndFlip.sample (scores, falling)": "factor for decreasing, in this direction only",
    "RandomizedResponse.sample (one of 2)": "ln(1 + 2 * truth / (1 - truth)) for secret",
    "RandomizedResponse.sample (one of 4)": "ln(1 + 4 * truth / (1 - truth)) for secret",
    "RandomizedResponse.sample (many of 2)": "ln(1 + 2 * truth / (1 - truth)) for one",
    "ProposeTestRelease.sample": (
        "1 / test + 1 / noise_scale, exp(-((threshold - 1 + 1) / test)) / (1 + exp(-(1 / test)))"
        " for all"
    ),
    "Stable.sample": "1 / scale, exp(-((threshold - 1) / scale)) / (1 + exp(-(1 / scale))) for one",
    "SparseVector.sample (answers)": "1 / threshold_scale + cutoff * 2 / answer_scale for all",
    "SparseVector.sample (answers, gap)": "1 / threshold_scale + cutoff * 2 / answer_scale for all",
    "SparseVector.sample (answers, rising)": (
        "1 / threshold_scale + cutoff / answer_scale for increasing, in this direction only"
    ),
    "SparseVector.sample (answers, rising, gap)": (
        "1 / threshold_scale + cutoff / answer_scale for increasing, in this direction only"
    ),
    "SparseVector.sample (answers, falling)": (
        "1 / threshold_scale + cutoff / answer_scale for decreasing, in this direction only"
    ),
    "SparseVector.sample (answers, falling, gap)": (
        "1 / threshold_scale + cutoff / answer_scale for decreasing, in this direction only"
    ),
}
# These are audited in tests/slow/test_shipped_long.py.
NOT_READ = {
    "Gaussian.sample": "discrete_gaussian noise is not in the language",
    "Exponential.sample": "gumbel noise is not in the language",
    "NoisyMax.sample_with_gap": (
        "hedgerow.numeric.samplers.argmax_sampler.noisy_argmax_with_lead is not a function the"
        " verifier knows"
    ),
    "Quantiles.sample": "a mechanism of shape point is not supported",
    "Extreme.sample": "a mechanism of shape point is not supported",
    "InverseSensitivity.sample": "a mechanism of shape point is not supported",
    "SmoothSensitivity.sample": "a mechanism of shape smooth is not supported",
    "StabilityHistogram.sample": ("a tested mechanism with the arguments counts is not supported"),
}


def test_every_mechanism_is_read_or_says_why_not() -> None:
    assert {
        name: format_claim(one.claim) for name, one in shipped().items() if isinstance(one, Program)
    } == READ
    assert {
        name: one.reason.partition(";")[0]
        for name, one in shipped().items()
        if isinstance(one, UnsupportedProgram)
    } == NOT_READ
    assert {name.split(".")[0] for name in READ | NOT_READ} == {
        one.__name__ for one in mechanisms.ALL
    }


@pytest.mark.parametrize("kind", mechanisms.ALL, ids=lambda kind: kind.__name__)
def test_the_source_of_a_program_is_the_source_that_python_runs(kind: type) -> None:
    """The text of the methods, as Python has them, stands in the source whose hash a certificate
    names.
    """
    for name, one in shipped().items():
        if isinstance(one, Program) and name.split(".")[0] == kind.__name__:
            for method in (kind.sample, kind.loss, *([kind._run] if hasattr(kind, "_run") else [])):
                assert inspect.getsource(method).rstrip("\n") in one.source
            text = file_of(kind).read_text(encoding="utf-8").splitlines()
            assert all(f"def {method}(" in one.source for method in ("sample", "loss"))
            assert text[one.place.line - 1].strip().startswith("def sample")


def test_the_sparse_vector_as_a_program() -> None:
    assert lines(program("SparseVector.sample (answers, gap)")) == [
        "returned = False",
        "if cutoff < 1",
        "  returned = True",
        "else",
        "  noise ~ geometric(threshold_scale)",
        "  left = cutoff",
        "  place = 0",
        "  while place < size and not returned",
        "    noise2 ~ geometric(answer_scale)",
        "    lead = answers[place] - (threshold + noise) + noise2",
        "    above = 0 <= lead",
        "    if above",
        "      output lead",
        "    else",
        "      output False",
        "    left = left - (1 if above else 0)",
        "    if left == 0",
        "      returned = True",
        "    place = place + 1",
    ]


def test_propose_test_release_as_a_program() -> None:
    """The noise of the answer stands in another file, and is drawn whether it is needed or not."""
    assert lines(program("ProposeTestRelease.sample")) == [
        "if threshold < 1",
        "else",
        "  exact = part + (H if K < count else 0)",
        "  distance = max(K - count, count - K - 1)",
        "  noise ~ geometric(test)",
        "  noise2 ~ geometric(noise_scale)",
        "  passed = threshold <= distance + noise",
        "  noisy = exact + noise2",
        "  if passed",
        "    output noisy",
    ]


def test_lines_are_those_of_the_file() -> None:
    file = file_of(mechanisms.SparseVector).read_text(encoding="utf-8").splitlines()
    drawn = [one.place.line for one in program("SparseVector.sample (answers)").samples]
    assert ["_SAMPLES.draw" in file[line - 1] for line in drawn] == [True, True]


@pytest.mark.parametrize(
    "name", ["Laplace.sample (a number)", "RandomizedResponse.sample (one of 2)"]
)
def test_shipped_mechanisms_are_proved(name: str) -> None:
    verdict = verify_program(program(name))
    assert verdict.verdict is VerdictKind.PROVED
    assert verdict.unit == "the claim"


@pytest.mark.long
def test_a_delta_is_proved_to_the_last_digit() -> None:
    """The claim is q^(threshold - 1)/(1 + q), which two neighbours with different answers
    attain; a hair less is refuted.
    """
    assert verify_program(program("Stable.sample")).verdict is VerdictKind.PROVED
    text = file_of(mechanisms.Stable).read_text(encoding="utf-8")
    (lower,) = read_class_programs(
        text.replace(">= self.threshold else", ">= self.threshold - 1 else"), "stable.py"
    )
    assert verify_program(lower).verdict is VerdictKind.REFUTED


def test_a_file_without_such_classes_has_none() -> None:
    assert read_class_programs("class Plain:\n    def sample(self):\n        return 1\n") == []
    assert read_class_programs("class (:") == []
    assert read_class_programs("") == []


def test_a_module_that_changes_names_is_refused_as_a_whole() -> None:
    text = HEAD + NUMBER + "        return exact + _NOISE.draw(self.scale)\n\nMine.sample = print\n"
    (found,) = read_class_programs(text, "mine.py")
    assert isinstance(found, UnsupportedProgram)
    assert (found.name, found.place.line) == ("mine.py", len(text.splitlines()))


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("    def loss", "    def cost", "has no method loss"),
        (
            "return Loss(1 / self.scale)",
            "return 1 / self.scale",
            "loss must return a Loss",
        ),
        (
            "return Loss(1 / self.scale)",
            "return Loss(1 / _NOISE.draw(self.scale))",
            "noise cannot be drawn here",
        ),
        (
            "    scale: Fraction",
            "    scale: Fraction\n    exact: Fraction",
            "exact is both a field and an argument",
        ),
        (
            "    scale: Fraction",
            "    scale: Fraction\n    word: str",
            "the field word must be an int, a Fraction or a mechanism",
        ),
        (
            "    scale: Fraction",
            "    scale: Fraction\n    word: parse_whole",
            "the field word must be an int, a Fraction or a mechanism",
        ),
        (
            "    def loss",
            "    def __getattr__(self, name):\n        return 1\n\n    def loss",
            "may change every attribute of Mine",
        ),
        (
            "    def loss",
            "    other = 1\n\n    def loss",
            "may change the methods of the class",
        ),
        ("class Mine:", "class Mine(Fraction):", "Mine inherits"),
        ("@dataclass(frozen=True)", "@print", "the decorator print may change the class"),
    ],
)
def test_unsupported_classes_are_refused(old: str, new: str, reason: str) -> None:
    assert reason in refused("return exact + _NOISE.draw(self.scale)", NUMBER.replace(old, new))


def test_fields_that_are_mechanisms_are_read_too() -> None:
    nested = "\nfrom hedgerow.mechanisms.laplace import Laplace\n"
    found = read(
        "return self.noise.sample(exact)",
        NUMBER.replace("    scale: Fraction", "    scale: Fraction\n    noise: Laplace"),
        nested,
    )
    assert lines(found) == ["noise ~ geometric(noise_scale)", "output exact + noise"]
    assert "def add_noise" in found.source


def test_deep_nesting_is_refused() -> None:
    deep = "exact" + " + (1" * 40 + ")" * 40
    assert "nested more than 30 deep" in refused(f"return {deep}")


def test_the_files_of_the_package_can_be_parsed_alone() -> None:
    assert all(ast.parse(Path(file_of(one)).read_text(encoding="utf-8")) for one in mechanisms.ALL)
