"""Links of extensions as hops: ``toy_radio tries=3``, in the notation of stacks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lasthop.study.fields.written import Written
from lasthop.study.stacks.catalogue import catalogue
from lasthop.study.stacks.options import read_options, typed
from lasthop.study.text.faults import Fault, show, suggestion

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class ExtensionLink:
    """A link of an extension with its options.

    Parameters
    ----------
    options
        All options that apply, as written.
    """

    name: str
    options: Mapping[str, str]

    @property
    def written(self) -> str:
        """Return name and options in the notation of stacks."""
        return " ".join([self.name, *(f"{name}={value}" for name, value in self.options.items())])

    def spec(self) -> dict[str, Any]:
        """Return the link as part of a run spec."""
        known = catalogue().links[self.name].options
        given = (option for option in known if option.name in self.options)
        options = {option.name: typed(option, self.options[option.name]) for option in given}
        return {"name": self.name, "options": options}


@dataclass(frozen=True, slots=True)
class ExtensionLinkNotation(Written):
    """Marks a link of an extension, written as name and options."""

    def read(self, value: object) -> ExtensionLink:
        """Parse ``name option=value ..`` and add the defaults."""
        if not isinstance(value, str) or not value.split():
            raise Fault(
                f"{show(value)} is not the name of a link",
                hint='write for example "toy_radio tries=3"',
            )
        name, *words = value.split()
        links = catalogue().links
        if name not in links:
            raise Fault(f"unknown link {show(name)}", hint=_hint(name))
        known = {option.name: option for option in links[name].options}
        return ExtensionLink(
            name,
            read_options(
                words,
                known,
                unknown=lambda option: Fault(
                    f"unknown option {show(option)} of {name}",
                    hint=suggestion(option, known, kind="options"),
                ),
            ),
        )

    def described(self) -> dict[str, Any]:
        """Return the JSON Schema of the notation."""
        return {"type": "string", "examples": ["toy_radio tries=3"]}


def _hint(name: str) -> str:
    links = catalogue().links
    if not links:
        return (
            "only an extension can add a link, and no installed extension does; "
            'write one with "lasthop init --extension NAME"'
        )
    return suggestion(name, links, kind="links")
