"""A path from options of the command line, by the grammar of a study, as a run spec has it."""

from __future__ import annotations

import pathlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from lasthop.errors import StudyError, UsageError
from lasthop.study.fields.form import Form
from lasthop.study.fields.quantity import TIME, format_quantity
from lasthop.study.fields.quantity import parse as parse_quantity
from lasthop.study.fleet.hops import hops_of
from lasthop.study.paths.media import MEDIA
from lasthop.study.paths.path import LinkForm, PathForm
from lasthop.study.run_spec.hops import hop_spec
from lasthop.study.text.document import Document, Replacement
from lasthop.study.text.faults import Fault, show
from lasthop.study.text.source import Source, parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from lasthop.study.fleet.assembly import Hop

Spec = dict[str, Any]

_LINK = "link"
"""The name of the path, of which its random streams have theirs."""

_GROUP, _DEVICE = "device", 0
"""Whose path it is, as in a study of one device."""

LARGEST_MTU_BYTES = 1_500

_HOPS = ("link", "nat", *(medium.spec_key for medium in MEDIA))
"""The kinds of hops, as a run spec has them."""

_PATH = "path."
_EXAMPLES = {
    "--set": "path.rate_kind=serial",
    "--nbiot": "coupling_loss=154dB",
    "--nat": "udp=30s",
}


class _PathAlone(Form):
    path: PathForm


@dataclass(frozen=True, slots=True)
class LinkSettings:
    """The path between the two ends, as a run spec and in words."""

    path: Spec
    words: Mapping[str, str]

    @classmethod
    def of_study(
        cls,
        study: pathlib.Path,
        *,
        overrides: Iterable[tuple[str, str]],
        group: str | None,
        seed: int,
    ) -> LinkSettings:
        """Take the path of the first device of a group, at the first point of a study.

        Parameters
        ----------
        overrides
            Of the study, as `lasthop run --set` has them.
        group
            Whose path it is, the first one's without it.

        Raises
        ------
        StudyError
            If the study is wrong.
        UsageError
            If it has no such group.
        """
        from lasthop.study import load_study  # noqa: PLC0415  (takes long, and is often not needed)

        loaded = load_study(study, overrides=tuple(overrides))
        spec = loaded.points[0].conditions
        names = [each["name"] for each in spec["groups"]]
        if group is not None and group not in names:
            known = ", ".join(names)
            raise UsageError(f"--group {group}: the study has no such group; write one of {known}")
        place = 0 if group is None else names.index(group)
        chosen = spec["groups"][place]
        path: Spec = {
            "seed": seed,
            "path": spec["paths"][chosen["path"]],
            "group": chosen["name"],
            "device": sum(map(_staying, spec["groups"][:place])),
        }
        if chosen["strata"]:
            path["coupling_loss_db"] = chosen["strata"][0]["coupling_loss_db"]
        kinds = [next(kind for kind in _HOPS if kind in hop) for hop in path["path"]["hops"]]
        return cls(path, {"path": f"{', '.join(kinds)} of {chosen['name']} in {loaded.name}"})

    @classmethod
    def read(
        cls,
        options: Iterable[tuple[str, str, str]],
        *,
        seed: int,
        jitter: str | None = None,
        folder: pathlib.Path | None = None,
    ) -> LinkSettings:
        """Read a path from options.

        Parameters
        ----------
        options
            Of each the name, the key of a path that it stands for and what is written, as
            ``("--loss", "loss", "10 %")``.
        jitter
            How far the delay varies to both sides, each value alike.
        folder
            Where trace files are looked for, the present one by default.

        Raises
        ------
        StudyError
            If an option is wrong, or contradicts another one.
        """
        written = list(options)
        if jitter is not None:
            written = list(_with_jitter(written, jitter))
        document = _document(written)
        try:
            path = _PathAlone.model_validate(document.value).path
            hops = hops_of(path, name=_LINK, location=("path",))
            specs = [hop_spec(hop, folder or pathlib.Path.cwd()) for hop in hops]
        except ValidationError as error:
            raise document.invalid(error) from None
        except Fault as fault:
            raise document.error(fault) from None
        spec = {"seed": seed, "path": {"hops": specs}, "group": _GROUP, "device": _DEVICE}
        return cls(spec, dict(_words(hops)))

    @property
    def seed(self) -> int:
        """Seed of the random streams."""
        return int(self.path["seed"])

    def mtu_bytes(self) -> int:
        """Give the MTU of the devices at both ends: the least of the path's links."""
        links = [hop["link"] for hop in self.path["path"]["hops"] if "link" in hop]
        sides = (int(link[side]["mtu_bytes"]) for link in links for side in ("up", "down"))
        return min((LARGEST_MTU_BYTES, *sides))


def _staying(group: Spec) -> int:
    """Give how many devices of a group have a number of their own in a run."""
    return int(group["population"].get("staying", {}).get("devices", 0))


def _words(hops: Iterable[Hop]) -> Iterator[tuple[str, str]]:
    """Tell each setting that does something."""
    for hop in hops:
        if isinstance(hop.settings, LinkForm):
            yield from hop.settings.link_words().items()
        else:
            yield hop.kind, "on the path"


def _document(written: Iterable[tuple[str, str, str]]) -> Document:
    """Lay what is written over a path that does nothing; behind a radio network stands a link."""
    options = [(name, key, parse(text, name=name)) for name, key, text in written]
    of_radio = [key == "nbiot" or key.startswith("nbiot.") for _, key, _ in options]
    two_hops = any(of_radio) and not all(of_radio)
    start: Spec = {"path": [{}, {}] if two_hops else {}}
    document = Document(Source("", start, {}), start)
    for (_, key, source), radio in zip(options, of_radio, strict=True):
        hop = f"{int(not radio)}." if two_hops else ""
        document = document.replaced(Replacement(f"path.{hop}{key}", source))
    return document


def _with_jitter(
    written: list[tuple[str, str, str]], jitter: str
) -> Iterator[tuple[str, str, str]]:
    delay = next((text for _, key, text in written if key == "delay"), None)
    if delay is None:
        raise StudyError(
            "there is no delay that it could vary", hint='add --delay "100 ms"', file="--jitter"
        )
    middle, half = read_time("--delay", delay), read_time("--jitter", jitter)
    if half > middle:
        most = format_quantity(middle, TIME)
        raise StudyError(
            f"{show(jitter)} is more than the delay",
            hint=f'write "{most}" or less',
            file="--jitter",
        )
    lower, upper = (format_quantity(time, TIME) for time in (middle - half, middle + half))
    for name, key, text in written:
        varying = f"{{uniform: {{from: {lower}, to: {upper}}}}}"
        yield name, key, varying if key == "delay" else text


def read_time(option: str, text: str) -> int:
    """Read the time of an option, in ns.

    Raises
    ------
    StudyError
        If it is none.
    """
    try:
        return int(parse_quantity(text, TIME))
    except Fault as fault:
        raise StudyError(fault.what, hint=fault.hint, file=option) from None


def pairs(option: str, written: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Read ``KEY=VALUE`` of an option. The option's name is the prefix of the key.

    Raises
    ------
    StudyError
        If one is not of that form.
    """
    for text in written:
        key, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not key or (option == "--set" and not key.startswith(_PATH)):
            example = _EXAMPLES.get(option, "loss=10%")
            raise StudyError(
                f"{show(text)} is not KEY=VALUE",
                hint=f'write for example {option} "{example}"',
                file=option,
            )
        if option == "--set":
            yield f"{option} {key}", key.removeprefix(_PATH), value
        else:
            yield f"{option} {key}", f"{option.removeprefix('--')}.{key}", value
