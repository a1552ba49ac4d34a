"""Network namespaces with TUN devices, where our machines meet real software.

Everything here needs ``ip`` (iproute2), on Linux, and root or `enter_user_namespace`. Nothing
outlives its context: the processes that were started are ended by their id, and the namespaces are
removed. What a process leaves behind that did not get so far has its mark: `Leftovers` finds it.
"""

from lasthop.testbed.emulation import Emulation
from lasthop.testbed.folder import temporary_folder
from lasthop.testbed.leftovers import Leftovers
from lasthop.testbed.namespace import Namespace, end, missing_requirement
from lasthop.testbed.postponed import postponed_signals
from lasthop.testbed.tun import Tun
from lasthop.testbed.user_namespace import enter_user_namespace, why_no_networks
from lasthop.testbed.veth import PacketSocket

__all__ = [
    "Emulation",
    "Leftovers",
    "Namespace",
    "PacketSocket",
    "Tun",
    "end",
    "enter_user_namespace",
    "missing_requirement",
    "postponed_signals",
    "temporary_folder",
    "why_no_networks",
]
