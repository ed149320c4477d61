"""What is promised of the accuracy tables, and what to know about the peers in them."""

from __future__ import annotations

from bench.report import Row, Target, worst

__all__ = ["NOTES", "WRONG", "list_targets"]

# What peers do wrongly: it is shown, and not what ours is compared with.
WRONG = {
    ("diffprivlib", "COUNT"): "¹",
    ("pyqrlew", "COUNT of people"): "²",
    ("pyqrlew", "COUNT(DISTINCT)"): "²",
    ("pyqrlew", "VAR"): "²",
    ("pyqrlew", "STDDEV"): "²",
}
NOTES = (
    (
        "¹ It clamps the noisy count to the exact number of rows, which is most often the answer"
        " then: not private."
    ),
    (
        "² It answers another question, without a word: rows for distinct values, and a variance"
        " without the square of the mean."
    ),
    (
        "diffprivlib takes the number of rows for public (other neighbours, less to hide) and each"
        " row for a person."
    ),
    (
        "smartnoise-sql caps rows, not groups. opendp is told that its caps hold; its candidates"
        " for a quantile are 1,001, evenly spaced."
    ),
    (
        "Keys: how many of 2,000 are shown; more is better, so the ratio is the best peer's to"
        " ours. pipeline-dp has the better of its Laplace and Gaussian thresholds, with all of"
        " epsilon."
    ),
    (
        "told: the mean error by what explain says, which should be 1; for AVG and VAR, at the rows"
        " and means that there are. Quantiles: the share of answers within the ranks that explain"
        " gives for 95 %."
    ),
)


def list_targets(
    cells: list[Row], average: list[Row], together: list[Row], first_keys: Row, more_keys: Row
) -> list[Target]:
    """List what is promised of the rows, each judged by its worst one."""
    return [
        worst(
            "at most 1.05 times the error of the best peer, two standard errors allowed",
            1.05,
            cells,
            "at least",
        ),
        worst(
            "AVG at least 1.8 times below midpoint sum and count",
            1.8,
            average,
            "theirs / ours",
            at_least=True,
        ),
        worst(
            "twenty quantiles at least twice below independent ones",
            2,
            together,
            "theirs / ours",
            at_least=True,
        ),
        worst(
            "no fewer keys than the best peer, two standard errors allowed",
            1,
            [first_keys],
            "at least",
        ),
        worst(
            "more keys than the best peer when people are in several groups",
            1,
            [more_keys],
            "at least",
        ),
        worst(
            "counts and sums: the error that explain tells (standard errors off)",
            4,
            cells,
            "off, s.e.",
        ),
        worst("95 % intervals cover (standard errors below 95 %)", 4, cells, "short, s.e."),
    ]
