"""The auditor: a certified lower bound on the epsilon of whatever can be run.

``blackbox`` runs a mechanism many times on two neighbouring data sets, ``one_run`` once on many
canaries, ``target`` reads what the command line names. Behind them: ``outputs`` (whatever came
out), ``columns`` (features, bit patterns among them), ``scores`` and ``logistic`` (what separates
the two sides), ``choice`` (the event to certify), ``confidence`` (exact bounds), ``picture``.
"""

from __future__ import annotations

from hedgerow.verify.audit.blackbox import Audit, audit
from hedgerow.verify.audit.one_run import OneRunAudit, audit_one_run
from hedgerow.verify.audit.target import audit_target, load

__all__ = ["Audit", "OneRunAudit", "audit", "audit_one_run", "audit_target", "load"]
