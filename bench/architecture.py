"""The picture of docs/architecture.md: ``python -m bench.architecture`` draws it anew.

Boxes are rooms, arrows are real imports between them (those that follow from others are left out),
and dots mark the rooms that each way of the page passes.
"""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "architecture.md"
PICTURE = ROOT / "docs" / "img" / "architecture.svg"
TRUSTED = frozenset(
    "errors numeric privacy sensitivity mechanisms plan ledger release".split()
)  # tests/house/rules.py says so too, and a test compares the two
COLOURS = ("#2563eb", "#d97706", "#059669", "#b91c1c")
BOX_WIDTH, BOX_HEIGHT, COLUMN, ROW = 132, 44, 150, 84


def read_ways(page: str) -> dict[str, list[str]]:
    """Return the ways of the page: its headings with the numbered modules below each."""
    ways: dict[str, list[str]] = {}
    for section in page.split("\n## ")[1:]:
        modules = re.findall(r"^\d+\. `([\w./]+\.py)`", section, re.MULTILINE)
        if modules:
            ways[section.split("\n", 1)[0]] = modules
    return ways


def list_imports(root: Path) -> Iterator[tuple[str, str]]:
    """Yield (importing room, imported room) for every import inside the package."""
    for file in root.rglob("*.py"):
        inner = file.relative_to(root)
        room = inner.parts[0].removesuffix(".py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("hedgerow."):
                yield room, str(node.module).split(".")[1]


def count_modules(root: Path) -> Counter[str]:
    """Count the modules of each room; files that only mark a folder do not count."""
    files = (file.relative_to(root) for file in root.rglob("*.py") if file.read_text().strip())
    return Counter(file.parts[0].removesuffix(".py") for file in files)


def reduce_edges(edges: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Drop each edge that follows from a longer path."""
    reach: dict[str, set[str]] = {}

    def find_reachable(room: str) -> set[str]:
        if room not in reach:
            reach[room] = set().union(
                *({target} | find_reachable(target) for target in edges.get(room, ()))
            )
        return reach[room]

    return {
        room: {
            target
            for target in targets
            if not any(target in find_reachable(other) for other in targets - {target})
        }
        for room, targets in edges.items()
    }


def place_rooms(edges: Mapping[str, set[str]]) -> dict[str, tuple[int, int]]:
    """Return the centre of each room's box: a row for each depth, the lowest rooms at the foot."""
    depth: dict[str, int] = {}

    def find_depth(room: str) -> int:
        if room not in depth:
            depth[room] = 1 + max(map(find_depth, edges.get(room, ())), default=-1)
        return depth[room]

    rows = defaultdict[int, list[str]](list)
    for room in sorted(edges):
        rows[find_depth(room)].append(room)
    width, top = max(map(len, rows.values())) * COLUMN, max(rows)
    places = {}
    for row, rooms in rows.items():
        left = (width - len(rooms) * COLUMN) // 2
        for index, room in enumerate(rooms):
            places[room] = (left + index * COLUMN + COLUMN // 2, (top - row) * ROW + 36)
    return places


def _draw_arrow(start: tuple[int, int], end: tuple[int, int]) -> str:
    (x1, y1), (x2, y2) = start, end
    y1, y2 = y1 + BOX_HEIGHT // 2, y2 - BOX_HEIGHT // 2
    bend = (y2 - y1) // 2
    return (
        f'<path d="M{x1},{y1} C{x1},{y1 + bend} {x2},{y2 - bend} {x2},{y2 - 4}" fill="none"'
        ' stroke="#9ca3af" stroke-width="1" marker-end="url(#head)"/>'
    )


def _draw_room(room: str, at: tuple[int, int], modules: int, passed: list[int]) -> str:
    x, y = at[0] - BOX_WIDTH // 2, at[1] - BOX_HEIGHT // 2
    fill = "#fef3c7" if room in TRUSTED else "#f3f4f6"
    small = ' font-size="11"' if len(room) > 14 else ""
    count = f"{modules} module{'' if modules == 1 else 's'}"
    dots = "".join(
        f'<circle cx="{x + 12 + 12 * index}" cy="{y}" r="4.5" fill="{COLOURS[way]}"/>'
        for index, way in enumerate(passed)
    )
    return (
        f'<rect x="{x}" y="{y}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="6" fill="{fill}"'
        ' stroke="#374151"/>'
        f'<text x="{at[0]}" y="{at[1] - 2}" text-anchor="middle" font-weight="600"{small}>'
        f"{room}</text>"
        f'<text x="{at[0]}" y="{at[1] + 14}" text-anchor="middle" fill="#6b7280"'
        f' font-size="11">{count}</text>{dots}'
    )


def _draw_legend(ways: Mapping[str, list[str]], y: int) -> str:
    parts = []
    for index, name in enumerate(ways):
        x = 16 + index * COLUMN
        parts.append(f'<circle cx="{x}" cy="{y - 4}" r="4.5" fill="{COLOURS[index]}"/>')
        parts.append(f'<text x="{x + 10}" y="{y}">{escape(name)}</text>')
    parts.append(f'<rect x="6" y="{y + 12}" width="18" height="12" fill="#fef3c7"/>')
    parts.append(
        f'<text x="32" y="{y + 23}">trusted core · arrows point from a room to the rooms it'
        " imports</text>"
    )
    return "".join(parts)


def draw_architecture(root: Path, page: str) -> str:
    """Return the picture of a package folder and the ways of a page as SVG text."""
    edges: dict[str, set[str]] = {room: set() for room in count_modules(root)}
    for room, target in list_imports(root):
        if room != target:
            edges[room].add(target)
    edges.pop("__init__", None)
    # Everything uses errors, so arrows to it would say nothing.
    reduced = reduce_edges({room: targets - {"errors"} for room, targets in edges.items()})
    places, sizes, ways = place_rooms(reduced), count_modules(root), read_ways(page)
    rooms_of = [
        {module.split("/")[0].removesuffix(".py") for module in way} for way in ways.values()
    ]
    arrows = [
        _draw_arrow(places[room], places[target])
        for room in sorted(reduced)
        for target in sorted(reduced[room])
    ]
    boxes = [
        _draw_room(room, at, sizes[room], [i for i, rooms in enumerate(rooms_of) if room in rooms])
        for room, at in sorted(places.items())
    ]
    width = max(x for x, _ in places.values()) + COLUMN // 2
    foot = max(y for _, y in places.values()) + 60
    head = (
        '<defs><marker id="head" markerWidth="6" markerHeight="6" refX="5" refY="3" orient="auto">'
        '<path d="M0,0 L6,3 L0,6 z" fill="#9ca3af"/></marker></defs>'
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {foot + 40}"'
        ' font-family="system-ui, sans-serif" font-size="13" role="img"'
        ' aria-label="The rooms of Hedgerow and the imports between them">'
        f'<rect width="100%" height="100%" fill="#fff"/>{head}\n'
        + "\n".join([*arrows, *boxes, _draw_legend(ways, foot)])
        + "\n</svg>\n"
    )


def main() -> None:
    """Write the picture."""
    page = PAGE.read_text(encoding="utf-8")
    PICTURE.write_text(draw_architecture(ROOT / "src" / "hedgerow", page), encoding="utf-8")


if __name__ == "__main__":
    main()
