"""Makes ``src/hedgerow/local/js/hedgerow-local.js``, which pages load, from the source beside it,
which people read: ``python tests/local/shrink.py`` writes it anew.

Only what says nothing to a machine is taken out: comments, spaces between signs, the last sign
before a bracket closes, brackets around the only parameter of an arrow. Names stay, and a line for
each statement, so that a browser's tools show what runs. The source ends its statements with
semicolons, has no template within a template, and a regular expression only after a bracket or a
sign.
"""

from __future__ import annotations

import re
from pathlib import Path

import hedgerow.local

SHIPPED = Path(hedgerow.local.__file__).parent / "js" / "hedgerow-local.js"
SOURCE = SHIPPED.with_name("hedgerow-local.source.js")
HEAD = "// Hedgerow's client, made from hedgerow-local.source.js. Apache-2.0\n"
_TOKEN = re.compile(
    r"""(?P<kept>"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`"""
    r"""|(?<=[(!])/(?:\\.|\[[^\]\n]*\]|[^/\\\n])+/[a-z]*)"""
    r"""|(?P<space>(?:\s|//[^\n]*|/\*.*?\*/)+)|(?P<word>[\w$#]+)|(?P<sign>.)""",
    re.DOTALL,
)
_ARROW = re.compile(r"(?<![\w$])\(([\w$]+)\)=>")


def shrink(source: str) -> str:
    """The same program with fewer bytes."""
    parts, space, held = [HEAD], "", ""
    for token in _TOKEN.finditer(source):
        if token.lastgroup == "space":
            space = token[0]
            continue
        if token[0] == "}" and held in {";", ","}:
            parts.pop()
        elif space and _apart(held, token[0]):
            parts.append(" ")
        # not indented: the next statement of the module
        elif space.endswith("\n") and token[0] != "}" and held in {";", "}"}:
            parts.append("\n")
        parts.append(token[0])
        space, held = "", token[0]
    return _ARROW.sub(r"\1=>", "".join(parts)) + "\n"


def _apart(one: str, other: str) -> bool:
    """Whether two tokens would become another one without a space."""
    return bool(re.fullmatch(r"[\w$]{2}|\+\+|--", one[-1:] + other[:1]))


if __name__ == "__main__":
    SHIPPED.write_text(shrink(SOURCE.read_text(encoding="ascii")), encoding="ascii")
    print(f"{SHIPPED.stat().st_size:,} bytes in {SHIPPED}")
