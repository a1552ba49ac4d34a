"""Entry point of `python -m lasthop`, which is the command `lasthop`."""

import sys

from lasthop.cli import main

sys.exit(main())
