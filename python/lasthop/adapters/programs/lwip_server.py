"""Runs a server on lwIP, and restarts it after a crash: ``lwip_server.py ERRAND``."""

import json
import sys
import time
from pathlib import Path

from lasthop.adapters.programs.lwip_device import Supervisor


def main() -> None:
    """Serve until the process ends."""
    supervisor = Supervisor(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
    # Nobody tells a server when the time of the run is zero, and it does nothing by that time.
    supervisor.begin(time.monotonic_ns())
    sys.exit(supervisor.run())


if __name__ == "__main__":
    main()
