from __future__ import annotations

import pytest

from hedgerow.verify.refute.out_of_scope import OutOfScope
from hedgerow.verify.refute.paths import enumerate_paths
from verify.refute.programs import given, one


def test_unsupported_programs_are_out_of_scope_and_never_guessed() -> None:
    squared = one("z = laplace(1 / eps)\nreturn z * z + x")
    with pytest.raises(OutOfScope, match="a product of two noisy numbers"):
        enumerate_paths(squared, given(x=0, eps=1))
