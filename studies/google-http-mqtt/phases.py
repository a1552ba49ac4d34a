"""Print what each phase of a connection takes, in bytes of Ethernet frames.

``python studies/google-http-mqtt/phases.py results/google-http-mqtt-phases``

It needs ``tshark``, and the captures and keys of ``lasthop run phases.yaml --capture --keys``.
A frame belongs to the last phase that it, or one before it, has begun; means over repetitions.
Over QUIC the handshake of TLS is that of the transport. Datagrams with which QUIC looks for the
largest packet of the path belong to none: they fall wherever its timers put them.
"""

import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from lasthop import Results
from lasthop.cli.script import named_folders, run_script

PHASES: Final = ("TCP", "TLS", "connect", "publish", "disconnect")
PROBES: Final = "MTU search"
ETHERNET_BYTES: Final = 14
FIELDS: Final = (
    "frame.len",
    "tcp.flags.fin",
    "tls.record.content_type",
    "mqtt.msgtype",
    "http.request.method",
    "http2.type",
    "quic.long.packet_type",
    "quic.frame_type",
    "quic.stream_data",
    "http3.frame_type",
)
HANDSHAKE, ALERT = "22", "21"
"""Types of TLS records (RFC 8446 section 5.1)."""
CONNECT, PUBLISH, DISCONNECT = "1", "3", "14"
"""Types of MQTT packets (section 2.2.1)."""
HEADERS, SETTINGS, GOAWAY = "1", "4", "7"
"""Types of HTTP/2 and HTTP/3 frames (RFC 9113 section 6, RFC 9114 section 7.2)."""
CLOSES: Final = {"28", "29"}
PROBE: Final = {"0", "1", "31"}
"""Types of QUIC frames: CONNECTION_CLOSE; PADDING, PING and IMMEDIATE_ACK (RFC 9000 section 19)."""
EMPTY: Final = "<MISSING>"
"""What tshark prints of a STREAM frame that ends a stream and has no data."""


def begun(frame: dict[str, str]) -> str:
    """Give the phase that a frame begins; TCP where it begins none."""
    records, mqtt, http2, http3 = (
        types(frame[name])
        for name in ("tls.record.content_type", "mqtt.msgtype", "http2.type", "http3.frame_type")
    )
    if not http3:
        # tshark knows no MQTT over QUIC: what stands in a STREAM frame begins with its type.
        mqtt |= {str(int(data[0], 16)) for data in types(frame["quic.stream_data"]) - {EMPTY}}
    is_last = bool(CLOSES & types(frame["quic.frame_type"])) or frame["tcp.flags.fin"] == "1"
    if is_last or ALERT in records or DISCONNECT in mqtt or GOAWAY in http2:
        return "disconnect"
    if PUBLISH in mqtt or frame["http.request.method"] or HEADERS in http2 | http3:
        return "publish"
    if CONNECT in mqtt or SETTINGS in http2 | http3:
        return "connect"
    return "TLS" if HANDSHAKE in records or frame["quic.frame_type"] else "TCP"


def types(printed: str) -> set[str]:
    """Give what tshark prints of a field, of which a frame may have several."""
    return set(printed.split(",")) - {""}


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
        size = int(frame["frame.len"]) + ETHERNET_BYTES
        if types(frame["quic.frame_type"]) == PROBE:
            found[PROBES] += size
            continue
        phase = max(phase, PHASES.index(begun(frame)))
        found[PHASES[phase]] += size
    return found


def main() -> None:
    """Print a line for each stack."""
    (folder,) = named_folders("google-http-mqtt-phases")
    runs = Results(folder).runs
    columns = (*PHASES, PROBES)
    print(f"{'':10}" + "".join(f"{name:>12}" for name in (*columns, "all")))
    for (stack,), of_stack in runs.group_by(["stack"], maintain_order=True):
        found = Counter[str]()
        for run in of_stack["run_id"]:
            captures = folder / "captures"
            found += bytes_by_phase(captures / f"{run}.device-0.pcapng", captures / f"{run}.keys")
        means = [found[phase] / len(of_stack) for phase in columns]
        print(f"{stack:10}" + "".join(f"{mean:12.0f}" for mean in (*means, sum(means))))


if __name__ == "__main__":
    run_script(main)
