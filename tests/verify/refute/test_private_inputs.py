from __future__ import annotations

from fractions import Fraction

import pytest

from hedgerow.verify.refute.input_search import iterate_input_pairs
from hedgerow.verify.refute.out_of_scope import OutOfScope
from hedgerow.verify.refute.path_values import BitWord
from hedgerow.verify.refute.private_inputs import (
    build_public_list,
    evaluate_width,
    has_composite_indices,
    list_special_bases,
)
from verify.language.reading import read
from verify.refute.programs import gallery, given, one

GALLERY = gallery()


def test_words_and_booleans_are_flipped_only_as_secrets() -> None:
    found = [
        (pair.first["m"], pair.second["m"]) for pair in iterate_input_pairs(GALLERY["one_time_pad"])
    ]
    assert found == [(BitWord(512, 0), BitWord(512, value)) for value in (2**512 - 1, 1, 2**511)]
    both = {
        (pair.second["m"], pair.second["n"])
        for pair in iterate_input_pairs(GALLERY["bad_pad_key_twice"])
    }
    assert (BitWord(512, 2**512 - 1), BitWord(512, 0)) in both
    assert (BitWord(512, 2**512 - 1), BitWord(512, 2**512 - 1)) in both
    booleans = one(
        "return q[0]", "q: private[list[bool]]", '@mechanism(epsilon="1", neighbours="secret")\n'
    )
    assert {pair.second["q"] for pair in iterate_input_pairs(booleans, (2,))} == {
        (True, True),
        (True, False),
    }


def test_the_width_of_a_word_must_be_a_moderate_positive_integer() -> None:
    m, _ = GALLERY["one_time_pad_any_length"].parameters
    assert evaluate_width(m, given(n=3)) == 3
    for wrong in (0, "1/2", 10**9):
        with pytest.raises(OutOfScope, match="without bits"):
            evaluate_width(m, given(n=wrong))
    wide = one(
        "return m", "m: private[bits[1000000]]", '@mechanism(epsilon="0", neighbours="secret")\n'
    )
    assert not list(iterate_input_pairs(wide))


def test_integer_noise_is_tried_on_fractional_moves() -> None:
    moves = [
        (pair.first["x"], pair.second["x"])
        for pair in iterate_input_pairs(GALLERY["bad_geometric_of_reals"])
    ]
    assert moves[:2] == [(0, Fraction(1, 2)), (0, Fraction(1, 3))]
    assert all(
        isinstance(pair.second["x"], Fraction) and pair.second["x"].denominator == 1
        for pair in iterate_input_pairs(GALLERY["geometric_mechanism"])
    )


PARAMETERS = (
    "q: private[list], w: public[list], k: private[int], n: public[int], eps: public[float]"
)


@pytest.mark.parametrize(
    ("body", "bases"),
    [
        ("return q[k] + laplace(1 / eps)", [[0, 10, 0]]),
        ("return n / k + laplace(1 / eps)", [[10, 10, 2]]),
        ("return 1 if k > 7 else 0", [[7, 7, 7], [8, 8, 8]]),
        ("return k + laplace(1 / eps)", []),
        ("return 1 if k + laplace(1 / eps) > 7 else 0", []),
    ],
)
def test_bases_fit_the_construct(body: str, bases: list[list[int]]) -> None:
    about = read(body, PARAMETERS)
    numbers = [one for one in about.parameters if one.private]
    assert [list(map(int, one)) for one in list_special_bases(about, numbers, 2)] == bases


def test_public_lists_are_scales_or_places() -> None:
    scales = read("return k + laplace(w[0] / eps)", PARAMETERS)
    places = read("return w[k] + laplace(1 / eps)", PARAMETERS)
    others = read("return w[0] + laplace(1 / eps)", PARAMETERS)
    assert build_public_list(scales, "w", 2) == (Fraction(1, 4),) * 2
    assert build_public_list(places, "w", 2) == (0, 10)
    assert build_public_list(others, "w", 2) == (0, 0)


def test_multiples_of_a_counter_are_composite_indices() -> None:
    assert has_composite_indices(read("return q[2 * n] + laplace(1 / eps)", PARAMETERS))
    assert not has_composite_indices(read("return q[n - 1] + laplace(1 / eps)", PARAMETERS))
