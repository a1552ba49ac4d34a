"""How secured clients of a load verify external servers. Keys are never printed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lasthop.errors import UsageError
from lasthop.study.text.faults import show

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lasthop.study.stacks.notation import ResolvedStack

_SECURED = ("tls", "quic", "dtls")


@dataclass(frozen=True, slots=True)
class PemPair:
    """A certificate chain and its private key, both in PEM. They are never printed."""

    certificate: bytes = field(repr=False)
    key: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class SocketTrust:
    """Credentials that clients present, and the authorities that they trust.

    Parameters
    ----------
    roots
        The certificates of whom they believe, PEM.
    presented
        A chain of certificates and its key, PEM, for a server that asks.
    keys
        What DTLS has in common with its server, by the names of devices.
    names
        The names of these; a lone key is that of all.
    """

    roots: bytes | None = field(default=None, repr=False)
    presented: PemPair | None = field(default=None, repr=False)
    keys: str | None = field(default=None, repr=False)
    names: frozenset[str] = frozenset()

    def why_not(self, stack: ResolvedStack) -> str | None:
        """Explain why a server would refuse clients of a stack; None if it would not."""
        options = stack.options
        layer = next((layer for layer in _SECURED if layer in stack.layers), "")
        certified = bool(layer) and not is_keyed(stack)
        believes = certified and options.get(f"{layer}.verify") != "off"
        shows = options.get(f"{layer}.client_certificate") == "on"
        reasons = {
            "lasthop load cannot fall back to other layers; remove quic.fallback": options.get(
                "quic.fallback", "none"
            )
            != "none",
            "lasthop load does not know the raw public key of the server; remove tls.raw_key": (
                options.get("tls.raw_key") == "on"
            ),
            "dtls.auth=psk needs a pre-shared key; add --psk FILE": is_keyed(stack)
            and self.keys is None,
            f"{layer} needs the certificate authority of the server; add --cafile FILE": believes
            and self.roots is None,
            (
                f"{layer}.client_certificate=on needs a client certificate; add --cert "
                "FILE and --key FILE"
            ): shows and self.presented is None,
        }
        return next((why for why, is_so in reasons.items() if is_so), None)

    def check_names(self, names: Iterable[str]) -> None:
        """Check that each device has a key.

        Raises
        ------
        UsageError
            It names the first that has none.
        """
        for name in names:
            if len(self.names) > 1 and name not in self.names:
                message = (
                    f"--psk: the file has no key for {show(name)}; add a line "
                    f"{name}:KEY, or keep a single line for all devices"
                )
                raise UsageError(message)


def is_keyed(stack: ResolvedStack) -> bool:
    """Whether both ends of a stack have a key from the start."""
    return stack.options.get("dtls.auth") == "psk"
