"""The prover: a search for a certificate, which counts only after the checker accepted it.

``prove`` looks for a proof of the claim. Where it finds none, it gives the reason in one sentence
and, as far as time allows, the multiple of the claim's eps that it can prove instead, and the noise
to scale so that the claim holds.
"""

from __future__ import annotations

import time

from hedgerow.verify.language.program import Program
from hedgerow.verify.prove.certificate import Certificate, Failure
from hedgerow.verify.prove.repair import add_advice
from hedgerow.verify.prove.search.finder import find_certificate

__all__ = ["prove"]


def prove(program: Program, *, seconds: float = 120) -> Certificate | Failure:
    """Return a certificate that the checker accepts, or the reason why there is none, with advice
    as far as time allows.
    """
    deadline = time.process_time() + seconds
    found = find_certificate(program, deadline)
    return found if isinstance(found, Certificate) else add_advice(program, found, deadline)
