"""Resolves the links of a tree as the kernel does, inside the tree only, but without a limit on the number of links.
The kernel gives up after 40, other readers later or never.

Every link is followed once, so the cost is that of reading the targets. A path that meets a link which is already being
followed is a cycle and leads nowhere. Parts that are not in the tree are followed by name only, so that '..' may lead
back."""

from collections.abc import Callable, Iterator

_OUT, _NOWHERE = -1, -2  # places, beside those that are numbered


class LinkResolver:
    """`targets` maps each link's path to its target, relative to the link; no link lies below another. `fold` maps
    names that a file system may treat as equal to the same string."""

    def __init__(self, targets: dict[str, str], fold: Callable[[str], str] = str) -> None:
        self.steps = 0  # parts of targets gone through
        self._fold = fold
        # Only folders that contain links are places, numbered in order. Elsewhere only the depth matters.
        self._above = [_OUT]  # place -> its parent place
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
        """Whether the link leads out of the tree, directly or through other links."""
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
            if at in self._ends:  # the inner link, which has now been followed
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

    def _begun(self, link: int) -> tuple[int, int, int, Iterator[str]]:
        """Starts to follow a link; returns (link, place, levels below it, remaining parts)."""
        self._ends[link] = _NOWHERE, 0  # meeting it again before it is resolved is a cycle
        return link, self._above[link], 0, iter(self._targets[link].split("/"))
