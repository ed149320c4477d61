"""The sparse vector technique: many comparisons with a threshold, paying only for those above it.

Statement
    Draw a noisy threshold once. For each answer in turn add fresh noise and say "above" if the sum
    reaches the noisy threshold, else "below"; stop for good after ``cutoff`` times "above". The
    whole run, however long and however the next question is chosen, is pure epsilon-DP with epsilon
    = Delta/threshold_scale + 2 cutoff Delta/answer_scale, where every answer moves by at most Delta
    between neighbours; the factor 2 is not needed if all answers move in the same direction
    (``monotone``). With ``gap``, the lead over the noisy threshold comes with each "above" at no
    further cost.

Proof
    Take neighbours x, x' and an output. Raise the threshold noise by Delta: an answer that was
    below stays below, whatever it moved by. Raise the noise of each answer that was above by Delta
    minus its move, at most 2 Delta: it stays above, with the same lead. All of these are shifts of
    whole numbers, so one-to-one, and cost Delta/threshold_scale and at most cutoff times 2
    Delta/answer_scale. Monotone: if answers only rise from x to x', the second shift is at most
    Delta; if they only fall, keep the threshold, and raise the noise of those above by their fall,
    at most Delta. The next question depends on the output so far, which is the same on both sides.

Accuracy
    ``error(beta, questions)``: with probability 1 - beta every "above" is at least threshold -
    radius and every "below" less than threshold + radius, by the union bound over the exact tails.

Arithmetic
    Answers, threshold and noise are whole numbers. The proof needs no continuity: ties (reaching is
    above) fall the same way on both sides, and a lead is exact.

Edges
    Known wrong variants omit one part of this: noise on the answers, noise on the threshold, answer
    noise that grows with ``cutoff``, or the cut-off. After it, or after a refused answer, no
    further answer is given. The noisy threshold is not drawn again after an "above", which would be
    another split of the budget.

Source
    Dwork, Naor, Reingold, Rothblum, Vadhan (STOC 2009); Lyu, Su, Li (VLDB 2017), algorithm 7 and
    its split; Ding, Wang, Zhang, Kifer (VLDB 2019) for the gap.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms.selection.scores import check_flag
from hedgerow.numeric.exact_number import (
    Number,
    parse_epsilon,
    parse_positive,
    parse_probability,
    parse_whole,
)
from hedgerow.numeric.private_integers import parse_private_whole
from hedgerow.numeric.samplers.laplace_sampler import discrete_laplace
from hedgerow.numeric.samplers.sample_pool import SamplePool
from hedgerow.numeric.tails.laplace import laplace_radius
from hedgerow.numeric.vectorised import check_scale
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.sensitivity import Sensitivity

__all__ = ["SparseVector"]

_SAMPLES = SamplePool(discrete_laplace)
_MAX_CUTOFF = 10**6
_WHOLE_RULE = "must be whole numbers"


@dataclass(frozen=True, slots=True)
class SparseVector:
    """Noise for the threshold and the answers, and the number of "above" verdicts allowed."""

    shape: ClassVar[str] = "tested"
    threshold_scale: Fraction
    answer_scale: Fraction
    cutoff: int = 1
    monotone: bool = False

    def __init__(
        self, threshold_scale: Number, answer_scale: Number, cutoff: int = 1, monotone: bool = False
    ) -> None:
        for name, scale in (("threshold_scale", threshold_scale), ("answer_scale", answer_scale)):
            object.__setattr__(self, name, check_scale(parse_positive(scale, name), name))
        object.__setattr__(self, "cutoff", _parse_cutoff(cutoff))
        object.__setattr__(self, "monotone", check_flag(monotone, "monotone"))

    @classmethod
    def calibrate(
        cls,
        *,
        sensitivity: Number | Sensitivity,
        epsilon: Number,
        cutoff: int = 1,
        monotone: bool = False,
    ) -> SparseVector:
        """Split ``epsilon`` between threshold and answers as 1 : (2 cutoff)^(2/3).

        For monotone answers 1 : cutoff^(2/3). This split minimises the noise of the sum.
        """
        move, total = _parse_sensitivity(sensitivity), parse_epsilon(epsilon)
        times = _parse_cutoff(cutoff)
        shifts = times * (1 if check_flag(monotone, "monotone") else 2)
        first = total / (1 + Fraction(shifts ** (2 / 3)).limit_denominator(1000))
        return cls(move / first, shifts * move / (total - first), times, monotone)

    def loss(self, sensitivity: Number | Sensitivity) -> Loss:
        """Return the loss of a whole run, if every answer moves by at most ``sensitivity``."""
        shifts = self.cutoff * (1 if self.monotone else 2)
        return Loss(
            _parse_sensitivity(sensitivity)
            * (1 / self.threshold_scale + shifts / self.answer_scale)
        )

    def sample(self, answers: Iterable[Any], threshold: int, *, gap: bool = False) -> Iterator[Any]:
        """Yield for each answer in turn True ("above") or False; end after the last "above"
        allowed.

        With ``gap``, yield the lead, a whole number of 0 or more, instead of True, and None instead
        of False. ``answers`` may be generated one by one, each in view of the earlier verdicts; a
        list or an array is checked as a whole before anything is drawn.
        """
        bar, lead = parse_private_whole(threshold, "threshold"), check_flag(gap, "gap")
        if isinstance(answers, (list, tuple, np.ndarray)):
            answers = [
                parse_private_whole(answer, "answers", rule=_WHOLE_RULE) for answer in answers
            ]
        elif not isinstance(answers, Iterable):
            raise InvalidArgument("answers", _WHOLE_RULE)
        return self._compare_answers(answers, bar + _SAMPLES.draw(self.threshold_scale), lead)

    def _compare_answers(self, answers: Iterable[Any], bar: int, gap: bool) -> Iterator[Any]:
        left = self.cutoff
        for answer in answers:
            lead = (
                parse_private_whole(answer, "answers", rule=_WHOLE_RULE)
                - bar
                + _SAMPLES.draw(self.answer_scale)
            )
            above = lead >= 0
            yield (lead if above else None) if gap else above
            left -= above
            if left == 0:
                return

    def error(self, beta: Number, questions: int) -> int:
        """Return the radius within which all verdicts of a run are right.

        It is exceeded with probability at most ``beta``.
        """
        level, count = parse_probability(beta, "beta"), parse_whole(questions, "questions")
        return laplace_radius(self.threshold_scale, level / 2) + laplace_radius(
            self.answer_scale, level / (2 * count)
        )


def _parse_sensitivity(sensitivity: Number | Sensitivity) -> Fraction:
    move = Sensitivity.of(sensitivity).linf
    if move.denominator != 1:
        raise InvalidArgument(
            "sensitivity",
            "must be a whole number; scale the answers to whole grid steps first",
            sensitivity,
        )
    return move


def _parse_cutoff(cutoff: object) -> int:
    times = parse_whole(cutoff, "cutoff")
    if times > _MAX_CUTOFF:
        raise InvalidArgument("cutoff", "must be at most a million", cutoff)
    return times
