"""Print what real clients take at `lasthop serve gateway`: bytes by phase, and times.

``python studies/google-http-mqtt/real_clients.py FOLDER``

paho, curl by HTTP/1.1 and HTTP/2, and Locust where it is on the path, each behind a link of 10 ms
each way, with one connection for one message, for ten, for a hundred, ten a second. It takes Linux,
``curl``, ``openssl`` and ``tshark``; FOLDER, which is made, keeps captures and secrets. Bytes are
those of Ethernet frames, as phases.py has them; times are the clients' own: the mean over the
messages, of which the first has the set-up in it.
"""

import base64
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from phases import PHASES, bytes_by_phase

DEVICE: Final = "projects/p/locations/l/registries/r/devices/d1"
TEXT: Final = "x" * 45
BODY: Final = json.dumps({"binary_data": base64.b64encode(TEXT.encode()).decode()})
URL: Final = f"https://{{host}}/v1/{DEVICE}:publishEvent"
MESSAGES: Final = (1, 10, 100)
HERE: Final = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Client:
    """A program that sends messages and prints a line for each, with its seconds first."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str]


def lasthop(*words: str) -> list[str]:
    """Give a command of this lasthop."""
    return [sys.executable, "-m", "lasthop", *words]


def run(command: Sequence[str], environment: Mapping[str, str] | None = None) -> str:
    """Run a command and give what it prints; end where it fails."""
    told = subprocess.run(  # noqa: S603  (commands of this file)
        command,
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, **(environment or {})},
    )
    if told.returncode:
        sys.exit(f"{' '.join(command[:6])} ...: {told.stderr or told.stdout}")
    return told.stdout


class Gateway:
    """A gateway that knows one device."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.certificate = str(folder / "tls.pem")
        key = str(folder / "device.key")
        named = ("-subj", "/CN=gateway", "-addext", "subjectAltName=IP:10.77.0.2")
        curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
        files = ("-keyout", str(folder / "tls.key"), "-out", self.certificate)
        run(["openssl", "req", "-x509", *curve, *named, *files])
        of_device = ("-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256")
        run(["openssl", "genpkey", *of_device, "-out", key])
        run(["openssl", "pkey", "-in", key, "-pubout", "-out", f"{key}.pub"])
        added = ("--key", f"{key}.pub", "--data", str(folder / "data"))
        run(lasthop("gateway", "device", "add", DEVICE, *added))
        self.token = run(lasthop("gateway", "token", DEVICE, "--key", key)).strip()

    def clients(self, count: int) -> list[Client]:
        """Give the clients of so many messages."""
        said = (self.certificate, DEVICE, self.token, TEXT, str(count))
        paho = [sys.executable, str(HERE / "paho_client.py"), "{host}", *said]
        header = f"Authorization: Bearer {self.token}"
        asked = ("-H", header, "-d", BODY, "-w", "\\n%{time_total} %{http_code}\\n")
        slowly = ("curl", "-s", "--fail", "--rate", "10/s", "--cacert", self.certificate)
        curl = [*slowly, *asked, *[URL] * count]
        found = [
            Client("paho", paho, {}),
            Client("curl, HTTP/1.1", [*curl, "--http1.1"], {}),
            Client("curl, HTTP/2", [*curl, "--http2"], {}),
        ]
        if locust := shutil.which("locust"):
            told = {"POSTS": str(count), "TOKEN": self.token, "BODY": BODY}
            told |= {"AUTHORITY": self.certificate, "URL": URL.format(host="10.77.0.2")}
            quietly = ("--headless", "--users", "1", "--only-summary", "--loglevel", "ERROR")
            command = [locust, "-f", str(HERE / "locustfile.py"), *quietly]
            found.append(Client("Locust", command, told))
        return found

    def met_by(self, client: Client, name: str) -> tuple[list[float], Path, Path]:
        """Let a client come behind a link; give its seconds, the capture and the secrets."""
        where = ("--listen", "mqtts://{host}:8883", "--listen", "https://{host}:443")
        shown = ("--tls-cert", self.certificate, "--tls-key", str(self._folder / "tls.key"))
        kept = ("--data", str(self._folder / "data"))
        server = " ".join(lasthop("serve", "gateway", "--http", *kept, *shown, *where))
        captured, keys = self._folder / name, self._folder / f"{name}.keys"
        link = ("--delay", "10ms", "--capture", str(captured), "--far", server)
        printed = run(
            lasthop("link", *link, "--", *client.command),
            {**client.environment, "SSLKEYLOGFILE": str(keys)},
        )
        words = (line.split() for line in printed.splitlines())
        seconds = [float(line[0]) for line in words if line and _is_number(line[0])]
        return seconds, captured / "near.pcapng", keys


def _is_number(word: str) -> bool:
    return word.replace(".", "", 1).replace("e-", "", 1).isdigit()


def main() -> None:
    """Print a line for each client and number of messages."""
    folder = Path(sys.argv[1]).resolve()
    folder.mkdir(parents=True)
    gateway = Gateway(folder)
    heads = (*PHASES, "a message", "ms")
    print(f"{'':16}{'messages':>10}" + "".join(f"{head:>12}" for head in heads))
    for count in MESSAGES:
        for number, client in enumerate(gateway.clients(count)):
            seconds, capture, keys = gateway.met_by(client, f"{number}-{count}")
            if len(seconds) != count:
                sys.exit(f"{client.name}: {len(seconds)} of {count} messages went through")
            found = bytes_by_phase(capture, keys)
            row = [found[phase] for phase in PHASES]
            each, mean_ms = sum(row) / count, 1000 * sum(seconds) / count
            amounts = "".join(f"{amount:>12}" for amount in row)
            print(f"{client.name:16}{count:>10}{amounts}{each:>12.0f}{mean_ms:>12.1f}")


if __name__ == "__main__":
    main()
