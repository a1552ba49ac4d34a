"""A device of DDS by Fast DDS: reads its errand, as `lasthop.adapters.client` says.

Started with the file of the library. It writes its messages to ``reports`` and reads the topics
that it hears, and is ready when it has found who reads and who writes there.
"""

import socket
import sys
import threading
import time
from typing import Any

from lasthop.adapters.programs.device import payload_of, read_errand, send_when_due, tell_heard
from lasthop.adapters.programs.fastdds import Participant, Reader

_LOOK_AGAIN_S = 0.02
_UNTIL_THE_OTHER_MATCHES_S = 1.0
"""Who is found has yet to find us, and would miss what is sent best-effort."""


def main() -> None:
    """Do the errand."""
    errand = read_errand()
    options, own = errand["options"], int(errand["name"].rpartition("-")[2])
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect((errand["address"], errand["port"]))
        here = probe.getsockname()[0]
    policies = (options["reliability"], options["durability"], int(options["history_depth"]))
    participant = Participant(sys.argv[1], here, policies, server=errand["address"])
    readers = [participant.reader(topic) for topic in errand["hears"]]
    writers = [participant.writer("reports")] if errand["messages"] else []
    threading.Thread(target=hear, args=(participant, readers), daemon=True).start()
    while not (
        all(writer.is_read() for writer in writers)
        and all(reader.is_written() for reader in readers)
    ):
        time.sleep(_LOOK_AGAIN_S)
    time.sleep(_UNTIL_THE_OTHER_MATCHES_S)

    def send(message: Any) -> None:  # noqa: ANN401  plain values
        writers[0].write(own, payload_of(errand, message))

    send_when_due(errand, send)


def hear(participant: Participant, readers: list[Reader]) -> None:
    """Tell of every message that comes."""
    while True:
        participant.wait()
        for reader in readers:
            for _, payload in reader.take():
                tell_heard(payload)


if __name__ == "__main__":
    main()
