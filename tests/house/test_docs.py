"""What README and docs show runs: every ```python block, every ``$ hedgerow`` command, every link.

The blocks of one page run in order, in one namespace and one empty folder. A command that is meant
to fail announces its status: ``$ hedgerow audit noisy.py:release  # exits 1``. A block ``python
title="noisy.py"`` is also written to that file. A block ``text printed`` is what the block of
Python before it printed, to the letter.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import sys
import types
from pathlib import Path

import pytest

from hedgerow.cli import main
from house import pages

ROOT = Path(__file__).parents[2]
RUNNING = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
ALL = sorted(
    {
        *RUNNING,
        *ROOT.glob("*.md"),
        *(page for folder in ("bench", "examples") for page in (ROOT / folder).rglob("*.md")),
    }
)


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


def run_python(block: pages.Block, page: Path, space: dict[str, object]) -> str:
    """What it printed."""
    if block.title:
        Path(block.title).write_text(block.text, encoding="utf-8")
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        # Leading newlines make a traceback point at the line of the page.
        exec(compile("\n" * (block.line - 1) + block.text, str(page), "exec"), space)
    return printed.getvalue()


def run_command(command: pages.Command, page: Path) -> None:
    program, *arguments = shlex.split(command.words)
    if program == "make":
        targets = set(
            re.findall(
                r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE
            )
        )
        assert {word for word in arguments if "=" not in word} <= targets, (
            f"{page}:{command.line}: no such target"
        )
    if program == "hedgerow":
        # In this process, which has read the package already; that a process of its own does the
        # same is for the newcomer's path to show.
        with contextlib.redirect_stdout(io.StringIO()) as told, contextlib.redirect_stderr(told):
            status = main(arguments)
        assert status == command.status, f"{page}:{command.line}: exit {status}\n{told.getvalue()}"


def run_page(page: Path, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    module = types.ModuleType("page")
    monkeypatch.setitem(sys.modules, "page", module)
    monkeypatch.chdir(folder)
    printed = ""
    for block in pages.blocks(page.read_text(encoding="utf-8")):
        if block.language in pages.RUNS:
            printed = run_python(block, page, vars(module))
        elif block.info == "printed":
            assert block.text == printed, f"{page}:{block.line}: it prints\n{printed}"
        elif block.language in pages.SHELL:
            for command in pages.commands(block):
                run_command(command, page)


@pytest.mark.parametrize("page", RUNNING, ids=named)
def test_page_runs(page: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    run_page(page, monkeypatch, tmp_path)
    assert not pages.escaped_blocks(page)


@pytest.mark.parametrize("page", ALL, ids=named)
def test_links_lead_somewhere(page: Path) -> None:
    assert pages.broken_links(page) == []


def write(folder: Path, text: str) -> Path:
    page = folder / "page.md"
    page.write_text(text, encoding="utf-8")
    return page


def test_blocks_share_a_namespace_and_a_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = (
        '```python title="kept.py"\nx = 2\n```\n\n- item\n  ```python\n  assert x == 2\n  y = x\n '
        " ```\n"
    )
    run_page(write(tmp_path, text), monkeypatch, tmp_path)
    assert (tmp_path / "kept.py").read_text(encoding="utf-8") == "x = 2\n"


def test_a_wrong_block_is_seen_at_its_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    page = write(tmp_path, "# Title\n\n```python\nx = 1\nassert x == 2\n```\n")
    with pytest.raises(AssertionError) as caught:
        run_page(page, monkeypatch, tmp_path)
    assert caught.traceback[-1].lineno + 1 == 5


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("$ hedgerow no-such-command", "exit 2"),
        ("$ hedgerow --help  # exits 3", "exit 0"),
        ("$ make nonsense", "no such target"),
    ],
)
def test_a_wrong_command_is_seen(
    line: str, told: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(AssertionError, match=told):
        run_page(
            write(tmp_path, f"```console\n{line}\nwhat it printed\n```\n"), monkeypatch, tmp_path
        )


def test_announced_status_comments_and_continued_lines() -> None:
    block = pages.Block(
        "console", "", 7, "$ hedgerow a \\\n>   --b 1  # exits 3\noutput\n$ make run  # the demo\n"
    )
    assert list(pages.commands(block)) == [
        pages.Command(7, "hedgerow a --b 1", 3),
        pages.Command(10, "make run", 0),
    ]


def test_broken_links_and_code_nobody_runs_are_seen(tmp_path: Path) -> None:
    links = (
        "[a](page.md) [b](gone.md) [c](#a-title) [d](page.md#gone) [e](https://example.org/x)"
        " `[f](code.md)`"
    )
    page = write(
        tmp_path, f"# A title!\n{links}\n```bash\nrm x [g](block.md)\n```\n```text\nfine\n```\n"
    )
    assert pages.broken_links(page) == [
        "page.md: no such file gone.md",
        "page.md: no such heading page.md#gone",
    ]
    assert len(pages.escaped_blocks(page)) == 1
