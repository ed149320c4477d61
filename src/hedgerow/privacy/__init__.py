"""Privacy accounting: protected units, sensitivities, losses and budgets."""

from hedgerow.privacy.budget import Budget
from hedgerow.privacy.budget_view import Balance, DualBalance
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.parallel_composition import PartLosses
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.privacy.unit import Unit
from hedgerow.privacy.zcdp import compute_laplace_rho, compute_pure_rho
from hedgerow.privacy.zcdp_conversion import (
    convert_rho_to_delta,
    convert_rho_to_epsilon,
    find_largest_rho,
)

__all__ = [
    "Balance",
    "Budget",
    "DualBalance",
    "Loss",
    "PartLosses",
    "Sensitivity",
    "Unit",
    "compute_laplace_rho",
    "compute_pure_rho",
    "convert_rho_to_delta",
    "convert_rho_to_epsilon",
    "find_largest_rho",
]
