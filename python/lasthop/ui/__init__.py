"""The local page: a study as a form and as YAML, and its answer while it runs."""

from lasthop.ui.server import UiServer
from lasthop.ui.session import Session

__all__ = ["Session", "UiServer"]
