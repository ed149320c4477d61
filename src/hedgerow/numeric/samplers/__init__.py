"""Exact samplers: each draws from the stated distribution, not from an approximation of it."""

from hedgerow.numeric.samplers.argmax_sampler import noisy_argmax, noisy_argmax_with_lead
from hedgerow.numeric.samplers.bernoulli_sampler import bernoulli
from hedgerow.numeric.samplers.gaussian_sampler import discrete_gaussian
from hedgerow.numeric.samplers.laplace_sampler import (
    bernoulli_exp,
    discrete_laplace,
    geometric,
    rounded_laplace,
)
from hedgerow.numeric.samplers.rounded_samplers import rounded_gaussian, rounded_power
from hedgerow.numeric.samplers.truncated_laplace_sampler import truncated_laplace
from hedgerow.numeric.samplers.uniform_sampler import uniform_integers

__all__ = [
    "bernoulli",
    "bernoulli_exp",
    "discrete_gaussian",
    "discrete_laplace",
    "geometric",
    "noisy_argmax",
    "noisy_argmax_with_lead",
    "rounded_gaussian",
    "rounded_laplace",
    "rounded_power",
    "truncated_laplace",
    "uniform_integers",
]
