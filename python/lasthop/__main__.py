"""`python -m lasthop` is the command `lasthop`."""

import sys

from lasthop.cli import main

sys.exit(main())
