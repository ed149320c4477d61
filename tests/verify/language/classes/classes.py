"""Mechanism classes for tests: those that are shipped, from the files that Python runs, and
small ones written here.
"""

from __future__ import annotations

import inspect
import textwrap
from functools import cache
from pathlib import Path

from hedgerow import mechanisms
from hedgerow.verify.language.classes import read_class_programs
from hedgerow.verify.language.program import Program
from hedgerow.verify.language.unsupported import UnsupportedProgram

HEAD = """
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms.selection.scores import parse_scores
from hedgerow.numeric.samplers.bernoulli_sampler import bernoulli
from hedgerow.numeric.private_integers import parse_private_whole
from hedgerow.numeric.samplers.laplace_sampler import discrete_laplace
from hedgerow.numeric.exact_number import parse_positive, parse_whole
from hedgerow.numeric.samplers.argmax_sampler import noisy_argmax
from hedgerow.numeric.samplers.sample_pool import SamplePool
from hedgerow.numeric.samplers.uniform_sampler import uniform_integers
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.sensitivity import Sensitivity

_NOISE = SamplePool(discrete_laplace)
"""
RUN = """
@dataclass(frozen=True)
class Mine:
    shape: ClassVar[str] = "tested"
    scale: Fraction
    cutoff: int = 1
    monotone: bool = False

    def __post_init__(self):
        object.__setattr__(self, "cutoff", parse_whole(self.cutoff, "cutoff"))

    def loss(self, sensitivity):
        return Loss(1 / self.scale)

    def sample(self, answers, threshold):
        left = self.cutoff
"""
NUMBER = """
@dataclass(frozen=True)
class Mine:
    shape: ClassVar[str] = "additive"
    scale: Fraction

    def loss(self, sensitivity):
        return Loss(1 / self.scale)

    def sample(self, exact):
"""


def file_of(kind: type) -> Path:
    """The file that Python has run for a class."""
    return Path(inspect.getfile(kind))


@cache
def shipped() -> dict[str, Program | UnsupportedProgram]:
    """Every program of every mechanism, by name, read from the files that Python has run."""
    files = dict.fromkeys(file_of(one) for one in mechanisms.ALL)
    return {
        one.name: one
        for file in files
        for one in read_class_programs(file.read_text(encoding="utf-8"), file.name)
    }


def program(name: str) -> Program:
    found = shipped()[name]
    assert isinstance(found, Program), found
    return found


def mine(body: str, head: str = NUMBER, before: str = "") -> Program | UnsupportedProgram:
    """A class whose ``sample`` has this body, as the first program that is read of it."""
    return read_class_programs(
        HEAD + before + head + textwrap.indent(textwrap.dedent(body).strip(), " " * 8) + "\n",
        "mine.py",
    )[0]


def read(body: str, head: str = NUMBER, before: str = "") -> Program:
    found = mine(body, head, before)
    assert isinstance(found, Program), found
    return found


def refused(body: str, head: str = NUMBER, before: str = "") -> str:
    found = mine(body, head, before)
    assert isinstance(found, UnsupportedProgram), found
    assert found.place.line > 0
    return found.reason
