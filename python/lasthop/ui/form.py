"""Edits a study as a form: lists the fields of its YAML, and changes one of them."""

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap
from ruamel.yaml.error import YAMLError

Location = tuple[str, ...]
KINDS = ("round_trip", "report", "command")
"""Kinds of traffic that the form can write."""

_WIDE = 100_000


@dataclass(frozen=True, slots=True)
class Field:
    """One field of the form.

    Parameters
    ----------
    name : str
        What the page calls it.
    section : str
        The heading above it.
    label : str
        What a reader sees.
    location : tuple of str or None
        Where its value is in the study; None where the study's shape has no place for it.
    example : str
        A value, shown in the empty field.
    choices : tuple of str
        The values to choose from, if there are only some.
    lines : bool
        Whether it has one value a line.
    """

    name: str
    section: str
    label: str
    location: Location | None
    example: str = ""
    choices: tuple[str, ...] = ()
    lines: bool = False


class StudyForm:
    """The form of one text of a study. A text that is not YAML has no fields."""

    def __init__(self, text: str) -> None:
        self._yaml = YAML()
        self._yaml.preserve_quotes = True
        self._yaml.width = _WIDE
        try:
            read = self._yaml.load(text)
        except (YAMLError, ValueError):
            read = None
        self._study: CommentedMap = read if isinstance(read, CommentedMap) else CommentedMap()
        self.is_readable = isinstance(read, CommentedMap)

    @property
    def fields(self) -> tuple[Field, ...]:
        """Fields of the form, each with its place in this study's YAML."""
        path, flow, group = self._path(), self._flow(), self._group()
        kind = self._kind(flow)
        around = _below(path, "delay")
        if isinstance(self._at(around), Mapping):
            around = _below(around, "around")
        return (
            Field("loss", "Network", "Loss", _below(path, "loss"), "10 %"),
            Field("delay", "Network", "Delay, one way", around, "100 ms"),
            Field("rate", "Network", "Rate", _below(path, "rate"), "50 kbit/s"),
            Field("queue", "Network", "Queue", _below(path, "queue"), "64 kB"),
            Field("count", "Fleet", "Devices", _below(group, "count"), "20"),
            Field("battery", "Fleet", "Battery", _below(group, "battery"), "30 Wh"),
            *self._tariff_fields(),
            Field("kind", "Traffic", "Kind", _below(flow, kind), choices=KINDS),
            Field("payload", "Traffic", "Message", _below(flow, kind), "200 B"),
            Field("every", "Traffic", "Every", _below(flow, "every"), "15 s"),
            Field("duration", "Traffic", "For", ("duration",), "10 min"),
            Field("stacks", "Stacks", "One a line", ("stacks",), "mqtt qos=1", lines=True),
            Field(
                "require",
                "Requirements",
                "One a line",
                ("decide", "require"),
                "delivery_ratio >= 99 %",
                lines=True,
            ),
            Field("minimise", "Requirements", "Minimise", ("decide", "minimise"), "latency_p95"),
            Field("repeat", "Requirements", "Repetitions", ("repeat",), "5"),
        )

    def _tariff_fields(self) -> tuple[Field, ...]:
        """Give a field for the name of a tariff, or one for each of its prices."""
        if not isinstance(self._at(("tariff",)), Mapping):
            return (Field("tariff", "Tariff", "Name", ("tariff",), "hologram"),)
        return tuple(
            Field(name, "Tariff", label, ("tariff", key), example)
            for name, label, key, example in (
                ("tariff", "Like", "like", "hologram"),
                ("fee", "Fee", "fee", "1 USD/month"),
                ("price", "Price", "price", "0.30 USD/MB"),
                ("included", "Included", "included", "5 MB/month"),
            )
        )

    def json(self) -> dict[str, Any]:
        """Write the form for the page, with what it cannot express."""
        fields = self.fields if self.is_readable else ()
        shown = [
            {
                "choices": list(field.choices),
                "example": field.example,
                "key": ".".join(field.location or ()),
                "label": field.label,
                "lines": field.lines,
                "name": field.name,
                "section": field.section,
                "value": self._shown(field),
            }
            for field in fields
        ]
        return {"fields": shown, "only_yaml": list(self._only_in_yaml())}

    def changed(self, name: str, value: str) -> str:
        """Return the text of the study with one field changed; comments stay.

        An empty value removes the key.
        """
        field = next(field for field in self.fields if field.name == name)
        if field.location is None or self._shown(field) is None:
            message = f"the form cannot write {name} in this study"
            raise ValueError(message)
        if name == "kind":
            self._rename(field.location, value)
        else:
            self._put(field.location, _written(field, value, self._at(field.location)))
        out = io.StringIO()
        self._yaml.dump(self._study, out)
        return out.getvalue()

    def _shown(self, field: Field) -> str | None:
        """Give what stands in a field; None where only the YAML can say it."""
        if field.location is None or not self._reaches(field.location):
            return None
        value = self._at(field.location)
        if field.name == "kind":
            return field.location[-1]
        if field.lines:
            return _lines(value)
        if isinstance(value, Mapping | list):
            return None
        return "" if value is None else str(value)

    def _reaches(self, location: Location) -> bool:
        """Whether a key can be written here: all above it are mappings, or missing."""
        above = [self._at(location[:depth]) for depth in range(1, len(location))]
        return all(value is None or isinstance(value, Mapping) for value in above)

    def _at(self, location: Location | None) -> Any:  # noqa: ANN401  (whatever YAML holds)
        value: Any = self._study
        for key in location or ():
            value = value.get(key) if isinstance(value, Mapping) else None
        return value

    def _put(self, location: Location, value: object) -> None:
        inner = self._study
        for key in location[:-1]:
            if not isinstance(inner.get(key), Mapping):
                inner[key] = CommentedMap()
            inner = inner[key]
        if value is None:
            inner.pop(location[-1], None)
        else:
            inner[location[-1]] = value

    def _rename(self, location: Location, new: str) -> None:
        inner, old = self._at(location[:-1]), location[-1]
        if new == old or not isinstance(inner, CommentedMap):
            return
        place = list(inner).index(old) if old in inner else 0
        inner.insert(place, new, inner.pop(old, "200 B"))

    def _path(self) -> Location | None:
        """Find the one path; None where there are several or it is a list of hops."""
        if "paths" not in self._study:
            return None if "fleet" in self._study else ("path",)
        return self._only("paths")

    def _group(self) -> Location | None:
        return self._only("fleet") if "fleet" in self._study else None

    def _flow(self) -> Location | None:
        traffic = self._study.get("traffic")
        if not isinstance(traffic, Mapping):
            return ("traffic",) if traffic is None else None
        if any(kind in traffic for kind in KINDS):
            return ("traffic",)
        return self._only("traffic")

    def _kind(self, flow: Location | None) -> str:
        found = self._at(flow) if flow else None
        written = [kind for kind in KINDS if isinstance(found, Mapping) and kind in found]
        return written[0] if written else KINDS[1]

    def _only(self, key: str) -> Location | None:
        there = self._study.get(key)
        if isinstance(there, Mapping) and len(there) == 1:
            name = str(next(iter(there)))
            return (key, name) if isinstance(there[name], Mapping) else None
        return None

    def _only_in_yaml(self) -> Iterator[str]:
        """Name the keys that no field shows."""
        shown = {
            field.location
            for field in self.fields
            if field.location is not None and self._shown(field) is not None
        }
        yield from _uncovered(self._study, (), shown) if self.is_readable else ()


def _uncovered(value: Mapping[str, Any], at: Location, shown: set[Location]) -> Iterator[str]:
    for key, inner in value.items():
        here = (*at, str(key))
        if here in shown:
            continue
        below = any(other[: len(here)] == here for other in shown)
        if below and isinstance(inner, Mapping):
            yield from _uncovered(inner, here, shown)
        else:
            yield ".".join(here)


def _below(location: Location | None, key: str) -> Location | None:
    return None if location is None else (*location, key)


def _lines(value: object) -> str | None:
    if value is None:
        return ""
    if isinstance(value, Mapping):
        entries = [f"{name}: {inner}" for name, inner in value.items()]
        plain = all(isinstance(inner, str) for inner in value.values())
    elif isinstance(value, list):
        entries, plain = [str(one) for one in value], all(isinstance(one, str) for one in value)
    else:
        return None
    return "\n".join(entries) if plain else None


def _written(field: Field, value: str, before: object) -> object:
    """Give what YAML holds for what stands in a field; None for nothing."""
    text = value.strip()
    if not field.lines:
        return int(text) if re.fullmatch(r"[0-9]{1,9}", text) else text or None
    entries: Sequence[str] = [line.strip() for line in value.splitlines() if line.strip()]
    if field.name == "stacks" and isinstance(before, CommentedMap):
        pairs = [entry.partition(": ") for entry in entries]
        if all(colon for _, colon, _ in pairs):
            before.clear()
            before.update((name, stack) for name, _, stack in pairs)
            return before
    if isinstance(before, list):
        before[:] = entries
        return before
    return list(entries) or None
