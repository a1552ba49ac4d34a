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
        Of a path in the study.
    spec_key
        Of a hop in the run spec.
    noun
        In errors, with its article.
    settings
        The class of its form.
    spec
        Gives what stands at its key in the run spec; raises a ``Fault`` where that cannot be.
    words
        Tells each setting.
    is_radio
        Whether it is the first hop of its devices.
    scope
        Whose it is by default; that of the hop before where it is None.
    takes_scope
        Whether the study may say whose it is.
    shared
        What is the same for all hops of one name, where such hops can be one; None where not.
    apart
        The keys in which hops that are one may differ.
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
