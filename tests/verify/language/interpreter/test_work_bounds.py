"""What a program may come to on any data: bounds hold, and what has none is refused from its
text.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from hedgerow.errors import Refused
from hedgerow.verify.language.interpreter.lazy_reals import LazyReal
from hedgerow.verify.language.interpreter.work_bounds import _SizeAnalysis, check_resources
from hedgerow.verify.language.program import Kind
from verify.language.reading import gallery, read

BIG = 10**98
PARAMETERS = (
    "q: private[list], k: private[int], x: private[float], t: public[bool], l: public[list], n:"
    " public[int], eps: public[float]"
)


def tried(body: str, n: int = 10, length: int = 3) -> None:
    given = {"t": True, "l": (1, Fraction(1, 3)), "n": n, "eps": Fraction(1, 3)}
    check_resources(read(body, PARAMETERS), given, {"q": length})


def test_the_gallery_is_admitted() -> None:
    given: dict[str, Any] = dict.fromkeys(
        ("size", "T", "N", "M", "sigma", "x", "d", "m", "n", "count", "K", "H", "cutoff", *"abkt"),
        2,
    )
    given |= {
        "eps": Fraction(2),
        "delta": Fraction(1, 100),
        "p": Fraction(1, 4),
        "r": Fraction(1, 2),
        "l": (1, 2),
        "q": (1, 2),
    }
    for program in gallery().values():
        public = {
            one.name: True if one.kind is Kind.BOOL else given[one.name]
            for one in program.parameters
            if not one.private
        }
        check_resources(
            program, public, {one.name: 2 for one in program.parameters if one.private and one.list}
        )


THERE_AND_BACK = (
    "y = laplace(1 / eps)\n" + f"y = y / {BIG}\n" * 7 + f"y = y * {BIG}\n" * 7 + "return x + y"
)


@pytest.mark.parametrize(
    ("body", "n"),
    [
        (THERE_AND_BACK, 1),
        ("y = x\n" + "y = y * y\n" * 9 + "return y", 1),
        ("y = 0\nfor i in range(n):\n    y += q[i] + laplace(1 / eps)\nreturn y", 10_000),
        ("y = 0\nfor i in range(n):\n    y += q[i] / 7 - l[0] * l[1]\nreturn y", 1_000_000),
        ("y = 0\nz = 0\nfor i in range(n):\n    y += i\n    z += y % 5\nreturn z", 1_000_000),
        ("y = 1\nfor i in range(n):\n    y = 2 * y\nreturn y", 4000),
        ("y = 0\nfor i in range(n):\n    y += 1 / (i + 1)\nreturn 0.5 * y", 900),
        ("y = 0\nfor i in range(n):\n    for j in range(n):\n        y += q[i]\nreturn y", 1000),
        ("y = 0\nwhile y < 5 and not y > 3:\n    y += 1\nreturn y", 1),
        ("y = 0\nwhile k > 0:\n    y = min(y + 1, 7)\nreturn y", 1),
        (
            (
                "for i in range(n):\n    if q[i] + laplace(1) > 5:\n        break\n    output(2 **"
                " 3 * q[i])\nreturn 1"
            ),
            100_000,
        ),
        (
            (
                "return x < ln(3) * k + sqrt(4) and k % 3 == 1 and not bernoulli(exp(eps) / (1 +"
                " exp(eps)))"
            ),
            1,
        ),
        ("return laplace(ln(2)) + gaussian(sqrt(2 * ln(3))) + ln(5) + uniform(0, 1 / 3)", 1),
        (
            (
                "y = uniform_bits(8)\nz = concat(y, ~y) ^ uniform_bits(16)\noutput(bit(z,"
                " 3))\nreturn 1 if t else 2"
            ),
            1,
        ),
        ("return abs(-3) / sqrt(2) + (1 / (1 + sqrt(2))) * laplace(1) + len(q) - floor(x) // 2", 1),
        ("y = 1 if x > 0 else 2\nreturn x / y + geometric(2)", 1),
    ],
)
def test_programs_with_small_numbers_are_admitted(body: str, n: int) -> None:
    tried(body, n)


@pytest.mark.parametrize(
    ("body", "n"),
    [
        ("y = x\n" + "y = y * y\n" * 11 + "return y", 1),
        ("y = laplace(1)\n" + "y = y * y\n" * 5 + "return y", 1),
        ("y = laplace(1)\nz = laplace(1)\n" + "y = y * y + z\n" * 4 + "return y", 1),
        ("y = 0\nfor i in range(n):\n    y += laplace(1 / eps)\nreturn y", 100_000),
        ("y = 1\nfor i in range(n):\n    y = 2 * y\nreturn y", 5000),
        ("y = 1\nz = 1\nfor i in range(n):\n    y = y + z\n    z = y + z\nreturn z", 100_000),
        ("y = x\nfor i in range(n):\n    y = y * k\nreturn y", 2000),
        ("y = 0\nfor i in range(n):\n    y += 1 / (i + 1)\nreturn y", 5000),
        ("y = 1\nfor i in range(n):\n    for j in range(n):\n        y = y * 2\nreturn y", 100),
        ("y = 1\nwhile k > 0:\n    y = y * 2\nreturn y", 1),
        ("y = 1\nj = 0\nwhile j < n:\n    j = j - 1\n    y = y * 2\nreturn y", 1),
        ("y = 1\nj = 0\nwhile j < n:\n    j = geometric(1)\n    y = y * 2\nreturn y", 1),
        (
            (
                "y = 1\nj = 0\nb = False\nwhile j < n and not b:\n    if x > 0:\n        b = True\n"
                "    else:\n        b = False\n    y = y * 2\nreturn y"
            ),
            1,
        ),
        (
            f"y = laplace(1)\n{f'y = y * {BIG}' + chr(10)}"
            + f"y = y * {BIG}\n" * 6
            + "return floor(y)",
            1,
        ),
        ("y = k\n" + f"y = y * {BIG}\n" * 45 + "return y", 1),
        ("y = uniform_bits(70000)\nreturn bit(y, 0)", 1),
        ("return floor(laplace(exp(1500)))", 1),
        ("return floor(k * exp(1500))", 1),
    ],
)
def test_programs_with_growing_numbers_are_refused(body: str, n: int) -> None:
    with pytest.raises(
        Refused,
        match=(
            r"f is not run: line \d+: on some data, a number in .* could exceed 65,536"
            r" bits"
        ),
    ):
        tried(body, n)


def test_a_program_that_may_miss_the_deadline_is_refused() -> None:
    body = "y = 0\nfor i in range(n):\n    y += q[i] + laplace(1 / eps)\n    output(y % 3)"
    given = {"t": True, "l": (), "n": 100, "eps": Fraction(1, 3)}
    check_resources(read(body, PARAMETERS), given, {"q": 3}, seconds=60)
    with pytest.raises(
        Refused,
        match=(
            r"on some data it could take [\d,]+ seconds, above the deadline of 60 seconds\."
            r" Bound its loops"
        ),
    ):
        check_resources(read(body, PARAMETERS), given | {"n": 10_000}, {"q": 3}, seconds=60)


def test_an_argument_of_too_many_digits_is_refused() -> None:
    with pytest.raises(Refused, match="an argument has more than 65,536 bits"):
        tried("return x", n=1 << 70_000)


LOOPS = [
    (
        "y = 0\nz = 1 / 3\nfor i in range(n):\n    y += z * 5 - i\n    z = z + laplace(1) /"
        " 7\noutput(y)"
    ),
    "y = 1\nfor i in range(n):\n    y = 3 * y / 2 + laplace(1 / eps)\noutput(y)",
    (
        "y = 0\nfor i in range(n):\n    for j in range(3):\n        y = max(y, i * j) +"
        " 0.25\noutput(y)"
    ),
    "y = laplace(1)\nz = 0\nfor i in range(n):\n    z = z + y * y / (i + 1)\noutput(z)",
]


@pytest.mark.parametrize("body", LOOPS)
@pytest.mark.parametrize("n", [1, 7, 40])
def test_sizes_hold_for_what_runs(body: str, n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """No number of a run is larger than it was said to be."""
    from hedgerow.verify.language.interpreter import interpreter

    program = read(body, PARAMETERS)
    public = {"t": True, "l": (1,), "n": n, "eps": Fraction(1, 3)}
    sizes = _SizeAnalysis(program, public, {"q": 3})
    sizes.analyse_block(program.body)
    state = interpreter._Interpreter(program, {**public, "q": [1, 2, 3], "k": 1, "x": 1})
    state.run_block(program.body)
    for name in ("y", "z"):
        if name in state.values:
            value, size = state.values[name], sizes.state[name]
            real = (
                value
                if isinstance(value, LazyReal)
                else LazyReal({(): value.numerator}, value.denominator, None)
            )  # type: ignore[union-attr]
            assert size.denominator * size.extra_denominator >= real.denominator
            assert all(
                abs(Fraction(number, real.denominator)) <= size.max_coefficient
                for number in real.terms.values()
            )
            assert len([key for key in real.terms if key]) <= size.terms
            assert max(map(len, real.terms)) <= size.degree


GIVEN = {"t": True, "l": (1,), "eps": Fraction(1, 3)}
FORM = "s = 0.0\nfor i in range({many}):\n    s += laplace(1)\n"


@pytest.mark.parametrize(
    "body",
    [
        # as many products as a run of half a minute was thought to hold: it took two
        FORM.format(many=80) + "for j in range(n):\n    if x > 4216:\n        y = s * s\n",
        "for j in range(n):\n    z = laplace("
        + " + ".join(f"exp({power})" for power in range(1, 16))
        + ")\n    w = x > 4216 and z < 3\n",
    ],
)
def test_a_branch_that_takes_long_is_refused(body: str) -> None:
    program = read(body + "return x + laplace(1 / eps)", PARAMETERS)
    check_resources(program, GIVEN | {"n": 100}, {"q": 3}, seconds=60)
    with pytest.raises(Refused, match="on some data it could take"):
        check_resources(program, GIVEN | {"n": 13_000}, {"q": 3}, seconds=60)


def test_a_branch_that_needs_much_memory_is_refused() -> None:
    """Each number is small enough, and all of them together are more than the process has."""
    several = "".join(f"    y{number} = y / {number + 2}\n" for number in range(30))
    program = read(
        f"{FORM.format(many=60)}if x > 4216:\n    y = s * s\n{several}return x + laplace(1 / eps)",
        PARAMETERS,
    )
    check_resources(program, GIVEN | {"n": 1}, {"q": 3})
    with pytest.raises(
        Refused,
        match=r"its numbers could take [\d,]+ MiB, above the limit of 64 MiB\. Keep fewer",
    ):
        check_resources(program, GIVEN | {"n": 1}, {"q": 3}, memory=2**26)
    passing = read(
        f"{FORM.format(many=40)}w = {' and '.join(['s * s < 3'] * 9)}\nreturn x + laplace(1 / eps)",
        PARAMETERS,
    )
    check_resources(passing, GIVEN | {"n": 1}, {"q": 3})
    with pytest.raises(Refused, match="its numbers could take"):
        check_resources(passing, GIVEN | {"n": 1}, {"q": 3}, memory=2**24)
