"""Aggregates of the truth gate, alone and together, as SQL and as the oracle knows them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

__all__ = ["AGGREGATES", "QUESTIONS", "Aggregate", "Family"]

Family = Literal["linear", "ratio", "order"]


@dataclass(frozen=True, slots=True)
class Aggregate:
    """SQL text, the function that the oracle knows, how it is judged, and the column that it
    reads."""

    sql: str
    function: str
    family: Family
    filtered: bool = False
    share: Fraction = Fraction(0)
    reads: Literal["x", "y"] = "x"


_FILTER = " FILTER (WHERE y >= 5)"
AGGREGATES: Mapping[str, Aggregate] = {
    "rows": Aggregate("COUNT(*)", "COUNT(*)", "linear"),
    "values": Aggregate("COUNT(x)", "COUNT(x)", "linear"),
    "passing": Aggregate("COUNT(*)" + _FILTER, "COUNT(*)", "linear", filtered=True),
    "people": Aggregate("COUNT(DISTINCT uid)", "COUNT(DISTINCT uid)", "linear"),
    "different": Aggregate("COUNT(DISTINCT x)", "COUNT(DISTINCT x)", "linear"),
    "sum_of_different": Aggregate("SUM(DISTINCT x)", "SUM(DISTINCT x)", "linear"),
    "total": Aggregate("SUM(x)", "SUM", "linear"),
    "some": Aggregate("SUM(x)" + _FILTER, "SUM", "linear", filtered=True),
    "mean": Aggregate("AVG(x)", "AVG", "ratio"),
    "mean_of_some": Aggregate("AVG(x)" + _FILTER, "AVG", "ratio", filtered=True),
    "variance": Aggregate("VAR_POP(x)", "VAR_POP", "ratio"),
    "deviation": Aggregate("STDDEV(x)", "STDDEV", "ratio"),
    "covariance": Aggregate("COVAR_SAMP(x, y)", "COVAR_SAMP", "ratio"),
    "correlation": Aggregate("CORR(x, y)", "CORR", "ratio"),
    "slope": Aggregate("REGR_SLOPE(x, y)", "REGR_SLOPE", "ratio"),
    "fit": Aggregate("REGR_R2(x, y)", "REGR_R2", "ratio"),
    "pairs": Aggregate("REGR_COUNT(x, y)", "REGR_COUNT", "linear"),
    "skew": Aggregate("SKEWNESS(x)", "SKEWNESS", "ratio"),
    "peak": Aggregate("KURTOSIS(x)", "KURTOSIS", "ratio"),
    "median": Aggregate("MEDIAN(x)", "QUANTILE", "order", share=Fraction(1, 2)),
    "high": Aggregate("QUANTILE(x, 0.9)", "QUANTILE", "order", share=Fraction(9, 10)),
    "least": Aggregate("MIN(x)", "QUANTILE", "order", share=Fraction(0)),
    "greatest": Aggregate("MAX(x)", "QUANTILE", "order", share=Fraction(1)),
    "usual": Aggregate("MODE(x)", "MODE", "order"),
    # Texts of y characters, and moments at y o'clock.
    "length": Aggregate("SUM(LENGTH(word))", "SUM", "linear", reads="y"),
    "mean_length": Aggregate("AVG(LENGTH(word))", "AVG", "ratio", reads="y"),
    "hour": Aggregate("AVG(EXTRACT(HOUR FROM moment))", "AVG", "ratio", reads="y"),
    "minutes": Aggregate(
        "SUM(DATE_DIFF('minute', TIMESTAMP '2026-05-01 00:30:00', moment) / 60)",
        "SUM",
        "linear",
        reads="y",
    ),
}
QUESTIONS: tuple[tuple[str, ...], ...] = (
    ("rows",),
    ("values",),
    ("passing",),
    ("total",),
    ("some",),
    ("people",),
    ("different",),
    ("sum_of_different",),
    ("total", "rows"),
    ("total", "values"),
    ("rows", "values", "passing", "total", "some", "people"),
    ("mean",),
    ("mean_of_some",),
    ("variance",),
    ("deviation",),
    ("covariance",),
    ("correlation",),
    ("rows", "mean"),
    ("mean", "total", "values"),
    ("rows", "total", "mean", "deviation"),
    ("median",),
    ("high",),
    ("least",),
    ("greatest",),
    ("usual",),
    ("median", "high", "rows"),
    ("slope", "fit", "pairs"),
    ("skew", "peak"),
    ("slope",),
    ("fit",),
    ("pairs",),
    ("skew",),
    ("peak",),
)
