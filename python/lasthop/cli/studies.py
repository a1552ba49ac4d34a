"""`lasthop studies`: what can be run by name."""

# ruff: noqa: PLC0415  (imported when needed: help and refusals must not wait for polars)

import os
from pathlib import Path

from lasthop.cli import options
from lasthop.cli.output import say, say_json, show
from lasthop.cli.shipped import ShippedStudy, shipped_studies

NAME = "studies"
EXAMPLE = "Example: lasthop studies --json"


def command(*, as_json: options.Json = False) -> None:
    """List the studies that come with lasthop."""
    studies = [_described(study) for study in shipped_studies()]
    if as_json:
        say_json({"studies": studies})
        return
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("study", no_wrap=True)
    table.add_column("question")
    table.add_column("where", overflow="fold")
    for study in studies:
        table.add_row(study["name"], Text(study["title"]), Text(study["path"]))
    show(table)
    say("\nRun one with: lasthop run NAME")


def _described(study: ShippedStudy) -> dict[str, str]:
    from lasthop.errors import StudyError
    from lasthop.study import load_study

    try:
        title = load_study(study.path).title or ""
    except StudyError as error:
        title = f"cannot be read: {error.what}"
    return {"name": study.name, "title": title, "path": _short(study.path)}


def _short(path: Path) -> str:
    return os.path.relpath(path) if path.is_relative_to(Path.cwd()) else str(path)
