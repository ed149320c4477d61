"""How often each Bloom bit was set before it was randomised, by cohort, from how often it was
reported.

With q* and p* the probabilities that a bit set and a bit clear are reported as 1, the share of
reports with the bit has the expectation p* + (q* - p*) t, t the share of clients whose filter has
it: the **rate** inverts that and is unbiased. Given the filters, the bits of a report are
independent coins, so the errors of two rates are uncorrelated and that of one has variance
r(1-r)/(n (q* - p*)^2), with r the expected share of reports that have the bit; it is taken at the
rate as estimated. It counts the choice of clients too, and so a little too much for a statement
about the clients who reported; that choice moves the bits of one value together, which no variance
of a single bit can tell: the decoder measures it (``hedgerow.local.decode.rappor.p_values``).
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
    """(p*, q*): how likely a bit that is clear, and one that is set, is reported as 1 after both
    responses.
    """
    coin = f * (p + q) / 2
    return coin + (1 - f) * p, coin + (1 - f) * q


@dataclass(frozen=True, slots=True, eq=False)
class BitRates:
    """Rates and their variances, a row for each cohort that has reports; ``cohorts`` says which
    those are and ``sizes`` how many it has; ``n`` is all reports. ``clear`` and ``set_`` are p* and
    q*."""

    rates: Floats
    variances: Floats
    cohorts: Integers
    sizes: Floats
    n: int
    clear_probability: Fraction
    set_probability: Fraction

    @classmethod
    def of(cls, bits: Any, sizes: Any, clear: Fraction, set_: Fraction) -> BitRates:
        """From how often each bit was reported in each cohort, and how many reports each cohort
        has.
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
                "q", "must differ from p, and f be below 1, or reports say nothing"
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
