"""Checks that a privacy claim holds: laws for mechanisms that state their distribution, exact distances and couplings for those that can be
written down as a table, audits for those that only run.
"""

from __future__ import annotations

from hedgerow.verify.audit import Audit, OneRunAudit, audit, audit_one_run, audit_target, load

__all__ = ["Audit", "OneRunAudit", "audit", "audit_one_run", "audit_target", "load"]
