"""Reads the notation of stacks: ``mqtt/tls/tcp qos=1 tls.resume=ticket``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from lasthop.study.faults import Fault, nearest, show, suggestion
from lasthop.study.quantity import SIZE, TIME, format_quantity, parse
from lasthop.study.stacks.catalogue import LAYERS, Application, Option, catalogue

if TYPE_CHECKING:
    from collections.abc import Mapping

MAXIMUM_CHARACTERS = 500

_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,39}")


@dataclass(frozen=True, slots=True)
class ResolvedStack:
    """A stack with every layer and every default.

    Parameters
    ----------
    name
        What it is called: the name that the study gives it, else as written.
    written
        The notation as written, alternatives chosen.
    layers
        From the application down to IP.
    options
        Every option that applies, in the order of the catalogue.
    reason
        Why it cannot be run, None if it can.
    credentials
        What the two ends show each other to be believed.
    """

    name: str
    written: str
    layers: tuple[str, ...]
    options: Mapping[str, str]
    reason: str | None
    credentials: tuple[str, ...] = ()

    @property
    def resolved(self) -> str:
        """The stack with nothing left out."""
        options = [f"{name}={value}" for name, value in self.options.items()]
        return " ".join(["/".join(self.layers), *options])

    @property
    def application(self) -> str:
        """The protocol at the top."""
        return self.layers[0]

    @property
    def software(self) -> str | None:
        """The real software that is its server, None if that is one of ours."""
        return self.options.get("impl")

    def options_of(self, layer: str) -> tuple[Option, ...]:
        """Give the options that a layer of it may have."""
        return catalogue().options_of(layer)

    @property
    def supported(self) -> bool:
        """Whether it can be run."""
        return self.reason is None


def parse_stack(text: str) -> ResolvedStack:
    """Read a stack and write out its defaults.

    Examples
    --------
    >>> parse_stack("raw_udp").resolved
    'raw_udp/udp/ip ack=off ip.version=4'
    >>> parse_stack("mqtt/quic").reason
    'mqtt/quic/udp is not built yet'

    Raises
    ------
    Fault
        If a layer, an option or a value does not exist; the hint names what does.
    """
    if len(text) > MAXIMUM_CHARACTERS:
        raise Fault(
            f"a stack of {len(text)} characters", hint=f"write at most {MAXIMUM_CHARACTERS}"
        )
    words = text.split()
    if not words:
        raise Fault("the stack has no name", hint=f"known stacks: {_known_stacks()}")
    application, layers = _layers(words[0])
    options = _options(application, layers, words[1:])
    return ResolvedStack(
        name=" ".join(words),
        written=" ".join(words),
        layers=layers,
        options=options,
        reason=_reason(application, layers, options),
        credentials=_credentials(application, layers, options),
    )


def parse_layers(text: str) -> tuple[str, ...]:
    """Read the layers of a stack, without options, from the application down to IP.

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
        match = nearest(name, [*known.applications, *known.aliases])
        meant = f'did you mean "{match}"? ' if match else ""
        raise Fault(f"unknown stack {show(name)}", hint=f"{meant}known stacks: {_known_stacks()}")
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


def _options(
    application: Application, layers: tuple[str, ...], written: list[str]
) -> dict[str, str]:
    known = _known_options(application, layers)
    given: dict[str, str] = {}
    for word in written:
        name, equals, value = word.partition("=")
        if not equals or not value:
            raise Fault(f"{show(word)} is not an option", hint='write "name=value", no spaces')
        if name not in known:
            raise _unknown_option(name, layers, known)
        if name in given:
            raise Fault(f"the option {show(name)} is given twice", hint="remove one of them")
        given[name] = _value(known[name], value)
    resolved: dict[str, str] = {}
    for name, option in known.items():
        applies = _applies(option, layers, resolved)
        if name in given:
            if not applies:
                raise _meaningless(option)
            resolved[name] = given[name]
        elif applies and (default := _default(option, resolved)) is not None:
            resolved[name] = default
    return resolved


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
        return Fault(what, hint=f"its options: {', '.join(known)}")
    hint = suggestion(name, known, kind="options")
    if not hint.startswith("known"):
        hint += f" known options: {', '.join(known)}"
    return Fault(f"unknown option {show(name)} of {shown}", hint=hint)


def _applies(option: Option, layers: tuple[str, ...], resolved: Mapping[str, str]) -> bool:
    if not option.needs:
        return True
    name, *values = option.needs
    have = layers if name == LAYERS else (resolved.get(name),)
    return any(value in have for value in values)


def _default(option: Option, resolved: Mapping[str, str]) -> str | None:
    if option.follows is None:
        return option.default
    followed = resolved[option.follows]
    return followed if option.by is None else option.by[followed]


def _meaningless(option: Option) -> Fault:
    name, *values = option.needs
    if name == LAYERS:
        wanted = " or ".join(values)
        return Fault(f"{option.name} needs the layer {wanted}", hint=f"remove {option.name}")
    wanted = " or ".join(f"{name}={value}" for value in values)
    return Fault(
        f"{option.name} means nothing without {wanted}",
        hint=f"add {name}={values[0]} or remove {option.name}",
    )


def _value(option: Option, value: str) -> str:
    try:
        return _read_value(option, value)
    except Fault as fault:
        raise Fault(f"{option.name}: {fault.what}", hint=fault.hint) from None


def _read_value(option: Option, value: str) -> str:
    if option.words:
        if value not in option.words:
            raise Fault(f"unknown value {show(value)}", hint=f"write {' or '.join(option.words)}")
        return value
    if option.kind == "name":
        if _NAME.fullmatch(value) is None:
            raise Fault(f"{show(value)} is not a name", hint='write as "mosquitto"')
        return value
    if option.kind == "time":
        amount = parse(value, TIME, example="2s")
        if amount == 0:
            raise Fault(f"{show(value)} is too small", hint='write as "2s"')
        return format_quantity(amount, TIME, space="")
    if option.kind == "seconds":
        return _whole_seconds(option, value)
    if option.kind == "size":
        amount = parse(value, SIZE, example="8B")
        return format_quantity(_bounded(option, amount, value), SIZE, space="")
    pattern = r"[0-9]{1,9}" if option.kind == "count" else r"[0-9]{1,9}(\.[0-9]{1,9})?"
    if re.fullmatch(pattern, value) is None:
        noun = "whole number" if option.kind == "count" else "number"
        raise Fault(f"{show(value)} is not a {noun}", hint=f"write as {option.default}")
    number = _bounded(option, Decimal(value), value)
    return f"{number.normalize():f}"


def _whole_seconds(option: Option, value: str) -> str:
    least, most = f"{option.minimum:g}s", f"{option.maximum:.10g}s"
    hint = f'write whole seconds, "{least}" to "{most}", or "0s" for none'
    amount = parse(value, TIME, example=option.default)
    seconds = amount / TIME.units["s"]
    if seconds != seconds.to_integral_value():
        raise Fault(f"{show(value)} is not a whole number of seconds", hint=hint)
    if seconds and not option.minimum <= seconds <= option.maximum:
        raise Fault(f"{show(value)} is out of range", hint=hint)
    return format_quantity(amount, TIME, space="")


def _bounded(option: Option, number: Decimal, value: str) -> Decimal:
    if not Decimal(str(option.minimum)) <= number <= Decimal(str(option.maximum)):
        raise Fault(
            f"{show(value)} is out of range",
            hint=f"write {option.minimum:g} to {option.maximum:g}",
        )
    return number


def _reason(
    application: Application, layers: tuple[str, ...], options: Mapping[str, str]
) -> str | None:
    if not application.built:
        return f"{application.name} is not built yet"
    if layers[1:-1] not in map(catalogue().completed, application.built):
        return f"{'/'.join(layers[:-1])} is not built yet"
    if options.get("auth", "none") != "none":
        return f"auth={options['auth']} is not built yet"
    return None
