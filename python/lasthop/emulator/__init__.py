"""Any program behind an emulated link: the path, its two ends, the programs, the result.

The path is one of a study, in the words of a study. A process of its own carries packets between a
network namespace with the program and one with the server that it talks to.
"""

from lasthop.emulator.far_server import FarServer
from lasthop.emulator.laboratory import Laboratory
from lasthop.emulator.program import Program
from lasthop.emulator.settings import LinkSettings
from lasthop.emulator.summary import Summary

__all__ = ["FarServer", "Laboratory", "LinkSettings", "Program", "Summary"]
