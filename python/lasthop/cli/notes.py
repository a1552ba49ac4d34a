"""Notes on studies that probably do not mean what they say, printed before the first run."""

from typing import TYPE_CHECKING

from lasthop.cli.output import complain

if TYPE_CHECKING:
    from lasthop.study import Study


def say_notes(study: "Study", *, quiet: bool) -> None:
    """Print each note on its own line on standard error."""
    for note in () if quiet else study.notes:
        complain(f"note: {note}")
