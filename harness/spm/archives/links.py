"""Where the links of a tree lead: as the kernel follows them, with the tree as the whole world, but over any number of
links. The kernel gives up after 40, other readers later or never.

Every link is followed once: the cost is that of reading the targets. A path that meets a link which is being followed
goes round for ever and leads nowhere, whatever comes after it. What is not in the tree is followed by its words alone,
so that '..' may lead back."""

from __future__ import annotations

from collections.abc import Callable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_OUT, _NOWHERE = -1, -2  # places, beside those that are numbered


class Links:
    """`targets` has the links by path, each target relative to its link; no link lies below another. `fold` makes equal
    what a file system may take for one name: a target in other letters leads to the same place there."""

    def __init__(self, targets: dict[str, str], fold: Callable[[str], str] = str) -> None:
        self.steps = 0  # parts of targets gone through
        self._fold = fold
        # Only folders with links in them are places, numbered as they come. Elsewhere the depth is all that counts.
        self._above = [_OUT]  # of a place, the place that it is in
        self._places: dict[tuple[int, str], int] = {}
        self._links: dict[str, int] = {}
        self._targets: dict[int, str] = {}
        self._ends: dict[int, tuple[int, int]] = {}  # (place, levels below it) where a link leads
        for path, target in targets.items():
            place = 0
            for part in path.split("/"):
                place = self._place(place, fold(part))
            self._links[path], self._targets[place] = place, target

    def lead_out(self, path: str) -> bool:
        """Whether the link leads out of the tree, itself or by way of others."""
        link = self._links[path]
        if link not in self._ends:
            self._follow(link)
        return self._ends[link][0] == _OUT

    def _place(self, above: int, part: str) -> int:
        place = self._places.setdefault((above, part), len(self._above))
        if place == len(self._above):
            self._above.append(above)
        return place

    def _follow(self, link: int) -> None:
        pending = [self._begun(link)]
        while pending:
            link, at, below, parts = pending.pop()
            if at in self._ends:  # the link that was to be followed first
                at, below = self._ends[at]
            for part in parts if at >= 0 else ():
                self.steps += 1
                if part in ("", "."):
                    continue
                if part == "..":
                    at, below = (at, below - 1) if below else (self._above[at], 0)
                    if at == _OUT:
                        break
                    continue
                inner = None if below else self._places.get((at, self._fold(part)))
                if inner is None:
                    below += 1
                    continue
                at = inner
                if at not in self._targets:
                    continue
                if at not in self._ends:
                    pending += (link, at, 0, parts), self._begun(at)
                    break
                at, below = self._ends[at]
                if at < 0:
                    break
            else:
                self._ends[link] = at, below
                continue
            if at < 0:
                self._ends[link] = at, 0

    def _begun(self, link: int) -> Any:
        """(link, place, levels below it, parts to come) of a link that is followed from now on."""
        self._ends[link] = _NOWHERE, 0  # for whoever meets it before it is done
        return link, self._above[link], 0, iter(self._targets[link].split("/"))
