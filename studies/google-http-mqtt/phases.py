"""Print what each phase of a connection takes, in bytes of Ethernet frames.

``python studies/google-http-mqtt/phases.py results/google-http-mqtt-phases``

It needs ``tshark``, and the captures and keys of ``lasthop run phases.yaml --capture --keys``.
A frame belongs to the last phase that it, or one before it, has begun; means over repetitions.
"""

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from lasthop import Results

PHASES: Final = ("TCP", "TLS", "connect", "publish", "disconnect")
ETHERNET_BYTES: Final = 14
FIELDS: Final = (
    "frame.len",
    "tcp.flags.fin",
    "tls.record.content_type",
    "mqtt.msgtype",
    "http.request.method",
    "http2.type",
)
HANDSHAKE, ALERT = "22", "21"
"""Types of TLS records (RFC 8446 section 5.1)."""
CONNECT, PUBLISH, DISCONNECT = "1", "3", "14"
"""Types of MQTT packets (section 2.2.1)."""
HEADERS, SETTINGS, GOAWAY = "1", "4", "7"
"""Types of HTTP/2 frames (RFC 9113 section 6)."""


def begun(frame: dict[str, str]) -> str:
    """Give the phase that a frame begins; TCP where it begins none."""
    records, mqtt, http2 = (
        set(frame[name].split(","))
        for name in ("tls.record.content_type", "mqtt.msgtype", "http2.type")
    )
    if frame["tcp.flags.fin"] == "1" or ALERT in records or DISCONNECT in mqtt or GOAWAY in http2:
        return "disconnect"
    if PUBLISH in mqtt or frame["http.request.method"] or HEADERS in http2:
        return "publish"
    if CONNECT in mqtt or SETTINGS in http2:
        return "connect"
    return "TLS" if HANDSHAKE in records else "TCP"


def frames(capture: Path, keys: Path) -> Iterator[dict[str, str]]:
    """Give the fields of each frame of a capture that was decrypted with the keys."""
    wanted = [word for name in FIELDS for word in ("-e", name)]
    command = ["tshark", "-r", str(capture), "-o", f"tls.keylog_file:{keys}", "-T", "fields"]
    printed = subprocess.run(  # noqa: S603  (of files that lasthop wrote)
        [*command, *wanted], capture_output=True, check=True, text=True
    )
    for line in printed.stdout.splitlines():
        yield dict(zip(FIELDS, line.split("\t"), strict=True))


def bytes_by_phase(capture: Path, keys: Path) -> Counter[str]:
    """Sum the frames of a capture by phase."""
    phase, found = 0, Counter[str]()
    for frame in frames(capture, keys):
        phase = max(phase, PHASES.index(begun(frame)))
        found[PHASES[phase]] += int(frame["frame.len"]) + ETHERNET_BYTES
    return found


def main() -> None:
    """Print a line for each stack."""
    folder = Path(sys.argv[1])
    runs = Results(folder).runs
    print(f"{'':10}" + "".join(f"{name:>12}" for name in (*PHASES, "all")))
    for (stack,), of_stack in runs.group_by(["stack"], maintain_order=True):
        found = Counter[str]()
        for run in of_stack["run_id"]:
            captures = folder / "captures"
            found += bytes_by_phase(captures / f"{run}.device-0.pcapng", captures / f"{run}.keys")
        means = [found[phase] / len(of_stack) for phase in PHASES]
        print(f"{stack:10}" + "".join(f"{mean:12.0f}" for mean in (*means, sum(means))))


if __name__ == "__main__":
    main()
