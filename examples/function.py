"""A function behind a device gateway: it takes each message once, and appends it to a file.

By push, as a web server that `lasthop gateway push` hands each message to:

    python function.py seen.jsonl --listen 127.0.0.1:8081 &
    lasthop gateway push function http://127.0.0.1:8081/ --data farm --follow

By pull, from the log itself:

    lasthop gateway log --subscription function --json --data farm | python function.py seen.jsonl

A gateway hands over each message at least once, so a message is known by its place in the log.
"""

import argparse
import base64
import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock


class Seen:
    """The file of what was taken; a message is taken once it is on the disk."""

    def __init__(self, path: Path) -> None:
        self._lock = Lock()
        kept = path.read_bytes() if path.exists() else b""
        # A line that a failure of power has cut is no message; that one comes again.
        whole = kept[: kept.rfind(b"\n") + 1]
        self._places = {json.loads(line)["place"] for line in whole.splitlines()}
        self._file = path.open("ab")
        self._file.truncate(len(whole))

    def take(self, place: int, device: str, said: bytes) -> None:
        """Append a message, unless it is there."""
        with self._lock:
            if place in self._places:
                return
            line = {"place": place, "device": device, "said": said.decode(errors="replace")}
            self._file.write(json.dumps(line).encode() + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())
            self._places.add(place)


def pushed(seen: Seen) -> type[BaseHTTPRequestHandler]:
    """Give what answers each push."""

    class Function(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            try:
                message = json.loads(body)["message"]
                device = message["attributes"]["deviceId"]
                said = base64.b64decode(message["data"], validate=True)
                place = int(message["messageId"])
            except (ValueError, KeyError, TypeError):
                self.send_error(400, "no message")
                return
            seen.take(place, device, said)
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Keep quiet: what was taken is in the file."""

    return Function


def main() -> None:
    """Take messages until there are no more."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file", type=Path, help="what is appended to")
    parser.add_argument("--listen", metavar="HOST:PORT", help="take what is pushed")
    options = parser.parse_args()
    seen = Seen(options.file)
    if options.listen is None:
        for line in sys.stdin:
            row = json.loads(line)
            device = row["device"].rpartition("/")[2]
            seen.take(row["offset"], device, base64.b64decode(row["payload_base64"]))
        return
    host, _, port = options.listen.rpartition(":")
    server = ThreadingHTTPServer((host, int(port)), pushed(seen))
    print(f"listening on {server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
