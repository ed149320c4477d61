"""Privacy of finite distributions, in exact arithmetic: distances, privacy curves and couplings.

``distribution`` and ``epsilon`` define the values, with the arithmetic of ``exponential_sum``.
``distance``, ``curve`` and ``renyi`` measure how far two distributions differ.
``probability_table`` decides whether a table of probabilities is private. ``coupling`` and
``lifting`` return witnesses, found by ``max_flow``. ``properties`` checks post-processing,
composition and group privacy.
"""

from __future__ import annotations

from hedgerow.verify.divergence.coupling import Coupling, Violation, coupling
from hedgerow.verify.divergence.curve import Curve, loss_distribution, max_divergence, privacy_curve
from hedgerow.verify.divergence.distance import (
    Distance,
    cumulative_losses,
    epsilon_distance,
    one_sided_distance,
)
from hedgerow.verify.divergence.distribution import Distribution
from hedgerow.verify.divergence.epsilon import Epsilon, ln
from hedgerow.verify.divergence.lifting import STAR, Lifting, lifting
from hedgerow.verify.divergence.probability_table import TableVerdict, is_private, least_epsilon
from hedgerow.verify.divergence.properties import (
    PropertyCheck,
    check_composition,
    check_group_privacy,
    check_post_processing,
)
from hedgerow.verify.divergence.renyi import renyi_divergence

__all__ = [
    "STAR",
    "Coupling",
    "Curve",
    "Distance",
    "Distribution",
    "Epsilon",
    "Lifting",
    "PropertyCheck",
    "TableVerdict",
    "Violation",
    "check_composition",
    "check_group_privacy",
    "check_post_processing",
    "coupling",
    "cumulative_losses",
    "epsilon_distance",
    "is_private",
    "least_epsilon",
    "lifting",
    "ln",
    "loss_distribution",
    "max_divergence",
    "one_sided_distance",
    "privacy_curve",
    "renyi_divergence",
]
