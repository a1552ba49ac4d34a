"""Runs the commands that pages show and compares what they print.

`python -m docs.transcript PAGE...` tells where a page is out of date; with `--write` it puts the
present output into the page. A page is a session in a folder of its own: a block with a caption
is a file of that name, a line that starts with `$ ` in a `console` block is a command, and what
follows is its output. A line `...` stands for any lines; the folder is shown as `/path/to` and
has `examples`, as a checkout has.
A port that a command names as `127.0.0.1:PORT` is one that is free; what is started in the
background ends with the page.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ANY_LINES = "..."
_PROMPT = "$ "
_LONGEST_S = 600
_FOLDER_SHOWN = "/path/to"
_EXAMPLES = Path(__file__).parents[1] / "examples"
# Settings of the reader's own that change how output looks.
_APPEARANCE = ("FORCE_COLOR", "POLARS_")
_PLACE = re.compile(r"127\.0\.0\.1:(\d+)")
# Below those that a kernel gives to who asks for any.
_PORTS = range(20_000, 30_000)
_BLOCK = re.compile(r"^```(?P<kind>[^\n]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r":caption: (?P<name>\S+)\n\n?(?P<text>.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Command:
    """A command of a page, and what the page says that it prints."""

    text: str
    output: tuple[str, ...]

    def prints(self, actual: Sequence[str]) -> bool:
        """Whether the output of the page stands for this one.

        Examples
        --------
        >>> Command("ls", ("a", "...", "z")).prints(["a", "b", "c", "z"])
        True
        >>> Command("ls", ("a", "...")).prints(["b"])
        False
        """
        lines = [
            r"(?:.*\n)*?" if line == ANY_LINES else re.escape(f"{line}\n") for line in self.output
        ]
        return re.fullmatch("".join(lines), "".join(f"{line}\n" for line in actual)) is not None

    def lines(self) -> list[str]:
        """Give the command and its output as they stand in the page."""
        return [_PROMPT + self.text, *self.output]


@dataclass(frozen=True, slots=True)
class Difference:
    """A command that prints something else than its page says."""

    command: Command
    actual: tuple[str, ...]

    def __str__(self) -> str:
        """Show both."""
        said, printed = "\n".join(self.command.output), "\n".join(self.actual)
        return f"$ {self.command.text}\n--- the page says\n{said}\n--- it prints\n{printed}"


def commands_of(block: str) -> Iterator[Command]:
    r"""Read the commands of a block; one may go on in the next line after a backslash.

    Examples
    --------
    >>> list(commands_of("$ true\n$ echo a\na\n"))
    [Command(text='true', output=()), Command(text='echo a', output=('a',))]
    """
    text: str | None = None
    output: list[str] = []
    for line in block.splitlines():
        if text is not None and text.endswith("\\") and not output:
            text += f"\n{line}"
            continue
        if line.startswith(_PROMPT):
            if text is not None:
                yield Command(text, tuple(output))
            text, output = line.removeprefix(_PROMPT), []
        elif text is None:
            message = f'a console block starts with "$ ", not with "{line}"'
            raise ValueError(message)
        else:
            output.append(line)
    if text is not None:
        yield Command(text, tuple(output))


@dataclass(frozen=True, slots=True)
class _Session:
    """The folder of a page, the ports that are its own while it is replayed, what it started."""

    folder: Path
    ports: dict[str, str] = field(default_factory=dict)
    left: list[int] = field(default_factory=list)

    def run(self, command: str) -> tuple[str, ...]:
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        inherited = {
            name: value for name, value in os.environ.items() if not name.startswith(_APPEARANCE)
        }
        for shown in _PLACE.findall(command):
            self.ports.setdefault(shown, str(_free_port()))
        with subprocess.Popen(
            ["bash", "-c", _replaced(command, self.ports)],
            cwd=self.folder,
            env={**inherited, "PATH": path, "LC_ALL": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            start_new_session=True,
        ) as shell:
            try:
                printed, _ = shell.communicate(timeout=_LONGEST_S)
            finally:
                if _is_there(shell.pid):
                    self.left.append(shell.pid)
        shown = printed.replace(str(self.folder.resolve()), _FOLDER_SHOWN)
        shown = _replaced(shown, {actual: port for port, actual in self.ports.items()})
        return tuple(line.rstrip() for line in shown.splitlines())

    def end(self) -> None:
        """End what goes on in the background."""
        for group in self.left:
            with suppress(ProcessLookupError):
                os.killpg(group, signal.SIGTERM)


def _is_there(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def _free_port() -> int:
    for port in random.sample(_PORTS, len(_PORTS)):
        with socket.socket() as trial, suppress(OSError):
            trial.bind(("127.0.0.1", port))
            return port
    message = "no port is free"
    raise OSError(message)


def _replaced(text: str, words: dict[str, str]) -> str:
    for word, other in words.items():
        text = re.sub(rf"\b{word}\b", other, text)
    return text


def replay(page: str, folder: Path) -> tuple[str, list[Difference]]:
    """Run the session of a page in an empty folder.

    Returns
    -------
    tuple
        The page with the present output, and where it differed.
    """
    differences: list[Difference] = []
    session = _Session(folder)
    (folder / _EXAMPLES.name).symlink_to(_EXAMPLES)

    def refresh(block: re.Match[str]) -> str:
        if block["kind"] == "console":
            lines: list[str] = []
            for command in commands_of(block["body"]):
                actual = session.run(command.text)
                if command.prints(actual):
                    lines += command.lines()
                else:
                    differences.append(Difference(command, actual))
                    lines += Command(command.text, actual).lines()
            return "\n".join(["```console", *lines, "```"])
        file = _FILE.fullmatch(block["body"])
        if block["kind"].startswith("{code-block}") and file is not None:
            (folder / file["name"]).write_text(file["text"], encoding="utf-8")
        return block[0]

    try:
        return _BLOCK.sub(refresh, page), differences
    finally:
        session.end()


def main() -> int:
    """Replay the pages that the arguments name.

    Returns
    -------
    int
        0, or 1 when a page is out of date and was not written.
    """
    parser = argparse.ArgumentParser(prog="python -m docs.transcript", description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the present output into the page")
    parser.add_argument("pages", nargs="+", type=Path)
    options = parser.parse_args()
    stale = 0
    for page in options.pages:
        with tempfile.TemporaryDirectory(prefix="lasthop-docs-") as folder:
            text, differences = replay(page.read_text(encoding="utf-8"), Path(folder))
        for difference in differences:
            sys.stdout.write(f"{page}\n{difference}\n\n")
        stale += len(differences)
        if differences and options.write:
            page.write_text(text, encoding="utf-8")
    return 1 if stale and not options.write else 0


if __name__ == "__main__":
    sys.exit(main())
