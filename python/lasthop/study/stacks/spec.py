"""Converts a stack to its form in a run spec: layers with typed options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lasthop.study.stacks.options import typed

if TYPE_CHECKING:
    from lasthop.study.stacks.notation import ResolvedStack

Spec = dict[str, Any]


def stack_spec(stack: ResolvedStack) -> Spec:
    """Return the application and the layers of a stack with their options.

    Examples
    --------
    >>> from lasthop.study.stacks.notation import parse_stack
    >>> stack_spec(parse_stack("raw_udp"))["layers"]
    [{'name': 'udp', 'options': {}}, {'name': 'ip', 'options': {'version': '4'}}]
    """
    application, *layers = (_layer(stack, layer) for layer in stack.layers)
    named = {"software": stack.software, "client": stack.client}
    software = {key: name for key, name in named.items() if name is not None}
    return {"application": application, "layers": layers, **software}


def _layer(stack: ResolvedStack, layer: str) -> Spec:
    known = stack.options_of(layer)
    return {
        "name": layer,
        "options": {
            option.name.removeprefix(f"{layer}."): typed(option, stack.options[option.name])
            for option in known
            if option.name in stack.options
        },
    }
