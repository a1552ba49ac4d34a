"""Table of media: hops that are not plain links, such as NB-IoT, WLAN and serial lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from lasthop.study.fields.shares import Shares
from lasthop.study.nbiot.check import check
from lasthop.study.nbiot.form import Nbiot
from lasthop.study.nbiot.resolve import resolve
from lasthop.study.nbiot.words import network_in_words
from lasthop.study.paths.extension_link import ExtensionLink
from lasthop.study.paths.serial import Serial
from lasthop.study.paths.wlan import Wlan

if TYPE_CHECKING:
    from collections.abc import Callable

Spec = dict[str, Any]
Scope = Literal["own", "group", "all"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MediumEntry:
    """A medium (NB-IoT, WLAN, serial line, extension link) with its keys, form and run spec.

    Parameters
    ----------
    key
        Key of a path in the study.
    spec_key
        Key of a hop in the run spec.
    noun
        Noun with article for errors.
    settings
        Class of its form.
    spec
        Returns the value of its key in the run spec, or raises a ``Fault``.
    words
        Returns a description of each setting.
    is_radio
        Whether it must be the first hop.
    scope
        Default scope; None for the scope of the previous hop.
    takes_scope
        Whether the study can set its scope.
    shared
        Returns the settings that must be equal in hops with the same name; None if such hops cannot
        be one medium.
    apart
        Keys in which hops of the same medium may differ.
    """

    key: str
    spec_key: str
    noun: str
    settings: type
    spec: Callable[[Any], Spec]
    words: Callable[[Any], dict[str, str]]
    is_radio: bool = False
    scope: Scope | None = None
    takes_scope: bool = True
    shared: Callable[[Any], Spec] | None = None
    apart: tuple[str, ...] = ()

    @property
    def beside(self) -> tuple[str, ...]:
        """Return the keys of a path that are allowed beside the medium's key."""
        return (self.key, "name", "scope") if self.takes_scope else (self.key, "name")


def _nbiot_spec(settings: Nbiot) -> Spec:
    network = resolve(settings)
    check(network)
    return network


def _nbiot_words(settings: Nbiot) -> dict[str, str]:
    described = network_in_words(resolve(settings))
    if isinstance(settings.coupling_loss, Shares):
        described["coupling loss"] = str(settings.coupling_loss)
    return described


MEDIA = (
    MediumEntry(
        key="nbiot",
        spec_key="nbiot",
        noun="a radio network",
        settings=Nbiot,
        spec=_nbiot_spec,
        words=_nbiot_words,
        is_radio=True,
        scope="all",
        takes_scope=False,
    ),
    MediumEntry(
        key="wlan",
        spec_key="wlan",
        noun="a WLAN",
        settings=Wlan,
        spec=Wlan.spec,
        words=Wlan.words,
        is_radio=True,
        scope="all",
        shared=Wlan.cell_spec,
        apart=("rate", "ack_rate", "frame_loss", "preamble"),
    ),
    MediumEntry(
        key="serial",
        spec_key="serial",
        noun="a serial line",
        settings=Serial,
        spec=Serial.spec,
        words=Serial.words,
        shared=Serial.spec,
    ),
    MediumEntry(
        key="extension_link",
        spec_key="registered",
        noun="a link of an extension",
        settings=ExtensionLink,
        spec=ExtensionLink.spec,
        words=lambda settings: {"link of an extension": settings.written},
    ),
)
"""All media, in the order in which a path is checked for them."""


def medium_of(settings: object) -> MediumEntry | None:
    """Return the medium of a hop's settings; None for a link and a NAT."""
    return next((one for one in MEDIA if isinstance(settings, one.settings)), None)
