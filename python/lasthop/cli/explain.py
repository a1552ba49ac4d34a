"""`lasthop explain`: what happened to one message."""

# ruff: noqa: PLC0415  (imported when needed: help and refusals must not wait for pyarrow)

import json
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lasthop.cli import options
from lasthop.cli.output import say, say_json
from lasthop.errors import UsageError
from lasthop.regular_file import open_regular

if TYPE_CHECKING:
    import polars as pl

NAME = "explain"
EXAMPLE = "Example: lasthop explain 3f2a 17 --in results/demo"
_MOST_NAMED = 4


@dataclass(frozen=True, slots=True)
class MessageName:
    """A message of a device; devices count from 0, messages from 1."""

    device: int
    message: int

    @classmethod
    def parse(cls, text: str) -> "MessageName":
        """Read `N` or `DEVICE:N`.

        Examples
        --------
        >>> MessageName.parse("3:17")
        MessageName(device=3, message=17)
        """
        device, colon, message = text.rpartition(":")
        device = device if colon else "0"
        if not (_is_count(device) and _is_count(message)) or int(message) < 1:
            raise UsageError(f'MESSAGE: "{text}" is not a message; write 17, or 3:17 for device 3')
        return cls(device=int(device), message=int(message))


def command(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The beginning of a run's id.")],
    message: Annotated[
        str, typer.Argument(metavar="MESSAGE", help="Its number, or DEVICE:NUMBER.")
    ],
    *,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--in",
            metavar="DIR",
            parser=options.read_path,
            help="The result folder; without it, the one here that holds the run.",
        ),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Print the time line of one message: why it was late, or lost."""
    name = MessageName.parse(message)
    row = _find_run(run, folder or _folder_with(run))
    events = _explain(row["run_spec"], name)
    if as_json:
        say_json({"run_id": row["run_id"], "stack": row["stack"], "events": events})
        return
    say(
        f"run {row['run_id']}: {row['stack']}, part {row['part']}, "
        f"repetition {row['repetition']}; device {name.device}, message {name.message}"
    )
    origin = events[0]["time_ns"]
    width = max(len(event["where"]) for event in events)
    for event in events:
        since = (event["time_ns"] - origin) / 1e6
        at = f"{event['time_ns'] / 1e9:14.6f} s  {since:+12.3f} ms"
        say(f"{at}  {event['where']:<{width}}  {event['what']}")


def _is_count(text: str) -> bool:
    return re.fullmatch(r"[0-9]{1,9}", text) is not None


def _folder_with(prefix: str) -> Path:
    """Find the result folder that holds a run, among those that can be seen from here."""
    seen = [path.parent for path in _manifests()]
    if not seen:
        raise UsageError("no results here; name their folder with --in DIR")
    holding = [folder for folder in seen if _ids(folder, prefix)]
    if len(holding) == 1:
        return holding[0]
    if not holding:
        names = _named(seen)
        raise UsageError(f'no run in {names} begins with "{prefix}"; name its folder with --in DIR')
    message = f'runs that begin with "{prefix}" are in {_named(holding)}'
    raise UsageError(f"{message}; name one with --in {shlex.quote(str(holding[0]))}")


def _manifests() -> Iterator[Path]:
    here = Path()
    for pattern in ("manifest.json", "*/manifest.json", "results/*/manifest.json"):
        yield from sorted(here.glob(pattern))


def _named(folders: Sequence[Path]) -> str:
    names = ", ".join(str(folder) for folder in folders[:_MOST_NAMED])
    return (
        names if len(folders) <= _MOST_NAMED else f"{names} and {len(folders) - _MOST_NAMED} more"
    )


def _ids(folder: Path, prefix: str) -> list[str]:
    """Return the runs of a folder that begin so; none where its table cannot be read."""
    import polars as pl

    table = folder / "runs.parquet"
    try:
        with open_regular(table) as file:
            ids = pl.read_parquet(file, columns=["run_id"])["run_id"].unique()
    except (OSError, pl.exceptions.PolarsError):
        return []
    return [run_id for run_id in ids if str(run_id).startswith(prefix)]


def _find_run(prefix: str, folder: Path) -> dict[str, Any]:
    from lasthop.outcome.results import Results

    runs: pl.DataFrame = Results(folder).runs
    ids = sorted({run_id for run_id in runs["run_id"] if run_id.startswith(prefix)})
    if len(ids) != 1:
        what = f"{len(ids)} runs in {folder} begin" if ids else f"no run in {folder} begins"
        todo = "write more of the id" if ids else "runs.parquet lists them"
        raise UsageError(f'{what} with "{prefix}"; {todo}')
    row = next(row for row in runs.iter_rows(named=True) if row["run_id"] == ids[0])
    if row["status"] == "unsupported":
        raise UsageError(f"run {ids[0]} was not simulated: {row['reason']}")
    return row


def _explain(run_spec: str, name: MessageName) -> list[dict[str, Any]]:
    from lasthop.running.engine import VirtualEngine

    try:
        events: list[dict[str, Any]] = json.loads(
            VirtualEngine().explain(run_spec, device=name.device, message=name.message)
        )
    except ValueError as error:
        raise UsageError(str(error)) from error
    if not events:
        raise UsageError(f"the run has no message {name.message} of device {name.device}")
    return events
