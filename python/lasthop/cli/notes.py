"""What a study probably does not mean, said before its first run."""

from typing import TYPE_CHECKING

from lasthop.cli.output import complain

if TYPE_CHECKING:
    from lasthop.study import Study


def say_notes(study: "Study", *, quiet: bool) -> None:
    """Say each note in a line of its own, where people look."""
    for note in () if quiet else study.notes:
        complain(f"note: {note}")
