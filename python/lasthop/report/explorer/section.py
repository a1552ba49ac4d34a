"""The section of the page in which a reader chooses points and requirements."""

from typing import Any

from lasthop.report.markup import Styles
from lasthop.report.section import Section
from lasthop.report.templating import render

_READING = (
    "Choose a point, and change the requirements. The answer is decided anew from the results in "
    "this page, by the same rules as above."
)


def explorer_section(data: dict[str, Any] | None, styles: Styles) -> Section | None:
    """Write the place of the explorer, which a script fills; nothing without data."""
    if data is None:
        return None
    marks = [styles.get(stack) for stack in data["stacks"]]
    body = render("explorer.html", reading=_READING, styles=marks)
    return Section("explore", "Explore", _digest(data), body, opened=True)


def _digest(data: dict[str, Any]) -> str:
    points = sum(len(part["points"]) for part in data["parts"])
    return "requirements can be changed" if points == 1 else f"{points} points, and requirements"
