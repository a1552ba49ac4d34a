"""Choices of a multiverse: stack options, swept keys and counting methods."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

from lasthop.answer.meanings import notation
from lasthop.answer.points import Swept
from lasthop.answer.quantities import SPACE
from lasthop.study.plan.multiverse import MultiversePlan
from lasthop.study.stacks import parse_stack

LAYERS = "layers"
"""Name of the choice of the layers below the application."""

_NOT_THERE = "none"


@dataclass(frozen=True, slots=True)
class Choice:
    """A detail that a paper leaves open, with its possible values.

    Parameters
    ----------
    name
        An option (``qos``), a key of the study (``path.order``) or what is counted.
    kind
        Where the choice is made: in a stack, a swept key, or the counting.
    values
        Values as text. The first one belongs to the reference universe.
    """

    name: str
    kind: Literal["stack", "condition", "counting"]
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Condition:
    """A key that a part of the multiverse sweeps and the varied study does not."""

    part: str
    swept: Swept
    choice: Choice


def alternatives(
    stacks: Sequence[Mapping[str, Any]], application: str
) -> dict[str, Mapping[str, str]]:
    """Return the values of every stack choice for each arm of an application.

    Examples
    --------
    >>> names = ("mqtt qos=0", "mqtt qos=1", "json_udp")
    >>> alternatives([{"name": name} for name in names], "mqtt")
    {'mqtt qos=0': {'qos': '0'}, 'mqtt qos=1': {'qos': '1'}}
    """
    read = {stack["name"]: parse_stack(notation(stack)) for stack in stacks}
    arms = {name: arm for name, arm in read.items() if arm.layers[0] == application}
    options = dict.fromkeys(
        word.partition("=")[0] for arm in arms.values() for word in arm.written.split()[1:]
    )
    values = {
        name: {
            LAYERS: "/".join(arm.layers[:-1]),
            **{option: arm.options.get(option, _NOT_THERE) for option in options},
        }
        for name, arm in arms.items()
    }
    varied = [
        option
        for option in (LAYERS, *options)
        if len({value[option] for value in values.values()}) > 1
    ]
    return {name: {option: value[option] for option in varied} for name, value in values.items()}


def stack_choices(arms: Mapping[str, Mapping[str, str]]) -> tuple[Choice, ...]:
    """Return the choices among arms, with their values in order of appearance."""
    names = next(iter(arms.values()), {})
    return tuple(
        Choice(name, "stack", tuple(dict.fromkeys(values[name] for values in arms.values())))
        for name in names
    )


def conditions(
    study: Mapping[str, Any], runs: pl.DataFrame, plan: MultiversePlan
) -> tuple[Condition, ...]:
    """Return the choices of each part: keys that only the multiverse sweeps."""
    found = []
    for part in study["parts"]:
        rows = runs.filter(pl.col("part") == part["name"])
        for entry in part["swept"]:
            swept = Swept.of(entry)
            values = rows[swept.column].unique(maintain_order=True).to_list()
            if swept.key not in plan.parts[part["name"]] and len(values) > 1:
                labels = tuple(label(swept, value) for value in values)
                found.append(Condition(part["name"], swept, Choice(swept.key, "condition", labels)))
    return tuple(found)


def label(swept: Swept, value: object) -> str:
    """Format the value of a condition, with a plain space before its unit."""
    return swept.text_of(value).replace(SPACE, " ")


def counting_choices(plan: MultiversePlan) -> tuple[Choice, ...]:
    """Return the choices among counting methods."""
    return tuple(
        Choice(name, "counting", values)
        for name, values in plan.counting.items()
        if len(values) > 1
    )
