"""The folder of a probe: raw results line by line, and the path that follows from them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lasthop.errors import EnvironmentFailure, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_RAW, _PATH = "raw.jsonl", "path.yaml"


@dataclass(slots=True)
class Record:
    """Results of a probe, kept as soon as they are there.

    Attributes
    ----------
    results
        By the names of the tests.
    """

    folder: Path
    server: str
    results: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def open(cls, folder: Path, server: str) -> Record:
        """Make a folder, or go on with the one of a probe that was interrupted.

        Raises
        ------
        UsageError
            If it is that of another server, or of something else.
        """
        record = cls(folder, server)
        raw = folder / _RAW
        try:
            folder.mkdir(parents=True, exist_ok=True)
            lines = raw.read_text("utf-8").splitlines() if raw.exists() else []
        except OSError as error:
            raise EnvironmentFailure(
                f"--out {folder}: {error.strerror}; choose another folder"
            ) from error
        for number, line in enumerate(lines, start=1):
            record.take(line, number)
        return record

    def take(self, line: str, number: int) -> None:
        """Read a line of the raw results."""
        place = f"{self.folder / _RAW}:{number}"
        try:
            entry = json.loads(line)
            server, test, result = entry["server"], entry["test"], entry["result"]
        except (ValueError, KeyError, TypeError):
            raise UsageError(f"{place}: this is no result of a probe; remove the line") from None
        if server != self.server:
            raise UsageError(
                f"{place}: the folder has results of the server {server}; choose another folder "
                "with --out"
            )
        self.results[test] = result

    def keep(self, test: str, result: Any) -> None:  # noqa: ANN401  JSON
        """Add a result, and write the path anew."""
        self.results[test] = result
        entry = {"server": self.server, "test": test, "result": result}
        try:
            with (self.folder / _RAW).open("a", encoding="utf-8") as file:
                file.write(json.dumps(entry) + "\n")
            (self.folder / _PATH).write_text(self.path(), "utf-8")
        except OSError as error:
            raise EnvironmentFailure(f"{self.folder}: {error.strerror}; free space") from error

    @property
    def path_file(self) -> Path:
        """The file with the path."""
        return self.folder / _PATH

    def path(self) -> str:
        """Write the path of a study, with the interval of each value behind it."""
        sides: dict[str, list[str]] = {"up": [], "down": []}
        for side, lines in sides.items():
            lines.extend(self._side(side))
        written = [f"# Measured by lasthop probe against {self.server}.", "path:"]
        for side, lines in sides.items():
            if lines:
                written += [f"  {side}:", *(f"    {line}" for line in lines)]
        written += [f"  {line}" for line in self._nat()]
        if len(written) == len(("comment", "path")):
            written[-1] += " {}"
        return "\n".join(written) + "\n"

    def words(self) -> Iterator[str]:
        """Tell what was found, for people."""
        for trip in self.results.get("round_trip", []):
            yield (
                f"round trip  {trip['median_ms']:.1f} ms at {trip['ip_bytes']} B "
                f"({trip['low_ms']:.1f} to {trip['high_ms']:.1f} ms, {trip['answered']} of "
                f"{trip['sent']} answered)"
            )
        if loss := self.results.get("loss"):
            for side in ("up", "down"):
                yield f"loss {side:<6} {_share(loss[side])}"
            if loss["bursts"]:
                runs = ", ".join(f"{many} of {length}" for length, many in loss["bursts"].items())
                yield f"bursts      datagrams without an answer in a row: {runs}"
        if mtu := self.results.get("mtu"):
            for side in ("up", "down"):
                found = mtu[f"{side}_bytes"]
                size = "not even the smallest packet passes" if found is None else f"{found} B"
                yield f"MTU {side:<7} {size}"
        if nat := self.results.get("nat"):
            yield f"NAT         {_nat_words(nat)}"

    def _side(self, side: str) -> Iterator[str]:
        if trips := self.results.get("round_trip"):
            trip = trips[0]
            half, low, high = (trip[key] / 2 for key in ("median_ms", "low_ms", "high_ms"))
            yield (
                f"delay: {half:.2f} ms  # half the round trip of {trip['ip_bytes']} B; "
                f"95 % interval {low:.2f} to {high:.2f} ms"
            )
        if (loss := self.results.get("loss")) and loss[side]["of"] > 0:
            share = loss[side]
            yield (
                f"loss: {100 * share['value']:.2f} %  # {share['part']} of {share['of']}; "
                f"95 % interval {100 * share['low']:.2f} to {100 * share['high']:.2f} %"
            )
        if (mtu := self.results.get("mtu")) and mtu[f"{side}_bytes"] is not None:
            bound = side == "down" and mtu["down_is_bound_by_up"]
            note = "at least; not above up" if bound else "exact"
            yield f"mtu: {mtu[f'{side}_bytes']} B  # {note}"

    def _nat(self) -> Iterator[str]:
        nat = self.results.get("nat")
        if nat is None or nat["dead_s"] is None or nat["alive_s"] == 0:
            return
        middle = (nat["alive_s"] + nat["dead_s"]) / 2
        yield (
            f"nat: {{udp: {middle:.2f} s}}  # between {nat['alive_s']:.2f} and "
            f"{nat['dead_s']:.2f} s"
        )


def _share(share: dict[str, Any]) -> str:
    if share["of"] == 0:
        return "nothing came that could be lost"
    return (
        f"{100 * share['value']:.2f} % ({100 * share['low']:.2f} to {100 * share['high']:.2f} %, "
        f"{share['part']} of {share['of']})"
    )


def _nat_words(nat: dict[str, Any]) -> str:
    if nat["dead_s"] is None:
        return f"no timeout of UDP up to {nat['longest_s']:g} s: no NAT, or a longer one"
    if nat["alive_s"] == 0:
        return "no late answer came, not even after 1 s"
    return (
        f"UDP mapping ends between {nat['alive_s']:.2f} and {nat['dead_s']:.2f} s without traffic"
    )
