"""The JavaScript client in node, with mistakes that may be planted in it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from hedgerow.local.metric import Metric
from local.auditing import bits_of
from local.shrink import SHIPPED, SOURCE, shrink
from local.vectors import PLACE

SUITE = Path(__file__).with_name("hedgerow-local.test.mjs")


NODE = shutil.which("node")


def run_node(module: Path) -> tuple[int, str]:
    """The suite of the JavaScript client, with the module that it shall test."""
    assert NODE is not None
    given = os.environ | {"MODULE": str(module), "VECTORS": str(PLACE), "NODE_OPTIONS": ""}
    done = subprocess.run(
        [NODE, "--test", "--test-reporter=tap", str(SUITE)],
        env=given,
        capture_output=True,
        text=True,
        timeout=300,
    )
    return done.returncode, done.stdout + done.stderr


AROUND = """globalThis.localStorage = { getItem: () => null, setItem() {} };
globalThis.fetch = async (url, given) => given
  ? console.log(url, JSON.stringify(given.headers), Buffer.from(given.body).toString("hex"))
  : { text: async () => %s };
"""


Ask = Callable[[Metric, "int | str", int], np.ndarray[tuple[int, ...], np.dtype[np.int64]]]


@contextmanager
def reporting(module: Path) -> Iterator[Ask]:
    """The JavaScript client in a process of its own, asked for the bits of fresh reports."""
    given, command = (
        os.environ | {"MODULE": str(module), "NODE_OPTIONS": ""},
        [str(NODE), str(SUITE.with_name("reports.mjs"))],
    )
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=given, text=True
    ) as node:
        assert node.stdin is not None
        assert node.stdout is not None
        put, take = node.stdin, node.stdout

        def ask(
            metric: Metric, value: int | str, count: int
        ) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
            print(
                json.dumps({"document": metric.to_json(), "value": value, "count": count}),
                file=put,
                flush=True,
            )
            skip = 2 * (metric.protocol == "rappor")
            return np.array(
                [bits_of(bytes.fromhex(record), skip) for record in take.readline().split()],
                dtype=np.int64,
            )

        yield ask


def planted_in(folder: Path, good: str, bad: str) -> Path:
    """The module as it would be shipped with this in its source."""
    text = SOURCE.read_text(encoding="ascii")
    assert text.count(good) == 1
    shutil.copy(SHIPPED.with_name("package.json"), folder)
    module = folder / SHIPPED.name
    module.write_text(shrink(text.replace(good, bad)), encoding="ascii")
    return module


PLANTED = {
    "a bit is never cleared": (
        "+(u < f / 2 || (u >= f && bit))",
        "+(u < f / 2 || bit)",
        "permanent",
    ),
    "the memo is forgotten": (
        'hmac(secret, lasting, "permanent"',
        'hmac(random(32), lasting, "permanent"',
        "permanent",
    ),
    "the last bit is not randomised": (
        "map((bit) => stream.coin(parameters[rule.bits[bit]]))",
        (
            "map((bit, i, { length }) => stream.coin(i + 1 < length ? parameters[rule.bits[bit]] :"
            " 65536 * bit))"
        ),
        "reports",
    ),
    "cohort 0 is drawn again": ("% m : 0)", "% m || 1 : 0)", "cohorts"),
    "the metric is left out of the noise": (
        'hmac(secret, lasting, "permanent"',
        'hmac(secret, "permanent"',
        "permanent",
    ),
    "each epoch draws noise anew": (
        "lasting = await hash(kept)",
        "lasting = await hash(document)",
        "metrics",
    ),
    "the cap is one too high": (
        "known.length + reports >= cap",
        "known.length + reports > cap",
        "the cap counts",
    ),
    "a repeated value is paid for again": ("!known.includes(mark)", "true", "the memo survives"),
    "reports run side by side": (
        "next = queue.then(",
        "next = Promise.resolve().then(",
        "reports at the same time",
    ),
    "a number is not thrown away": (
        "if (number < size - (size % bound)) return",
        "return",
        "reports",
    ),
    "half a surrogate pair is another text": (
        " && !/\\p{Cs}/u.test(value)",
        "",
        "values that are none",
    ),
    "a memory that was tampered with is used": (
        " && count >= 0",
        "",
        "memories that cannot be read",
    ),
    "a threshold is one too high": (
        "this.draw() < threshold",
        "this.draw() <= threshold",
        "reports",
    ),
}
