"""A layered drawing of boxes and arrows as SVG: arrows run downwards, and no arrow crosses a box.

The layout is Sugiyama's: each box gets a row, a long arrow gets a bend in every row that it passes, rows are ordered so
that few arrows cross, and positions come close to the mean of their neighbours'. The same input gives the same bytes.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape

WIDTH = 1000
MARGIN = 12
GAP = 16
"""The least space between two boxes of a row."""
BEND_WIDTH = 14
ROW_GAP = 40
"""From the bottom of a row's highest box to the top of the next row."""
TOP = 44
"""The title's place."""
NAME_PX, TEXT_PX = 8.6, 6.5
"""More than an average character is wide, so that text fits with any font."""
TEXT_COLUMNS = 26
LINE_PX = 15


@dataclass
class Box:
    """A name in bold, and a line or two below it; `kind` chooses the colour."""
    name: str
    kind: str
    text: str = ""
    lines: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.lines = textwrap.wrap(self.text, max(TEXT_COLUMNS, len(self.name)))

    @property
    def width(self) -> float:
        return max(NAME_PX * len(self.name), *(TEXT_PX * len(line) for line in self.lines), 60.0) + 18

    @property
    def height(self) -> float:
        return 26 + LINE_PX * len(self.lines)


@dataclass(frozen=True)
class Arrow:
    """`kind` chooses the line."""
    source: str
    target: str
    kind: str


class DrawingError(Exception):
    """Boxes that cannot be drawn: one sentence."""


@dataclass
class _Node:
    """A box, or the bend of a long arrow (box is None)."""
    row: int
    width: float
    box: Box | None = None
    x: float = 0.0
    above: list["_Node"] = field(default_factory=list)
    below: list["_Node"] = field(default_factory=list)


def rows(names: Sequence[str], arrows: Sequence[Arrow]) -> dict[str, int]:
    """The row of each name, 0 at the bottom: as low as its arrows allow, then up to just below what points to it."""
    below: dict[str, list[str]] = {name: [] for name in names}
    above: dict[str, list[str]] = {name: [] for name in names}
    for arrow in arrows:
        below[arrow.source].append(arrow.target)
        above[arrow.target].append(arrow.source)
    row: dict[str, int] = {}

    def place(name: str, path: tuple[str, ...]) -> int:
        if name in path:
            raise DrawingError("a circle of arrows: " + " -> ".join((*path[path.index(name):], name)))
        if name not in row:
            row[name] = max((place(each, (*path, name)) + 1 for each in below[name]), default=0)
        return row[name]

    for name in names:
        place(name, ())
    for name in sorted(names, key=lambda each: -row[each]):
        if above[name]:
            row[name] = min(row[each] for each in above[name]) - 1
    return row


def draw(title: str, boxes: Sequence[Box], arrows: Sequence[Arrow], legend: Sequence[tuple[str, str]]) -> str:
    """The SVG. `legend` names kinds of arrows: (kind, meaning)."""
    row = rows([box.name for box in boxes], arrows)
    nodes = {box.name: _Node(row[box.name], box.width, box) for box in boxes}
    layers: list[list[_Node]] = [[] for _ in range(max(row.values()) + 1)]
    for box in boxes:
        layers[row[box.name]].append(nodes[box.name])
    paths = [(arrow, _path(nodes[arrow.source], nodes[arrow.target], layers)) for arrow in arrows]
    _order(layers)
    for layer in layers:
        if sum(node.width for node in layer) + GAP * (len(layer) - 1) > WIDTH - 2 * MARGIN:
            raise DrawingError("too wide a row: " + ", ".join(node.box.name for node in layer if node.box))
    _position(layers)
    return _svg(title, layers, paths, legend)


def _path(source: _Node, target: _Node, layers: list[list[_Node]]) -> list[_Node]:
    """The nodes from `source` to `target`, with new bends in the rows between."""
    path = [source]
    for row in range(source.row - 1, target.row, -1):
        bend = _Node(row, BEND_WIDTH)
        layers[row].append(bend)
        path.append(bend)
    path.append(target)
    for upper, lower in zip(path, path[1:]):
        upper.below.append(lower)
        lower.above.append(upper)
    return path


def _crossings(upper: Sequence[_Node], lower: Sequence[_Node]) -> int:
    at = {id(node): place for place, node in enumerate(lower)}
    ends = [sorted(at[id(each)] for each in node.below) for node in upper]
    return sum(1 for first, left in enumerate(ends) for right in ends[first + 1:] for a in left for b in right if a > b)


def _order(layers: list[list[_Node]]) -> None:
    """Sorts each row by the mean place of its neighbours, up and down in turns; then swaps boxes while that helps."""
    def total() -> int:
        return sum(_crossings(upper, lower) for lower, upper in zip(layers, layers[1:]))

    def sort(layer: list[_Node], neighbours: list[_Node], of: Callable[[_Node], list[_Node]]) -> None:
        at = {id(node): place for place, node in enumerate(neighbours)}
        own = {id(node): place for place, node in enumerate(layer)}
        layer.sort(key=lambda node: _mean([at[id(each)] for each in of(node)], own[id(node)]))

    best, least = [list(layer) for layer in layers], total()
    for _ in range(12):
        for lower, upper in zip(reversed(layers[:-1]), reversed(layers[1:])):
            sort(lower, upper, lambda node: node.above)
        for lower, upper in zip(layers, layers[1:]):
            sort(upper, lower, lambda node: node.below)
        if total() < least:
            best, least = [list(layer) for layer in layers], total()
    layers[:] = best
    improved = True
    while improved:
        improved = False
        for layer in layers:
            for place in range(len(layer) - 1):
                layer[place:place + 2] = reversed(layer[place:place + 2])
                if total() < least:
                    least, improved = total(), True
                else:
                    layer[place:place + 2] = reversed(layer[place:place + 2])


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _position(layers: list[list[_Node]]) -> None:
    """Sets each node's x (its middle), near the mean of its neighbours' and within the drawing."""
    for layer in layers:
        _spread(layer, [WIDTH * (place + 1) / (len(layer) + 1) for place in range(len(layer))])
    for turn in range(40):
        for layer in (layers if turn % 2 else reversed(layers)):
            _spread(layer, [_mean([each.x for each in (*node.above, *node.below)], node.x) for node in layer])
    every = [node for layer in layers for node in layer]
    left, right = (min(node.x - node.width / 2 for node in every), max(node.x + node.width / 2 for node in every))
    for node in every:
        node.x += (WIDTH - left - right) / 2


def _spread(layer: list[_Node], wanted: Sequence[float]) -> None:
    """Positions in this order, without overlaps, with the least sum of squared distances to `wanted` (pool adjacent
    violators)."""
    offsets = [0.0]
    for left, right in zip(layer, layer[1:]):
        offsets.append(offsets[-1] + (left.width + right.width) / 2 + GAP)
    groups: list[list[float]] = []  # sum, count
    for x, offset in zip(wanted, offsets):
        groups.append([x - offset, 1])
        while len(groups) > 1 and groups[-2][0] / groups[-2][1] > groups[-1][0] / groups[-1][1]:
            last = groups.pop()
            groups[-1] = [groups[-1][0] + last[0], groups[-1][1] + last[1]]
    least = MARGIN + layer[0].width / 2
    most = WIDTH - MARGIN - layer[-1].width / 2 - offsets[-1]
    places = [group[0] / group[1] for group in groups for _ in range(int(group[1]))]
    for node, place, offset in zip(layer, places, offsets):
        node.x = min(max(place, least), most) + offset


STYLE = """
  .page { fill: #ffffff } text { font-family: system-ui, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1f2328 }
  .name, .title { font-size: 14px; font-weight: 600 } .title { font-size: 16px }
  .text { font-size: 12px; fill: #59636e }
  rect { stroke: #8c959f; fill: #f6f8fa } .python { fill: #fff8c5 } .variants { fill: #dafbe1 } .file { fill: #ddf4ff }
  path { fill: none; stroke: #57606a; stroke-width: 1.4 } .head { fill: #57606a; stroke: none }
  .includes { stroke-dasharray: 6 4 } .starts { stroke-dasharray: 1.5 4; stroke-linecap: round; stroke-width: 2 }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117 } text { fill: #e6edf3 } .text { fill: #b1bac4 }
    rect { stroke: #6e7681; fill: #21262d } .python { fill: #3d3411 }
    .variants { fill: #12361f } .file { fill: #0f3050 } path { stroke: #9ea7b3 } .head { fill: #9ea7b3 }
  }"""


def _svg(title: str, layers: list[list[_Node]], paths: list[tuple[Arrow, list[_Node]]],
         legend: Sequence[tuple[str, str]]) -> str:
    heights = [max(node.box.height for node in layer if node.box) for layer in layers]
    tops = [TOP + sum(each + ROW_GAP for each in heights[row + 1:]) for row in range(len(layers))]
    height = tops[0] + heights[0] + (50 if legend else 14)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height:g}" '
           f'viewBox="0 0 {WIDTH} {height:g}" role="img" aria-label="{escape(title)}">', f"<style>{STYLE}\n</style>",
           '<marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" '
           'markerUnits="userSpaceOnUse" orient="auto"><path class="head" d="M0,0 8,4 0,8z"/></marker>',
           f'<rect class="page" width="{WIDTH}" height="{height:g}" style="stroke: none"/>',
           f'<text class="title" x="{MARGIN}" y="26">{escape(title)}</text>']
    for arrow, path in paths:
        first = path[0]
        below = tops[first.row] + (first.box.height if first.box else 0.0)
        out.append(_line(arrow.kind, below, [_port(node, path, place, tops[node.row], heights[node.row])
                                             for place, node in enumerate(path)]))
    for layer in reversed(layers):
        for node in layer:
            if node.box:
                out += _box(node.box, node.x, tops[node.row])
    x = float(MARGIN)
    for kind, meaning in legend:
        out += [f'<path class="{kind}" d="M{x:g},{height - 20:g} h40" marker-end="url(#head)"/>',
                f'<text class="text" x="{x + 48:g}" y="{height - 16:g}">{escape(meaning)}</text>']
        x += 80 + TEXT_PX * len(meaning)
    return "\n".join((*out, "</svg>", ""))


def _port(node: _Node, path: list[_Node], place: int, top: float, height: float) -> tuple[float, float, float]:
    """(x, top and bottom of its row) where an arrow passes a node; the arrows of one box stand apart."""
    others = node.above if place else node.below
    neighbour = path[place - 1] if place else path[1]
    rank = sorted(range(len(others)), key=lambda each: (others[each].x, each))
    index = next(at for at, each in enumerate(rank) if others[each] is neighbour)
    step = min(22.0, (node.width - 24) / len(others))
    return node.x + (index - (len(others) - 1) / 2) * step, top, top + height


def _line(kind: str, start: float, ports: list[tuple[float, float, float]]) -> str:
    """From `start`, the bottom of the first box: straight down through each row, curved between two rows."""
    parts = [f"M{ports[0][0]:.1f},{start:.1f}"]
    for (x, _, bottom), (next_x, top, _) in zip(ports, ports[1:]):
        middle = (bottom + top) / 2
        parts.append(f"V{bottom:.1f} C{x:.1f},{middle:.1f} {next_x:.1f},{middle:.1f} {next_x:.1f},{top:.1f}")
    return f'<path class="{kind}" d="{" ".join(parts)}" marker-end="url(#head)"/>'


def _box(box: Box, x: float, y: float) -> list[str]:
    radius = 12 if box.kind == "file" else 3
    out = [f'<rect class="{box.kind}" x="{x - box.width / 2:.1f}" y="{y:.1f}" width="{box.width:.1f}" '
           f'height="{box.height:g}" rx="{radius}"/>',
           f'<text class="name" x="{x:.1f}" y="{y + 18:.1f}" text-anchor="middle">{escape(box.name)}</text>']
    return out + [f'<text class="text" x="{x:.1f}" y="{y + 18 + LINE_PX * (at + 1):.1f}" text-anchor="middle">'
                  f"{escape(line)}</text>" for at, line in enumerate(box.lines)]
