"""Meanings of the names that a study gives to stacks and swept values."""

from collections.abc import Iterable, Mapping
from typing import Any


def notation(stack: Mapping[str, Any]) -> str:
    """Return a stack of a manifest as written in the study. Older manifests have only its name."""
    return str(stack.get("written") or stack["name"])


def meanings(study: Mapping[str, Any], *, amounts: bool = False) -> Iterable[str]:
    """Describe the meaning of each name once.

    Parameters
    ----------
    study : mapping
        As the manifest holds it.
    amounts : bool
        Whether to tell those of amounts, too: an answer always writes these beside their names.

    Examples
    --------
    >>> list(meanings({"stacks": [{"name": "ours", "written": "mqtt qos=1"}, {"name": "coap"}]}))
    ['ours is mqtt qos=1']
    """
    for stack in study.get("stacks") or ():
        if stack["name"] != notation(stack):
            yield f"{stack['name']} is {notation(stack)}"
    for (key, name), written in values_by_name(study, amounts=amounts).items():
        yield f"{key} {name} is {', or '.join(written)}"


def values_by_name(
    study: Mapping[str, Any], *, amounts: bool = True
) -> dict[tuple[str, str], tuple[str, ...]]:
    """Return the written values by key and name. Several parts can have several.

    Parameters
    ----------
    study : mapping
        As the manifest holds it.
    amounts : bool
        Whether names of amounts are wanted, too.
    """
    found: dict[tuple[str, str], dict[str, None]] = {}
    for part in study.get("parts") or ():
        for swept in part.get("swept") or ():
            for value in swept.get("names") or ():
                if amounts or isinstance(value["value"], str):
                    found.setdefault((swept["key"], value["name"]), {})[value["written"]] = None
    return {place: tuple(written) for place, written in found.items()}
