"""Certificates that somebody has tampered with, for programs whose claim is false: none may be
accepted.
"""

from __future__ import annotations

import json
import random
from typing import Any

from hedgerow.errors import InvalidArgument
from hedgerow.verify.language.program import Program, While
from hedgerow.verify.language.python import read_programs
from hedgerow.verify.prove.certificate import Certificate, hash_program
from hedgerow.verify.prove.checker import check

# Each is refuted by hand: two inputs that are neighbours, and an event whose chances differ by more
# than e^eps.
FALSE = {
    "half the noise": ("x: private[float]", "one", "return x + laplace(1 / (2 * eps))"),
    "noise that nobody hears": ("x: private[float]", "one", "y = laplace(1 / eps)\n    return x"),
    "noise on twice the number": ("x: private[float]", "one", "return 2 * x + laplace(1 / eps)"),
    "two answers for one": (
        "x: private[float]",
        "one",
        "output(x + laplace(1 / eps))\n    output(x + laplace(1 / eps))",
    ),
    "a comparison": ("x: private[float]", "one", "y = laplace(1 / eps)\n    return x > 3"),
    "noise and the number": (
        "x: private[float]",
        "one",
        "output(x + laplace(1 / eps))\n    output(x > 3)",
    ),
    "noise taken away again": (
        "x: private[float]",
        "one",
        "y = laplace(1 / eps)\n    return x + y / 10 - y / 10",
    ),
    "noise told beside it": (
        "x: private[float]",
        "one",
        "y = laplace(1 / eps)\n    output(x + y)\n    output(y)",
    ),
    "noise far away": ("x: private[float]", "one", "return x + laplace(1 / eps) / 1000000"),
    "whole noise on any number": ("x: private[float]", "one", "return x + geometric(1 / eps)"),
    "all entries for one": (
        "q: private[list]",
        "all",
        "output(q[0] + laplace(1 / eps))\n    output(q[1] + laplace(1 / eps))",
    ),
    "a fair coin for few": (
        "b: private[bool]",
        "one",
        "c = bernoulli(99 / 100)\n    return b if c else not b",
    ),
    "every entry for one": (
        "q: private[list], n: public[int]",
        "all",
        "for i in range(n):\n        output(q[i] + laplace(1 / eps))",
    ),
}
CLAIM = "eps: public[float]"
KEYS = (
    "shifts",
    "shifts",
    "shifts",
    "shifts",
    "rates",
    "bad",
    "invariants",
    "variants",
    "mode",
    "epsilon",
    "delta",
    "program",
    "source",
)
# Shifts and the like that true proofs have, and that a forger would try.
PIECES: list[Any] = [
    {"number": "0"},
    {"number": "1"},
    {"number": "-1"},
    {"number": "2"},
    {"number": "1/2"},
    "eps",
    "@noise",
    "@cost0",
    "@answer",
    "x",
    "x@1",
    "x@2",
    "y@1",
    True,
    False,
    ["-", "x@1", "x@2"],
    ["-", "x@2", "x@1"],
    ["*", {"number": "2"}, ["-", "x@1", "x@2"]],
    ["read", "q@1", {"number": "0"}],
    ["-", ["read", "q@1", {"number": "0"}], ["read", "q@2", {"number": "0"}]],
    ["and", True, ["<=", {"number": "0"}, "@noise"]],
    ["if", ["<", "@noise", {"number": "0"}], {"number": "1"}, {"number": "0"}],
    ["-", "@noise", "@noise"],
    ["/", {"number": "1"}, {"number": "0"}],
]
WORDS = [
    "+",
    "-",
    "*",
    "/",
    "min",
    "max",
    "and",
    "or",
    "<",
    "<=",
    "==",
    "%",
    "if",
    "negate",
    "abs",
    "floor",
    "ln",
    "exp",
    "read",
    "length",
    "?",
]


def program(parameters: str, neighbours: str, body: str) -> Program:
    """A program with the claim that one run costs eps."""
    (found,) = read_programs(
        f'@mechanism(epsilon="eps", neighbours="{neighbours}")\ndef f({parameters}, {CLAIM}):\n   '
        f" {body}\n"
    )
    assert isinstance(found, Program), found
    return found


def plain(of: Program) -> dict[str, Any]:
    """What a proof of a true sibling looks like."""
    private = of.parameters[0].name
    back: Any = ["-", f"{private}@1", f"{private}@2"]
    if private == "q":
        back = ["-", ["read", "q@1", {"number": "0"}], ["read", "q@2", {"number": "0"}]]
    sites, loops = len(of.samples), sum(isinstance(one, While) for one in of.body)
    return {
        "program": of.name,
        "source": hash_program(of),
        "mode": "sequence",
        "epsilon": "eps",
        "delta": None,
        "shifts": [back] * sites,
        "rates": [None] * sites,
        "invariants": [[["==", "i@1", "i@2"], ["<=", {"number": "0"}, "i@1"]]] * loops,
        "variants": [["-", "n", "i@1"]] * loops,
        "bad": [None] * sites,
    }


def mutated(document: dict[str, Any], dice: random.Random) -> dict[str, Any]:
    """The document with one to four things changed."""
    found: dict[str, Any] = json.loads(json.dumps(document))
    for _ in range(dice.randint(1, 4)):
        key = dice.choice(KEYS)
        if key == "mode":
            found[key] = dice.choice(["sequence", "pointwise", "zcdp", "finite", "other"])
        elif key in ("program", "source"):
            found[key] = dice.choice(["", "0" * 64, found[key][::-1]])
        else:
            found[key] = _changed(found[key], dice)
    return found


def _changed(part: Any, dice: random.Random) -> Any:
    if isinstance(part, list) and part and dice.random() < 0.7:
        place = dice.randrange(len(part))
        if isinstance(part[0], str) and place == 0 and len(part) > 1:
            return [dice.choice(WORDS), *part[1:]]
        return [*part[:place], _changed(part[place], dice), *part[place + 1 :]]
    if isinstance(part, list):
        return dice.choice([[*part, dice.choice(PIECES)], part[:-1], part + part, [], part[::-1]])
    piece = dice.choice(PIECES)
    return dice.choice(
        [
            piece,
            piece,
            None,
            ["+", part, piece],
            ["negate", part],
            [dice.choice(WORDS), part, piece],
        ]
    )


def accepted(of: Program, document: dict[str, Any]) -> bool:
    """Whether the checker takes it; documents that are none are refused when they are read."""
    try:
        certificate = Certificate.from_json(json.dumps(document))
    except InvalidArgument:
        return False
    return check(of, certificate) is None


def fooled(count: int, seed: int) -> list[tuple[str, dict[str, Any]]]:
    """The forgeries, of so many, that were accepted."""
    dice, about = random.Random(seed), {name: program(*one) for name, one in FALSE.items()}
    documents = {name: plain(one) for name, one in about.items()}
    found = []
    for _ in range(count):
        name = dice.choice(list(about))
        forged = mutated(documents[name], dice)
        if accepted(about[name], forged):
            found.append((name, forged))
    return found
