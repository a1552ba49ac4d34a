"""The help of each option tells its effect, its unit and its default."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import typer
from rich.markup import render

from lasthop.cli.application import app

from .conftest import Lasthop

# First words that leave the reader without a verb or a noun.
_ELLIPTIC = frozenset(
    {"As", "At", "Behind", "By", "Have", "How", "In", "Its", "Of", "On", "Only", "That", "The"}
    | {"These", "This", "Those", "What", "When", "Where", "Which", "Who"}
)

# Metavars of quantities, and what the help must show of their unit.
_UNITS = {
    "TIME": r"\d ?(ms|s|min|h|d)\b",
    "SECONDS": r"\b[Ss]econds\b",
    "SHARE": r"\d ?%",
    "RATE": r"bit/s|B/s",
    "SIZE": r"\d ?k?B\b",
    "COUNT": r"\b([Nn]umber|hours)\b",
}


def _commands() -> Iterator[tuple[str, Any]]:
    """Walk over all commands, hidden ones too."""
    waiting: list[tuple[str, Any]] = [("lasthop", typer.main.get_command(app))]
    while waiting:
        name, command = waiting.pop()
        yield name, command
        waiting += [
            (f"{name} {word}", below) for word, below in getattr(command, "commands", {}).items()
        ]


@dataclass(frozen=True, slots=True)
class _Entry:
    """An option or an argument, as `--help` shows it."""

    help: str
    metavar: str
    is_flag: bool
    required: bool
    shows_default: bool


def _entries(kind: str) -> list[Any]:
    return [
        pytest.param(
            _Entry(
                help=entry.help or "",
                metavar=entry.metavar or "",
                is_flag=getattr(entry, "is_flag", False),
                required=entry.required,
                shows_default=bool(entry.show_default) and entry.default not in (None, ""),
            ),
            id=f"{name} {entry.opts[0]}",
        )
        for name, command in _commands()
        for entry in command.params
        if entry.param_type_name == kind and not entry.opts[0].endswith("-completion")
    ]


_OPTIONS = _entries("option")
_ARGUMENTS = _entries("argument")


@pytest.mark.parametrize("entry", [*_OPTIONS, *_ARGUMENTS])
def test_the_help_is_made_of_sentences(entry: _Entry) -> None:
    text = entry.help
    assert re.match(r"[A-Z]|[a-z -]+: ", text), text
    assert text.split(" ", 1)[0] not in _ELLIPTIC, text
    assert text.endswith("."), text


@pytest.mark.parametrize("entry", _OPTIONS)
def test_an_option_with_a_value_tells_its_default(entry: _Entry) -> None:
    if entry.is_flag or entry.required:
        return
    assert entry.shows_default or re.search(r"\b[Dd]efault\b", entry.help), entry.help


@pytest.mark.parametrize("entry", _OPTIONS)
def test_an_option_of_a_quantity_tells_its_unit(entry: _Entry) -> None:
    unit = _UNITS.get(entry.metavar)
    assert unit is None or re.search(unit, entry.help), entry.help


@pytest.mark.parametrize("entry", [*_OPTIONS, *_ARGUMENTS])
def test_no_word_of_a_help_is_taken_for_markup(entry: _Entry) -> None:
    shown = render(entry.help)
    assert not shown.spans, entry.help
    assert shown.plain.replace("[", "").replace("]", "") == re.sub(r"\\(?=\[)|[][]", "", entry.help)


def test_the_help_shows_how_ray_is_installed(lasthop: Lasthop) -> None:
    shown = lasthop("run", "--help", environment={"COLUMNS": "200"}).stdout
    assert 'pip install "lasthop[ray]"' in re.sub(r"[\s│]+", " ", shown)
