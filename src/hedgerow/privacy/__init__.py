"""Who is protected, how far they move an answer, what hiding the move costs, and how much there is to spend."""

from hedgerow.privacy.account import Account, DualAccount
from hedgerow.privacy.budget import Budget
from hedgerow.privacy.conversion import delta_of, epsilon_of, rho_of
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.parts import Parts
from hedgerow.privacy.rho import laplace_rho, rho_of_pure
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.privacy.unit import Unit

__all__ = [
    "Account",
    "Budget",
    "DualAccount",
    "Loss",
    "Parts",
    "Sensitivity",
    "Unit",
    "delta_of",
    "epsilon_of",
    "laplace_rho",
    "rho_of",
    "rho_of_pure",
]
