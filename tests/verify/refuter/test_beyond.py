from __future__ import annotations

import pytest

from hedgerow.verify.refuter.beyond import Beyond
from hedgerow.verify.refuter.paths import paths
from verify.refuter.programs import given, one


def test_what_cannot_be_followed_is_given_up_and_never_guessed() -> None:
    squared = one("z = laplace(1 / eps)\nreturn z * z + x")
    with pytest.raises(Beyond, match="a product of two noisy numbers"):
        paths(squared, given(x=0, eps=1))
