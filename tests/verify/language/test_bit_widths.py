"""Widths of bit strings are made of public parameters, and go together or are refused."""

from __future__ import annotations

import pytest

from verify.language.reading import read, refused

BITS = (
    "m: private[bits[n]], h: private[bits[n / 2]], e: public[bits[8]], l: private[list[bits[n]]],"
    " n: public[int], k: private[int]"
)
HEAD = '@mechanism(epsilon="0", neighbours="secret")\n'


@pytest.mark.parametrize(
    "body",
    [
        "return m ^ uniform_bits(n)",
        "return m ^ concat(h, h)",
        "return m ^ concat(uniform_bits(n - 2), uniform_bits(2))",
        "return concat(m, m) ^ uniform_bits(2 * n)",
        "return concat(m, m) == uniform_bits(n + n)",
        "return ~m & l[0]",
        "return e + uniform_bits(8)",
        "return m if bit(e, 1) else l[1]",
        "y = m\nfor i in range(n):\n    y = y ^ l[i]\nreturn y",
        "return concat(concat(e, e), e) ^ uniform_bits(3 * 8)",
        "return uniform_bits(n * n) ^ uniform_bits(n * n)",
    ],
)
def test_widths_that_go_together(body: str) -> None:
    assert read(body, BITS, HEAD)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("return m ^ e", "n and 8 bits"),
        ("return m ^ uniform_bits(n + 1)", "1 + n"),
        ("return m == e", "cannot be combined"),
        ("return m if bit(e, 1) else e", "cannot be combined"),
        ("y = m\ny = e\nreturn y", "cannot be combined"),
        ("y = m\nfor i in range(n):\n    y = concat(y, m)\nreturn y", "cannot be combined"),
        ("return m ^ concat(h, m)", "cannot be combined"),
        ("y = uniform_bits(k)\nreturn 1", "mentions k;"),
        ("y = 8\nz = uniform_bits(y)\nreturn 1", "mentions y;"),
        ("y = uniform_bits(n // 2)\nreturn 1", "must be written with"),
        ("y = uniform_bits(abs(n))\nreturn 1", "must be written with"),
        ("if m ^ e == e:\n    pass\nreturn 1", "cannot be combined"),
    ],
)
def test_widths_that_do_not(body: str, told: str) -> None:
    outside = refused(body, BITS, HEAD)
    assert told in outside.reason
    assert outside.place.line >= 3
