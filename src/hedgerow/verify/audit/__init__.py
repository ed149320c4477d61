"""The auditor: a certified lower bound on the epsilon of anything that can be run.

``blackbox`` runs a mechanism many times on two neighbouring data sets, ``one_run`` runs it once on
many canaries, ``known_distribution`` adds up known probabilities, and ``target`` reads the setup
that the command line names. They use ``outputs``,
``features`` (bit patterns among them), ``learned_scores`` and ``logistic`` (scores that separate
the two sides), ``event_selection`` (the event to certify), ``confidence`` (exact bounds) and
``cdf_ratio_plot``.
"""

from __future__ import annotations

from hedgerow.verify.audit.blackbox import Audit, audit
from hedgerow.verify.audit.known_distribution import KnownDistributionAudit, audit_distribution
from hedgerow.verify.audit.one_run import OneRunAudit, audit_one_run
from hedgerow.verify.audit.target import audit_target, load

__all__ = [
    "Audit",
    "KnownDistributionAudit",
    "OneRunAudit",
    "audit",
    "audit_distribution",
    "audit_one_run",
    "audit_target",
    "load",
]
