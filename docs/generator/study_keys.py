"""Every key of a study and of its claims: meaning, way to write it, default and example."""

from __future__ import annotations

import types
from dataclasses import dataclass
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from annotated_types import Ge, Le

from docs.generator.markdown import code, table
from lasthop.study.claims.form import ClaimsForm
from lasthop.study.fields.descriptions import descriptions
from lasthop.study.fields.electricity import DrawOf
from lasthop.study.fields.form import Form, Number, OnOff, Quantity, QueueLimit, QueueSize, WordOr
from lasthop.study.fields.quantity import (
    ANGLE,
    ARRIVALS,
    CHARGE,
    CURRENT,
    DECIBEL,
    ENERGY,
    FRACTION,
    FREQUENCY,
    KINDS,
    LENGTH,
    PACKETS,
    POWER,
    POWER_LEVEL,
    RATE,
    RESISTANCE,
    SIZE,
    TEMPERATURE,
    TIME,
    VOLTAGE,
    Kind,
    format_quantity,
)
from lasthop.study.fields.shares import SharesOf
from lasthop.study.figures.form import FiguresForm
from lasthop.study.fleet.battery import CapacityOf
from lasthop.study.fleet.derating import TableOf
from lasthop.study.fleet.power_profile import ProfileName, power_profiles
from lasthop.study.forms.long_form import LongForm
from lasthop.study.forms.model import StudyForm
from lasthop.study.forms.short_form import ShortForm
from lasthop.study.traffic.ends import EndOf
from lasthop.study.traffic.moment import Moment
from lasthop.study.traffic.session import Session

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pydantic.fields import FieldInfo

_RADIO_NETWORK = "lasthop.study.nbiot."
_EXAMPLES = {
    TIME: "250 ms",
    SIZE: "409 B",
    RATE: "6.25 kB/s",
    FRACTION: "10 %",
    ENERGY: "5 Wh",
    PACKETS: "100 packets",
    DECIBEL: "154 dB",
    POWER_LEVEL: "46 dBm",
    LENGTH: "1732 m",
    FREQUENCY: "15 kHz",
    ANGLE: "65 deg",
    ARRIVALS: "2 /s",
    CHARGE: "8.5 Ah",
    CURRENT: "12 uA",
    POWER: "40 uW",
    VOLTAGE: "3.6 V",
    RESISTANCE: "5 ohm",
    TEMPERATURE: "-20 C",
}


@dataclass(frozen=True, slots=True)
class _Mapping:
    """A mapping of a document, under the key where it stands first."""

    document: str
    key: str
    form: type[Form]
    beside: _Mapping | None = None
    """One that has been told, whose keys it has too."""

    @property
    def target(self) -> str:
        steps = self.key.lower().replace(" ", "-").split(".")
        return "-".join([self.document, *steps]).rstrip("-")

    def holds(self) -> Iterator[tuple[str, FieldInfo, object]]:
        """Give each key with its field and its type."""
        hints = get_type_hints(self.form, include_extras=True)
        for name, field in self.form.model_fields.items():
            if name not in self._told():
                yield field.alias or name, field, hints[name]

    def _told(self) -> Iterable[str]:
        if self.beside is None:
            return ()
        shared = StudyForm if self.form is LongForm else self.beside.form
        return shared.model_fields

    def meanings(self) -> dict[str, str]:
        """Give what each key means."""
        told = descriptions(self.form)
        return {field.alias or name: told[name] for name, field in self.form.model_fields.items()}


def sections() -> str:
    """Write a section for each mapping of a study, with a row for each key."""
    return _sections("study", ("", ShortForm), ("the long form", LongForm))


def claims() -> str:
    """Write the same for a file of claims."""
    return _sections("claims", ("", ClaimsForm))


def figures() -> str:
    """Write the same for a file of figures."""
    return _sections("figures", ("", FiguresForm))


def _sections(document: str, *tops: tuple[str, type[Form]]) -> str:
    mappings = _mappings(document, tops)
    return "\n\n".join(_section(mapping, mappings) for mapping in mappings)


def units() -> str:
    """Write a row for each kind of quantity."""
    rows = [[kind.noun, " ".join(map(code, kind.units)), code(_EXAMPLES[kind])] for kind in KINDS]
    return table(["what", "units", "example"], rows)


def _mappings(document: str, tops: Iterable[tuple[str, type[Form]]]) -> list[_Mapping]:
    found: list[_Mapping] = []

    def visit(key: str, form: type[Form], *, is_top: bool = False) -> None:
        if any(issubclass(mapping.form, form) for mapping in found):
            return
        like = (mapping for mapping in found if issubclass(form, mapping.form))
        mapping = _Mapping(document, key, form, found[0] if is_top and found else next(like, None))
        found.append(mapping)
        for name, _, annotation in mapping.holds():
            own = name if is_top else f"{key}.{name}"
            for part in _parts(annotation):
                if isinstance(part, type) and issubclass(part, Form):
                    visit(_below(own, annotation, part), part)

    for key, form in tops:
        visit(key, form, is_top=True)
    return found


def _below(key: str, annotation: object, form: type[Form]) -> str:
    """Name where a mapping stands: at a key, under names of the study's own, or in a list."""
    if get_origin(annotation) is dict:
        return f"{key}.NAME"
    return f"{key}.NUMBER" if list[form] in _parts(annotation) else key  # type: ignore[valid-type]


def _section(mapping: _Mapping, mappings: Sequence[_Mapping]) -> str:
    meanings = mapping.meanings()
    rows = [
        [
            code(name),
            meanings[name].replace("\n", " "),
            " or ".join(dict.fromkeys(_ways(annotation, mappings))),
            _default(field, annotation, mapping.form),
        ]
        for name, field, annotation in mapping.holds()
    ]
    examples = [
        f"{name}: {field.examples[0]}" for name, field, _ in mapping.holds() if field.examples
    ]
    return "\n\n".join(
        [
            f"({mapping.target})=",
            f"## {_title(mapping)}",
            _summary(mapping),
            table(["key", "meaning", "written as", "default"], rows),
            "Examples, one a line:",
            "```yaml\n" + "\n".join(examples) + "\n```",
        ]
    )


def _title(mapping: _Mapping) -> str:
    if " " in mapping.key or not mapping.key:
        return (mapping.key or f"the {mapping.document}").capitalize()
    return code(mapping.key)


def _summary(mapping: _Mapping) -> str:
    summary = str(mapping.form.__doc__).partition("\n")[0]
    if mapping.beside is None:
        return summary
    name = code(mapping.beside.key) if mapping.beside.key else "the short form"
    if mapping.form is LongForm:
        return f"{summary} The other keys are those of [{name}](#{mapping.beside.target})."
    return f"{summary} It has the keys of [{name}](#{mapping.beside.target}), and these."


def _parts(annotation: object) -> Iterator[object]:
    """Give a type and all that it is made of."""
    yield annotation
    for part in get_args(annotation):
        if not isinstance(part, str):
            yield from _parts(part)


def _ways(annotation: object, mappings: Sequence[_Mapping]) -> Iterator[str]:
    """Give each way in which a value of this type is written."""
    arguments = get_args(annotation)
    match get_origin(annotation):
        case origin if origin is Annotated:
            inner, *marks = arguments
            marked = [way for mark in marks for way in _marked(mark)]
            yield from marked or [way + _bounds(marks) for way in _ways(inner, mappings)]
        case origin if origin in (Union, types.UnionType):
            for part in arguments:
                yield from _ways(part, mappings)
        case origin if origin is Literal:
            yield ", ".join(code(str(word)) for word in arguments)
        case origin if origin is list:
            yield f"a list; each is {' or '.join(_ways(arguments[0], mappings))}"
        case origin if origin is dict:
            ways = dict.fromkeys(_ways(arguments[1], mappings)) if arguments[1] is not Any else ()
            each = f"; each is {' or '.join(ways)}" if ways else ""
            yield f"a mapping with names of your own{each}" if each else "a mapping of your own"
        case _:
            yield from _plain(annotation, mappings)


def _plain(annotation: object, mappings: Sequence[_Mapping]) -> Iterator[str]:
    if isinstance(annotation, type) and issubclass(annotation, Form):
        first = next(mapping for mapping in mappings if issubclass(mapping.form, annotation))
        yield f"[a mapping](#{first.target})"
    elif annotation is int:
        yield "a count"
    elif annotation is str:
        yield "a text"
    elif annotation is Any:
        yield "a quantity, a number or words"


_OF_BATTERIES: dict[type, tuple[str, ...]] = {
    DrawOf: tuple(f"[{kind.noun}](#units)" for kind in (CURRENT, POWER)),
    CapacityOf: tuple(f"[{kind.noun}](#units)" for kind in (CHARGE, ENERGY)),
    ProfileName: (*map(code, power_profiles()), "a file"),
    TableOf: ("a mapping of [temperatures](#units) to [percentages](#units)", "a file"),
}


def _marked(mark: object) -> Iterator[str]:
    yield from _OF_BATTERIES.get(type(mark), ())
    match mark:
        case Moment(kind=kind):
            yield from (f"[{kind.noun}](#units)", code("06:30"), code("mon 06:30"))
        case WordOr(kind=kind, words=words):
            yield from (f"[{kind.noun}](#units)", *map(code, words))
        case Quantity(kind=kind):
            yield f"[{kind.noun}](#units)"
        case QueueSize():
            yield from (f"[{kind.noun}](#units)" for kind in (SIZE, PACKETS))
        case Session():
            yield f"{code('keep')}, {code('established')}, {code('per_message')}, {code('per 10')}"
        case EndOf(example=example):
            yield f"a name, or a share as {code(f'10 % of {example}')}"
        case SharesOf(kind=kind):
            yield f"{kind.noun} and its share of the devices, of each stratum"
        case OnOff():
            yield f"{code('on')}, {code('off')}"
        case Number(above=above, maximum=most):
            yield f"a number above {above:g}, at most {most:.10g}"


def _bounds(marks: Sequence[object]) -> str:
    found = [bound for mark in marks for bound in getattr(mark, "metadata", [mark])]
    least = next((bound.ge for bound in found if isinstance(bound, Ge)), None)
    most = next((bound.le for bound in found if isinstance(bound, Le)), None)
    return "" if least is None or most is None else f", {least} to {most}"


def _default(field: FieldInfo, annotation: object, form: type[Form]) -> str:
    if field.is_required():
        return "required"
    default = field.get_default(call_default_factory=True)
    if default is None and form.__module__.startswith(_RADIO_NETWORK):
        return "[as in the base](nbiot-presets.md)"
    if default is None or default == []:
        return "none"
    if isinstance(default, Form):
        return "its own defaults"
    kinds = [part.kind for part in _parts(annotation) if isinstance(part, Quantity)]
    return code(_written(default, next(iter(kinds), None)))


def _written(value: object, kind: Kind | None) -> str:
    match value:
        case bool():
            return "on" if value else "off"
        case list():
            return f"[{', '.join(map(str, value))}]"
        case QueueLimit(amount=amount, unit=unit):
            return format_quantity(amount, SIZE if unit == "bytes" else PACKETS)
        case int() | float() if kind is not None:
            return format_quantity(value, kind)
    return str(value)
