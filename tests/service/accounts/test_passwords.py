from __future__ import annotations

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.service.accounts import passwords
from hedgerow.service.accounts.passwords import check_password, hash_password


def test_a_password_matches_its_own_digest_only() -> None:
    stored = hash_password("correct horse battery")
    assert check_password("correct horse battery", stored)
    assert not check_password("correct horse batterx", stored)
    assert "correct" not in stored
    assert stored != hash_password("correct horse battery")  # another salt


def test_an_unknown_name_costs_the_same_work(monkeypatch: pytest.MonkeyPatch) -> None:
    costs = []
    compute = passwords._compute_digest
    monkeypatch.setattr(
        passwords,
        "_compute_digest",
        lambda password, salt, cost: costs.append(cost) or compute(password, salt, 2),
    )
    assert not check_password("anything at all", None)
    assert costs == [2**15]


@pytest.mark.parametrize("password", ["", "short", "x" * 2000])
def test_a_password_of_the_wrong_length_is_refused(password: str) -> None:
    with pytest.raises(InvalidArgument, match="12 to 1024 characters"):
        hash_password(password)


def test_a_huge_password_is_not_even_hashed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passwords, "_compute_digest", lambda *_: pytest.fail("hashed"))
    assert not check_password("x" * 10**6, None)
