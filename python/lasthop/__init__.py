"""lasthop: measures which IoT protocol stack and settings fit a fleet on its network."""

from importlib import import_module
from typing import TYPE_CHECKING

from lasthop.version import __version__

if TYPE_CHECKING:
    from lasthop.errors import LasthopError
    from lasthop.linked import link
    from lasthop.outcome.results import Results
    from lasthop.running.run import run
    from lasthop.study import load_study

__all__ = ["LasthopError", "Results", "__version__", "link", "load_study", "run"]

# Imported on first use: `lasthop --help` and shell completion must not load polars.
_HOMES = {
    "LasthopError": "lasthop.errors",
    "Results": "lasthop.outcome.results",
    "link": "lasthop.linked",
    "load_study": "lasthop.study",
    "run": "lasthop.running.run",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        message = f"module 'lasthop' has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
