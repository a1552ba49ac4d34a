"""How a figure looks on paper: its width, its letters, its words."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lasthop.errors import UsageError
from lasthop.report.figures.figure import Figure, export_spec

LANGUAGES = {"de": "de-DE", "en": "en-US", "es": "es-ES", "fr": "fr-FR", "it": "it-IT"}
"""Languages of numbers, with the locale of d3 that writes them."""
PX_PER_MM = 72 / 25.4
"""A pixel of a figure is a point on paper, as in a PDF."""
LEAST_MM, MOST_MM = 40.0, 600.0
LEAST_PT, MOST_PT = 4.0, 40.0

_USUAL_PT = 12.0
_NARROW_MM = 130.0
_LETTERS_PER_EM = 1.75
_UNIT = re.compile(r" \([^()]*\)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureLook:
    """The look of an exported figure; what is not given is as in the report.

    Parameters
    ----------
    width_mm : float or None
        The width of the whole picture.
    font_pt : float or None
        The size of its letters.
    title : str or None
        The title; an empty one leaves title and explanation out.
    labels : mapping of str to str
        Other words for axis titles (without their units), headings of panels and stacks.
    language : str or None
        Whose decimal comma and thousands numbers have.
    """

    width_mm: float | None = None
    font_pt: float | None = None
    title: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    language: str | None = None

    def __post_init__(self) -> None:
        """Refuse what no paper has.

        Raises
        ------
        UsageError
            A size is out of its range, or the language is unknown.
        """
        if self.width_mm is not None and not LEAST_MM <= self.width_mm <= MOST_MM:
            message = f"--width: {self.width_mm:g} mm; write {LEAST_MM:g} to {MOST_MM:g} mm"
            raise UsageError(message)
        if self.font_pt is not None and not LEAST_PT <= self.font_pt <= MOST_PT:
            message = f"--font-size: {self.font_pt:g} pt; write {LEAST_PT:g} to {MOST_PT:g} pt"
            raise UsageError(message)
        if self.language is not None and self.language not in LANGUAGES:
            known = ", ".join(LANGUAGES)
            message = f'--language: "{self.language}" is unknown; write one of {known}'
            raise UsageError(message)

    @property
    def is_usual(self) -> bool:
        """Whether nothing is asked for."""
        return self == FigureLook()

    @property
    def locale(self) -> str | None:
        """The locale of numbers, as d3 names it."""
        return None if self.language is None else LANGUAGES[self.language]

    @property
    def font_scale(self) -> float:
        """By how much letters are larger than in the report."""
        return 1.0 if self.font_pt is None else self.font_pt / _USUAL_PT

    def spec(self, figure: Figure, *, chart_width: float | None = None) -> dict[str, Any]:
        """Write a figure as one Vega-Lite spec, explanation included.

        Parameters
        ----------
        figure : Figure
            What is drawn.
        chart_width : float or None
            The width of each panel in pixels.

        Raises
        ------
        UsageError
            A label renames what is not in the figure.
        """
        spec = export_spec(figure.panels, title=figure.title)
        if self.is_narrow:
            spec["columns"] = 1
        if chart_width is not None:
            for chart in spec["concat"]:
                chart["width"] = chart_width
        renamed = _Renaming(self.labels)
        spec = renamed.of(spec)
        renamed.check(figure)
        if self.width_mm is not None:
            across = self.width_mm * PX_PER_MM / spec["columns"]
            letters = int(_LETTERS_PER_EM * across / (13 * self.font_scale))
            for chart in spec["concat"]:
                chart["title"] = _wrapped(chart["title"], max(12, letters))
        return self._titled(self.scaled(spec) if self.font_pt else spec, figure)

    @property
    def is_narrow(self) -> bool:
        """Whether panels and legend have one column."""
        return self.width_mm is not None and self.width_mm < _NARROW_MM

    def scaled(self, config: dict[str, Any]) -> dict[str, Any]:
        """Return a configuration with letters of the wanted size."""
        if self.is_narrow and "legend" in config:
            config = config | {"legend": config["legend"] | {"columns": 1}}
        if self.font_pt is None:
            return config
        return {key: self._scaled(key, value) for key, value in config.items()}

    def _titled(self, spec: dict[str, Any], figure: Figure) -> dict[str, Any]:
        if self.title == "":
            return {key: value for key, value in spec.items() if key != "title"}
        text = spec["title"]["text"] if self.title is None else self.title
        size = 11 * self.font_scale
        pixels = 780.0 if self.width_mm is None else self.width_mm * PX_PER_MM
        letters = max(20, int(_LETTERS_PER_EM * pixels / size))
        title = {
            "text": _wrapped(text, max(16, int(letters * 11 / 17))),
            "fontSize": 16 * self.font_scale,
            "subtitle": _wrapped(_explanation(figure), letters),
            "subtitleFontSize": size,
            "subtitlePadding": 6,
        }
        return spec | {"title": title}

    def _scaled(self, key: str, value: Any) -> Any:  # noqa: ANN401  (JSON)
        if isinstance(value, dict):
            return {name: self._scaled(name, inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [self._scaled(key, inner) for inner in value]
        is_size = key.lower().endswith("fontsize") and isinstance(value, int | float)
        return value * self.font_scale if is_size else value


class _Renaming:
    """Puts other words for those of a figure, and notes which were found."""

    def __init__(self, labels: Mapping[str, str]) -> None:
        self._labels = labels
        self._found: set[str] = set()

    def of(self, value: Any, *, is_text: bool = False) -> Any:  # noqa: ANN401  (JSON)
        """Rename in a spec: titles, and the names of stacks in the data."""
        if isinstance(value, dict):
            return {
                key: self.of(inner, is_text=key in {"title", "text", "stack", "domain", "values"})
                for key, inner in value.items()
            }
        if isinstance(value, list):
            return [self.of(inner, is_text=is_text) for inner in value]
        return self._renamed(value) if is_text and isinstance(value, str) else value

    def check(self, figure: Figure) -> None:
        """Refuse a label that renames nothing."""
        missing = next((label for label in self._labels if label not in self._found), None)
        if missing is not None:
            known = ", ".join(dict.fromkeys(_texts(figure)))
            message = f'--label: the figure {figure.name} has no text "{missing}"'
            raise UsageError(f"{message}; its texts are {known}")

    def _renamed(self, text: str) -> str:
        unit = _UNIT.search(text)
        for before, ending in ((text, ""), (_UNIT.sub("", text), unit[0] if unit else "")):
            if before in self._labels:
                self._found.add(before)
                return self._labels[before] + ending
        return text


def _texts(figure: Figure) -> Sequence[str]:
    found: list[str] = []

    def walk(value: Any, key: str) -> None:  # noqa: ANN401  (JSON)
        if isinstance(value, dict):
            for name, inner in value.items():
                if name != "tooltip":
                    walk(inner, name)
        elif isinstance(value, list):
            for inner in value:
                walk(inner, key)
        elif key == "title" and isinstance(value, str):
            found.append(_UNIT.sub("", value))

    for panel in figure.panels:
        found.append(panel.title)
        walk({key: value for key, value in panel.chart.spec().items() if key != "data"}, "")
    return [*found, *figure.legend_entries]


def _explanation(figure: Figure) -> str:
    constant = " ".join(f"{line} for every stack at every point." for line in figure.constant)
    what = f"{figure.dataset}, runs: {figure.runs}; {figure.interval}."
    return " ".join(filter(None, (figure.reading, constant, what)))


def _wrapped(text: str, letters: int) -> list[str]:
    lines = [""]
    for word in text.split(" "):  # a number stays with its unit
        joined = f"{lines[-1]} {word}".strip()
        if len(joined) <= letters or not lines[-1]:
            lines[-1] = joined
        else:
            lines.append(word)
    return lines
