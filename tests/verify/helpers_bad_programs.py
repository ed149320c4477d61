"""Programs with bad input, and the reason that each must be given."""

from __future__ import annotations

BAD = {
    "syntax outside of the fragment": ("return [x for x in range(n)][0]", "not in the language"),
    "private data in a noise scale": (
        "y = laplace(1 + abs(x))\nreturn y",
        "depends on private data",
    ),
    "private data in a loop bound": (
        "i = 0\nwhile i < x:\n    output(laplace(1 / eps))\n    i += 1",
        "depends on private data",
    ),
    "a loop that does not end": (
        "while n > 0:\n    y = 1\nreturn x + laplace(1 / eps)",
        "does not end",
    ),
    "a loop that nobody knows the end of": (
        "y = x + laplace(1 / eps)\nwhile y > 0:\n    y = y - laplace(1 / eps)\nreturn 1",
        "",
    ),
    "a huge program": ("\n".join(["y = x"] * 1001) + "\nreturn y", "more than 1000 statements"),
    "a huge expression": ("return " + " + ".join(["x"] * 1000), "nested more than 60 deep"),
    "a variable that is not there": ("return y", "may be read before it is assigned"),
}
