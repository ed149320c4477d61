"""Well-typed programs made at random, which the verifier must judge without an internal error."""

from __future__ import annotations

import random
import time

from hedgerow.verify.language.program import Program
from hedgerow.verify.prove.certificate import Certificate, Failure
from hedgerow.verify.prove.checker import check
from hedgerow.verify.prove.search.finder import find_certificate
from hedgerow.verify.prove.work_limit import WorkLimit
from verify.language.reading import read

PARAMETERS = (
    "q: private[list], w: public[list[int]], x: private[float], k: private[int], b: private[bool],"
    " n: public[int], t: public[float], flag: public[bool], eps: public[float]"
)
RELATIONS = ('"one"', '"all"', '"increasing"', '"secret"', '("l1", 2)', '("group", 2)', '"row"')
CLAIMS = ("eps", "2*eps", "n*eps", "1/2", "0", "eps + t", "ln(3)")


class ProgramWriter:
    """A writer of one program; ``known`` has the variables of each kind that have a value."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.known = {"int": ["k", "n"], "real": ["x", "t", "eps"], "bool": ["b", "flag"]}
        self.has_private_scale = self.random.random() < 0.1

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    def number(self, depth: int = 2) -> str:
        if depth == 0 or self.random.random() < 0.3:
            return self.pick(*self.known["real"], *self.known["int"], "0", "1", "2.5", "-1")
        one, other = self.number(depth - 1), self.number(depth - 1)
        return self.pick(
            f"({one} + {other})",
            f"({one} - {other})",
            f"abs({one})",
            f"max({one}, {other})",
            f"q[{self.whole(0)}]",
            f"({one} * {other})",
            f"({one} / 2)",
            f"({one} if {self.test(0)} else {other})",
            f"(x + {self.noise()})",
        )

    def whole(self, depth: int = 2) -> str:
        if depth == 0 or self.random.random() < 0.3:
            return self.pick(*self.known["int"], "0", "1", "3")
        one, other = self.whole(depth - 1), self.whole(depth - 1)
        return self.pick(
            f"({one} + {other})", f"({one} % 3)", f"floor({self.number(1)})", f"w[{one}]", "len(q)"
        )

    def test(self, depth: int = 2) -> str:
        if depth == 0 or self.random.random() < 0.2:
            return self.pick(*self.known["bool"], "True")
        one, other = self.test(depth - 1), self.test(depth - 1)
        return self.pick(
            f"({self.number(1)} {self.pick('<', '<=', '>', '>=', '==', '!=')} {self.number(1)})",
            f"(not {one})",
            f"({one} and {other})",
            f"({one} or {other})",
            f"({one} == {other})",
            f"({self.number(1)} + {self.noise()} > t and {one})",
        )

    def noise(self) -> str:
        if self.has_private_scale and self.random.random() < 0.3:
            return "laplace(1 + abs(x))"
        return self.pick(
            "laplace(2 / eps)",
            "laplace(n / eps)",
            "exponential(1 / eps)",
            "gaussian(2)",
            "uniform(0, 1)",
        )

    def block(self, depth: int, size: int) -> list[str]:
        lines = []
        outer = {kind: list(names) for kind, names in self.known.items()}
        for _ in range(size):
            lines += self.statement(depth)
        self.known = outer
        return lines or ["pass"]

    def statement(self, depth: int) -> list[str]:
        kind = self.random.randrange(10 if depth else 7)
        inner = [f"    {line}" for line in (self.block(depth - 1, 2) if kind > 6 else ())]
        if kind < 3:
            return self.assign(self.pick("int", "real", "bool"))
        if kind == 3:
            return self.draw()
        if kind < 7:
            return [f"output({self.pick(self.number(), self.whole(), self.test())})"]
        if kind == 7:
            return [f"while {self.test()}:", *inner, f"    if {self.test(1)}:", "        break"]
        if kind == 8:
            other = [f"    {line}" for line in self.block(depth - 1, 2)]
            return [f"if {self.test()}:", *inner, "else:", *other]
        return [f"for i in range({self.pick('n', 'len(q)', '3')}):", *inner]

    def assign(self, kind: str) -> list[str]:
        own = [name for name in self.known[kind] if name.startswith("v")]
        value = {"int": self.whole, "real": self.number, "bool": self.test}[kind]()
        value = f"({value}) * 1.5" if kind == "real" else value
        if own and self.random.random() < 0.6:
            return [f"{self.pick(*own)} = {value}"]
        return [self.name(kind, value)]

    def draw(self) -> list[str]:
        kind, value = self.random.choice(
            (("real", self.noise()), ("int", "geometric(1 / eps)"), ("bool", "bernoulli(1 / 3)"))
        )
        return [self.name(kind, value)]

    def name(self, kind: str, value: str) -> str:
        number = self.random.randrange(10**6)
        self.known[kind].append(f"v{kind}{number}")
        return f"v{kind}{number} = {value}"


def write_program(seed: int) -> Program:
    """Return the program of this seed."""
    writer = ProgramWriter(seed)
    body = writer.block(2, 5)
    claim = f'@mechanism(epsilon="{writer.pick(*CLAIMS)}", neighbours={writer.pick(*RELATIONS)})\n'
    return read("\n".join(body), PARAMETERS, claim)


def find_problem(seed: int, steps: int = 60) -> str | None:
    """Return what is wrong with the prover's answer on the program of this seed, if anything."""
    program = write_program(seed)
    try:
        found = find_certificate(program, time.process_time() + 600, 1, WorkLimit(steps))
    except Exception as error:  # any error is the finding
        return f"{seed}: {type(error).__name__}: {error}"
    if isinstance(found, Certificate) and (doubt := check(program, found)) is not None:
        return f"{seed}: the checker refuses the prover's certificate: {doubt}"
    return f"{seed}: no reason" if isinstance(found, Failure) and not found.reason else None
