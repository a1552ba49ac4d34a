"""`lasthop archive`: results with all that a rerun needs, in one folder."""

# ruff: noqa: PLC0415  (imported when needed: help and refusals must not wait for polars)

from pathlib import Path
from typing import Annotated

import typer

from lasthop.cli import options
from lasthop.cli.output import complain, say
from lasthop.cli.shipped import find_study

NAME = "archive"
EXAMPLE = "Example: lasthop archive results/larmo-2019 larmo-2019 --out larmo-2019-archive"


def command(  # noqa: PLR0913  (an argument is an option)
    results: Annotated[Path, typer.Argument(metavar="DIR", help="Result folder of lasthop run.")],
    study: Annotated[
        str,
        typer.Argument(
            metavar="STUDY", help="Study that gave the results, written as for lasthop run."
        ),
    ],
    *,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="Folder for the archive; it must not exist. Default: DIR-archive.",
        ),
    ] = None,
    script: Annotated[
        list[Path] | None,
        typer.Option(
            "--script",
            metavar="FILE",
            parser=options.read_path,
            help="Script or folder of your own, for example the one that draws the figures. It "
            "is copied to scripts. Repeatable. Default: none.",
        ),
    ] = None,
    author: Annotated[
        list[str] | None,
        typer.Option(
            "--author",
            metavar="NAME",
            help="Author of the results, for the README and CITATION.cff. Repeatable. Default: "
            "none is named.",
        ),
    ] = None,
    repository: Annotated[
        str | None,
        typer.Option(
            "--repository",
            metavar="URL",
            help="Address of the repository of the study, for the README and CITATION.cff. "
            "Default: none.",
        ),
    ] = None,
    wheel: Annotated[
        Path | None,
        typer.Option(
            "--wheel",
            metavar="FILE",
            parser=options.read_path,
            help="Wheel by which lasthop was installed. It is copied, and the README installs it. "
            "Default: the README installs the release of this version.",
        ),
    ] = None,
    set_: options.Set = None,
    seed: options.Seed = None,
    quick: options.Quick = False,
) -> int:
    """Copy results, and all that is needed to repeat them, to one folder for publication.

    The folder holds the study and its files, the tables with their digests, the versions of the
    software, and a README with the command. Give --set, --seed and --quick as for the run.
    """
    from lasthop.results.build import working_copy
    from lasthop.running.archive import Additions, Origin, write_archive

    overrides = options.read_overrides(set_)
    origin = Origin(study=find_study(study), overrides=overrides, seed=seed, quick=quick)
    target = out or results.with_name(f"{results.name}-archive")
    additions = Additions(
        authors=tuple(author or ()),
        repository=repository,
        scripts=tuple(script or ()),
        wheel=wheel,
    )
    say(str(write_archive(results, origin, out=target, additions=additions)))
    if wheel is None and working_copy() is not None:
        complain(
            "note: a working copy of lasthop made these results, which cannot be installed from "
            "the archive; install a wheel of it, run the study again, and give the wheel as --wheel"
        )
    return 0
