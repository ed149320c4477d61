"""Programs whose distributions may not exist, with the certificate that hides it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from hedgerow.verify.language.program import (
    Program,
)
from hedgerow.verify.prove.certificate import Certificate, hash_program

ZERO = {"number": "0"}


ONE = {"number": "1"}


TWO = {"number": "2"}


def given(program: Program, **parts: Any) -> Certificate:
    plain: Mapping[str, Any] = {
        "program": program.name,
        "source": hash_program(program),
        "mode": "sequence",
        "epsilon": "eps",
        "delta": None,
        "shifts": [ZERO],
        "rates": [None],
        "invariants": [],
        "variants": [],
        "bad": [None],
    }
    return Certificate.from_json(json.dumps({**plain, **parts}))


# Whether a coin or uniform noise exists is private; drawn in front of its branch, that it does was
# taken for granted.
COIN = """
@mechanism(epsilon="eps", neighbours="one")
def coin(x: private[float], eps: public[float]):
    p = 5 if x >= 100 else 1/2
    t = 0
    if x < 100:
        if bernoulli(p):
            t = 1
    return (1 if x < 100 else 0)
"""


UNIFORM = """
@mechanism(epsilon="eps", neighbours="one")
def square(x: private[float], n: public[float], eps: public[float]):
    y = 0
    if x < 0:
        b = uniform(x, 0 - 1000)
    else:
        y = 1
    output(y)
"""


# A public truth chooses what is drawn from. Nobody looks at that before a run, so that it is no
# assumption: what does not exist is cut to what does, and the run goes on and tells x.
CHOSEN_COIN = """
@mechanism(epsilon="0", neighbours="secret")
def chosen_coin(x: private[bool], b: public[bool]):
    c = bernoulli(2 if b else 1/2)
    return x if b else c
"""


CHOSEN_UNIFORM = """
@mechanism(epsilon="0", neighbours="secret")
def chosen_uniform(x: private[bool], b: public[bool]):
    c = uniform(1 if b else 0, 0 if b else 1)
    return x if b else c > 1/2
"""


# What a proof by laws might believe of a stretch of coins.
LAWS = {
    "a rate that has no logarithm": (
        """
@mechanism(epsilon="eps", neighbours="one")
def f(x: private[bool], eps: public[float]):
    if bernoulli(1/4):
        return not x
    return x
""",
        {
            "shifts": [True],
            "rates": [["+", ["ln", ["-", ZERO, {"number": "3"}]], ["ln", ["-", ZERO, ONE]]]],
        },
    ),
    "a cost that is never charged": (
        """
@mechanism(epsilon="eps", neighbours="one")
def f(x: private[bool], eps: public[float]):
    if bernoulli(1/4):
        return not x
    return x
""",
        {"shifts": [False], "rates": ["eps"]},
    ),
    "a condition on the noise": (
        """
@mechanism(epsilon="eps", neighbours="one")
def f(x: private[bool], eps: public[float]):
    if bernoulli(1/4):
        return not x
    return x
""",
        {"shifts": ["@noise"], "rates": ["eps"]},
    ),
    "a rate that is private": (
        """
@mechanism(epsilon="eps", neighbours="one")
def f(x: private[int], eps: public[float]):
    if bernoulli(1/4):
        return x > 0
    return x <= 0
""",
        {"shifts": [True], "rates": ["x@1"]},
    ),
    "what the stretch leaves behind": (
        """
@mechanism(epsilon="0", neighbours="one")
def f(x: private[bool], n: public[int]):
    kept = False
    told = False
    if bernoulli(1/2):
        kept = x
        told = True
    for i in range(n):
        told = kept
    return told
""",
        {
            "epsilon": ZERO,
            "shifts": [False],
            "invariants": [
                [["==", "i@1", "i@2"], ["==", "told@1", "told@2"], ["==", "kept@1", "kept@2"]]
            ],
            "variants": [["-", "n", "i@1"]],
        },
    ),
    "what one round leaves to the next": (
        """
@mechanism(epsilon="0", neighbours="one")
def f(x: private[bool], n: public[int]):
    kept = False
    for i in range(n):
        if bernoulli(1/2):
            output(kept)
            kept = x
        else:
            output(kept)
            kept = x
""",
        {
            "epsilon": ZERO,
            "shifts": [False],
            "invariants": [[["==", "i@1", "i@2"], ["==", "kept@1", "kept@2"]]],
            "variants": [["-", "n", "i@1"]],
        },
    ),
    "bit strings of one bit for many": (
        """
@mechanism(epsilon="ln(3)", neighbours="one")
def f(x: private["bits[n]"], n: public[int]):
    if bernoulli(1/2):
        return x
    return uniform_bits(n)
""",
        {
            "epsilon": ["ln", {"number": "3"}],
            "shifts": [True, False],
            "rates": [["ln", {"number": "3"}], None],
            "bad": [None, None],
        },
    ),
    "a divisor that is 0": (
        """
@mechanism(epsilon="0", neighbours="one")
def f(x: private[bool], n: public[int]):
    if x:
        return bernoulli(n / n / 2 if x else 0)
    return bernoulli(1/2)
""",
        {"epsilon": ZERO, "shifts": [False, False], "rates": [None, None], "bad": [None, None]},
    ),
    "more answers than one run gives": (
        """
@mechanism(epsilon="0", neighbours="one")
def f(x: private[bool]):
    c = bernoulli(1/2)
    output(c)
    if x and c:
        output(c)
""",
        {"epsilon": ZERO, "shifts": [False]},
    ),
}


REASONS = {
    "a rate that has no logarithm": "may be undefined",
    "a cost that is never charged": "the output may be likelier",
    "a condition on the noise": "the certificate names @noise",
    "a rate that is private": "the rate x@1 is not public",
    "what the stretch leaves behind": "the output may be likelier",
    "what one round leaves to the next": "the output may be likelier",
    "bit strings of one bit for many": "bit strings of unknown width",
    "a divisor that is 0": "may be undefined",
    "more answers than one run gives": "the output may be likelier",
}
