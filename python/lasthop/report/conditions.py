"""The end of a page: under which conditions, with which versions, from which folders."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from lasthop.report.answer import Styles, stack_name
from lasthop.report.figures.figure import sentence_case
from lasthop.report.markup import table, text
from lasthop.report.points import Swept
from lasthop.report.source import ReportSource
from lasthop.results.cautions import cautions

_NOT_A_VERSION = {"study", "format"}


def conditions_html(source: ReportSource, styles: Styles) -> str:
    """Write the base settings of the study and its stacks with every default."""
    study = source.study
    settings = {
        **study.get("conditions", {}),
        "repetitions": study.get("repeat"),
        "seed": study.get("seed"),
    }
    stacks = [
        [stack_name(entry["name"], styles), f"<code>{text(entry.get('resolved') or '')}</code>"]
        for entry in study.get("stacks", ())
    ]
    swept = [
        [text(part["name"]), "<br>".join(_sweeps(source, part)) or "nothing"]
        for part in study.get("parts", ())
    ]
    return (
        f"<h2>Conditions</h2>{_pairs(settings)}"
        f"<h3>Stacks with every default</h3>{table(['Stack', 'Resolved'], stacks)}"
        f"<h3>Parts</h3>{table(['Part', 'Sweeps'], swept)}"
    )


def versions_html(source: ReportSource) -> str:
    """Write the manifests of the folders."""
    pieces = ["<h2>Versions</h2>"]
    for name, manifest in zip(source.folders, source.manifests, strict=True):
        if len(source.folders) > 1:
            pieces.append(f"<h3>{text(name)}</h3>")
        shown = {key: value for key, value in manifest.items() if key not in _NOT_A_VERSION}
        pieces.append(_pairs(_flattened(shown)))
    return "".join(pieces)


def cautions_html(source: ReportSource) -> str:
    """Say what to keep in mind of the figures."""
    found = cautions(source.paths, source.study)
    return "".join(f'<p class="caution">{text(sentence_case(one))}.</p>' for one in found)


def caution_html(source: ReportSource) -> str:
    """Say it when results are missing."""
    unfinished = [
        name
        for name, manifest in zip(source.folders, source.manifests, strict=True)
        if manifest.get("state", "complete") != "complete"
    ]
    if not unfinished:
        return ""
    names = ", ".join(unfinished)
    return (
        f'<p class="caution">Not all runs of {text(names)} are in these tables yet; '
        "what follows is preliminary.</p>"
    )


def _sweeps(source: ReportSource, part: Mapping[str, Any]) -> Iterator[str]:
    """Name the values of each swept parameter."""
    rows = source.runs.filter(pl.col("part") == part["name"])
    for swept in map(Swept.of, part.get("swept", ())):
        if swept.column in rows.columns:
            values = rows[swept.column].drop_nulls().unique().sort().to_list()
            yield f"{text(swept.key)}: " + text(", ".join(map(swept.text_of, values)))


def _flattened(values: Mapping[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, Mapping):
            flat |= {f"{key} {name}": inner for name, inner in _flattened(value).items()}
        else:
            flat[key] = value
    return flat


def _pairs(values: Mapping[str, Any]) -> str:
    rows = "".join(
        f"<dt>{text(str(key).replace('_', ' '))}</dt><dd>{text(_written(value))}</dd>"
        for key, value in values.items()
        if value is not None
    )
    return f"<dl>{rows}</dl>"


def _written(value: object) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(str, value))
    return str(value)
