"""Rates of Bloom bits before randomisation, by cohort, estimated from the reported bits.

Let q* and p* be the probabilities that a set bit and a clear bit are reported as 1, and t the share
of clients whose filter has the bit. The share of reports with the bit has the expectation
p* + (q* - p*) t; the **rate** inverts this and is unbiased. Given the filters, the bits of a report
are randomised independently, so the errors of two rates are uncorrelated, and the error of one has
the variance r(1-r)/(n (q* - p*)^2), where r is the expected share of reports with the bit, taken at
the estimated rate. This variance includes the random assignment of clients to cohorts, which is
slightly too much for a statement about the clients who reported. That assignment moves all bits of
one value together, which no variance of a single bit can express; the decoder measures it
(``hedgerow.local.decode.rappor.p_values``).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.vectorised import Floats, Integers

__all__ = ["BitRates", "compute_report_probabilities"]


def compute_report_probabilities(
    f: Fraction, p: Fraction, q: Fraction
) -> tuple[Fraction, Fraction]:
    """Return (p*, q*), the probabilities that a clear and a set bit are reported as 1 after both
    randomised responses.
    """
    coin = f * (p + q) / 2
    return coin + (1 - f) * p, coin + (1 - f) * q


@dataclass(frozen=True, slots=True, eq=False)
class BitRates:
    """Rates and their variances, with a row for each cohort that has reports: ``cohorts`` are the
    numbers of these cohorts, ``sizes`` their numbers of reports, and ``n`` is the total.
    ``clear_probability`` is p* and ``set_probability`` is q*.
    """

    rates: Floats
    variances: Floats
    cohorts: Integers
    sizes: Floats
    n: int
    clear_probability: Fraction
    set_probability: Fraction

    @classmethod
    def of(cls, bits: Any, sizes: Any, clear: Fraction, set_: Fraction) -> BitRates:
        """Estimate the rates from the count of each reported bit in each cohort and the number of
        reports of each cohort.
        """
        counts, totals = np.asarray(bits), np.asarray(sizes)
        if (
            counts.ndim != 2
            or totals.shape != counts.shape[:1]
            or counts.dtype.kind not in "iu"
            or totals.dtype.kind not in "iu"
        ):
            raise InvalidArgument(
                "bits",
                "must be whole numbers, a row for each cohort, and sizes one for each",
                counts.shape,
            )
        if (counts < 0).any() or (counts > totals[:, None]).any():
            raise InvalidArgument("bits", "must lie between 0 and the reports of their cohort")
        if clear == set_:
            raise InvalidArgument(
                "q", "must differ from p, and f be below 1, or reports carry no information"
            )
        present = np.flatnonzero(totals > 0)
        n, low, gain = totals[present, None].astype(np.float64), float(clear), float(set_ - clear)
        rates = (counts[present] / n - low) / gain
        # Half a report keeps the variance above 0 where p* = 0 and nothing was reported.
        shown = np.clip(low + gain * np.clip(rates, 0.0, 1.0), 0.5 / n, 1 - 0.5 / n)
        return cls(
            rates,
            shown * (1 - shown) / (n * gain * gain),
            present,
            n.ravel(),
            int(totals.sum()),
            clear,
            set_,
        )
