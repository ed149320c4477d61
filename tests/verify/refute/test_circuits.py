from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given as examples
from hypothesis import settings
from hypothesis import strategies as st

from hedgerow.verify.refute.circuits import (
    FALSE,
    TRUE,
    Circuit,
    build_circuit,
    has_only_bit_noise,
    iterate_bit_events,
)
from hedgerow.verify.refute.events import OutputEvent, OutputRange
from hedgerow.verify.refute.out_of_scope import OutOfScope
from hedgerow.verify.refute.path_values import BitWord
from hedgerow.verify.refute.paths import enumerate_paths
from verify.refute.programs import gallery, given, one

GALLERY = gallery()
SECRET = '@mechanism(epsilon="0", neighbours="secret")\n'


def test_gates_with_constants_vanish() -> None:
    plain = Circuit()
    x = plain.add_random(Fraction(1, 2))
    assert [
        plain.add_gate("and", x, FALSE),
        plain.add_gate("and", TRUE, x),
        plain.add_gate("or", x, TRUE),
        plain.add_gate("xor", x, x),
    ] == [0, x, 1, 0]
    assert plain.add_gate("or", x, x) == x
    assert plain.add_gate("xor", x, TRUE) == plain.add_gate("xor", TRUE, x)


@settings(max_examples=40)
@examples(
    st.lists(
        st.tuples(st.sampled_from(["xor", "and", "or"]), st.integers(0, 100), st.integers(0, 100)),
        min_size=1,
        max_size=12,
    )
)
def test_probabilities_agree_with_going_through_all_settings(
    gates: list[tuple[str, int, int]],
) -> None:
    built = Circuit()
    chances = (Fraction(1, 2), Fraction(1, 3), Fraction(1, 2))
    nodes = [built.add_random(chance) for chance in chances]
    formulas = [lambda row, bit=bit: bool(row >> bit & 1) for bit in range(3)]
    meaning = {"xor": lambda a, b: a != b, "and": lambda a, b: a and b, "or": lambda a, b: a or b}
    for operator, left, right in gates:
        i, j = left % len(nodes), right % len(nodes)
        nodes.append(built.add_gate(operator, nodes[i], nodes[j]))
        formulas.append(
            lambda row, f=formulas[i], g=formulas[j], o=meaning[operator]: o(f(row), g(row))
        )
    counted = Counter[tuple[bool, bool]]()
    for row in range(8):
        weight = Fraction(1)
        for bit, chance in enumerate(chances):
            weight *= chance if row >> bit & 1 else 1 - chance
        counted[formulas[-1](row), formulas[-2](row)] += weight  # type: ignore[assignment]
    for (last, before), weight in counted.items():
        assert built.joint_probability([(nodes[-1], last), (nodes[-2], before)]) == weight


def test_small_programs_agree_with_enumeration() -> None:
    body = (
        "key = uniform_bits(3)\nsecond = uniform_bits(3)\noutput((m + key) & second |"
        " ~m)\noutput(bit(key, 1) and not bit(m, 0))"
    )
    program = one(body, "m: private[bits[3]]", SECRET)
    for value in (0, 5, 7):
        arguments = given(m=BitWord(3, value))
        enumerated = Counter[tuple[object, ...]]()
        for path in enumerate_paths(program, arguments):
            enumerated[path.outputs] += path.condition.weight  # type: ignore[assignment,arg-type]
        built = build_circuit(program, arguments)
        for outputs, weight in enumerated.items():
            assert (
                built.probability(
                    OutputEvent(2, values=tuple(enumerate(outputs)))  # type: ignore[arg-type]
                )
                == weight
            )


def test_half_a_thousand_bits() -> None:
    zero, ones = given(m=BitWord(512, 0)), given(m=BitWord(512, 2**512 - 1))
    pad, half = GALLERY["one_time_pad"], GALLERY["bad_pad_half_key"]
    for event in iterate_bit_events(build_circuit(pad, zero).outputs):
        assert (
            build_circuit(pad, zero).probability(event)
            == build_circuit(pad, ones).probability(event)
            == Fraction(1, 2 ** len(event.bits))
        )
    same = OutputEvent(1, bits=((0, 0, True), (0, 256, False)))
    assert build_circuit(half, zero).probability(same) == 0
    assert build_circuit(half, given(m=BitWord(512, 1))).probability(same) == Fraction(1, 2)
    added = build_circuit(GALLERY["one_time_pad_by_addition"], given(m=BitWord(512, 3)))
    assert added.probability(OutputEvent(1, bits=((0, 1, True), (0, 2, True)))) == Fraction(1, 4)
    with pytest.raises(OutOfScope, match="too many random bits"):
        added.probability(OutputEvent(1, bits=((0, 400, True),)))


def test_loops_lists_choices_and_coins() -> None:
    parameters = "q: private[list[bool]], n: public[int]"
    body = (
        "i = 0\nwhile i < n:\n    b = bernoulli(3/4)\n    output(q[i] if b else not q[i])\n    i +="
        " 1\noutput(len(q) == 2)"
    )
    program = one(body, parameters, SECRET)
    built = build_circuit(program, given(q=[True, False], n=2))
    assert built.probability(OutputEvent(3, values=((0, True), (1, True), (2, True)))) == Fraction(
        3, 16
    )
    assert built.probability(OutputEvent(3, values=((2, False),))) == 0
    assert built.probability(OutputEvent(2)) == 0


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (
            "k = uniform_bits(2)\nif bit(k, 0):\n    output(m)\nelse:\n    output(k)",
            "a condition on random bits",
        ),
        ("k = uniform_bits(100000)\noutput(k)", "neither a word nor a coin"),
        ("output(3)", "a number among words"),
        ("while True:\n    k = uniform_bits(2)", "more steps"),
    ],
)
def test_programs_that_are_not_circuits_are_out_of_scope(body: str, reason: str) -> None:
    with pytest.raises(OutOfScope, match=reason):
        build_circuit(one(body, "m: private[bits[2]]", SECRET), given(m=BitWord(2, 0)))


def test_events_of_other_kinds() -> None:
    built = build_circuit(GALLERY["one_time_pad"], given(m=BitWord(512, 0)))
    assert built.probability(OutputEvent(1, values=((0, True),))) == 0
    assert built.probability(OutputEvent(1, values=((0, BitWord(3, 0)),))) == 0
    assert built.probability(OutputEvent(1, bits=((0, 512, True),))) == 0
    with pytest.raises(OutOfScope, match="numbers"):
        built.probability(OutputEvent(1, ranges=(OutputRange(((0, Fraction(1)),)),)))
    assert has_only_bit_noise(GALLERY["one_time_pad"])
    assert not has_only_bit_noise(GALLERY["laplace_mechanism"])


def test_a_loop_with_an_empty_body_is_out_of_scope() -> None:
    program = one(
        "if b:\n    while True:\n        pass\nreturn True",
        "b: private[bool]",
        '@mechanism(epsilon="0", neighbours="secret")\n',
    )
    assert build_circuit(program, given(b=False)).outputs
    with pytest.raises(OutOfScope, match="more steps"):
        build_circuit(program, given(b=True))
