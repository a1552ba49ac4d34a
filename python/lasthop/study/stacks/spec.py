"""A stack as the run spec holds it: its layers with their options, each typed by its kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lasthop.study.quantity import SIZE, TIME, parse

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lasthop.study.stacks.catalogue import Option
    from lasthop.study.stacks.notation import ResolvedStack

Spec = dict[str, Any]
Value = str | bool | int | float

_SECOND_NS = 10**9


def stack_spec(stack: ResolvedStack) -> Spec:
    """Give the application and the layers below it, each with the options that apply.

    Examples
    --------
    >>> from lasthop.study.stacks.notation import parse_stack
    >>> stack_spec(parse_stack("raw_udp"))["layers"]
    [{'name': 'udp', 'options': {}}, {'name': 'ip', 'options': {'version': '4'}}]
    """
    application, *layers = (_layer(stack, layer) for layer in stack.layers)
    software = {} if stack.software is None else {"software": stack.software}
    return {"application": application, "layers": layers, **software}


def _layer(stack: ResolvedStack, layer: str) -> Spec:
    known = stack.options_of(layer)
    return {
        "name": layer,
        "options": {
            option.name.removeprefix(f"{layer}."): _typed(option, stack.options[option.name])
            for option in known
            if option.name in stack.options
        },
    }


def _typed(option: Option, value: str) -> Value:
    read = _READ.get(option.kind)
    return value if read is None else read(value)


_READ: Mapping[str, Callable[[str], Value]] = {
    "switch": lambda value: value == "on",
    "time": lambda value: int(parse(value, TIME)),
    "seconds": lambda value: int(parse(value, TIME)) // _SECOND_NS,
    "size": lambda value: int(parse(value, SIZE)),
    "count": int,
    "number": float,
}
"""What else than text a value is, by the kind of its option."""
