"""The exit codes of the command."""

from docs.generator.markdown import code
from docs.generator.markdown import table as write_table
from lasthop.errors import EXIT_MEANINGS


def table() -> str:
    """Write a row for each code."""
    return write_table(
        ["code", "meaning"],
        ([code(str(number)), meaning] for number, meaning in EXIT_MEANINGS.items()),
    )
