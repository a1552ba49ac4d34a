"""Catalogue of applications, layers and options. The compiled part provides it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, Self

from lasthop.compiled import compiled_part
from lasthop.extensions.catalogue import extended
from lasthop.study.stacks.external import FOREIGN_APPLICATIONS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

OptionKind = Literal["word", "switch", "time", "seconds", "size", "count", "number", "name"]

LAYERS = "layers"
"""Value of `needs` for an option that applies only with certain layers."""


@dataclass(frozen=True, slots=True)
class Option:
    """An option of an application or a layer.

    Parameters
    ----------
    name
        As written, with the prefix of its layer unless that is the first one.
    words
        The values of a word or a switch; empty for the other kinds.
    default
        Default value, which the resolved stack contains; None is omitted.
    follows
        Earlier option that decides the default: its value, or the value that `by` maps it to.
    needs
        Another option and the values of it with which this option applies.
    unless
        Another option and the values of it with which this option does not apply.
    minimum, maximum
        Bounds of a size, a count, a number or of whole seconds; 0 s is always allowed.
    credentials
        Credentials that both ends present, by value of the option.
    """

    name: str
    summary: str
    kind: OptionKind = "word"
    words: tuple[str, ...] = ()
    default: str | None = None
    follows: str | None = None
    by: Mapping[str, str] | None = None
    needs: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    minimum: float = 0
    maximum: float = 0
    credentials: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, entry: Mapping[str, Any], *, prefix: str = "") -> Self:
        """Parse an option of the catalogue. `prefix` is the prefix of its layer."""
        follows, needs = entry["follows"], entry["needs"]
        is_barred = bool(needs and needs["is_barred"])
        condition = _needs(needs, prefix) if needs else ()
        return cls(
            name=prefix + entry["name"],
            summary=entry["summary"],
            kind=entry["kind"],
            words=("off", "on") if entry["kind"] == "switch" else tuple(entry["words"]),
            default=entry["default"],
            follows=follows and prefix + follows["option"],
            by=(follows and follows["by"]) or None,
            needs=() if is_barred else condition,
            unless=condition if is_barred else (),
            minimum=entry["minimum"] or 0,
            maximum=entry["maximum"] or 0,
            credentials=entry["credentials"],
        )


@dataclass(frozen=True, slots=True)
class Application:
    """An application protocol.

    Parameters
    ----------
    over
        Possible lower layers without IP, the default first.
    built
        Lower layers that are implemented.
    ports
        Default ports of its servers, by lower layers such as `tls/tcp`.
    has_topics
        Whether devices can subscribe to messages of other devices.
    """

    name: str
    summary: str
    over: tuple[tuple[str, ...], ...]
    built: tuple[tuple[str, ...], ...]
    ports: Mapping[str, int]
    has_topics: bool
    options: tuple[Option, ...]

    @classmethod
    def read(cls, entry: Mapping[str, Any]) -> Self:
        """Parse an application of the catalogue."""
        return cls(
            name=entry["name"],
            summary=entry["summary"],
            over=tuple(map(tuple, entry["over"])),
            built=tuple(map(tuple, entry["built"])),
            ports=entry["ports"],
            has_topics=entry["has_topics"],
            options=tuple(map(Option.read, entry["options"])),
        )


@dataclass(frozen=True, slots=True)
class Layer:
    """A protocol layer below an application."""

    name: str
    summary: str
    options: tuple[Option, ...]

    @classmethod
    def read(cls, entry: Mapping[str, Any]) -> Self:
        """Parse a layer of the catalogue."""
        prefix = f"{entry['name']}."
        options = tuple(Option.read(option, prefix=prefix) for option in entry["options"])
        return cls(entry["name"], entry["summary"], options)


@dataclass(frozen=True, slots=True)
class Link:
    """A link of an extension, which can be a hop."""

    name: str
    summary: str
    options: tuple[Option, ...]

    @classmethod
    def read(cls, entry: Mapping[str, Any]) -> Self:
        """Parse a link of the catalogue."""
        return cls(entry["name"], entry["summary"], tuple(map(Option.read, entry["options"])))


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All applications, layers, links and options that a study can name.

    Parameters
    ----------
    links
        Links of extensions.
    aliases
        Short names of an application with its lower layers.
    implied
        Default lower layers of a layer, including itself.
    everywhere
        Options of every stack.
    """

    applications: Mapping[str, Application]
    layers: Mapping[str, Layer]
    links: Mapping[str, Link]
    aliases: Mapping[str, tuple[str, tuple[str, ...]]]
    implied: Mapping[str, tuple[str, ...]]
    everywhere: tuple[Option, ...]

    @classmethod
    def read(cls, content: Mapping[str, Any]) -> Self:
        """Parse the catalogue."""
        applications = (*content["applications"], *FOREIGN_APPLICATIONS)
        return cls(
            applications={entry["name"]: Application.read(entry) for entry in applications},
            layers={entry["name"]: Layer.read(entry) for entry in content["layers"]},
            links={entry["name"]: Link.read(entry) for entry in content["links"]},
            aliases={name: (of, tuple(over)) for name, (of, over) in content["aliases"].items()},
            implied={name: tuple(over) for name, over in content["implied"].items()},
            everywhere=REAL_SOFTWARE,
        )

    def with_topics(self) -> list[str]:
        """Return the applications with topics that can be run."""
        known = self.applications.values()
        return [one.name for one in known if one.has_topics and one.built]

    def options_of(self, layer: str) -> tuple[Option, ...]:
        """Return the options of an application or a layer."""
        if layer in self.applications:
            return self.applications[layer].options
        return self.layers[layer].options if layer in self.layers else ()

    def completed(self, layers: Sequence[str]) -> tuple[str, ...]:
        """Return layers with the implied lower layers added."""
        *upper, lowest = layers
        return (*upper, *self.implied.get(lowest, (lowest,)))

    def options(self) -> frozenset[str]:
        """Return the names of all options."""
        names = (*self.applications, *self.layers)
        return frozenset(option.name for name in names for option in self.options_of(name))


_IMPLEMENTATION = Option("impl", "which real software is run", kind="name")
_CLIENT = Option("client", "which real software the devices are", kind="name")
REAL_SOFTWARE = (_IMPLEMENTATION, _CLIENT)
"""Options that select real software. They belong to the engine and are in no simulated run spec."""


@cache
def catalogue() -> Catalogue:
    """Return the catalogue of the compiled part, including extensions.

    Raises
    ------
    EnvironmentFailure
        The compiled part of lasthop is missing.
    UsageError
        An extension does not fit.
    """
    with compiled_part():
        from lasthop import _native  # noqa: PLC0415  (help and versions do without it)
    return Catalogue.read(extended(json.loads(_native.stack_catalogue())))


def _needs(needs: Mapping[str, Any], prefix: str) -> tuple[str, ...]:
    name = needs["option"]
    return (name if name == LAYERS else prefix + name, *needs["values"])
