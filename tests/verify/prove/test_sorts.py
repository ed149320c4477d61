"""The number of bits that z3 gets for a bit string."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hedgerow.verify.language.program import Apply, Kind, Name, Program
from hedgerow.verify.language.unsupported import UnsupportedProgram
from hedgerow.verify.prove.checker import check
from hedgerow.verify.prove.sorts import infer_sorts, is_width_independent, uses_abstract_bits
from hedgerow.verify.prove.terms import Sort
from verify.prove.proving import certificate, expression, program, shipped


def pad(body: str, parameters: str = "m: private[bits[512]]") -> Program:
    return program(f"""
@mechanism(epsilon="0", neighbours="secret")
def one({parameters}):
    key = uniform_bits(512)
    {body}
""")


def test_numbers_have_their_kinds() -> None:
    known = infer_sorts(shipped()["above_threshold"])
    assert (known["count"].kind, known["threshold"].kind, known["q"].kind) == (
        Kind.INT,
        Kind.REAL,
        Kind.REAL,
    )


def test_one_bit_represents_many_in_bitwise_programs() -> None:
    for body in ("return m ^ key", "return m & key", "return ~m | key"):
        about = pad(body)
        assert infer_sorts(about)["key"] == Sort(Kind.BITS, 1)
        assert uses_abstract_bits(about, infer_sorts(about))
    assert infer_sorts(shipped()["one_time_pad_any_length"])["m"] == Sort(Kind.BITS, 1)


def test_whole_numbers_stand_for_bits_that_are_added() -> None:
    assert infer_sorts(pad("return m + key"))["key"] == Sort(Kind.INT)


def test_otherwise_all_bits_are_given() -> None:
    for body in ("return (m ^ key) + key", "return m == key", "return concat(m, key)"):
        about = pad(body)
        assert infer_sorts(about)["key"] == Sort(Kind.BITS, 512)
        assert not uses_abstract_bits(about, infer_sorts(about))


def test_mixtures_of_any_width_are_outside() -> None:
    about = program("""
@mechanism(epsilon="0", neighbours="secret")
def one(m: private["bits[n]"], n: public[int]):
    key = uniform_bits(n)
    return (m ^ key) + key
""")
    with pytest.raises(UnsupportedProgram, match="of unknown width"):
        infer_sorts(about)


def test_too_many_bits_are_outside() -> None:
    about = program("""
@mechanism(epsilon="0", neighbours="secret")
def one(m: private[bits[100000]]):
    key = uniform_bits(100000)
    return m == key
""")
    with pytest.raises(UnsupportedProgram, match="between 1 and 4096"):
        infer_sorts(about)


@pytest.mark.parametrize(
    ("text", "about", "good"),
    [
        ("@noise ^ (m@1 ^ m@2)", "image", True),
        ("@noise", "image", True),
        ("@noise if m@1 == m@2 else m@1", "image", False),
        ("m@1 == m@2", "equal", True),
        ("(m@1 ^ key@1) == (m@2 ^ key@2)", "equal", True),
        ("m@1 == m@2", "none", False),
        ("not (m@1 == m@2)", "equal", False),
        ("m@1 < m@2", "equal", False),
        ("@noise - m@1", "image", False),
        ("1 if @noise < 3 else 0", "none", True),
    ],
)
def test_a_certificate_says_what_means_the_same_for_every_width(
    text: str, about: str, good: bool
) -> None:
    one = pad("return m ^ key")
    assert is_width_independent(expression(text), one, infer_sorts(one), about) is good


def test_a_shift_that_is_right_for_one_bit_alone_is_refused() -> None:
    about = pad("return m ^ key")
    added = Apply("-", (Apply("bits+", (Name("@noise"), Name("m@1"))), Name("m@2")))
    failure = check(about, replace(certificate(about), shifts=(added,)))
    assert failure is not None
    assert "depends on the width" in failure.reason
