"""Writing a report, or one figure of it, to a file."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lasthop.answer.by_group import decide_by_group
from lasthop.answer.decision import Decision, decide
from lasthop.answer.sweeps import SweepDecision, decide_along_sweeps
from lasthop.errors import EnvironmentFailure, UsageError
from lasthop.report.figures import Figure, all_figures
from lasthop.report.figures.look import PX_PER_MM, FigureLook
from lasthop.report.figures.of_paper import DrawnFigure, PaperRenderer
from lasthop.report.figures.vega_lite import Spec
from lasthop.report.page import figure_page, report_page
from lasthop.report.pdf_order import in_one_order
from lasthop.report.section import Section
from lasthop.report.source import ReportSource, read_source
from lasthop.report.themes import print_config, vega_config
from lasthop.results.atomic import environment, replacement
from lasthop.study.figures import figures_of

_PIXELS_PER_POINT = 2.0
_PRINTED_PIXELS_PER_POINT = 300 / 72
_MOST_FITS = 6
_LEAST_PANEL = 60.0


def write_report(
    results: Sequence[Path],
    *,
    out: Path,
    first: Section | None = None,
    beside: Sequence[Path] = (),
) -> Path:
    """Write the report of the results as one HTML file.

    Parameters
    ----------
    results : sequence of Path
        Result folders of one study.
    out : Path
        The file, or a folder that gets a ``report.html``.
    first : Section, optional
        What comes before the other sections.
    beside : sequence of Path
        Result folders of other studies of the same paper.

    Returns
    -------
    Path
        The file written.

    Raises
    ------
    UsageError
        ``out`` is neither a folder nor the name of a page: it may be a table or a study.
    """
    path = _report_file(out)
    source = read_source(results, beside=beside)
    decision, sweeps = _decided(source)
    groups = source.groups
    by_group = (
        None if groups is None else decide_by_group(source.runs, groups, source.study, decision)
    )
    figures = all_figures(source, decision, sweeps)
    of_paper = _of_paper(source, legend=False)
    page = report_page(source, decision, sweeps, figures, by_group, first=first, of_paper=of_paper)
    _write(path, page.encode())
    return path


def write_figure(
    results: Sequence[Path],
    name: str,
    *,
    out: Path,
    look: FigureLook | None = None,
    beside: Sequence[Path] = (),
) -> Path:
    """Write one figure as ``.svg``, ``.png``, ``.pdf`` or ``.html``, by the ending of ``out``.

    A PDF is drawn for paper: black on white. The same results give the same bytes.

    Parameters
    ----------
    results : sequence of Path
        Result folders of one study.
    name : str
        The figure, as `figure_names` lists it.
    out : Path
        The file.
    beside : sequence of Path
        Result folders of other studies of the same paper.
    look : FigureLook, optional
        Width, letters and words; not of ``.html``, which is as wide as its window.

    Raises
    ------
    UsageError
        There is no such figure, or the ending is another, or a look is asked of ``.html``.
    EnvironmentFailure
        The extra ``figures`` is not installed, which every ending but ``.html`` needs.
    """
    if out.suffix not in {".svg", ".png", ".pdf", ".html"}:
        message = f"{out}: a figure file must end in .svg, .png, .pdf or .html; change the ending"
        raise UsageError(message)
    look = look or FigureLook()
    if out.suffix == ".html" and not look.is_usual:
        message = f"{out}: an HTML figure has no width, letters or words of its own"
        raise UsageError(f"{message}; choose a name that ends in .svg, .png or .pdf")
    source = read_source(results, beside=beside)
    figure = _figure(source, name, legend=out.suffix != ".html")
    _write(out, _rendered(source, figure, out.suffix, look))
    return out


def write_picture(spec: Spec, out: Path) -> None:
    """Write a picture of its own as ``.svg``, ``.png`` or ``.pdf``, by the ending of ``out``."""
    _write(out, _picture(spec, out.suffix))


def paper_charts(results: Sequence[Path], *, beside: Sequence[Path] = ()) -> Mapping[str, Figure]:
    """Return the charts of a paper by their names, each with a legend.

    Parameters
    ----------
    results : sequence of Path
        Result folders of a study that names the figures of a paper.
    beside : sequence of Path
        Result folders of other studies of the same paper.
    """
    drawn = _of_paper(read_source(results, beside=beside), legend=True)
    return {one.figure.name: one.figure for one in drawn if one.figure is not None}


def figure_names(results: Sequence[Path]) -> tuple[str, ...]:
    """Return the names that ``write_figure`` takes for these results."""
    source = read_source(results)
    return tuple(figure.name for figure in _figures(source, legend=False))


def _figures(source: ReportSource, *, legend: bool) -> tuple[Figure, ...]:
    of_paper = (one.figure for one in _of_paper(source, legend=legend))
    figures = (
        *(figure for figure in of_paper if figure is not None),
        *all_figures(source, *_decided(source), legend=legend),
    )
    return tuple(figure for figure in figures if figure.panels)


def _of_paper(source: ReportSource, *, legend: bool) -> tuple[DrawnFigure, ...]:
    paper = figures_of(source.study)
    if paper is None:
        return ()
    return PaperRenderer((source, *source.beside), legend=legend).draw(paper)


def _decided(source: ReportSource) -> tuple[Decision, tuple[SweepDecision, ...]]:
    asked = source.runs, source.study, source.read_groups
    return decide(*asked), decide_along_sweeps(*asked)


def _figure(source: ReportSource, name: str, *, legend: bool) -> Figure:
    figures = _figures(source, legend=legend)
    found = next((figure for figure in figures if figure.name == name), None)
    if found is None:
        names = ", ".join(figure.name for figure in figures) or "none, because no run completed"
        message = f'these results have no figure "{name}"; write one of {names}'
        raise UsageError(message)
    return found


def _rendered(source: ReportSource, figure: Figure, suffix: str, look: FigureLook) -> bytes:
    if suffix == ".html":
        return figure_page(source, figure).encode()
    if look.width_mm is None:
        return _picture(look.spec(figure), suffix, look)
    return _picture(_fitted(figure, look, suffix), suffix, look)


def _fitted(figure: Figure, look: FigureLook, suffix: str) -> Spec:
    """Find the width of the panels with which the whole picture has the wanted width."""
    wanted = (look.width_mm or 0.0) * PX_PER_MM
    panel = wanted / 2
    for _ in range(_MOST_FITS):
        spec = look.spec(figure, chart_width=panel)
        apart = wanted - _width_of(spec, suffix, look)
        if abs(apart) < 1:
            return spec
        panel += apart / spec["columns"]
        if panel < _LEAST_PANEL:
            break
    message = f"--width: {look.width_mm:g} mm is too narrow for this figure and its letters"
    raise UsageError(f"{message}; write a larger width or a smaller --font-size")


def _width_of(spec: Spec, suffix: str, look: FigureLook) -> float:
    svg = _renderer(suffix).vegalite_to_svg(spec, config=_config_of(suffix, look))
    found = re.search(r' width="([0-9.]+)"', svg)
    return float(found[1]) if found else 0.0


def _config_of(suffix: str, look: FigureLook) -> dict[str, Any]:
    config = print_config() if suffix == ".pdf" else vega_config("light") | {"background": "white"}
    return look.scaled(config)


def _picture(spec: Spec, suffix: str, look: FigureLook | None = None) -> bytes:
    renderer, look = _renderer(suffix), look or FigureLook()
    written = {"config": _config_of(suffix, look), "format_locale": look.locale}
    if suffix == ".pdf":
        return in_one_order(bytes(renderer.vegalite_to_pdf(spec, **written)))
    if suffix == ".png":
        scale = _PIXELS_PER_POINT if look.width_mm is None else _PRINTED_PIXELS_PER_POINT
        return bytes(renderer.vegalite_to_png(spec, **written, scale=scale))
    svg = str(renderer.vegalite_to_svg(spec, **written))
    if look.width_mm is not None:
        size = re.compile(r' width="([0-9.]+)" height="([0-9.]+)"')
        svg = size.sub(lambda found: _in_mm(*map(float, found.groups())), svg, count=1)
    return svg.encode()


def _in_mm(width: float, height: float) -> str:
    return f' width="{width / PX_PER_MM:.2f}mm" height="{height / PX_PER_MM:.2f}mm"'


def _renderer(suffix: str) -> Any:  # noqa: ANN401  (a module)
    """Import what draws pictures: reports and figures as HTML do not need its 84 MB."""
    try:
        import vl_convert  # noqa: PLC0415  (an extra)
    except ImportError as error:
        message = f"a figure as {suffix} needs the package vl-convert-python ({error})"
        remedy = 'pip install "lasthop[figures]", or choose a name that ends in .html'
        raise EnvironmentFailure(f"{message}; {remedy}") from error
    return vl_convert


def _report_file(out: Path) -> Path:
    with environment(out):
        if out.is_dir():
            return out / "report.html"
    if out.suffix.lower() not in {".html", ".htm"}:
        message = f"{out}: a report is an HTML page; write a name that ends in .html, or a folder"
        raise UsageError(message)
    return out


def _write(path: Path, content: bytes) -> None:
    """Write the whole file or nothing."""
    with environment(path), replacement(path) as temporary:
        temporary.write_bytes(content)
