"""Parses the notation of stacks: ``mqtt/tls/tcp qos=1 tls.resume=ticket``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lasthop.study.stacks.catalogue import REAL_SOFTWARE, Application, Option, catalogue
from lasthop.study.stacks.options import read_options
from lasthop.study.text.faults import Fault, show, suggestion

if TYPE_CHECKING:
    from collections.abc import Mapping

MAXIMUM_CHARACTERS = 1000

_LISTING = "lasthop stacks"


@dataclass(frozen=True, slots=True)
class ResolvedStack:
    """A stack with all layers and defaults.

    Parameters
    ----------
    name
        Name from the study, or else the notation.
    written
        The notation as written, alternatives chosen.
    layers
        Layers from the application down to IP.
    options
        Every option that applies, in the order of the catalogue.
    reason
        Why the stack cannot be run; None if it can.
    credentials
        Credentials that both ends present to each other.
    """

    name: str
    written: str
    layers: tuple[str, ...]
    options: Mapping[str, str]
    reason: str | None
    credentials: tuple[str, ...] = ()

    @property
    def resolved(self) -> str:
        """Return the complete notation with all layers and options."""
        options = [f"{name}={value}" for name, value in self.options.items()]
        return " ".join(["/".join(self.layers), *options])

    @property
    def application(self) -> str:
        """Return the application protocol."""
        return self.layers[0]

    @property
    def software(self) -> str | None:
        """Return the real server software; None if the server is simulated."""
        return self.options.get("impl")

    @property
    def client(self) -> str | None:
        """Return the real client software; None if the devices are simulated."""
        return self.options.get("client")

    def options_of(self, layer: str) -> tuple[Option, ...]:
        """Return the possible options of one of its layers."""
        return catalogue().options_of(layer)

    @property
    def supported(self) -> bool:
        """Return whether the stack can be run."""
        return self.reason is None


def parse_stack(text: str) -> ResolvedStack:
    """Parse the notation of a stack and add the defaults.

    Examples
    --------
    >>> parse_stack("raw_udp").resolved
    'raw_udp/udp/ip ack=off ip.version=4'
    >>> parse_stack("mqtt_sn").reason
    'mqtt_sn is not built yet'

    Raises
    ------
    Fault
        If a layer, an option or a value does not exist; the hint names what does.
    """
    if len(text) > MAXIMUM_CHARACTERS:
        raise Fault(
            f"the stack has {len(text)} characters",
            hint=f"write at most {MAXIMUM_CHARACTERS} characters",
        )
    words = text.split()
    if not words:
        raise Fault("the stack is empty", hint=f"write one of the stacks {_known_stacks()}")
    application, layers = _layers(words[0])
    known = _known_options(application, layers)
    options = read_options(
        words[1:],
        known,
        unknown=lambda name: _unknown_option(name, layers, known),
        layers=layers,
    )
    return ResolvedStack(
        name=" ".join(words),
        written=" ".join(words),
        layers=layers,
        options=options,
        reason=_reason(application, layers, options),
        credentials=_credentials(application, layers, options),
    )


def with_our_ends(stack: ResolvedStack) -> ResolvedStack:
    """Return a stack with simulated ends instead of real software."""
    names = {option.name for option in REAL_SOFTWARE}
    options = {name: value for name, value in stack.options.items() if name not in names}
    application = catalogue().applications[stack.application]
    reason = stack.reason or _reason(application, stack.layers, options)
    return replace(stack, options=options, reason=reason)


def parse_layers(text: str) -> tuple[str, ...]:
    """Parse the layers of a stack, from the application down to IP, without options.

    Raises
    ------
    Fault
        If there is no such application, or it does not run over such layers.
    """
    return _layers(text)[1]


def _known_stacks() -> str:
    return ", ".join([*catalogue().applications, *catalogue().aliases])


def _layers(written: str) -> tuple[Application, tuple[str, ...]]:
    known = catalogue()
    name, *lower = written.split("/")
    if name in known.aliases:
        name, implied = known.aliases[name]
        lower = lower or list(implied)
    application = known.applications.get(name)
    if application is None:
        names = [*known.applications, *known.aliases]
        hint = suggestion(name, names, kind="stacks", listed_by=_LISTING)
        raise Fault(f"unknown stack {show(name)}", hint=hint)
    if lower[-1:] == ["ip"]:
        lower.pop()
    below = known.completed(lower or application.over[0])
    if below not in map(known.completed, application.over):
        ways = ", ".join("/".join((name, *way)) for way in application.over)
        what = f"{name} does not run over {show('/'.join(lower))}"
        raise Fault(what, hint=f"write one of: {ways}")
    return application, (name, *below, "ip")


def _known_options(application: Application, layers: tuple[str, ...]) -> dict[str, Option]:
    below = (option for layer in layers[1:] for option in catalogue().options_of(layer))
    options = (*application.options, *below, *catalogue().everywhere)
    return {option.name: option for option in options}


def _credentials(
    application: Application, layers: tuple[str, ...], options: Mapping[str, str]
) -> tuple[str, ...]:
    known = _known_options(application, layers)
    shown = (known[name].credentials.get(value) for name, value in options.items())
    return tuple(credentials for credentials in shown if credentials is not None)


def _unknown_option(name: str, layers: tuple[str, ...], known: dict[str, Option]) -> Fault:
    shown = "/".join(layers[:-1])
    if name in catalogue().options():
        what = f"{shown} has no option {show(name)}"
        return Fault(what, hint=f"remove it, or use one of its options: {', '.join(known)}")
    hint = suggestion(name, known, kind="options", listed_by=_LISTING)
    return Fault(f"unknown option {show(name)} of {shown}", hint=hint)


def _reason(
    application: Application, layers: tuple[str, ...], options: Mapping[str, str]
) -> str | None:
    is_built = layers[1:-1] in map(catalogue().completed, application.built)
    if not is_built and {"impl", "client"} <= options.keys():
        # What speaks it at both ends is real software.
        return None
    if not application.built:
        return f"{application.name} is not built yet"
    if not is_built:
        return f"{'/'.join(layers[:-1])} is not built yet"
    return None
