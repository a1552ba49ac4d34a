"""Stacks of one protocol that differ in one option."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lasthop.study.stacks.catalogue import catalogue


@dataclass(frozen=True, slots=True)
class Arrangement:
    """A stack taken apart.

    Parameters
    ----------
    name
        What the study calls it.
    layers
        From the application down: ``mqtt/tcp/ip``.
    options
        Every option that applies, defaults too.
    """

    name: str
    layers: str
    options: Mapping[str, str]

    @property
    def protocol(self) -> str:
        """The application protocol."""
        return self.layers.partition("/")[0]


def arrangements(study: Mapping[str, Any]) -> tuple[Arrangement, ...]:
    """Take apart the stacks of a study as the manifest holds it."""
    return tuple(
        _arrangement(stack["name"], stack["resolved"]) for stack in study.get("stacks") or ()
    )


def only_difference(first: Arrangement, second: Arrangement) -> str | None:
    """Return the only option in which two stacks differ, or None.

    An option that follows the differing one by its default, or that means something with one of
    its values only, does not count.

    Examples
    --------
    >>> con = _arrangement("coap", "coap/udp/ip type=con nstart=1 push=post")
    >>> non = _arrangement("coap type=non", "coap/udp/ip type=non push=post")
    >>> only_difference(con, non)
    'type'
    """
    if first.layers != second.layers:
        return None
    differing = [
        name for name, value in first.options.items() if second.options.get(name, value) != value
    ]
    leading = [name for name in differing if _followed(first, name) not in differing]
    return leading[0] if len(leading) == 1 else None


def _followed(stack: Arrangement, name: str) -> str | None:
    """Return the option that gives this one its default."""
    layers = stack.layers.split("/")
    known = (option for layer in layers for option in catalogue().options_of(layer))
    return next((option.follows for option in known if option.name == name), None)


def _arrangement(name: str, resolved: str) -> Arrangement:
    if "; " in resolved:  # what several groups speak differs in more than one option
        return Arrangement(name, resolved, {})
    layers, *options = resolved.split()
    pairs = (option.partition("=") for option in options)
    return Arrangement(name, layers, {key: value for key, _, value in pairs})
