"""The report: the answer to a study and the figures behind it, in one file."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lasthop.report.write import figure_names, write_figure, write_report

__all__ = ["figure_names", "write_figure", "write_report"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        message = f"module 'lasthop.report' has no attribute {name!r}"
        raise AttributeError(message)
    # Imported on first use: what draws takes long to load.
    return getattr(import_module("lasthop.report.write"), name)
