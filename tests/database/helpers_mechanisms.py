"""Custom mechanisms with their proofs, and counts to run them on."""

from __future__ import annotations

from database.proofs import back, entry_back, program, proof
from hedgerow.verify.language.program import Program
from hedgerow.verify.prove.certificate import Certificate

NORTH = "SELECT COUNT(DISTINCT patient_id) FROM data WHERE region = 'north'"
SOUTH = "SELECT COUNT(DISTINCT patient_id) FROM data WHERE region = 'south'"
BY_REGION = "SELECT region, COUNT(DISTINCT patient_id) FROM data GROUP BY region"
NOISY = program("noisy")
NOISY_PROOF = proof(NOISY, back("x"))


def paired(neighbours: str, claim: str = "2 * eps") -> tuple[Program, Certificate]:
    found = program("pair", claim=claim, neighbours=neighbours)
    return found, proof(found, entry_back("q", 0), entry_back("q", 1))
