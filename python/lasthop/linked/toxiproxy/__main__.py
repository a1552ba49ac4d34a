"""``python -m lasthop.linked.toxiproxy``: the control port for tests in any language."""

import argparse
import signal
import sys

from lasthop.errors import LasthopError, UsageError
from lasthop.linked.toxiproxy.proxies import read_address
from lasthop.linked.toxiproxy.server import ControlPort
from lasthop.linked.toxiproxy.toxics import ApiError


def main() -> int:
    """Serve until Ctrl-C; the first line on standard output says where."""
    parser = argparse.ArgumentParser(
        prog="python -m lasthop.linked.toxiproxy",
        description="Serves the HTTP API of Toxiproxy. Each proxy is an emulated link.",
    )
    parser.add_argument(
        "--listen",
        default="127.0.0.1:8474",
        metavar="ADDRESS",
        help="IP address and port of the API. Port 0 is a free port. Default: 127.0.0.1:8474.",
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=1,
        metavar="N",
        help="Seed of the links' random numbers. Same seed, same losses. Default: 1.",
    )
    options = parser.parse_args()
    stops = {signal.SIGINT, signal.SIGTERM}
    # Threads that start from here on leave these signals to sigwait.
    signal.pthread_sigmask(signal.SIG_BLOCK, stops)
    try:
        listen = read_address(options.listen)
        with ControlPort(listen, seed=options.seed) as control:
            host, port = control.address
            sys.stdout.write(f"serving the API of Toxiproxy at http://{host}:{port}\n")
            sys.stdout.flush()
            signal.sigwait(stops)
    except ApiError as error:
        return _complain(UsageError(f"--listen: {error.what}"))
    except LasthopError as error:
        return _complain(error)
    return 0


def _complain(error: LasthopError) -> int:
    sys.stderr.write(f"lasthop: {error}\n")
    return error.exit_code


if __name__ == "__main__":
    sys.exit(main())
