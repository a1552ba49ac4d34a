"""What a script says should happen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.tcp_against_linux.scripts.segment import Segment

if TYPE_CHECKING:
    from pathlib import Path

OF_OUR_MACHINE = ("!", "x")
"""Events and discarded segments, of which the kernel does not tell."""


@dataclass(frozen=True, slots=True)
class Line:
    """What happens, and how long after the line before."""

    gap_s: float
    text: str

    @property
    def happens_to_us(self) -> bool:
        """Whether this is something to wait for, not something to do."""
        return self.text[0] in ">="

    def essence(self) -> str:
        """Return what two stacks must agree on."""
        if self.text[0] in "<>":
            return f"{self.text[0]} {Segment.parse(self.text[2:]).essence()}"
        return self.text


@dataclass(frozen=True, slots=True)
class Script:
    """A time line of packets and calls.

    Attributes
    ----------
    name
        The name of its file.
    settings
        What is not as usual, such as ``{"keep_alive": "2 1 3"}``.
    lines
        What happens, without what only our machine tells.
    """

    name: str
    settings: dict[str, str]
    lines: tuple[Line, ...]

    @classmethod
    def load(cls, path: Path) -> Script:
        """Read a file."""
        return cls.parse(path.stem, path.read_text(encoding="utf-8"))

    @classmethod
    def parse(cls, name: str, text: str) -> Script:
        """Read lines.

        Raises
        ------
        ValueError
            If one does not begin with a time.
        """
        settings: dict[str, str] = {}
        lines: list[Line] = []
        gap = 0.0
        for line in text.splitlines():
            stripped = line.split("#")[0].strip()
            first, _, rest = stripped.partition(" ")
            if first == "set":
                setting, _, value = rest.partition(" ")
                settings[setting] = value
            elif first:
                if not first.startswith("+") or not rest:
                    raise ValueError(f"`{stripped}` has no time before it; write `+0 {stripped}`")
                gap += float(first)
                if not rest.startswith(OF_OUR_MACHINE):
                    lines.append(Line(gap, rest))
                    gap = 0.0
        return cls(name, settings, tuple(lines))
