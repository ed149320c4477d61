"""Kinds: what fits together, what is settled by them, and what may be read."""

from __future__ import annotations

import pytest

from hedgerow.verify.language.program import Apply, Assign, Kind, Name, Output, format_expression
from hedgerow.verify.language.type_inference import infer_kind, infer_kinds
from hedgerow.verify.language.unsupported import UnsupportedProgram
from verify.language.reading import gallery, read, refused

BITS = (
    "m: private[bits[8]], w: public[bits[8]], q: private[list], x: private[float], b:"
    " private[bool], n: public[int], eps: public[float]"
)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("1", Kind.INT),
        ("0.5", Kind.REAL),
        ("n + 1", Kind.INT),
        ("n * x", Kind.REAL),
        ("n / 2", Kind.REAL),
        ("n % 2", Kind.INT),
        ("n // 2", Kind.INT),
        ("floor(x)", Kind.INT),
        ("abs(-n)", Kind.INT),
        ("min(n, x)", Kind.REAL),
        ("q[0]", Kind.REAL),
        ("len(q)", Kind.INT),
        ("ln(eps)", Kind.REAL),
        ("x < 1", Kind.BOOL),
        ("b and n == 1", Kind.BOOL),
        ("1 if b else 2", Kind.INT),
        ("1 if b else 0.5", Kind.REAL),
        ("m ^ w", Kind.BITS),
        ("concat(m, w)", Kind.BITS),
        ("bit(m, 3)", Kind.BOOL),
        ("m == w", Kind.BOOL),
        ("~m", Kind.BITS),
        ("geometric(1)", Kind.INT),
        ("laplace(1)", Kind.REAL),
        ("bernoulli(0.5)", Kind.BOOL),
        ("uniform_bits(n)", Kind.BITS),
    ],
)
def test_kinds_of_values(value: str, kind: Kind) -> None:
    program = read(f"y = {value}\nreturn 1", BITS)
    assert infer_kinds(program)["y"] is kind


def test_a_variable_is_what_all_its_values_are() -> None:
    found = infer_kinds(read("y = 0\nfor i in range(n):\n    z = y\n    y = z + x\nreturn y", BITS))
    assert (found["y"], found["z"], found["i"], found["q"]) == (
        Kind.REAL,
        Kind.REAL,
        Kind.INT,
        Kind.REAL,
    )


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("return x + b", "b is True or False; a number is needed"),
        ("return m * 2", "m is a bit string; a number is needed"),
        ("return m + 1", "1 is an integer; a bit string is needed"),
        ("return not x", "x is a number; True or False is needed"),
        ("return b and x", "x is a number"),
        ("return b < b", "b is True or False"),
        ("return x == b", "True or False cannot be combined with a number"),
        ("return 1 if x else 2", "x is a number"),
        ("return 1 if b else b", "cannot be combined"),
        ("if x:\n    pass\nreturn 1", "x is a number"),
        ("while n:\n    pass\nreturn 1", "n is an integer"),
        ("return q[x]", "x is a number; an integer is needed"),
        ("return q[b]", "b is True or False"),
        ("return x ^ 2", "x is a number; a bit string is needed"),
        ("return b ^ x", "cannot be combined"),
        ("return bit(x, 1)", "x is a number"),
        ("return bit(m, x)", "x is a number"),
        ("y = 1\ny = b\nreturn 1", "y is an integer elsewhere and True or False here"),
        ("return x + laplace(b)", "b is True or False"),
        ("y = uniform_bits(x)\nreturn 1", "x is a number; an integer is needed"),
        ("if n > 1:\n    y = 1\nreturn y", "y may be read before it is assigned"),
        ("for i in range(n):\n    y = 1\nreturn y", "y may be read before it is assigned"),
        ("while y > 1:\n    y = 1\nreturn 1", "y may be read before it is assigned"),
        ("y = laplace(z)\nreturn 1", "z may be read before it is assigned"),
        ("y += 1\nreturn y", "y may be read before it is assigned"),
        ("if y:\n    pass\nreturn 1", "y may be read before it is assigned"),
        ("y = y\nreturn y", "y may be read before it is assigned"),
    ],
)
def test_what_does_not_fit_is_refused(body: str, told: str) -> None:
    outside = refused(body, BITS)
    assert told in outside.reason
    assert outside.place.line >= 3


def test_both_branches_assign() -> None:
    assert read("if b:\n    y = 1\nelse:\n    y = 2\nreturn y", BITS)


def test_signs_are_settled_everywhere() -> None:
    program = read(
        "y = m + w\nif b & b:\n    y = y + w\nwhile b ^ b:\n    y = w\nz = laplace(1 if b | b else"
        " 2)\nreturn q[1 if ~b else 0]",
        BITS,
    )
    text = " ".join(str(one) for one in program.body)
    assert "bits+" in text
    assert "'+'" not in text
    assert "bits&" not in text
    assert "xor" not in text
    assert "bits|" not in text
    assert "bits~" not in text


def test_the_kind_of_an_expression() -> None:
    program = read("y = x\nreturn y", BITS)
    assert (
        infer_kind(Apply("+", (Name("y"), Name("n"))), program, infer_kinds(program)) is Kind.REAL
    )
    with pytest.raises(UnsupportedProgram, match="the type of z cannot be inferred"):
        infer_kind(Name("z"), program, infer_kinds(program))


def test_kinds_of_the_gallery() -> None:
    for program in gallery().values():
        found = infer_kinds(program)
        for one in program.body:
            if isinstance(one, Output | Assign):
                assert infer_kind(one.value, program, found) in Kind, format_expression(one.value)


def test_long_sums_have_a_kind_as_well() -> None:
    """Each part was looked at four times at every depth: eighteen summands took minutes."""
    about = read(f"y = {' + '.join(['x'] * 40)}\nreturn y")
    assert infer_kinds(about)["y"] is Kind.REAL
