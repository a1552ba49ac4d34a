"""`lasthop report`: the report again, or of several folders at once."""

# ruff: noqa: PLC0415  (imported when needed: help and refusals must not wait for polars)

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lasthop.cli import options
from lasthop.cli.output import complain, say
from lasthop.errors import UsageError
from lasthop.results.atomic import environment

if TYPE_CHECKING:
    from lasthop.outcome.results import Results
    from lasthop.report.figures.look import FigureLook

NAME = "report"
EXAMPLE = "Example: lasthop report results/shard-1 results/shard-2 --out results/whole"


def command(  # noqa: PLR0913  (an argument is an option)
    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="DIR...",
            parser=options.read_path,
            help="Result folder of lasthop run, as a path or as its name below results. Several "
            "folders are merged.",
        ),
    ],
    *,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="PATH",
            parser=options.read_path,
            help="File of the report, for example report.html. With several folders: the folder "
            "for the merged results. Default: report.html in the result folder.",
        ),
    ] = None,
    beside: Annotated[
        list[Path] | None,
        typer.Option(
            "--beside",
            metavar="DIR",
            parser=options.read_path,
            help="Results of another study of the same paper, whose claims and figures the report "
            "shows too. Repeatable. Default: none.",
        ),
    ] = None,
    figure: Annotated[
        str | None,
        typer.Option(
            "--figure",
            metavar="NAME",
            help="Writes only this figure to --out, a file that ends in .svg, .png, .pdf or "
            ".html. Default: the whole report.",
        ),
    ] = None,
    width: Annotated[
        float | None,
        typer.Option(
            "--width",
            metavar="MM",
            help="Width of the figure in millimetres, for example 88 for one column of a "
            "journal. Below 130, panels stand below each other. Default: as in the report.",
        ),
    ] = None,
    font_size: Annotated[
        float | None,
        typer.Option(
            "--font-size",
            metavar="PT",
            help="Size of the figure's letters in points, for example 8. Default: 12.",
        ),
    ] = None,
    title: Annotated[
        str | None,
        typer.Option(
            help='Title of the figure. "" leaves out title and explanation, for a paper with a '
            "caption of its own. Default: that of the report.",
        ),
    ] = None,
    label: Annotated[
        list[str] | None,
        typer.Option(
            "--label",
            metavar="TEXT=NEW",
            help='Other words in the figure, for example "path loss=Verlust": an axis title '
            "without its unit, the heading of a panel, or a stack. Repeatable. Default: none.",
        ),
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(
            metavar="CODE",
            help="Language of the figure's numbers: de, en, es, fr or it. Words are changed by "
            "--label. Default: en.",
        ),
    ] = None,
    as_json: options.Json = False,
) -> int:
    """Write the report of a result folder. Several shards are merged into one folder first."""
    folders = [_found(folder) for folder in folders]
    others = [_found(folder) for folder in beside or ()]
    given = {"--width": width, "--font-size": font_size, "--title": title, "--label": label}
    given["--language"] = language
    if figure is not None:
        from lasthop.report.figures.look import FigureLook

        look = FigureLook(
            width_mm=width,
            font_pt=font_size,
            title=title,
            labels=dict(map(_label, label or ())),
            language=language,
        )
        return _figure(folders, figure, out, look, others)
    for option, value in given.items():
        if value is not None:
            raise UsageError(f"{option} has no effect without --figure; add --figure NAME")
    from lasthop.cli.conclusion import conclude
    from lasthop.outcome.results import Results

    if len(folders) == 1:
        results = Results(folders[0])
        report = out or folders[0] / "report.html"
        return conclude(results, report=report, beside=others, as_json=as_json)
    results = _merged(folders, out)
    report = results.path / "report.html"
    return conclude(results, report=report, beside=others, as_json=as_json)


def _found(folder: Path) -> Path:
    """Return a folder, or the one of this name where `run` makes them: so a report names it."""
    made = Path("results") / folder
    with environment(folder):
        return made if not folder.exists() and made.is_dir() else folder


def _figure(
    folders: list[Path], name: str, out: Path | None, look: "FigureLook", beside: list[Path]
) -> int:
    from lasthop.report import write_figure

    file = out or Path(f"{name}.svg")
    say(str(write_figure(folders, name, out=file, look=look, beside=beside)))
    return 0


def _label(text: str) -> tuple[str, str]:
    old, equals, new = text.rpartition("=")
    if not equals or not old:
        message = f'--label: "{text}" is not TEXT=NEW'
        raise UsageError(f'{message}; write for example "path loss=Verlust"')
    return old, new


def _merged(folders: list[Path], out: Path | None) -> "Results":
    from lasthop.outcome.results import Results
    from lasthop.running.merging import merge

    first = Results(folders[0]).manifest
    target = out or Path("results") / f"{first.study['name']}-merged"
    manifest = merge(folders, out=target)
    found = sum(manifest.counts.values())
    if found < manifest.planned_runs:
        complain(f"only {found} of {manifest.planned_runs} planned runs are in these folders")
    return Results(target)
