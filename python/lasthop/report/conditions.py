"""The end of a page: under which conditions, with which versions, from which folders."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl
from markupsafe import Markup

from lasthop.answer.points import Swept
from lasthop.report.markup import Styles, code, lines, stack_name, table
from lasthop.report.section import Section
from lasthop.report.source import ReportSource
from lasthop.report.templating import render

_NOT_A_VERSION = {"study", "format"}


def conditions_section(source: ReportSource, styles: Styles) -> Section:
    """Write the base settings of the study and its stacks with every default."""
    study = source.study
    settings = {
        **study.get("conditions", {}),
        "repetitions": study.get("repeat"),
        "seed": study.get("seed"),
    }
    stacks = [
        [stack_name(entry["name"], styles), code(entry.get("resolved") or "")]
        for entry in study.get("stacks", ())
    ]
    swept = [
        [part["name"], lines(_sweeps(source, part)) or "nothing"] for part in study.get("parts", ())
    ]
    body = render(
        "conditions.html",
        settings=_pairs(settings),
        stacks=table(["Stack", "Resolved"], stacks),
        parts=table(["Part", "Sweeps"], swept),
    )
    digest = "the network, the traffic, every stack with its defaults"
    return Section("conditions", "Conditions", digest, body)


def versions_section(source: ReportSource) -> Section:
    """Write the manifests of the folders."""
    shown = [
        (name, {key: value for key, value in manifest.items() if key not in _NOT_A_VERSION})
        for name, manifest in zip(source.folders, source.manifests, strict=True)
    ]
    folders = [(name, _pairs(_flattened(values))) for name, values in shown]
    body = render("versions.html", folders=folders)
    return Section("versions", "Versions", f"lasthop {source.manifests[0].get('lasthop')}", body)


def _sweeps(source: ReportSource, part: Mapping[str, Any]) -> Iterator[str]:
    """Name the values of each swept parameter."""
    rows = source.runs.filter(pl.col("part") == part["name"])
    for swept in map(Swept.of, part.get("swept", ())):
        if swept.column in rows.columns:
            values = rows[swept.column].drop_nulls().unique().sort().to_list()
            yield f"{swept.key}: {', '.join(map(swept.text_of, values))}"


def _flattened(values: Mapping[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, Mapping):
            flat |= {f"{key} {name}": inner for name, inner in _flattened(value).items()}
        else:
            flat[key] = value
    return flat


def _pairs(values: Mapping[str, Any]) -> Markup:
    pairs = [
        (str(key).replace("_", " "), _written(value))
        for key, value in values.items()
        if value is not None
    ]
    return render("pairs.html", pairs=pairs)


def _written(value: object) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(str, value))
    return str(value)
