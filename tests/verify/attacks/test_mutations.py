"""Forged certificates: a slice of what ``make slow`` tries."""

from __future__ import annotations

import pytest

from verify.attacks.mutations import FALSE, accepted, fooled, plain, program

TRUE = program("x: private[float]", "one", "return x + laplace(1 / eps)")
EVERY = program(
    "q: private[list], n: public[int]",
    "all",
    "for i in range(n):\n        output(laplace(1 / eps))",
)


def test_no_forgery_is_accepted() -> None:
    assert fooled(600, seed=20) == []


@pytest.mark.parametrize("name", FALSE)
def test_a_certificate_of_a_true_sibling_is_not_accepted(name: str) -> None:
    found = program(*FALSE[name])
    assert not accepted(found, plain(found))


def test_true_claims_of_the_same_kind_are_proved() -> None:
    """The documents that are changed do prove what they should prove."""
    assert accepted(TRUE, plain(TRUE))
    invariants = [[*plain(EVERY)["invariants"][0], ["<=", "@cost0", {"number": "0"}]]]
    assert accepted(EVERY, plain(EVERY) | {"shifts": [{"number": "0"}], "invariants": invariants})


@pytest.mark.parametrize(
    "variant",
    [True, "nobody", ["read", "n", {"number": "0"}], ["length", "eps"], ["bit", "n", "n"]],
)
def test_ill_typed_certificates_are_refused_without_an_error(variant: object) -> None:
    invariants = [[*plain(EVERY)["invariants"][0], ["<=", "@cost0", {"number": "0"}]]]
    assert not accepted(
        EVERY,
        plain(EVERY)
        | {
            "shifts": [{"number": "0"}],
            "invariants": invariants,
            "variants": [variant],
        },
    )


def test_the_name_and_hash_in_a_certificate_are_ignored() -> None:
    assert accepted(TRUE, plain(TRUE) | {"source": "0" * 64, "program": "another"})
    half = program(*FALSE["half the noise"])
    assert not accepted(half, plain(TRUE) | {"source": plain(half)["source"]})
