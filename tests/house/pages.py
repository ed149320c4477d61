"""Reads Markdown the way the house uses it: fenced blocks that run, and links that lead
somewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

RUNS = {"python"}
SHELL = {"console"}
SHOWS = {"text", "toml", "sql", "json", "csv", "diff", "mermaid", "markdown", "math"}

_FENCE = re.compile(r"^( *)```+(.*)$")
_LINK = re.compile(r"\[[^\]\[]*(?:\[[^\]]*\][^\]\[]*)*\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)")


@dataclass(frozen=True)
class Block:
    """A fenced block: first word of its info line, the rest of it, the line its text starts on,
    the text.
    """

    language: str
    info: str
    line: int
    text: str

    @property
    def title(self) -> str | None:
        """``python title="noisy.py"``: the block is also a file of that name."""
        match = re.search(r'title="([\w.-]+)"', self.info)
        return match[1] if match else None


@dataclass(frozen=True)
class Command:
    """A line after ``$``; ends with the status it announces (``# exits 3``), 0 unless it says
    so.
    """

    line: int
    words: str
    status: int


def blocks(text: str) -> Iterator[Block]:
    opened: tuple[str, str, int] | None = None
    held: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        fence = _FENCE.match(line)
        if fence and opened is None:
            opened, held = (fence[1], fence[2].strip(), number + 1), []
        elif fence and opened is not None and not fence[2].strip():
            language, _, info = opened[1].partition(" ")
            yield Block(language, info, opened[2], "\n".join(held) + "\n")
            opened = None
        elif opened is not None:
            held.append(line.removeprefix(opened[0]))


def commands(block: Block) -> Iterator[Command]:
    lines = iter(enumerate(block.text.splitlines(), block.line))
    for number, line in lines:
        if not line.startswith("$ "):
            continue
        words = line[2:]
        while words.endswith("\\"):
            words = words[:-1] + next(lines)[1].removeprefix(">").strip()
        announced = re.search(r"\s# exits (\d+)\s*$", words)
        yield Command(
            number, re.sub(r"\s#\s.*$", "", words).strip(), int(announced[1]) if announced else 0
        )


def prose(text: str) -> str:
    """The page without fenced blocks and inline code."""
    kept, inside = [], False
    for line in text.splitlines():
        if _FENCE.match(line):
            inside = not inside
        elif not inside:
            kept.append(re.sub(r"`[^`]*`", "", line))
    return "\n".join(kept)


def anchors(text: str) -> set[str]:
    """The anchors that a Markdown viewer makes from headings."""
    kept, inside = set(), False
    for line in text.splitlines():
        inside ^= bool(_FENCE.match(line))
        if not inside and (heading := re.match(r"#+ +(.*)", line)):
            kept.add(re.sub(r"[^\w\- ]", "", heading[1].lower()).strip().replace(" ", "-"))
    return kept


def broken_links(page: Path) -> list[str]:
    """Relative links whose file, or whose heading in that file, is not there."""
    found = []
    for target in _LINK.findall(prose(page.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = page.parent / name if name else page
        if not file.exists():
            found.append(f"{page.name}: no such file {target}")
        elif (
            anchor
            and file.suffix == ".md"
            and anchor not in anchors(file.read_text(encoding="utf-8"))
        ):
            found.append(f"{page.name}: no such heading {target}")
    return found


def escaped_blocks(page: Path) -> list[str]:
    """Blocks in a language that is neither run nor known to be mere text: code that no test
    would see.
    """
    known = RUNS | SHELL | SHOWS
    return [
        f"{page.name}:{block.line}: write ```python, ```console or one of {sorted(SHOWS)}, not"
        f" ```{block.language}"
        for block in blocks(page.read_text(encoding="utf-8"))
        if block.language not in known
    ]
