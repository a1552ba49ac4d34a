"""What the page shows of results: the explorer of a folder, two folders compared, a ledger."""

import gzip
import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from lasthop.answer.contrast_words import change_of, range_of
from lasthop.answer.decision import decide
from lasthop.compare.comparison import Change, compare
from lasthop.compare.effect import EffectVerdict
from lasthop.compare.summary import summary
from lasthop.errors import UsageError
from lasthop.outcome.results import Results
from lasthop.report.explorer import explorer_data
from lasthop.report.markup import stack_symbols
from lasthop.report.repricing import repriced
from lasthop.report.source import read_source
from lasthop.report.write import write_report
from lasthop.results.description import heading
from lasthop.study.fleet.tariff import TariffForm

_GZIP = b"\x1f\x8b"
_MOST_CHANGES = 60


@dataclass(frozen=True, slots=True)
class Answer:
    """A result folder, read once.

    Parameters
    ----------
    folder : Path
        The folder.
    name : str
        Another for each state of the folder.
    shown : mapping
        What the page shows of it.
    """

    folder: Path
    name: str
    shown: Mapping[str, Any]

    @classmethod
    def of(cls, folder: Path, *, name: str = "", tariff: TariffForm | None = None) -> Self:
        """Read a result folder, with the costs of its SIMs by another tariff where one is given.

        Raises
        ------
        UsageError
            It is none, or it does not say what its SIMs would cost.
        """
        source = read_source([folder])
        if tariff is not None:
            source = repriced(source, tariff)
        decision = decide(source.runs, source.study, source.read_groups)
        shown = {
            "explorer": explorer_data(source, decision),
            "marks": [str(mark) for mark in stack_symbols(source.stacks)],
            "tariff": "" if tariff is None else tariff.words(),
            "tariffs": [str(one["words"]) for one in source.study.get("tariffs") or ()],
            "title": heading(source.study),
        }
        named = name or str(folder)
        return cls(folder, named if tariff is None else f"{named} by {tariff.words()}", shown)

    def report(self) -> bytes:
        """Return the page that `lasthop report` writes."""
        with tempfile.TemporaryDirectory(prefix="lasthop-ui-") as folder:
            return write_report([self.folder], out=Path(folder) / "report.html").read_bytes()


def compared(base: Path, new: Path) -> dict[str, Any]:
    """Hold two result folders against each other, as `lasthop compare` does."""
    found = compare(Results(base), Results(new))
    changes = [
        change for change in found.changes if change.effect.verdict is not EffectVerdict.SAME
    ]
    rows = [_change(change) for change in changes[:_MOST_CHANGES]]
    return {
        "hidden": max(0, len(changes) - _MOST_CHANGES),
        "notes": list(found.differences),
        "rows": rows,
        "summary": summary(found),
    }


def ledger_of(name: str, capture: bytes) -> dict[str, Any]:
    """Count the bytes of a capture by layer and cause.

    Raises
    ------
    UsageError
        It is no capture.
    """
    from lasthop._native import CaptureLedger  # noqa: PLC0415  (as the command does)

    try:
        data = gzip.decompress(capture) if capture.startswith(_GZIP) else capture
        ledger = CaptureLedger([])
        ledger.feed(data)
        ledger.end_of_file()
    except (EOFError, OSError) as error:
        message = f"{name}: the compressed file is damaged; decompress it first"
        raise UsageError(message) from error
    except ValueError as error:
        raise UsageError(f"{name}: {error}") from error
    told: dict[str, Any] = json.loads(ledger.finish())
    return {
        "name": name,
        "notes": list(_notes(told)),
        "rows": _by_cause(told),
        "bytes": told["bytes"],
    }


def _by_cause(told: Mapping[str, Any]) -> list[list[str | int]]:
    """Add up the bytes of each layer and cause, most first: up, down, together."""
    cells: dict[tuple[str, str], Counter[str]] = {}
    for row in told["ledger"]:
        cells.setdefault((row["layer"], row["cause"]), Counter())[row["direction"]] += row["bytes"]
    ordered = sorted(cells.items(), key=lambda item: -item[1].total())
    return [[*key, found["up"], found["down"], found.total()] for key, found in ordered]


def _notes(told: Mapping[str, Any]) -> Iterator[str]:
    """Say what the bytes do not hold."""
    if not told["packets"]:
        yield "It holds no IP packet."
    for link_type, frames in told["frames_of_unknown_links"].items():
        yield f"{frames} frames have a link layer that is not read here (LINKTYPE {link_type})."
    if told["unfinished_bytes"] or told["damaged_at_bytes"]:
        yield "The file is damaged or ends early; what could be read is counted."


def _change(change: Change) -> list[str]:
    column = change.measure.column
    words = change_of(change.effect.contrast, column)
    return [
        change.effect.verdict.value,
        change.pair.stack,
        change.pair.where,
        column.label,
        words,
        range_of(change.effect.contrast, column),
    ]
