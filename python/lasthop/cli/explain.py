"""`lasthop explain`: what happened to one message."""

# ruff: noqa: PLC0415  (imported when needed: help and refusals must not wait for polars)

import json
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lasthop.cli import options
from lasthop.cli.explained_radio import joules_in_lines, radio_events
from lasthop.cli.explained_waits import waits_in_lines
from lasthop.cli.output import say, say_json
from lasthop.errors import UsageError
from lasthop.regular_file import open_regular

if TYPE_CHECKING:
    import polars as pl

    from lasthop.study.run_spec import RunSpecReader

NAME = "explain"
EXAMPLE = "Example: lasthop explain --slowest coap --in results/trackers"
PICTURES = (".svg", ".png", ".pdf")
_MOST_NAMED = 4
_FIRST_ATTEMPT = "attempt 1"

Event = dict[str, Any]
"""An event of a message: time, place, text and cause."""


@dataclass(frozen=True, slots=True)
class MessageName:
    """A message of a device. Devices count from 0 in their group, messages from 1.

    Without a flow it is of the device's first; without a group that of the flow, or the only one.
    """

    device: int
    message: int
    flow: str | None = None
    group: str | None = None

    @classmethod
    def parse(cls, text: str) -> "MessageName":
        """Read `N`, `DEVICE:N` or `DEVICE:FLOW:N`, with or without `GROUP/` before it.

        Examples
        --------
        >>> MessageName.parse("3:17")
        MessageName(device=3, message=17, flow=None, group=None)
        >>> MessageName.parse("alarms/3:ring:1")
        MessageName(device=3, message=1, flow='ring', group='alarms')
        """
        group, slash, name = text.rpartition("/")
        device, *flows, message = name.split(":") if ":" in name else ("0", name)
        is_one = flows == [flow for flow in flows[:1] if flow] and bool(group) == bool(slash)
        if not (is_one and _is_count(device) and _is_count(message)) or int(message) < 1:
            todo = (
                "write 17, 3:17 for device 3, 3:valve:17 for its flow valve, or meters/3:17 for "
                "device 3 of the group meters"
            )
            raise UsageError(f'MESSAGE: "{text}" is not a message; {todo}')
        return cls(int(device), int(message), flows[0] if flows else None, group or None)

    def number_in_run(self, run: "RunSpecReader") -> int:
        """Give the number that its device has in the whole run.

        Raises
        ------
        UsageError
            The run has no such group, flow or device, or has several that may be meant.
        """
        flows = run.flows_of_groups
        fitting = [
            group
            for group, names in flows.items()
            if self.group in (None, group) and (self.flow is None or self.flow in names)
        ]
        if len(fitting) != 1:
            known = ", ".join(f"{', '.join(names)} of {group}" for group, names in flows.items())
            if fitting:
                example = f"{fitting[0]}/{self.device}:{self.message}"
                what = f"device {self.device} exists in {' and '.join(fitting)}"
                raise UsageError(f'MESSAGE: {what}; write for example "{example}"')
            raise UsageError(f"MESSAGE: the run has no {self}; its flows are {known}")
        numbers = run.numbers_of(fitting[0])
        if self.device >= len(numbers):
            there = f"{fitting[0]} has {len(numbers)}, the first of which is 0"
            raise UsageError(f"MESSAGE: there is no device {self.device}: {there}")
        return numbers[self.device]

    def __str__(self) -> str:
        """Write it in words."""
        of_group = f" of {self.group}" if self.group else ""
        flow = f"{self.flow} " if self.flow else ""
        return f"device {self.device}{of_group}, {flow}message {self.message}"


def command(  # noqa: PLR0913  (an argument is an option)
    run: Annotated[
        str | None, typer.Argument(metavar="RUN", help="First characters of the id of a run.")
    ] = None,
    message: Annotated[
        str | None,
        typer.Argument(
            metavar="MESSAGE",
            help="Message as NUMBER, DEVICE:NUMBER or DEVICE:FLOW:NUMBER, numbered as in "
            "messages.parquet. With several groups, write GROUP/ in front.",
        ),
    ] = None,
    *,
    slowest: Annotated[
        str | None,
        typer.Option(
            metavar="STACK",
            help="Shows the message of this stack with the highest latency, instead of RUN and "
            "MESSAGE. Default: none.",
        ),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--in",
            metavar="DIR",
            parser=options.read_path,
            help="Result folder that holds the run. Default: the folder below this one that "
            "holds it.",
        ),
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            parser=options.read_path,
            help="File for a picture of what the device's radio did; its name ends in .svg, "
            ".png or .pdf. Default: no picture.",
        ),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Print the time line of one message, which shows why it was late or lost.

    A virtual run is simulated again. For a run in real time, such as one with real software, the
    time line comes from the results and the packets of the capture.
    """
    if picture is not None and picture.suffix not in PICTURES:
        raise UsageError(f"--picture {picture}: write a name that ends in {', '.join(PICTURES)}")
    if slowest is not None:
        if run is not None:
            raise UsageError("RUN and --slowest cannot be used together; remove one of them")
        folder = _only_folder() if folder is None else folder
        run, name = _slowest(slowest, folder)
    elif run is None or message is None:
        raise UsageError('RUN and MESSAGE are missing; write both, or "--slowest STACK"')
    else:
        name = MessageName.parse(message)
    folder = folder or _folder_with(run)
    row = _find_run(run, folder)
    if row["engine"] != "virtual":
        if picture is not None:
            raise UsageError("--picture: a run in real time has no simulated radio; remove it")
        from lasthop.cli.explained_live import explain_live

        explain_live(folder, row, name, as_json=as_json)
        return
    explained = _explain(row["run_spec"], name)
    title = (
        f"run {row['run_id']}: {row['stack']}, part {row['part']}, "
        f"repetition {row['repetition']}; {name}"
    )
    if picture is not None:
        _draw(explained, title, picture)
    if as_json:
        told = {"run_id": row["run_id"], "stack": row["stack"]}
        say_json(told | {key: value for key, value in explained.items() if value is not None})
        return
    _say(explained, title)
    if picture is not None:
        say(f"picture  {picture}")


def _say(explained: dict[str, Any], title: str) -> None:
    """Write the time line of the message and of its device's radio as one, then the joules."""
    radio = explained["radio"]
    say(title)
    origin = explained["events"][0]["time_ns"]
    events = [*explained["events"], *radio_events(radio)]
    events.sort(key=lambda event: int(event["time_ns"]))
    width = max(len(event["where"]) for event in events)
    for event in events:
        since = (event["time_ns"] - origin) / 1e6
        at = f"{event['time_ns'] / 1e9:14.6f} s  {since:+12.3f} ms"
        say(f"{at}  {event['where']:<{width}}  {event['what']}")
    if radio is None:
        return
    for line in [*waits_in_lines(radio, explained["events"]), *joules_in_lines(radio)]:
        say(line)


def _draw(explained: dict[str, Any], title: str, out: Path) -> None:
    from lasthop.report.figures.radio_line import radio_line_spec
    from lasthop.report.write import write_picture

    if explained["radio"] is None:
        raise UsageError("--picture: the device of this message has no simulated radio; remove it")
    write_picture(radio_line_spec(explained["radio"], explained["events"], title=title), out)


def _is_download(run_spec: str, name: MessageName) -> bool:
    from lasthop.study.run_spec import RunSpecReader

    for flow in RunSpecReader.of(run_spec).spec["flows"]:
        if name.flow in (None, flow["name"]) and name.group in (None, flow["from"], flow["to"]):
            return bool(flow["kind"] == "download")
    return False


def number_parts(events: Sequence[Event]) -> list[Event]:
    """Give the parts of a download their numbers, where several leave the server for a request.

    Examples
    --------
    >>> asked = {"where": "device", "what": "attempt 1 leaves the application"}
    >>> part = {**asked, "where": "server"}
    >>> [event["what"] for event in number_parts([asked, part, part])]  # doctest: +ELLIPSIS
    ['attempt 1 leaves the application', 'attempt 1 of part 1 of 2 leaves ...', ...]
    """
    answers: list[list[int]] = [[]]
    for place, event in enumerate(events):
        if not event["what"].startswith(_FIRST_ATTEMPT):
            continue
        if event["where"] == "server":
            answers[-1].append(place)
        else:
            answers.append([])
    numbered = list(events)
    for parts in answers:
        for number, place in enumerate(parts if len(parts) > 1 else (), start=1):
            part = f"{_FIRST_ATTEMPT} of part {number} of {len(parts)} "
            what = events[place]["what"].replace(f"{_FIRST_ATTEMPT} ", part, 1)
            numbered[place] = {**events[place], "what": what}
    return numbered


def _is_count(text: str) -> bool:
    return re.fullmatch(r"[0-9]{1,9}", text) is not None


def _slowest(stack: str, folder: Path) -> tuple[str, MessageName]:
    """Find the run and the message that took longest of those of a stack that arrived."""
    import polars as pl

    from lasthop.outcome.results import Results
    from lasthop.study.run_spec import RunSpecReader

    results = Results(folder)
    stacks = results.runs["stack"].unique(maintain_order=True).to_list()
    if stack not in stacks:
        known = ", ".join(map(str, stacks))
        raise UsageError(f'--slowest: {folder} has no run of "{stack}"; write one of {known}')
    runs = results.runs.filter(pl.col("stack") == stack)
    if not all(RunSpecReader.of(spec).keeps_messages for spec in runs["run_spec"]):
        todo = 'write "measure: {messages: each}"'
        raise UsageError(f"--slowest: the study keeps only sums and no single messages; {todo}")
    arrived = results.messages.filter(
        pl.col("run_id").is_in(runs["run_id"].implode())
        & pl.col("measured")
        & pl.col("latency_ms").is_not_null()
    )
    if arrived.is_empty():
        raise UsageError(
            f"--slowest: no message of {stack} in {folder} arrived; choose another stack"
        )
    order = ["latency_ms", "run_id", "device", "message"]
    row = arrived.sort(order, descending=[True, False, False, False]).row(0, named=True)
    has_several = arrived["flow"].n_unique() > 1
    return row["run_id"], MessageName(
        row["device"],
        row["message"],
        row["flow"] if has_several else None,
        row["group"] if arrived["group"].n_unique() > 1 else None,
    )


def _only_folder() -> Path:
    seen = [path.parent for path in _manifests()]
    if len(seen) != 1:
        there = f"results are in {_named(seen)}" if seen else "no results here"
        raise UsageError(f"{there}; write a folder with --in DIR")
    return seen[0]


def _folder_with(prefix: str) -> Path:
    """Find the result folder that holds a run, among those that can be seen from here."""
    from lasthop.outcome.results import Results

    seen = [path.parent for path in _manifests()]
    if not seen:
        raise UsageError("there are no results here; write their folder with --in DIR")
    holding = [folder for folder in seen if _ids(folder, prefix)]
    if len(holding) == 1:
        return holding[0]
    if not holding:
        for folder in seen:
            Results(folder).checked  # noqa: B018  (a run may be in one that is damaged: raises)
        names = _named(seen)
        raise UsageError(
            f'no run in {names} begins with "{prefix}"; write its folder with --in DIR'
        )
    message = f'runs that begin with "{prefix}" are in {_named(holding)}'
    raise UsageError(f"{message}; choose one with --in {shlex.quote(str(holding[0]))}")


def _manifests() -> Iterator[Path]:
    here = Path()
    for pattern in ("", "*/", "results/*/", "results/*/*/"):
        yield from sorted(here.glob(f"{pattern}manifest.json"))


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
        raise UsageError(
            f"run {ids[0]} has no messages, because it was not "
            f"simulated: {row['reason']}; choose another run"
        )
    return row


def _explain(run_spec: str, name: MessageName) -> dict[str, Any]:
    from lasthop.running.engine import NativeEngine
    from lasthop.study.run_spec import RunSpecReader

    device = name.number_in_run(RunSpecReader.of(run_spec))
    try:
        explained: dict[str, Any] = json.loads(
            NativeEngine().explain(run_spec, device=device, message=name.message, flow=name.flow)
        )
    except ValueError as error:
        raise UsageError(str(error)) from error
    if not explained["events"]:
        raise UsageError(f"the run has no {name}; choose a lower number or another device")
    if _is_download(run_spec, name):
        explained["events"] = number_parts(explained["events"])
    return explained
