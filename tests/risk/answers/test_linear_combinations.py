"""Combinations of answers in exact numbers, and groups of atoms as arrays."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from scipy.sparse import csr_matrix

from hedgerow.risk.answers.linear_combinations import (
    round_coefficients,
    stack_columns,
    unpack_bits,
)


def test_bits_become_an_array_of_their_length() -> None:
    assert unpack_bits(0b101, 4).tolist() == [1, 0, 1, 0]
    assert unpack_bits(1 << 9, 10).tolist() == [0] * 9 + [1]
    assert unpack_bits(0, 0).tolist() == []


def test_coefficients_near_fractions_become_fractions_and_zeros_go() -> None:
    terms = round_coefficients(np.array([0.5000001, 1e-9, -1.0]), [4, 5, 6])
    assert terms == ((4, Fraction(1, 2)), (6, Fraction(-1)))


def test_matrices_are_stacked_side_by_side() -> None:
    stacked = stack_columns(csr_matrix(np.eye(2)), csr_matrix([[1], [1]]))
    assert stacked.toarray().tolist() == [[1, 0, 1], [0, 1, 1]]
