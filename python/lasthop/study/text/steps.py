"""Resolves dotted keys in documents: mappings by name, lists of hops by index or key."""

from __future__ import annotations

from typing import Any

from lasthop.study.text.faults import Fault, Location, show


def locate(root: object, key: str) -> Location:
    """Return the location of a dotted key in a document.

    In a list of hops a step is the number of a hop from 0, or a key that one of them has alone.

    Examples
    --------
    >>> locate({"paths": {"cell": [{"nbiot": {}}, {"nat": {"udp": "30 s"}}]}}, "paths.cell.nat.udp")
    ('paths', 'cell', 1, 'nat', 'udp')
    >>> locate({}, "path.loss")
    ('path', 'loss')

    Raises
    ------
    Fault
        If no hop of a list has the key, or several have.
    """
    steps: list[str | int] = []
    value: Any = root
    parts = key.split(".")
    for number, part in enumerate(parts):
        if isinstance(value, list):
            place = _hop(value, part, ".".join(parts[:number]))
            steps.append(place)
            value = value[place]
            if part.isdecimal():
                continue
        steps.append(part)
        value = value.get(part) if isinstance(value, dict) else None
    return tuple(steps)


def value_at(root: Any, key: str) -> Any:  # noqa: ANN401  (whatever a study holds)
    """Return the value of a dotted key; None for a missing one."""
    try:
        location = locate(root, key)
    except Fault:
        return None
    value = root
    for step in location:
        inside = isinstance(value, list) or (isinstance(value, dict) and step in value)
        if not inside:
            return None
        value = value[step]
    return value


def _hop(hops: list[Any], part: str, path: str) -> int:
    if part.isdecimal() and int(part) < len(hops):
        return int(part)
    having = [place for place, hop in enumerate(hops) if isinstance(hop, dict) and part in hop]
    if len(having) == 1:
        return having[0]
    if having:
        raise Fault(
            f"several hops of {path} have {show(part)}",
            hint="write the number of the hop, counted from 0, for example "
            f"{path}.{having[0]}.{part}",
        )
    raise Fault(
        f"no hop of {path} has {show(part)} in the study",
        hint="add it to a hop of the study, or write the number of the hop, "
        f"counted from 0, for example {path}.0.{part}",
    )
