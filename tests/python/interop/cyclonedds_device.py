"""A device made with Cyclone DDS: ADDRESS SERVER RELIABILITY COUNT SIZE.

It sends so many messages of so many bytes to ``reports`` as device 1, awaits as many on
``device/1``, and tells each that comes, a JSON object a line.
"""

import json
import os
import sys
import threading
import time
from typing import Any

from cyclonedds.core import Listener
from cyclonedds.domain import DomainParticipant
from cyclonedds.pub import DataWriter
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic

from lasthop.adapters.programs.cyclonedds_server import Message, qos

_CONFIGURATION = """\
<CycloneDDS><Domain id="any">
  <General>
    <Interfaces><NetworkInterface address="{address}"/></Interfaces>
    <AllowMulticast>false</AllowMulticast>
  </General>
  <Discovery><Peers><Peer address="{server}"/></Peers></Discovery>
</Domain></CycloneDDS>
"""

_DEVICE = 1
_PATIENCE_S = 60.0
_PAUSE_S = 0.02
_ID = "AAAB{:04d}"
"""Of flow 1: four characters of the base64url alphabet, and four of the number of the message."""


class Matched(Listener):
    """Whether somebody reads what is written, and writes what is read."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.writer, self.reader = threading.Event(), threading.Event()

    def on_publication_matched(self, *_: object) -> None:
        """Note a reader."""
        self.writer.set()

    def on_subscription_matched(self, *_: object) -> None:
        """Note a writer."""
        self.reader.set()


def main() -> None:
    """Send, and tell what comes."""
    address, server, reliability, count, size = sys.argv[1:]
    os.environ["CYCLONEDDS_URI"] = _CONFIGURATION.format(address=address, server=server)
    participant = DomainParticipant(0)
    policies = qos(reliability, "volatile", 1000)
    matched = Matched()
    reports = Topic(participant, "reports", Message)
    writer = DataWriter(participant, reports, qos=policies, listener=matched)
    own = Topic(participant, f"device/{_DEVICE}", Message)
    reader = DataReader(participant, own, qos=policies, listener=matched)
    end = time.monotonic() + _PATIENCE_S
    if not (matched.writer.wait(_PATIENCE_S) and matched.reader.wait(_PATIENCE_S)):
        sys.exit("nobody was found")
    say({"ready": True})
    # Until the other has matched as well, who would miss what is sent best-effort.
    time.sleep(1)
    received = 0
    for number in range(1, int(count) + 1):
        payload = _ID.format(number).encode().ljust(int(size), b".")
        writer.write(Message(_DEVICE, list(payload)))  # type: ignore[arg-type]
        time.sleep(_PAUSE_S)
        received += tell(reader)
    while received < int(count):
        if time.monotonic() > end:
            sys.exit(f"{received} of {count} came back")
        time.sleep(_PAUSE_S)
        received += tell(reader)


def tell(reader: "DataReader[Message]") -> int:
    """Tell what has come, and how many."""
    samples: list[Any] = [it for it in reader.take(1000) if hasattr(it, "payload")]
    payloads = [bytes(it.payload) for it in samples]
    for payload in payloads:
        say({"received": payload[:8].decode(), "bytes": len(payload)})
    return len(payloads)


def say(what: dict[str, object]) -> None:
    """Tell something, on a line."""
    sys.stdout.write(json.dumps(what) + "\n")


if __name__ == "__main__":
    main()
