"""Pairs the arms of two result folders."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from lasthop.answer.arms import AnswerArm
from lasthop.compare.place import Place
from lasthop.errors import UsageError

Key = tuple[Place, str]
"""A stack at a place."""

Arms = Mapping[Key, AnswerArm]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two arms that are compared, by where they are in the base and in the new folder."""

    base: Key
    new: Key

    @property
    def stack(self) -> str:
        """The stack, or both where their names differ.

        Examples
        --------
        >>> place = Place("base", ())
        >>> Pair((place, "coap"), (place, "mqtt")).stack
        'coap → mqtt'
        """
        return _both(self.base[1], self.new[1])

    @property
    def where(self) -> str:
        """The place, or both where they differ."""
        return _both(self.base[0].label, self.new[0].label)


def pair_up(base: Arms, new: Arms, stacks: Sequence[tuple[str, str]] = ()) -> list[Pair]:
    """Pair arms in the order of the new folder.

    Stacks are paired as given, those of the base first; without any, by their names. Places are
    paired by part and values, whether these have names or not, else by their values alone; the
    only place of one folder belongs to the only place of the other.
    """
    places = _places(base, new)
    of_base = {name: [one for one, other in stacks if other == name] for _, name in stacks}
    pairs = []
    for key in new:
        place, stack = key
        for name in of_base.get(stack, []) if stacks else [stack]:
            before = (places.get(place, place), name)
            if before in base:
                pairs.append(Pair(before, key))
    return pairs


def read_pairs(written: Sequence[str], base: Arms, new: Arms) -> list[tuple[str, str]]:
    """Read each `A=B`: stack A of the base beside stack B of the new folder.

    Raises
    ------
    UsageError
        A name that no stack has, or two ways to read it: names have equals signs, too.
    """
    before, after = (list(dict.fromkeys(stack for _, stack in arms)) for arms in (base, new))
    return [_read(text, before, after) for text in written]


def _read(text: str, before: Sequence[str], after: Sequence[str]) -> tuple[str, str]:
    pieces = text.split("=")
    splits = [
        ("=".join(pieces[:at]).strip(), "=".join(pieces[at:]).strip())
        for at in range(1, len(pieces))
    ]
    fitting = [(one, other) for one, other in splits if one in before and other in after]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise UsageError(
            f'--pair: "{text}" is ambiguous; give the stacks names in the study, and use the names'
        )
    for one, other in splits:
        if one in before:
            raise UsageError(
                f'--pair: the NEW folder has no stack "{other}"; {_hint(other, after)}'
            )
        if other in after:
            raise UsageError(f'--pair: the BASE folder has no stack "{one}"; {_hint(one, before)}')
    example = f"{before[0]}={after[-1]}"
    raise UsageError(f'--pair: "{text}" is not BASE_STACK=NEW_STACK; write for example "{example}"')


def _hint(name: str, names: Sequence[str]) -> str:
    near = get_close_matches(name, names, n=1)
    return f'did you mean "{near[0]}"?' if near else f"write one of {', '.join(names)}"


def _places(base: Arms, new: Arms) -> dict[Place, Place]:
    """Give the place of the base for each of the new folder that has another name there."""
    before, after = ({place: None for place, _ in arms} for arms in (base, new))
    if len(before) == len(after) == 1:
        return dict(zip(after, before, strict=True))
    found: dict[Place, Place] = {}
    for alike in (_part_and_unnamed, _values, _unnamed):
        lonely = [place for place in before if place not in after and place not in found.values()]
        once = Counter(map(alike, lonely))
        of_base = {alike(place): place for place in lonely if once[alike(place)] == 1}
        for place in after:
            if place not in before and place not in found and alike(place) in of_base:
                found[place] = of_base[alike(place)]
    return found


def _part_and_unnamed(place: Place) -> Hashable:
    return place.part, _unnamed(place)


def _values(place: Place) -> Hashable:
    return place.values


def _unnamed(place: Place) -> Hashable:
    return place.unnamed or place.values


def _both(before: str, after: str) -> str:
    return after if before == after else f"{before} → {after}"
