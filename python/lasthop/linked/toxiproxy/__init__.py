"""The HTTP API of Toxiproxy over links, so that its client libraries work."""

from lasthop.linked.toxiproxy.server import ControlPort

__all__ = ["ControlPort"]
