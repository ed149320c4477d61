"""Checks that a privacy claim holds: laws for mechanisms that state their distribution, exact
distances and couplings for those that can be written down as a table, proofs and counterexamples
for those that are written as programs, audits for those that only run.
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
