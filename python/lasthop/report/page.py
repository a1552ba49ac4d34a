"""The page: one HTML file that needs nothing but a browser."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from lasthop.answer.by_group import DecisionByGroup
from lasthop.answer.cautions import cautions
from lasthop.answer.crashes import crashes_in_a_line
from lasthop.answer.decision import Decision
from lasthop.answer.expectation import Expectation
from lasthop.answer.hints import hints
from lasthop.answer.settings import settings_that_matter
from lasthop.answer.sweeps import SweepDecision
from lasthop.report.alerts import alerts_html
from lasthop.report.answer import card, points_section, ranking
from lasthop.report.bill_table import bill_section
from lasthop.report.bundle import vega_bundle
from lasthop.report.by_group import beside_the_fleet, by_group_section, by_group_table
from lasthop.report.claims import claims_section
from lasthop.report.conditions import conditions_section, versions_section
from lasthop.report.crashes_table import crashes_section
from lasthop.report.energy_table import energy_section
from lasthop.report.expectations import expectations_section
from lasthop.report.explorer import explorer_data, explorer_section
from lasthop.report.failures import failures_section
from lasthop.report.figures import Figure, decisive, overload, panel_spec
from lasthop.report.figures.energy import ENERGY_ENTRIES
from lasthop.report.figures.ledger import LEDGER_ENTRIES
from lasthop.report.figures.of_paper import DrawnFigure
from lasthop.report.flip_points import flip_points_section
from lasthop.report.markup import Styles, json_text, script_hash
from lasthop.report.measures import measures_section
from lasthop.report.message_lines import message_lines
from lasthop.report.multiverse import multiverse_section
from lasthop.report.paper import paper_opening
from lasthop.report.ruling import ruling_section
from lasthop.report.section import Section, counted
from lasthop.report.settings_table import settings_section
from lasthop.report.source import ReportSource
from lasthop.report.styles import (
    STACK_COLOURS,
    Mode,
    energy_colours,
    ledger_colours,
    stack_styles,
)
from lasthop.report.templating import asset, render
from lasthop.report.themes import FONT, INKS, vega_config
from lasthop.results.description import changes_in_words, heading
from lasthop.results.verification import UNCHECKED
from lasthop.study.figures import figures_of

_MARKUP = ("markup.js",)
_EXPLORER = ("decide.js", "requirements.js", "explorer.js")
_LINES = ("messages.js",)
_MODES: tuple[Mode, ...] = ("light", "dark")
_COLOUR_PLACES = {
    "stacks": {},
    "ledger": {entry: place for place, entry in enumerate(LEDGER_ENTRIES)},
    "energy": {entry: place for place, entry in enumerate(ENERGY_ENTRIES)},
}


def report_page(  # noqa: PLR0913  (what a page is made of)
    source: ReportSource,
    decision: Decision,
    sweeps: Sequence[SweepDecision],
    figures: Sequence[Figure],
    by_group: DecisionByGroup | None = None,
    *,
    first: Section | None = None,
    of_paper: Sequence[DrawnFigure] = (),
) -> str:
    """Return the report of a study as HTML: the answer, its figure, and the rest folded."""
    styles = stack_styles(source.stacks)
    drawn = [figure for figure in figures if figure.panels]
    answers = [figure for figure in drawn if figure.name == decisive.NAME]
    others = [figure for figure in drawn if figure not in answers]
    undrawn = [line for figure in figures if not figure.panels for line in figure.constant]
    expectations = source.expectations
    explored = explorer_data(source, decision)
    explorer = explorer_section(explored, styles)
    if source.multiverse is None:
        beside = (*crashes_in_a_line(source.paths), *beside_the_fleet(by_group))
        answer = Markup().join(
            (
                card(decision, styles, beside=beside),
                *(_figure(figure, source, styles) for figure in answers),
                ranking(decision, styles),
                by_group_table(by_group, styles),
            )
        )
        sections = _sections(source, decision, sweeps, expectations, styles, by_group=by_group)
    else:
        answer = Markup()
        sections = [
            multiverse_section(source.multiverse),
            *_of_any_study(source, expectations, styles),
        ]
    body = render(
        "report.html",
        name=source.study["name"],
        heading=heading(source.study),
        description=source.study.get("description"),
        cautions=cautions(source.paths, source.study),
        hints=hints(source.paths, source.study, on_page=True),
        counts=_counts(source),
        unchecked=[f"{folder} is {UNCHECKED}" for folder in source.unchecked],
        alerts=alerts_html(source, decision, expectations) if source.multiverse is None else "",
        opening=_opening(source, of_paper, styles),
        answer=answer,
        sections=[
            *([] if first is None else [first]),
            *([] if explorer is None else [explorer]),
            *sections,
            *_figures_section(others, list(dict.fromkeys(undrawn)), source, styles),
            *([found] if (found := measures_section(source, styles)) else []),
            conditions_section(source, styles),
            versions_section(source),
        ],
        command=source.command(),
    )
    lines = {figure.name: message_lines(source, figure) for figure in drawn}
    drawn = [*(one.figure for one in of_paper if one.figure is not None), *drawn]
    return _document(
        title=heading(source.study), body=body, figures=drawn, explored=explored, messages=lines
    )


def _opening(source: ReportSource, drawn: Sequence[DrawnFigure], styles: Styles) -> Markup:
    paper = figures_of(source.study)
    if paper is None:
        return Markup()
    judgements = [one for each in (source, *source.beside) for one in each.judgements]
    return paper_opening(paper, drawn, judgements, lambda figure: _figure(figure, source, styles))


def figure_page(source: ReportSource, figure: Figure) -> str:
    """Return one figure as a page of its own."""
    title = heading(source.study)
    styles = stack_styles(source.stacks)
    body = Markup('<section class="figures alone">{}</section>').format(
        _figure(figure, source, styles)
    )
    lines = {figure.name: message_lines(source, figure)}
    return _document(title=f"{figure.title} {title}", body=body, figures=[figure], messages=lines)


def _counts(source: ReportSource) -> str:
    completed = source.runs.filter(source.runs["status"] == "completed")["run_id"].n_unique()
    runs = source.runs["run_id"].n_unique()
    told = (
        counted(completed, "run") if completed == runs else f"{completed} of {runs} runs completed"
    )
    return f"{told}, {counted(len(source.stacks), 'stack')}"


def _sections(  # noqa: PLR0913  (what sections are made of)
    source: ReportSource,
    decision: Decision,
    sweeps: Sequence[SweepDecision],
    expectations: Sequence[Expectation],
    styles: Styles,
    *,
    by_group: DecisionByGroup | None,
) -> list[Section]:
    decisions = (decision, *(sweep.decision for sweep in sweeps))
    settings = settings_that_matter(source.runs, source.study, decision.objective, decisions)
    found = (
        points_section(decision, styles),
        by_group_section(by_group, styles),
        flip_points_section(sweeps, styles),
        settings_section(settings, decision),
        *_of_any_study(source, expectations, styles),
        failures_section(source, styles),
        crashes_section(source, styles),
        energy_section(source, styles),
        bill_section(source, styles),
    )
    return [section for section in found if section is not None]


def _of_any_study(
    source: ReportSource, expectations: Sequence[Expectation], styles: Styles
) -> list[Section]:
    """Return what is said of a multiverse, too."""
    found = (
        claims_section(source.judgements, changes=changes_in_words(source.study)),
        expectations_section(expectations),
        ruling_section(source.ruling, styles),
    )
    return [section for section in found if section is not None]


def _figures_section(
    figures: Sequence[Figure], constant: Sequence[str], source: ReportSource, styles: Styles
) -> Iterable[Section]:
    if not figures and not constant:
        return
    body = render(
        "figures.html",
        constant=constant,
        figures=[(figure.title, _figure(figure, source, styles)) for figure in figures],
    )
    what = ", ".join(dict.fromkeys(figure.title.partition(":")[0].lower() for figure in figures))
    yield Section("figures", "Figures", what, body)


def _figure(figure: Figure, source: ReportSource, styles: Styles) -> Markup:
    return render(
        "figure.html",
        figure=figure,
        styles=stack_styles(figure.palette) if figure.palette else styles,
        places=_COLOUR_PLACES[figure.legend],
        overload=overload.MEANING,
        runs=counted(figure.runs, "run"),
        commands=[*figure.commands, source.command(figure.name)],
    )


def _panel_id(figure: Figure, place: int) -> str:
    return f"{figure.name}-panel-{place}"


def _document(
    *,
    title: str,
    body: Markup,
    figures: Sequence[Figure],
    messages: Mapping[str, Any],
    explored: Mapping[str, Any] | None = None,
) -> str:
    lines = {name: found for name, found in messages.items() if found is not None}
    data = {
        **({} if explored is None else {"explorer": explored}),
        **({"messages": lines} if lines else {}),
        "themes": {mode: vega_config(mode) for mode in _MODES},
        "panels": {
            _panel_id(figure, place): panel_spec(panel)
            for figure in figures
            for place, panel in enumerate(figure.panels)
        },
    }
    bundle = vega_bundle() if figures else ""
    explorer = [] if explored is None else _EXPLORER
    scripts = (*(_MARKUP if explored or lines else ()), *explorer, *(_LINES if lines else ()))
    script = "".join(map(asset, (*scripts, "page.js")))
    sheets = [
        "page.css",
        *(["explorer.css"] if explored else []),
        *(["messages.css"] if lines else []),
    ]
    return render(
        "page.html",
        title=title,
        policy=" ".join((script_hash(bundle), script_hash(script))),
        style=style_variables() + "".join(map(asset, sheets)),
        body=body,
        data=json_text(data),
        bundle=bundle,
        script=script,
    )


def style_variables() -> str:
    """Return the colours and the font of a page, light and dark."""
    light, dark = (
        "".join(f"--{name}:{value};" for name, value in _colours(mode).items()) for mode in _MODES
    )
    return (
        f":root{{--font:{FONT};{light}}}\n@media (prefers-color-scheme:dark){{:root{{{dark}}}}}\n"
    )


def _colours(mode: Mode) -> dict[str, str]:
    inks = INKS[mode]
    stacks = {f"stack-{place}": colour for place, colour in enumerate(STACK_COLOURS[mode])}
    ledger = {f"ledger-{place}": colour for place, colour in enumerate(ledger_colours(mode))}
    energy = {f"energy-{place}": colour for place, colour in enumerate(energy_colours(mode))}
    return {
        "page": inks.page,
        "card": inks.card,
        "text": inks.text,
        "quiet": inks.quiet,
        "line": inks.line,
        "grid": inks.grid,
        **stacks,
        **ledger,
        **energy,
    }
