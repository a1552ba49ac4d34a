"""Reads a capture as Wireshark does."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

PROGRAM = shutil.which("tshark")

FIELDS = {
    "interface": "frame.interface_name",
    "direction": "frame.packet_flags_direction",
    "length": "frame.len",
    "protocols": "frame.protocols",
    "comments": "frame.comment",
    "malformed": "_ws.malformed",
    "ip_checksum": "ip.checksum.status",
    "udp_checksum": "udp.checksum.status",
}

CHECKED = ("ip.check_checksum:TRUE", "udp.check_checksum:TRUE")


@dataclass(frozen=True, slots=True)
class Frame:
    """A packet as ``tshark`` sees it, at one side of one device's path."""

    interface: str
    is_outbound: bool
    length: int
    protocols: str
    comments: tuple[str, ...]
    is_malformed: bool
    checksums: tuple[str, ...]

    @property
    def is_corrupted(self) -> bool:
        """Whether the capture says that the link changed it."""
        return "corrupted by the link" in self.comments

    @property
    def side(self) -> str:
        """Where it was seen: ``device`` or ``server``."""
        return self.interface.split("/")[0]


def read(capture: Path) -> list[Frame]:
    """Read every packet of a capture; a file with a fault raises."""
    assert PROGRAM is not None
    command = [PROGRAM, "-n", "-r", str(capture), "-T", "fields", "-E", "aggregator=;"]
    for preference in CHECKED:
        command += ["-o", preference]
    for field in FIELDS.values():
        command += ["-e", field]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    # Running as root is remarked upon; anything else is a fault of the file.
    remarks = [line for line in done.stderr.splitlines() if not line.startswith("Running as user")]
    assert remarks == []
    return [_frame(line) for line in done.stdout.splitlines()]


def _frame(line: str) -> Frame:
    cells = dict(zip(FIELDS, line.split("\t"), strict=True))
    return Frame(
        interface=cells["interface"],
        is_outbound=int(cells["direction"], 0) == 2,
        length=int(cells["length"]),
        protocols=cells["protocols"],
        comments=tuple(cells["comments"].split(";")) if cells["comments"] else (),
        is_malformed=cells["malformed"] != "",
        checksums=(cells["ip_checksum"], cells["udp_checksum"]),
    )
