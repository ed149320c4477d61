"""The last chapter: an audit that sees nothing but outputs tells Hedgerow's noise from numpy's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from rich.console import Group, RenderableType
from rich.text import Text

from hedgerow.demo.chapter import ClinicSession, PaidChapter
from hedgerow.demo.layout import show_rows, show_text
from hedgerow.mechanisms import Laplace
from hedgerow.numeric.bits import draw_words
from hedgerow.numeric.vectorised import Floats
from hedgerow.verify.audit import audit

__all__ = ["AuditChapter", "AuditFinding", "sample_textbook_laplace"]

SAMPLES = 50_000
# High enough that chance does not refute the right noise.
CONFIDENCE = 1 - 1e-6


@dataclass(frozen=True)
class AuditFinding:
    """The certified lower bound on the epsilon of one noise generator."""

    name: str
    claim: float
    epsilon: float
    event: str
    refuted: bool


@dataclass(frozen=True)
class AuditChapter(PaidChapter, name="audited", title="Why not just numpy?"):
    """Two generators of the same noise, audited from outside."""

    findings: tuple[AuditFinding, ...]
    samples: int
    confidence: float

    @classmethod
    def ask(cls, session: ClinicSession | None = None) -> Self:  # noqa: ARG003
        mechanism = Laplace.calibrate(sensitivity=1, epsilon=1, grid=2**-20)

        def sample_exact(value: float, runs: int) -> Floats:
            noisy: Floats = mechanism.sample(np.full(runs, value))
            return noisy

        findings = []
        generators = {"Hedgerow": sample_exact, "floating point": sample_textbook_laplace}
        for name, noise in generators.items():
            result = audit(noise, 0.0, 1.0, samples=SAMPLES, confidence=CONFIDENCE, batch=True)
            refuted = result.refutes(1)
            findings.append(AuditFinding(name, 1.0, result.epsilon, result.event, refuted))
        return cls(tuple(findings), SAMPLES, CONFIDENCE)

    def render(self, width: int) -> RenderableType:  # noqa: ARG002
        rows = show_rows(("noise", "claims", "audit", "by the event", "verdict"))
        for finding in self.findings:
            verdict = ("refuted", "bad") if finding.refuted else ("stands", "good")
            rows.add_row(
                finding.name,
                f"{finding.claim:g}",
                Text(f"≥ {finding.epsilon:.2f}", style="answer"),
                finding.event,
                Text(*verdict),
            )
        return Group(
            rows,
            show_text(
                "Two generators of Laplace noise claim epsilon 1. The auditor sees"
                f" {self.samples:,} outputs of each for the true values 0 and 1, and nothing else."
                " The textbook formula in floating point, as in numpy, is given away by the last"
                " bits of its numbers. Hedgerow's noise is a whole number of grid steps, with"
                " exactly the stated probabilities."
            ),
        )


def sample_textbook_laplace(value: float, runs: int) -> Floats:
    """Return value + Lap(1) as numpy computes it: ± ln(2U) of a double U with 53 bits.

    This is not private; it is here to be caught.
    """
    u = np.maximum(draw_words(runs) >> np.uint64(11), np.uint64(1)).astype(np.float64) * 2.0**-53
    noisy: Floats = np.where(u >= 0.5, value - np.log(2.0 - u - u), value + np.log(u + u))
    return noisy
