"""Verification of privacy claims: laws for mechanisms that state their distribution, exact
divergences and couplings for tables, proofs and counterexamples for programs, replays for glue
code, audits for everything else.
"""

from __future__ import annotations

from hedgerow.verify.audit import Audit, OneRunAudit, audit, audit_one_run, audit_target, load
from hedgerow.verify.decorator import (
    ProgramMechanism,
    bernoulli,
    bit,
    bits,
    concat,
    exponential,
    gaussian,
    geometric,
    laplace,
    mechanism,
    output,
    private,
    public,
    uniform,
    uniform_bits,
)

__all__ = [
    "Audit",
    "OneRunAudit",
    "ProgramMechanism",
    "audit",
    "audit_one_run",
    "audit_target",
    "bernoulli",
    "bit",
    "bits",
    "concat",
    "exponential",
    "gaussian",
    "geometric",
    "laplace",
    "load",
    "mechanism",
    "output",
    "private",
    "public",
    "uniform",
    "uniform_bits",
]
