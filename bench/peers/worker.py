"""Runs in the environment of a peer: reads requests, one JSON object a line, does the work and
answers with the seconds it took.

Started as ``python worker.py ADAPTER``. The adapter is a file of functions named after tasks; each
takes the arguments of the task and returns a function without arguments that does the work. Only
that function is timed. The standard library alone is used here.
"""

from __future__ import annotations

import gc
import importlib.util
import json
import sys
from pathlib import Path
from time import perf_counter


def peak() -> float:
    """The largest resident set of this process so far, in megabytes. (``resource`` tells no less
    than that of whoever started it.)
    """
    told = dict(
        line.split(":", 1)
        for line in Path("/proc/self/status").read_text().splitlines()
        if ":" in line
    )
    return int(told["VmHWM"].split()[0]) / 1024


def main(path: str) -> None:
    """Serve until the other side closes the pipe."""
    # whatever a peer prints must not get among the answers
    answers, sys.stdout = sys.stdout, sys.stderr
    spec = importlib.util.spec_from_file_location("adapter", path)
    adapter = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(adapter)
    print(json.dumps({"version": adapter.VERSION}), file=answers, flush=True)
    prepared = {}
    gc.disable()
    for line in sys.stdin:
        task, *arguments = json.loads(line)
        key = line.strip()
        try:
            if key not in prepared:
                prepared[key] = getattr(adapter, task)(*arguments)
            work = prepared[key]
            start = perf_counter()
            value = work()
            answer = {"seconds": perf_counter() - start, "value": value, "peak": peak()}
        except Exception as error:  # the bench goes on without this figure, and says why
            answer = {"error": f"{type(error).__name__}: {error}".split("\n")[0][:200]}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
