"""A DDS server with Fast DDS, which forwards reports on the topic of their device.

Started by its adapter: LIBRARY ADDRESS TRANSPORT PORT NODELAY RELIABILITY DURABILITY DEPTH. By TCP
it listens at PORT; by UDP a socket there, by which nothing goes, says that it is ready.
"""

import re
import socket
import sys

from lasthop.adapters.programs.fastdds import Participant, Place, Writer


def main() -> None:
    """Serve until the process ends."""
    library, address, transport, port, nodelay, reliability, durability, depth = sys.argv[1:]
    by_tcp = transport == "tcp"
    place = Place(address, tcp_port=int(port) if by_tcp else None, nodelay=nodelay == "on")
    participant = Participant(library, place, (reliability, durability, int(depth)))
    reports = participant.reader("reports")
    writers: dict[int, Writer] = {}
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sign:
        if not by_tcp:
            sign.bind((address, int(port)))
        while True:
            participant.wait()
            for topic in participant.topics():
                named = re.fullmatch(r"device/(\d+)", topic)
                if named is not None and int(named[1]) not in writers:
                    writers[int(named[1])] = participant.writer(topic)
            for device, payload in reports.take():
                if device in writers:
                    writers[device].write(device, payload)


if __name__ == "__main__":
    main()
