"""All exact samplers, in one place. "Exact" means: the distribution that comes out is the stated one, not one close to it."""

from hedgerow.numeric.coins import bernoulli
from hedgerow.numeric.cut_laplace import cut_laplace
from hedgerow.numeric.exponential import bernoulli_exp, discrete_laplace, geometric, rounded_laplace
from hedgerow.numeric.gaussian import discrete_gaussian
from hedgerow.numeric.race import race, race_with_lead
from hedgerow.numeric.rounded import rounded_gaussian, rounded_power
from hedgerow.numeric.uniform import uniform_integers

__all__ = [
    "bernoulli",
    "bernoulli_exp",
    "cut_laplace",
    "discrete_gaussian",
    "discrete_laplace",
    "geometric",
    "race",
    "race_with_lead",
    "rounded_gaussian",
    "rounded_laplace",
    "rounded_power",
    "uniform_integers",
]
