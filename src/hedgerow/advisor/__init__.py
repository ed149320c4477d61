"""The advisor: the mechanism with the least expected error for a statistic, from public parameters
alone.

Nothing here sees data, so a recommendation costs nothing and reveals nothing. Where the error of a
method depends on the data, it is computed on a **reference**: n values spread evenly over the
middle half of the declared range, because declared bounds are rarely tight. A *rank* is the
distance between two neighbouring values of the reference.

``expected`` is the mean absolute error on the reference, with answers clamped to the range.
``worst`` is a bound that 19 of 20 answers keep, *whatever the data*; None where a method has no
such bound short of the whole range.
"""

from hedgerow.advisor.recommend import choose
from hedgerow.advisor.recommendation import Option, Recommendation

__all__ = ["Option", "Recommendation", "choose"]
