"""The page: one HTML file that needs nothing but a browser."""

from collections.abc import Sequence
from importlib.resources import files
from string import Template

from lasthop.report.answer import answer_html
from lasthop.report.bundle import vega_bundle
from lasthop.report.claims import claims_html
from lasthop.report.conditions import caution_html, cautions_html, conditions_html, versions_html
from lasthop.report.decision import Decision
from lasthop.report.energy_table import energy_html
from lasthop.report.expectations import expectations_html
from lasthop.report.failures import failures_html
from lasthop.report.figures import Figure, Panel, overload, panel_spec
from lasthop.report.figures.energy import ENERGY_ENTRIES
from lasthop.report.figures.ledger import LEDGER_ENTRIES
from lasthop.report.flip_points import flip_points_html
from lasthop.report.markup import json_text, overload_key, script_hash, stack_key, text
from lasthop.report.measures import measures_html
from lasthop.report.multiverse import multiverse_html
from lasthop.report.ruling import ruling_html
from lasthop.report.settings import settings_that_matter
from lasthop.report.settings_table import settings_html
from lasthop.report.source import ReportSource
from lasthop.report.styles import (
    STACK_COLOURS,
    Mode,
    energy_colours,
    ledger_colours,
    stack_styles,
)
from lasthop.report.sweeps import SweepDecision
from lasthop.report.themes import FONT, INKS, vega_config
from lasthop.results.description import changes_in_words, heading

_MODES: tuple[Mode, ...] = ("light", "dark")


def report_page(
    source: ReportSource,
    decision: Decision,
    sweeps: Sequence[SweepDecision],
    figures: Sequence[Figure],
) -> str:
    """Return the report of a study as HTML."""
    styles = stack_styles(source.stacks)
    study = source.study
    body = "".join(
        (
            _header(source),
            caution_html(source),
            *(
                (
                    answer_html(decision, styles),
                    cautions_html(source),
                    flip_points_html(sweeps, styles),
                    settings_html(
                        settings_that_matter(source.runs, study, decision.objective), decision
                    ),
                )
                if source.multiverse is None
                else (multiverse_html(source.multiverse),)
            ),
            ruling_html(source.ruling, styles),
            claims_html(source.judgements, changes=changes_in_words(study)),
            expectations_html(source.runs, study.get("expect") or ()),
            *(
                (failures_html(source, styles), energy_html(source, styles))
                if source.multiverse is None
                else ()
            ),
            '<section class="figures"><h2>Figures</h2>' if figures else "",
            *(_figure(figure, source) for figure in figures),
            "</section>" if figures else "",
            f'<section class="measures">{measures_html(source, styles)}</section>'
            if source.multiverse is None
            else "",
            f'<section class="conditions">{conditions_html(source, styles)}</section>',
            f'<section class="versions">{versions_html(source)}</section>',
            f"<footer><p>Rebuild this page with</p><pre>{text(source.command())}</pre></footer>",
        )
    )
    return _document(title=heading(study), body=body, figures=figures)


def figure_page(source: ReportSource, figure: Figure) -> str:
    """Return one figure as a page of its own."""
    title = heading(source.study)
    body = f'<section class="figures alone">{_figure(figure, source)}</section>'
    return _document(title=f"{figure.title} {title}", body=body, figures=[figure])


def _header(source: ReportSource) -> str:
    study = source.study
    description = study.get("description")
    completed = source.runs.filter(source.runs["status"] == "completed")["run_id"].n_unique()
    runs = source.runs["run_id"].n_unique()
    counted = f"{completed} runs" if completed == runs else f"{completed} of {runs} runs completed"
    return (
        f'<header><p class="eyebrow">{text(study["name"])}</p>'
        f"<h1>{text(heading(study))}</h1>"
        + (f"<p>{text(description)}</p>" if description else "")
        + f'<p class="counts">{text(counted)}, {len(source.stacks)} stacks</p></header>'
    )


def _figure(figure: Figure, source: ReportSource) -> str:
    panels = "".join(
        f'<div class="panel">{_panel_title(figure, panel)}'
        f'<div class="chart" id="{text(_panel_id(figure, place))}"></div></div>'
        for place, panel in enumerate(figure.panels)
    )
    columns = "three" if len(figure.panels) % 3 == 0 else "two"
    runs = f"{figure.runs} run{'' if figure.runs == 1 else 's'}"
    return (
        f'<figure id="{text(figure.name)}"><h3>{text(figure.title)}</h3>'
        f'<p class="reading">{text(figure.reading)}</p>{_legend(figure, source)}'
        f'<div class="panels {columns}">{panels}</div>'
        f"<figcaption><p>{text(figure.dataset)}, {text(runs)}; {text(figure.interval)}.</p>"
        f"<pre>{text(source.command(figure.name))}</pre></figcaption></figure>"
    )


def _panel_title(figure: Figure, panel: Panel) -> str:
    alone = len(figure.panels) == 1
    return "" if alone else f"<h4>{text(panel.title)}</h4>"


def _legend(figure: Figure, source: ReportSource) -> str:
    styles = stack_styles(source.stacks)
    if figure.legend == "stacks":
        keys = [stack_key(styles[stack]) for stack in figure.legend_entries]
    else:
        known = LEDGER_ENTRIES if figure.legend == "ledger" else ENERGY_ENTRIES
        places = [known.index(entry) for entry in figure.legend_entries]
        keys = [
            f'<span class="swatch" style="background:var(--{figure.legend}-{place})"></span>'
            for place in places
        ]
    entries = "".join(
        f"<li>{key}<span>{text(entry)}</span></li>"
        for key, entry in zip(keys, figure.legend_entries, strict=True)
    )
    if figure.overloaded:
        entries += f"<li>{overload_key()}<span>{text(overload.MEANING)}</span></li>"
    return f'<ul class="legend">{entries}</ul>'


def _panel_id(figure: Figure, place: int) -> str:
    return f"{figure.name}-panel-{place}"


def _document(*, title: str, body: str, figures: Sequence[Figure]) -> str:
    data = {
        "themes": {mode: vega_config(mode) for mode in _MODES},
        "panels": {
            _panel_id(figure, place): panel_spec(panel)
            for figure in figures
            for place, panel in enumerate(figure.panels)
        },
    }
    bundle, script = (vega_bundle() if figures else ""), _asset("page.js")
    return Template(_asset("page.html")).substitute(
        title=text(title),
        policy=text(" ".join((script_hash(bundle), script_hash(script)))),
        style=_variables() + _asset("page.css"),
        body=body,
        data=json_text(data),
        bundle=bundle,
        script=script,
    )


def _variables() -> str:
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


def _asset(name: str) -> str:
    return files("lasthop.report").joinpath(name).read_text(encoding="utf-8")
