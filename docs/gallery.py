"""The gallery of the five papers: a small picture of each of their figures, drawn from our runs.

``PYTHONPATH=. python -m docs.gallery`` runs the studies (quick, two repetitions), draws the
pictures and writes the page. ``--page`` writes the page alone. Finished runs are not run again.
"""

import argparse
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import lasthop
from lasthop.cli.shipped import find_study
from lasthop.report.figures.of_paper import figure_name
from lasthop.study.figures import PaperFigure

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = ROOT / "docs/papers.md"
PICTURES: Final = ROOT / "docs/pictures/papers"
RESULTS: Final = ROOT / "results/gallery"
QUICK: Final = ("--quick", "--set", "repeat=2")
WIDTH: Final = 300.0
"""Of a chart, in pixels."""
LETTERS: Final = 40
"""Of a line of its title."""


@dataclass(frozen=True, slots=True)
class Paper:
    """A study with figures, and the studies beside it whose runs they show."""

    study: str
    beside: tuple[str, ...] = ()
    not_run: tuple[str, ...] = ()
    """Those that need servers on sockets."""
    too_long: tuple[str, ...] = ()
    """Figures of an event after the end of a quick run."""


PAPERS: Final = (
    Paper("chen-kunz-2016"),
    Paper("larmo-2019"),
    Paper(
        "emqx-quic-2022",
        beside=("emqx-quic-2022-busy-server", "emqx-quic-2022-loss-test"),
        not_run=("emqx-quic-2022-live",),
        too_long=("client address migration",),
    ),
    Paper("google-http-mqtt"),
    Paper(
        "yudayev-2019",
        beside=("yudayev-2019-servers",),
        not_run=(
            "yudayev-2019-live",
            *(f"yudayev-2019-live-{row}" for row in ("qos-1", "qos-2", "coap", "http")),
        ),
    ),
)

_HEAD = """\
# The figures of five papers, drawn again

For researchers. After this page you can compare each figure of the five papers with ours.

The report of a rerun opens with the claims of its paper. Then it draws each figure and table that
has results, with the number, unit and legend of the paper. A short bar is a value that the paper
names. An arrow shows the side of a bound on which the paper lies. A hollow diamond is what a
capture of the authors says. The pictures here come from quick runs with two repetitions, so their
numbers differ from those of the verdicts. This command runs the studies and draws them:

```sh
PYTHONPATH=. python -m docs.gallery
```

[The guide to a sixth paper](guides/sixth-paper.md) makes such a report in a day.
"""


def figures_of(paper: Paper) -> tuple[PaperFigure, ...]:
    """Read the figures that a study names."""
    figures = lasthop.load_study(find_study(paper.study)).figures
    if figures is None:
        message = f"{paper.study} names no figures"
        raise ValueError(message)
    return figures.figures


def picture_of(paper: Paper, figure: PaperFigure) -> Path | None:
    """Name the picture of a figure; a table has none, nor what no run shows."""
    if figure.is_table or figure.not_drawn is not None or figure.number in paper.too_long:
        return None
    return PICTURES / f"{paper.study}-{figure_name(figure.number).removeprefix('paper-')}.svg"


def page() -> str:
    """Write the page."""
    return "\n".join((_HEAD, *(_section(paper) for paper in PAPERS)))


def _section(paper: Paper) -> str:
    study = lasthop.load_study(find_study(paper.study))
    figures = figures_of(paper)
    name = study.figures.paper if study.figures else paper.study
    commands = "\n".join(_commands(paper))
    drawn = [(one, file) for one in figures if (file := picture_of(paper, one)) is not None]
    pictures = "\n".join(
        f"[![{_titled(one)}]({_link(file)})]({_link(file)})" for one, file in drawn
    )
    rest = [one for one in figures if picture_of(paper, one) is None]
    told = "\n".join(f"- {_titled(one)}: {_why_no_picture(paper, one)}." for one in rest)
    parts = (
        f"## {name}",
        f"[Its figures](../studies/{paper.study}/figures.yaml). The full report:",
        f"```sh\n{commands}\n```",
        pictures,
        told,
    )
    return "\n\n".join(filter(None, parts)) + "\n"


def _commands(paper: Paper) -> Iterator[str]:
    others = (*paper.beside, *paper.not_run)
    for study in (paper.study, *others):
        yield f"lasthop run {study}"
    if others:
        yield f"lasthop report {paper.study}{''.join(f' --beside {one}' for one in others)}"


def _why_no_picture(paper: Paper, figure: PaperFigure) -> str:
    if figure.not_drawn is not None:
        return f"not drawn: {figure.not_drawn}"
    if figure.number in paper.too_long:
        return "in the full report; a quick run ends before the event"
    values = figure.published
    return f"a table in the report, with {values} value{'' if values == 1 else 's'} of the paper"


def _titled(figure: PaperFigure) -> str:
    number = figure.number
    return f"{number[:1].upper()}{number[1:]}: {figure.title}"


def _link(file: Path) -> str:
    return file.relative_to(PAGE.parent).as_posix()


def draw() -> None:
    """Run the studies and draw every picture anew."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    for old in PICTURES.glob("*.svg"):
        old.unlink()
    for paper in PAPERS:
        folders = [_run(study) for study in (paper.study, *paper.beside)]
        _draw(paper, folders)


def _run(study: str) -> Path:
    out = RESULTS / study
    command = [sys.executable, "-m", "lasthop", "run", study, *QUICK, "--out", str(out)]
    subprocess.run([*command, "--no-report"], check=True, stdout=subprocess.DEVNULL)
    return out


def _draw(paper: Paper, folders: Sequence[Path]) -> None:
    from lasthop.report.figures.look import FigureLook  # noqa: PLC0415  (it needs an extra)
    from lasthop.report.write import paper_charts, write_picture  # noqa: PLC0415

    charts = paper_charts(folders[:1], beside=folders[1:])
    for figure in figures_of(paper):
        file = picture_of(paper, figure)
        if file is None:
            continue
        chart = charts[figure_name(figure.number)]
        spec = FigureLook(title="").spec(chart, chart_width=WIDTH)
        for panel in spec["concat"]:
            panel["title"] = textwrap.wrap(_titled(figure), LETTERS)
        # Readers have wider letters than the program that measures them here.
        write_picture(spec | {"padding": {"left": 12, "right": 40, "top": 5, "bottom": 5}}, file)


def main() -> None:
    """Draw the gallery."""
    parser = argparse.ArgumentParser(prog="python -m docs.gallery")
    parser.add_argument("--page", action="store_true", help="write the page, run nothing")
    if not parser.parse_args().page:
        draw()
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
