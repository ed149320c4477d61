"""Which mechanism for which statistic: the one with the least expected error, judged by public
parameters alone.

Nothing here sees data, so a choice costs nothing and tells nothing. Where the error of a method
depends on the data, a stated **reference** stands in for them: n values spread evenly over the
middle half of the declared range. (The middle half, because declared bounds are never tight.) A
*rank* is the distance between two neighbouring values of the reference.

``expected`` is the mean absolute error on the reference, where answers outside the range are moved
to its ends. ``worst`` is what 19 of 20 answers keep to *whatever the data are*; None where a method
has no such bound short of the whole range.
"""

from hedgerow.advisor.recommend import choose
from hedgerow.advisor.recommendation import Option, Recommendation

__all__ = ["Option", "Recommendation", "choose"]
