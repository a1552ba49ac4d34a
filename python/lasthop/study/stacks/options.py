"""Parses options of stacks and links: ``qos=1 keep_alive=20min``."""

from __future__ import annotations

import re
from decimal import Decimal
from itertools import zip_longest
from typing import TYPE_CHECKING

from lasthop.study.fields.quantity import SIZE, TIME, format_quantity, parse
from lasthop.study.stacks.catalogue import LAYERS, Option
from lasthop.study.text.faults import Fault, show

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,39}(\+[a-z0-9][a-z0-9_.-]{0,39})?")

# The units of an amount, by the kind of its option.
_UNITS = {"time": TIME.units, "seconds": TIME.units, "size": SIZE.units}

# An amount in a hint, whose space an option cannot have.
_AMOUNT = re.compile(r'"([0-9.]+) ([A-Za-z%]+)"')

Value = str | bool | int | float


def read_options(
    words: Sequence[str],
    known: Mapping[str, Option],
    *,
    unknown: Callable[[str], Fault],
    layers: Sequence[str] = (),
) -> dict[str, str]:
    """Parse ``name=value`` options, and return all that apply.

    Parameters
    ----------
    known
        Known options by name, each after the options that it depends on.
    unknown
        Returns the error on an unknown name.
    layers
        Layers of the stack.

    Raises
    ------
    Fault
        If an option or a value does not exist, or means nothing here.
    """
    given: dict[str, str] = {}
    for word, following in zip_longest(words, words[1:]):
        name, equals, value = word.partition("=")
        if not equals or not value:
            raise Fault(
                f"{show(word)} is not an option",
                hint='write options as "name=value", without spaces',
            )
        if name in known and following in _UNITS.get(known[name].kind, ()):
            raise Fault(
                f"{name}: the value {show(f'{value} {following}')} has a space",
                hint=f'write "{word}{following}"',
            )
        if name not in known:
            raise unknown(name)
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


def typed(option: Option, value: str) -> Value:
    """Return the value of an option with the type that the run spec uses."""
    read = _TYPED.get(option.kind)
    return value if read is None else read(value)


def _applies(option: Option, layers: Sequence[str], resolved: Mapping[str, str]) -> bool:
    if option.unless:
        name, *values = option.unless
        return resolved.get(name) not in values
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
    if option.unless:
        name, *values = option.unless
        barred = " or ".join(f"{name}={value}" for value in values)
        return Fault(f"{option.name} has no effect with {barred}", hint=f"remove {option.name}")
    name, *values = option.needs
    if name == LAYERS:
        wanted = " or ".join(values)
        return Fault(
            f"{option.name} has no effect without the layer {wanted}", hint=f"remove {option.name}"
        )
    wanted = " or ".join(f"{name}={value}" for value in values)
    return Fault(
        f"{option.name} has no effect without {wanted}",
        hint=f"add {name}={values[0]}, or remove {option.name}",
    )


def _value(option: Option, value: str) -> str:
    try:
        return _read_value(option, value)
    except Fault as fault:
        hint = _AMOUNT.sub(r'"\1\2"', fault.hint or "")
        raise Fault(f"{option.name}: {fault.what}", hint=hint) from None


def _read_value(option: Option, value: str) -> str:
    if option.words:
        if value not in option.words:
            raise Fault(f"unknown value {show(value)}", hint=f"write {' or '.join(option.words)}")
        return value
    if option.kind == "name":
        if _NAME.fullmatch(value) is None:
            raise Fault(f"{show(value)} is not a name", hint='write for example "mosquitto"')
        return value
    if option.kind == "time":
        amount = parse(value, TIME, example="2s")
        if amount == 0:
            raise Fault(f"{show(value)} is too small", hint='write for example "2s"')
        return format_quantity(amount, TIME, space="")
    if option.kind == "seconds":
        return _whole_seconds(option, value)
    if option.kind == "size":
        amount = parse(value, SIZE, example="8B")
        return format_quantity(_bounded(option, amount, value), SIZE, space="")
    pattern = r"[0-9]{1,9}" if option.kind == "count" else r"[0-9]{1,9}(\.[0-9]{1,9})?"
    if re.fullmatch(pattern, value) is None:
        noun = "whole number" if option.kind == "count" else "number"
        raise Fault(f"{show(value)} is not a {noun}", hint=f"write for example {option.default}")
    number = _bounded(option, Decimal(value), value)
    return f"{number.normalize():f}"


def _whole_seconds(option: Option, value: str) -> str:
    least, most = f"{option.minimum:g}s", f"{option.maximum:.10g}s"
    hint = f'write whole seconds, "{least}" to "{most}", or "0s" for none'
    amount = parse(value, TIME, example="60s")
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


_SECOND_NS = 10**9

_TYPED: Mapping[str, Callable[[str], Value]] = {
    "switch": lambda value: value == "on",
    "time": lambda value: int(parse(value, TIME)),
    "seconds": lambda value: int(parse(value, TIME)) // _SECOND_NS,
    "size": lambda value: int(parse(value, SIZE)),
    "count": int,
    "number": float,
}
"""Parsers of option values that are not text, by the kind of option."""
