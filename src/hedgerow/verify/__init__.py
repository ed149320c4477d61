"""Checks that a privacy claim holds: laws for mechanisms that state their distribution, audits for those that only run."""

from __future__ import annotations

from hedgerow.verify.audit import Audit, audit
from hedgerow.verify.one_run import OneRunAudit, audit_one_run
from hedgerow.verify.target import audit_target, load

__all__ = ["Audit", "OneRunAudit", "audit", "audit_one_run", "audit_target", "load"]
