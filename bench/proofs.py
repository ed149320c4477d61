"""The classical programs, right and wrong, for lists of any length: what the verifier says of each,
and how long it takes on one core.

These are the programs that CheckDP (CCS 2020) was measured on, and the one-time pads. "About a
minute" is for all of them.
"""

from __future__ import annotations

from pathlib import Path
from time import process_time

from bench.peers import Peers
from bench.report import Row, Section, Target
from hedgerow.verify.language.program import Program
from hedgerow.verify.language.python import read_programs
from hedgerow.verify.language.unsupported import UnsupportedProgram
from hedgerow.verify.verifier import verify_program

__all__ = ["PROGRAMS", "proofs"]

FOLDER = Path(__file__).parents[1] / "tests" / "verify" / "programs"
# In the order of the literature; wrong ones are called bad.
PROGRAMS = (
    *(
        "laplace_mechanism",
        "bad_sum_without_noise",
        "bad_mean_without_noise",
        "partial_sum",
        "bad_partial_sum",
        "prefix_sum",
    ),
    *(
        "bad_dummy_sum",
        "dummy_sum",
        "smart_sum",
        "bad_smart_sum",
        "above_threshold",
        "above_threshold_increasing",
    ),
    *(
        "above_threshold_decreasing",
        "gap_above_threshold",
        "numeric_above_threshold",
        "adaptive_above_threshold",
        "noisy_max",
    ),
    *(
        "bad_above_threshold_no_query_noise",
        "bad_above_threshold_no_cutoff",
        "bad_above_threshold_unscaled",
        "bad_gap_above_threshold",
    ),
    *(
        "bad_adaptive_above_threshold",
        "bad_noisy_max_value",
        "one_time_pad",
        "one_time_pad_by_addition",
        "one_time_pad_two_shares",
    ),
    *("bad_pad_and", "bad_pad_or", "bad_pad_key_twice", "bad_pad_key_told", "bad_pad_half_key"),
)
_SECONDS = 75.0


# All sections are called alike.
def proofs(peers: Peers, *, quick: bool = False) -> Section:  # noqa: ARG001
    """Seconds of one core, and whether the verdict is the right one."""
    rows: list[Row] = []
    found = _programs()
    for name in PROGRAMS[:2] if quick else PROGRAMS:
        start = process_time()
        verdict = verify_program(found[name])
        right = verdict.verdict.value == ("REFUTED" if name.startswith("bad_") else "PROVED")
        rows.append(
            {
                "program": name,
                "verdict": verdict.verdict.value if right else f"{verdict.verdict.value}, WRONG",
                "s": process_time() - start,
            }
        )
    whole = sum(float(row["s"]) for row in rows if isinstance(row["s"], float))
    wrong = sum(str(row["verdict"]).endswith("WRONG") for row in rows)
    targets = [
        Target("the whole set in about a minute, s", _SECONDS, whole, "all"),
        Target("wrong verdicts", 0.0, float(wrong), "all"),
    ]
    return Section(
        "Proofs: seconds of one core",
        [*rows, {"program": "all", "verdict": f"{len(rows)} programs", "s": whole}],
        targets,
    )


def _programs() -> dict[str, Program]:
    found: list[Program | UnsupportedProgram] = []
    for file in sorted(FOLDER.glob("*.py")):
        found += read_programs(file.read_text(encoding="utf-8"), file.name)
    return {one.name: one for one in found if isinstance(one, Program)}
