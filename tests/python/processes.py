"""The processes that a process has started, and what they are called."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path


def descendants(ancestor: int) -> Iterator[tuple[int, str]]:
    """Give the id and the command line of each living process below another."""
    children: dict[int, list[int]] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended
            state, parent = status.read_text().rpartition(")")[2].split()[:2]
            if state != "Z":
                children.setdefault(int(parent), []).append(int(status.parent.name))
    found = list(children.get(ancestor, ()))
    for process in found:
        found += children.get(process, ())
        with suppress(OSError):
            line = Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ")
            yield process, line.decode("utf-8", "replace").strip()
