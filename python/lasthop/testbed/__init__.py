"""Network namespaces with TUN devices, where our machines meet real software.

Everything here needs root and ``ip`` (iproute2), on Linux. Nothing outlives its context: the
processes that were started are ended by their id, and the namespaces are removed.
"""

from lasthop.testbed.namespace import Namespace, what_is_missing
from lasthop.testbed.tun import Tun

__all__ = ["Namespace", "Tun", "what_is_missing"]
