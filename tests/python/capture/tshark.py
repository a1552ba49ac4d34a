"""Reads a capture as Wireshark does."""

import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

PROGRAM = shutil.which("tshark")

FIELDS = {
    "section": "frame.section_number",
    "interface": "frame.interface_name",
    "direction": "frame.packet_flags_direction",
    "length": "frame.len",
    "protocols": "frame.protocols",
    "comments": "frame.comment",
    "findings": "_ws.expert.message",
    "groups": "_ws.expert.group",
    "tcp_findings": "tcp.analysis.flags",
    "retransmission": "tcp.analysis.retransmission",
    "out_of_order": "tcp.analysis.out_of_order",
    "time": "frame.time_epoch",
    "ip_checksum": "ip.checksum.status",
    "udp_checksum": "udp.checksum.status",
    "tcp_checksum": "tcp.checksum.status",
}

PREFERENCES = (
    "ip.check_checksum:TRUE",
    "udp.check_checksum:TRUE",
    "tcp.check_checksum:TRUE",
)

MALFORMED = str(0x07000000)
"""The group of findings about bytes that make no sense (``PI_MALFORMED``)."""

NOT_KNOWN_TO_WIRESHARK = {
    "Invalid Option Number 258",  # No-Response, RFC 7967
    "Invalid Option Number 2",  # Max-Message-Size in a CSM, RFC 8323 section 5.3.1
    "Invalid Option Range: 0 (1 < x < 8)",  # Block-Wise-Transfer in a CSM, section 5.3.2
}
"""What tshark 4.0 finds wrong because it does not know a newer standard."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A packet as ``tshark`` sees it in the capture of one host."""

    host: str
    interface: str
    time_s: float
    is_outbound: bool
    length: int
    protocols: str
    comments: tuple[str, ...]
    is_malformed: bool
    is_disturbed: bool
    """Whether its stream is out of order here: something was lost, repeated or overtaken."""
    is_repeated: bool
    """Whether it has bytes that its stream has had here before."""
    ip_checksum: str
    transport_checksum: str

    @property
    def is_corrupted(self) -> bool:
        """Whether the capture says that the link changed it."""
        return "corrupted by the link" in self.comments

    @property
    def side(self) -> str:
        """Where it was seen: ``device`` or ``server``."""
        return self.host.split("-")[0]

    @property
    def number(self) -> int:
        """The number that our comments give it."""
        (number,) = (comment for comment in self.comments if comment.startswith("packet "))
        return int(number.removeprefix("packet "))


def read_all(
    captures: Mapping[str, Path], *, follows_streams: bool = True, decode_as: Sequence[str] = ()
) -> list[Frame]:
    """Read every packet of the captures of a run, host after host; a file with a fault raises.

    Starting the program takes longer than reading: it reads several captures as the sections of one
    (draft-ietf-opsawg-pcapng, 3). A stream is seen at both its ends, which it would take for one.
    """
    devices = {host: path for host, path in captures.items() if not host.startswith("server")}
    servers = {host: path for host, path in captures.items() if host not in devices}
    together = [devices, servers] if follows_streams else [devices | servers]
    return [frame for hosts in together for frame in _read(hosts, decode_as)]


def _read(captures: Mapping[str, Path], decode_as: Sequence[str]) -> list[Frame]:
    if not captures:
        return []
    hosts = list(captures)
    with tempfile.NamedTemporaryFile(suffix=".pcapng") as joined:
        for capture in captures.values():
            joined.write(capture.read_bytes())
        joined.flush()
        arguments = ["-r", joined.name, "-T", "fields", "-E", "aggregator=;"]
        for rule in decode_as:
            arguments += ["-d", rule]
        for preference in PREFERENCES:
            arguments += ["-o", preference]
        for field in FIELDS.values():
            arguments += ["-e", field]
        return [_frame(hosts, line) for line in _run(*arguments).splitlines()]


def _run(*arguments: str) -> str:
    assert PROGRAM is not None
    done = subprocess.run([PROGRAM, "-n", *arguments], check=True, capture_output=True, text=True)
    # Running as root is remarked upon; anything else is a fault of the file.
    remarks = [line for line in done.stderr.splitlines() if not line.startswith("Running as user")]
    assert remarks == [], remarks
    return done.stdout


def _frame(hosts: Sequence[str], line: str) -> Frame:
    cells = dict(zip(FIELDS, line.split("\t"), strict=True))
    return Frame(
        host=hosts[int(cells["section"]) - 1],
        interface=cells["interface"],
        time_s=float(cells["time"]),
        is_outbound=int(cells["direction"], 0) == 2,
        length=int(cells["length"]),
        protocols=cells["protocols"],
        comments=tuple(cells["comments"].split(";")) if cells["comments"] else (),
        is_malformed=_is_malformed(cells["findings"], cells["groups"]),
        is_disturbed=cells["tcp_findings"] != "",
        is_repeated=any(cells[name] != "" for name in ("retransmission", "out_of_order")),
        ip_checksum=cells["ip_checksum"],
        transport_checksum=cells["udp_checksum"] or cells["tcp_checksum"],
    )


def _is_malformed(findings: str, groups: str) -> bool:
    pairs = zip(findings.split(";"), groups.split(";"), strict=True)
    return any(
        group == MALFORMED and finding not in NOT_KNOWN_TO_WIRESHARK for finding, group in pairs
    )
