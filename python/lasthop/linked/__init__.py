"""A server behind an emulated link, for the programs of this machine: `lasthop.link` in a test.

Where this process may make networks, the link is the emulator of `lasthop link`, and the client's
own TCP meets it. Elsewhere it is a proxy, whose two ends speak with a TCP of lasthop.
"""

from lasthop.linked.before_server import Link, link
from lasthop.linked.stats import DirectionStats, LinkStats

__all__ = ["DirectionStats", "Link", "LinkStats", "link"]
