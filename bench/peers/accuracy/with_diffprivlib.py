"""diffprivlib: the number of rows is public to it, and one row is one person."""

from __future__ import annotations

from importlib.metadata import version

import numpy as np
from diffprivlib import tools

VERSION = version("diffprivlib")


def _column(path, name):
    return np.load(path.removesuffix("parquet") + "npz")[name]


def _single(cell):
    if cell["biting"] or max(cell["max_groups"], cell["max_rows"]) > 1:
        raise NotImplementedError("knows rows, not people")


def _runs(draw, runs):
    return lambda: [[float(v) for v in np.atleast_1d(draw())] for _ in range(runs)]


def _over(tool):
    def task(path, cell, epsilon, delta, runs):  # noqa: ARG001 - all tasks are called alike
        _single(cell)
        x = _column(path, "x")
        return _runs(lambda: tool(x, epsilon=epsilon, bounds=(cell["low"], cell["high"])), runs)

    return task


sum = _over(tools.sum)
mean = _over(tools.mean)
variance = _over(tools.var)
deviation = _over(tools.std)


def count(path, cell, epsilon, delta, runs):  # noqa: ARG001
    _single(cell)
    if not cell["groups"]:
        ones = np.ones(len(_column(path, "x")))
        return _runs(lambda: tools.count_nonzero(ones, epsilon=epsilon), runs)
    g, many = _column(path, "g"), cell["groups"]
    return _runs(
        lambda: tools.histogram(g, epsilon=epsilon, bins=many, range=(-0.5, many - 0.5))[0], runs
    )


def quantile(path, cell, epsilon, delta, runs):  # noqa: ARG001
    _single(cell)
    x = np.clip(_column(path, "x"), cell["low"], cell["high"])
    return _runs(
        lambda: tools.quantile(x, cell["at"], epsilon=epsilon, bounds=(cell["low"], cell["high"])),
        min(runs, 40),
    )


def quantiles(path, cell, epsilon, delta, runs):
    return quantile(path, cell, epsilon, delta, min(runs, 5))


def maximum(path, cell, epsilon, delta, runs):
    return quantile(path, {**cell, "at": [1.0]}, epsilon, delta, runs)


def people(path, cell, epsilon, delta, runs):
    raise NotImplementedError("knows rows, not people")


def together(path, cell, epsilon, delta, runs):
    raise NotImplementedError("knows rows, not people")


def distinct(path, cell, epsilon, delta, runs):
    raise NotImplementedError("counts no distinct values")


def keys(path, cell, epsilon, delta, runs):
    raise NotImplementedError("wants all keys beforehand")
