"""`lasthop explain`: what happened to one message."""

# ruff: noqa: PLC0415  (imported when needed: help and refusals must not wait for polars)

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lasthop.cli import options
from lasthop.cli.explained_radio import joules_in_lines, radio_events
from lasthop.cli.explained_waits import waits_in_lines, waits_in_order
from lasthop.cli.output import say, say_json
from lasthop.errors import UsageError
from lasthop.explained import MessageName, explain_message
from lasthop.regular_file import open_regular

if TYPE_CHECKING:
    import polars as pl


NAME = "explain"
EXAMPLE = "Example: lasthop explain --slowest coap --in results/trackers"
PICTURES = (".svg", ".png", ".pdf")
_MOST_NAMED = 4


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
        _check_slowest(slowest, run)
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
    explained = explain_message(row["run_spec"], name)
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
    radio, marks = explained["radio"], explained["events"]
    times = [int(mark["time_ns"]) for mark in marks]
    waits = waits_in_order(radio["events"], min(times), max(times))
    write_picture(radio_line_spec(radio, marks, waits, title=title), out)


def _check_slowest(stack: str, run: str | None) -> None:
    if stack.startswith("--"):
        message = f'--slowest: the stack is missing before {stack}; write --slowest "STACK"'
        raise UsageError(message)
    if run is not None:
        raise UsageError("RUN and --slowest cannot be used together; remove one of them")


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
