"""Proving. What the search finds is believed only after the checker has shown it again.

``prove`` looks for a proof of the claim. Where there is none it says why in one sentence and, as
far as time allows, which multiple of the claim's eps it can prove instead, and which noise to scale
so that the claim holds.
"""

from __future__ import annotations

import time

from hedgerow.verify.language.program import Program
from hedgerow.verify.prove.certificate import Certificate, Failure
from hedgerow.verify.prove.repair import add_advice
from hedgerow.verify.prove.search.finder import find_certificate

__all__ = ["prove"]


def prove(program: Program, *, seconds: float = 120) -> Certificate | Failure:
    """A certificate that the checker accepts; or why there is none, and what could be done about
    it in the time that is left.
    """
    deadline = time.monotonic() + seconds
    found = find_certificate(program, deadline)
    return found if isinstance(found, Certificate) else add_advice(program, found, deadline)
