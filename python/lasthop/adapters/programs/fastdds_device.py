"""A DDS device with Fast DDS, which executes an errand (`lasthop.adapters.client`).

Started with the file of the library. It writes its messages to ``reports`` and reads the topics
that it hears, and is ready when it has found who reads and who writes there.
"""

import sys
import threading
from typing import Any

from lasthop.adapters.programs.dds_device import await_match, key_of, own_address
from lasthop.adapters.programs.device import payload_of, read_errand, send_when_due, tell_heard
from lasthop.adapters.programs.fastdds import Participant, Place, Reader


def main() -> None:
    """Write the messages of the errand and read its topics."""
    errand = read_errand()
    options, own, here = errand["options"], key_of(errand), own_address(errand)
    policies = (options["reliability"], options["durability"], int(options["history_depth"]))
    by_tcp = errand["transport"] == "tcp"
    place = Place(
        here,
        server=errand["address"],
        tcp_port=errand["port"] if by_tcp else None,
        nodelay=bool(options.get("tcp.nodelay_client", True)),
    )
    participant = Participant(sys.argv[1], place, policies)
    readers = [participant.reader(topic) for topic in errand["hears"]]
    writers = [participant.writer("reports")] if errand["messages"] else []
    threading.Thread(target=hear, args=(participant, readers), daemon=True).start()
    await_match(
        lambda: (
            all(writer.is_read() for writer in writers)
            and all(reader.is_written() for reader in readers)
        )
    )

    def send(message: Any) -> None:  # noqa: ANN401  plain values
        writers[0].write(own, payload_of(errand, message))

    send_when_due(errand, send)


def hear(participant: Participant, readers: list[Reader]) -> None:
    """Print every received message until the process ends."""
    while True:
        participant.wait()
        for reader in readers:
            for _, payload in reader.take():
                tell_heard(payload)


if __name__ == "__main__":
    main()
