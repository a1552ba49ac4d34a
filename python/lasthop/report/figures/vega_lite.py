"""The little of Vega-Lite that figures are made of, as objects that become its JSON.

Altair says the same in the same words, but loading it and its copies and checks of its objects take
as long as all the rest of a report. Tests hold what is written here against Altair's schema.
"""

from dataclasses import dataclass, field
from typing import Any, Self

VERSION = "6.4.1"
"""Version of Vega-Lite."""
SCHEMA = f"https://vega.github.io/schema/vega-lite/v{VERSION}.json"

Spec = dict[str, Any]

_TYPES = {"Q": "quantitative", "N": "nominal"}


class Properties:
    """Properties by their names in Vega-Lite; None is written, what is not given is not."""

    def __init__(self, **given: Any) -> None:  # noqa: ANN401  (JSON)
        self.__dict__.update(given)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  (JSON)
        """Give None for what is not there, and the value of what is."""
        if name.startswith("__"):
            raise AttributeError(name)
        return None

    def __setattr__(self, name: str, value: Any) -> None:  # noqa: ANN401  (JSON)
        """Set a property."""
        self.__dict__[name] = value

    def spec(self) -> Spec:
        """Write it as Vega-Lite has it."""
        return {name: _plain(value) for name, value in vars(self).items()}


class Scale(Properties):
    """From data to positions, colours, shapes or dashes."""


class Axis(Properties):
    """The ticks and words along an axis."""


class Legend(Properties):
    """Meaning of colours, shapes and dashes."""


class Field(Properties):
    """An encoding by a field, written ``"latency:Q"`` or ``"stack:N"``."""

    def __init__(self, shorthand: str, **given: Any) -> None:  # noqa: ANN401  (JSON)
        name, _, kind = shorthand.partition(":")
        super().__init__(field=name, type=_TYPES[kind], **given)


class Color(Field):
    """A colour by a field."""


class Shape(Field):
    """A symbol by a field."""


class StrokeDash(Field):
    """A pattern of dashes by a field."""


class X(Field):
    """A place across."""


class Y(Field):
    """A place down."""


class End(Properties):
    """The other end of a mark that has two, by a field of the same kind as the first."""

    def __init__(self, name: str) -> None:
        super().__init__(field=name)


class Value(Properties):
    """The same for all marks of a layer, in pixels or as a style."""

    def __init__(self, value: float | str) -> None:
        super().__init__(value=value)


class Datum(Properties):
    """A value of the data for all marks of a layer."""

    def __init__(self, datum: str, **given: Any) -> None:  # noqa: ANN401  (JSON)
        super().__init__(datum=datum, **given)


@dataclass(frozen=True, slots=True)
class Layer:
    """Marks of one kind over the rows of one dataset."""

    data: str
    mark: Spec = field(default_factory=dict)
    encoding: Spec = field(default_factory=dict)

    def marked(self, kind: str, **style: Any) -> Self:  # noqa: ANN401  (JSON)
        """Return it with marks of this kind: line, area, point, rule, tick, text, bar or rect."""
        return type(self)(self.data, {"type": kind, **style}, self.encoding)

    def encoded(self, **channels: Any) -> Self:  # noqa: ANN401  (JSON)
        """Return it with what its marks show."""
        return type(self)(self.data, self.mark, _plain(channels))

    def spec(self) -> Spec:
        """Write it as Vega-Lite has it."""
        return {"data": {"name": self.data}, "mark": self.mark, "encoding": self.encoding}


@dataclass(frozen=True, slots=True)
class Chart:
    """Layers over each other, of one height in pixels."""

    layers: tuple[Layer, ...]
    height: int

    def spec(self) -> Spec:
        """Write it as Vega-Lite has it, without its data."""
        return {"height": self.height, "layer": [layer.spec() for layer in self.layers]}


def side_by_side(charts: list[Spec], *, title: str, columns: int) -> Spec:
    """Lay charts in columns, with one legend."""
    shared = dict.fromkeys(("color", "shape", "strokeDash"), "shared")
    return {
        "$schema": SCHEMA,
        "title": {"text": title, "fontSize": 16},
        "columns": columns,
        "concat": charts,
        "resolve": {"scale": shared},
    }


def _plain(value: Any) -> Any:  # noqa: ANN401  (JSON)
    if isinstance(value, Properties):
        return value.spec()
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value
