"""Programs on random bits as circuits: the exact probability of a few output bits, for words of any
width.

A program that only computes with random words and coins, and whose conditions do not depend on
them, is a circuit of and, or, xor over random bits. A few output bits depend on few random bits
(their cone). One long integer per node holds its value under every setting of these, so that 512
bits are no harder than 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, product
from typing import TypeAlias

from hedgerow.verify.language.program import (
    Apply,
    Assign,
    Block,
    Expression,
    If,
    Length,
    Name,
    Noise,
    Number,
    Output,
    Program,
    Read,
    Sample,
    Statement,
    Truth,
)
from hedgerow.verify.refute.events import OutputEvent
from hedgerow.verify.refute.linear_noise import PathCondition
from hedgerow.verify.refute.out_of_scope import OutOfScope
from hedgerow.verify.refute.path_values import (
    BitWord,
    Environment,
    PathValue,
    evaluate_alternatives,
)
from hedgerow.verify.refute.paths import Arguments

__all__ = ["Circuit", "build_circuit", "has_only_bit_noise", "iterate_bit_events"]

_MAX_CONE_BITS = 14
_MAX_WORD_BITS = 1 << 16
_MAX_STEPS = 20_000

FALSE, TRUE = 0, 1


@dataclass(frozen=True, slots=True)
class Wires:
    """The nodes of a word, lowest bit first, or of a boolean."""

    nodes: tuple[int, ...]
    is_boolean: bool = False


Signal: TypeAlias = Wires | Fraction


@dataclass
class Circuit:
    """Nodes 0 and 1 are the constants; any other node is a random bit or a gate on two nodes."""

    gates: list[tuple[str, int, int]] = field(default_factory=lambda: [("0", 0, 0), ("1", 0, 0)])
    probabilities: dict[int, Fraction] = field(default_factory=dict)
    gate_numbers: dict[tuple[str, int, int], int] = field(default_factory=dict)
    outputs: list[Wires] = field(default_factory=list)

    def add_random(self, probability: Fraction) -> int:
        self.gates.append(("?", 0, 0))
        self.probabilities[len(self.gates) - 1] = probability
        return len(self.gates) - 1

    def add_gate(self, operator: str, a: int, b: int) -> int:
        """Add an xor, and, or gate, simplified if an input is constant."""
        a, b = min(a, b), max(a, b)
        if a == b:
            return FALSE if operator == "xor" else a
        if a == FALSE:
            return FALSE if operator == "and" else b
        if a == TRUE and operator != "xor":
            return TRUE if operator == "or" else b
        key = (operator, a, b)
        if key not in self.gate_numbers:
            self.gates.append(key)
            self.gate_numbers[key] = len(self.gates) - 1
        return self.gate_numbers[key]

    def joint_probability(self, wanted: Sequence[tuple[int, bool]]) -> Fraction:
        """Return the probability that every wanted node has its wanted value."""
        nodes = self._find_cone([node for node, _ in wanted])
        free = [node for node in nodes if node in self.probabilities]
        if len(free) > _MAX_CONE_BITS:
            raise OutOfScope("output bits that depend on too many random bits")
        count = 1 << len(free)
        all_rows = (1 << count) - 1
        tables = {FALSE: 0, TRUE: all_rows}  # one bit per setting of the random bits
        for place, node in enumerate(free):
            block = (1 << (1 << place)) - 1  # 2^place zeros, then 2^place ones, over and over
            tables[node] = block << (1 << place)
            for doubling in range(place + 1, len(free)):
                tables[node] |= tables[node] << (1 << doubling)
        for node in nodes:
            if node not in tables:
                operator, a, b = self.gates[node]
                x, y = tables[a], tables[b]
                tables[node] = x ^ y if operator == "xor" else x & y if operator == "and" else x | y
        found = all_rows
        for node, value in wanted:
            found &= tables[node] if value else ~tables[node]
        if all(self.probabilities[node] == Fraction(1, 2) for node in free):
            return Fraction((found & all_rows).bit_count(), count)
        return sum(
            (self._weight(free, row) for row in range(count) if found >> row & 1), Fraction(0)
        )

    def _weight(self, free: Sequence[int], row: int) -> Fraction:
        result = Fraction(1)
        for place, node in enumerate(free):
            result *= self.probabilities[node] if row >> place & 1 else 1 - self.probabilities[node]
        return result

    def _find_cone(self, nodes: Sequence[int]) -> list[int]:
        """Return all nodes on which ``nodes`` depend, in order of number: inputs before outputs."""
        seen, waiting = set(nodes), list(nodes)
        while waiting:
            operator, a, b = self.gates[waiting.pop()]
            if operator in ("xor", "and", "or"):
                for node in (a, b):
                    if node not in seen:
                        seen.add(node)
                        waiting.append(node)
        return sorted(seen)

    def probability(self, event: OutputEvent) -> Fraction:
        """Return the probability of an event on booleans, words and bits."""
        if event.length != len(self.outputs):
            return Fraction(0)
        if event.ranges:
            raise OutOfScope("numbers among the outputs of a circuit")
        wanted: list[tuple[int, bool]] = []
        for place, value in event.values:
            wires = self.outputs[place]
            word = BitWord(1, int(value)) if isinstance(value, bool) else value
            if wires.is_boolean is not isinstance(value, bool) or len(wires.nodes) != word.width:
                return Fraction(0)
            wanted += [(node, bool(word.value >> bit & 1)) for bit, node in enumerate(wires.nodes)]
        for place, bit, value in event.bits:
            if bit >= len(self.outputs[place].nodes):
                return Fraction(0)
            wanted.append((self.outputs[place].nodes[bit], value))
        return self.joint_probability(wanted)


def has_only_bit_noise(program: Program) -> bool:
    """Return True if every random draw is a word or a coin."""
    return all(one.noise in (Noise.BITS, Noise.BERNOULLI) for one in program.samples)


def iterate_bit_events(outputs: Sequence[Wires]) -> Iterator[OutputEvent]:
    """Iterate over the events that fix one output bit, then two: bits at both ends and in the
    middle of every output.
    """
    places = []
    for place, wires in enumerate(outputs):
        width = len(wires.nodes)
        bits = sorted(
            {
                0,
                min(1, width - 1),
                width // 2 - 1 if width > 1 else 0,
                width // 2 if width > 1 else 0,
                width - 1,
            }
        )
        places += [(place, bit) for bit in bits]
    for count in (1, 2):
        for chosen in combinations(places[:40], count):
            for values in product((True, False), repeat=count):
                yield OutputEvent(
                    len(outputs),
                    bits=tuple((*one, value) for one, value in zip(chosen, values, strict=True)),
                )


def build_circuit(program: Program, arguments: Arguments) -> Circuit:
    """Build the circuit of the program on one input, or raise ``OutOfScope``."""
    builder = _CircuitBuilder(Circuit(), {}, {})
    for name, value in arguments.items():
        if isinstance(value, tuple):
            builder.lists[name] = tuple(map(_build_signal, value))
        else:
            builder.names[name] = _build_signal(value)
    builder.add_block(program.body)
    return builder.circuit


def _build_signal(value: PathValue) -> Signal:
    match value:
        case bool():
            return Wires((TRUE if value else FALSE,), True)
        case BitWord():
            return Wires(tuple(value.value >> bit & 1 for bit in range(value.width)))
        case Fraction():
            return value
        case _:
            raise OutOfScope("a number that is not rational")


@dataclass
class _CircuitBuilder:
    circuit: Circuit
    names: dict[str, Signal]
    lists: dict[str, tuple[Signal, ...]]
    steps: int = 0

    def add_block(self, block: Block) -> None:
        for statement in block:
            self._add_statement(statement)

    def _add_statement(self, statement: Statement) -> None:
        self._count_step()
        match statement:
            case Assign():
                self.names[statement.name] = self.build_value(statement.value)
            case Output():
                self.circuit.outputs.append(_require_wires(self.build_value(statement.value)))
            case Sample():
                self.names[statement.name] = self._add_draw(statement)
            case If():
                self.add_block(
                    statement.then if self._decide(statement.condition) else statement.otherwise
                )
            case _:
                while self._decide(statement.condition):
                    self.add_block(statement.body)
                    self._count_step()  # an empty body must not loop forever

    def _count_step(self) -> None:
        self.steps += 1
        if self.steps > _MAX_STEPS:
            raise OutOfScope("more steps than the limits allow")

    def _add_draw(self, statement: Sample) -> Signal:
        parameter = self.build_value(statement.parameters[0])
        if not isinstance(parameter, Fraction):
            raise OutOfScope("a plain number is needed")
        if statement.noise is Noise.BERNOULLI and 0 <= parameter <= 1:
            return Wires((self.circuit.add_random(parameter),), True)
        if (
            statement.noise is Noise.BITS
            and parameter.denominator == 1
            and 0 < parameter <= _MAX_WORD_BITS
        ):
            return Wires(
                tuple(self.circuit.add_random(Fraction(1, 2)) for _ in range(int(parameter)))
            )
        raise OutOfScope("a draw that is neither a word nor a coin")

    def _decide(self, condition: Expression) -> bool:
        (node,) = _require_wires(self.build_value(condition)).nodes
        if node not in (FALSE, TRUE):
            raise OutOfScope("a condition on random bits")
        return node == TRUE

    def build_value(self, expression: Expression) -> Signal:
        match expression:
            case Number() | Truth():
                return _build_signal(expression.value)
            case Name():
                if expression.name not in self.names:
                    raise OutOfScope(f"{expression.name} is read before it has a value")
                return self.names[expression.name]
            case Length():
                return Fraction(len(self.lists[expression.list]))
            case Read():
                index = self.build_value(expression.index)
                entries = self.lists[expression.list]
                if (
                    not isinstance(index, Fraction)
                    or index.denominator != 1
                    or not 0 <= index < len(entries)
                ):
                    raise OutOfScope("a read outside the list")
                return entries[int(index)]
            case Apply():
                return self._apply(
                    expression.operator, [self.build_value(one) for one in expression.arguments]
                )

    def _apply(self, operator: str, values: Sequence[Signal]) -> Signal:
        if all(isinstance(one, Fraction) for one in values):
            return self._apply_to_numbers(operator, values)
        gate = self.circuit.add_gate
        if operator == "bit":
            wires, place = _require_wires(values[0]), values[1]
            if (
                not isinstance(place, Fraction)
                or place.denominator != 1
                or not 0 <= place < len(wires.nodes)
            ):
                raise OutOfScope("a bit outside the word")
            return Wires((wires.nodes[int(place)],), True)
        words = [_require_wires(one) for one in values]
        if operator in ("not", "bits~"):
            return Wires(
                tuple(gate("xor", TRUE, node) for node in words[0].nodes), words[0].is_boolean
            )
        if operator == "concat":
            return Wires((*words[1].nodes, *words[0].nodes))
        if (
            len({len(word.nodes) for word in words[-2:]}) != 1
            or len({word.is_boolean for word in words[-2:]}) != 1
        ):
            raise OutOfScope("words of different widths")
        if operator == "if":
            return self._build_choice(words)
        one, other = words
        if operator in ("==", "!="):
            return self._build_comparison(operator, one, other)
        if operator == "bits+":
            return self._build_sum(one, other)
        if operator in ("xor", "bits&", "bits|", "and", "or"):
            plain = {"bits&": "and", "bits|": "or"}.get(operator, operator)
            return Wires(
                tuple(gate(plain, a, b) for a, b in zip(one.nodes, other.nodes, strict=True)),
                one.is_boolean,
            )
        raise OutOfScope(f"{operator} on random bits")

    def _apply_to_numbers(self, operator: str, values: Sequence[Signal]) -> Signal:
        names = [f"argument {place}" for place in range(len(values))]
        environment: Mapping[str, PathValue] = {
            name: value
            for name, value in zip(names, values, strict=True)
            if isinstance(value, Fraction)
        }
        applied = Apply(operator, tuple(Name(name) for name in names))
        ((_, value),) = evaluate_alternatives(
            applied, Environment(environment, {}), PathCondition()
        )
        return _build_signal(value)

    def _build_choice(self, words: Sequence[Wires]) -> Wires:
        gate = self.circuit.add_gate
        (chosen,) = words[0].nodes
        pairs = zip(words[1].nodes, words[2].nodes, strict=True)
        return Wires(
            tuple(gate("xor", b, gate("and", chosen, gate("xor", a, b))) for a, b in pairs),
            words[1].is_boolean,
        )

    def _build_comparison(self, operator: str, one: Wires, other: Wires) -> Wires:
        differ = FALSE
        for a, b in zip(one.nodes, other.nodes, strict=True):
            differ = self.circuit.add_gate("or", differ, self.circuit.add_gate("xor", a, b))
        return Wires(
            (differ if operator == "!=" else self.circuit.add_gate("xor", TRUE, differ),), True
        )

    def _build_sum(self, one: Wires, other: Wires) -> Wires:
        gate, carry, found = self.circuit.add_gate, FALSE, []
        for a, b in zip(one.nodes, other.nodes, strict=True):
            either = gate("xor", a, b)
            found.append(gate("xor", either, carry))
            carry = gate("or", gate("and", a, b), gate("and", either, carry))
        return Wires(tuple(found))


def _require_wires(value: Signal) -> Wires:
    if not isinstance(value, Wires):
        raise OutOfScope("a number among words")
    return value
