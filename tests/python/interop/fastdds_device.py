"""A device made with Fast DDS: LIBRARY ADDRESS SERVER RELIABILITY COUNT SIZE [TCP_PORT].

It sends so many messages of so many bytes to ``reports`` as device 1, awaits as many on
``device/1``, and tells each that comes, a JSON object a line.
"""

import json
import sys
import time

from lasthop.adapters.programs.fastdds import Participant, Place, Reader

_DEVICE = 1
_PATIENCE_S = 60.0
_PAUSE_S = 0.02
_UNTIL_THE_OTHER_MATCHES_S = 1.0
"""Who is found has yet to find us, and would miss what is sent best-effort."""
_ID = "AAAB{:04d}"
"""Of flow 1: four characters of the base64url alphabet, and four of the number of the message."""


def main() -> None:
    """Send, and tell what comes."""
    library, address, server, reliability, count, size, *port = sys.argv[1:]
    place = Place(address, server=server, tcp_port=int(port[0]) if port else None)
    participant = Participant(library, place, (reliability, "volatile", 1000))
    writer, reader = participant.writer("reports"), participant.reader(f"device/{_DEVICE}")
    end = time.monotonic() + _PATIENCE_S
    while not (writer.is_read() and reader.is_written()):
        if time.monotonic() > end:
            sys.exit("nobody was found")
        time.sleep(_PAUSE_S)
    say({"ready": True})
    time.sleep(_UNTIL_THE_OTHER_MATCHES_S)
    received = 0
    for number in range(1, int(count) + 1):
        writer.write(_DEVICE, _ID.format(number).encode().ljust(int(size), b"."))
        time.sleep(_PAUSE_S)
        received += tell(reader)
    while received < int(count):
        if time.monotonic() > end:
            sys.exit(f"{received} of {count} came back")
        time.sleep(_PAUSE_S)
        received += tell(reader)


def tell(reader: Reader) -> int:
    """Tell what has come, and how many."""
    payloads = [payload for _, payload in reader.take()]
    for payload in payloads:
        say({"received": payload[:8].decode(), "bytes": len(payload)})
    return len(payloads)


def say(what: dict[str, object]) -> None:
    """Tell something, on a line."""
    sys.stdout.write(json.dumps(what) + "\n")


if __name__ == "__main__":
    main()
