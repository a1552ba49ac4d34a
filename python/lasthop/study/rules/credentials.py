"""Certificate and key files of a study. Their content is never printed."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING, Any

from lasthop.compiled import compiled_part
from lasthop.study.fleet.devices import Arriving
from lasthop.study.rules.socket_trust import PemPair, is_keyed
from lasthop.study.rules.under_load import LOAD
from lasthop.study.text.beside import file_beside
from lasthop.study.text.faults import Fault, show

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from types import ModuleType

    from lasthop.study.fleet.assembly import Assembly
    from lasthop.study.forms.credentials import (
        ClientCredentialsForm,
        CredentialsForm,
        ServerCredentialsForm,
    )
    from lasthop.study.stacks.arm import StudyArm
    from lasthop.study.stacks.notation import ResolvedStack

_MAXIMUM_BYTES = 1 << 20
_KEYS = ("keys",)


@dataclass(frozen=True, slots=True)
class _Certificates:
    """The certificates of both ends, as native modules take them.

    Attributes
    ----------
    name
        Host name in the certificate of the server.
    roots
        Certificates of the authorities that both ends trust, in PEM.
    starts
        Time at which runs start, in seconds since 1970.
    """

    server: PemPair
    name: str
    client: PemPair | None
    roots: bytes = field(repr=False)
    starts: int


@dataclass(frozen=True, slots=True)
class Credentials:
    """Certificates and keys of both ends. They are never printed.

    Attributes
    ----------
    identity
        A digest of what is public of it.
    """

    identity: str
    _read: Any = field(repr=False)
    _certificates: _Certificates | None = field(repr=False)
    _keys: str | None = field(repr=False)

    def for_runs_of(self, native: ModuleType) -> Any:  # noqa: ANN401  (modules know no types)
        """Give them as a native module takes them."""
        return native.Credentials(self._certificates, self._keys)

    def check_devices(self, assembly: Assembly, arm: StudyArm) -> None:
        """Check that the key file has a key for each device with a pre-shared key.

        Raises
        ------
        Fault
            It names the first that has none.
        """
        if self._keys is None or not arm.supported:
            return
        for group in assembly.groups:
            stacks = (arm.stacks[group.client(server)] for server in group.servers)
            if not any(map(is_keyed, stacks)):
                continue
            if isinstance(group.devices, Arriving):
                what = (
                    f"{show(group.name)} come and go, but a file has keys for a "
                    "fixed number of devices"
                )
                raise Fault(
                    what,
                    hint='write a number of devices that stay, for example "count: '
                    '100", or remove the key',
                    location=_KEYS,
                )
            for name in (f"{group.name}-{number}" for number in range(group.devices)):
                if not self._read.knows(name):
                    hint = f'add a line "{name}:KEY", the key in hexadecimal digits'
                    raise Fault(
                        f"the file {show(name)} has no key for this device",
                        hint=hint,
                        location=_KEYS,
                    )


def read_credentials(
    form: CredentialsForm, folder: Path, arms: Iterable[StudyArm], *, engine: str
) -> Credentials:
    """Read the files of a study, and hold them against each other and against its stacks.

    Raises
    ------
    Fault
        With the key of what no peer would believe.
    """
    if engine == LOAD:
        what = "a server under load presents its own certificate"
        raise Fault(what, hint="remove the key", at_key=True)
    certificates = _certificates(form, folder)
    keys = None if form.keys is None else _text_of(form.keys, folder, ("keys",))
    if certificates is None and keys is None:
        what = "no certificate and no pre-shared key is given"
        raise Fault(
            what,
            hint='add "server" and "roots" for certificates, or "keys" for pre-shared keys',
            at_key=True,
        )
    with compiled_part():
        from lasthop import _native  # noqa: PLC0415  (few studies need it)
    try:
        read = _native.Credentials(certificates, keys)
    except ValueError as error:
        key, why = error.args
        raise Fault(why, hint=_hint(why), location=tuple(key.split("."))) from None
    all_stacks = [stack for arm in arms for stack in arm.stacks.values() if stack.supported]
    if keys is not None and not any(map(is_keyed, all_stacks)):
        what = "no stack of the study uses a pre-shared key"
        raise Fault(
            what,
            hint='remove the key, or add a stack with DTLS, for example "coap/dtls"',
            location=_KEYS,
        )
    if certificates is not None:
        stacks = list(_secured(all_stacks))
        if not stacks:
            what = "no stack of the study uses certificates"
            raise Fault(
                what,
                hint='remove the key, or add a stack with TLS, for example "mqtt/tls"',
                at_key=True,
            )
        for stack, layer in stacks:
            _check_stack(stack, layer, read, has_client=form.client is not None)
    return Credentials(read.identity, read, certificates, keys)


def _certificates(form: CredentialsForm, folder: Path) -> _Certificates | None:
    """Give the files of certificates as native modules take them."""
    if form.server is None or form.roots is None:
        given = [name for name in ("server", "client", "roots") if getattr(form, name) is not None]
        if given:
            missing = "server" if form.server is None else "roots"
            what = f'"{given[0]}" is given without "{missing}"'
            raise Fault(what, hint=f'add "{missing}"', location=(given[0],), at_key=True)
        return None
    server = _shown(form.server, folder, "server")
    client = None if form.client is None else _shown(form.client, folder, "client")
    roots = _bytes_of(form.roots, folder, ("roots",))
    midnight = datetime.combine(date.fromisoformat(form.date), time(), UTC)
    return _Certificates(server, form.server.name, client, roots, int(midnight.timestamp()))


def _shown(form: ClientCredentialsForm | ServerCredentialsForm, folder: Path, end: str) -> PemPair:
    certificate = _bytes_of(form.certificate, folder, (end, "certificate"))
    return PemPair(certificate, _bytes_of(form.key, folder, (end, "key")))


def _bytes_of(name: str, folder: Path, location: tuple[str, ...]) -> bytes:
    """Read a file without noting it: an archive of the study leaves it out."""
    try:
        with file_beside(folder, name).open("rb") as file:
            content = file.read(_MAXIMUM_BYTES + 1)
    except Fault as fault:
        raise fault.within(location) from None
    except OSError as error:
        why = (error.strerror or "the file cannot be read").lower()
        hint = "move it into the folder of the study, and write its name"
        raise Fault(f"{show(name)}: {why}", hint=hint, location=location) from None
    if len(content) > _MAXIMUM_BYTES:
        hint = "write the name of a PEM file"
        raise Fault(f"{show(name)} is larger than 1 MiB", hint=hint, location=location)
    return content


def _text_of(name: str, folder: Path, location: tuple[str, ...]) -> str:
    try:
        return _bytes_of(name, folder, location).decode()
    except UnicodeDecodeError:
        hint = "write the name of a file with lines identity:key"
        raise Fault(f"{show(name)} is not a text file", hint=hint, location=location) from None


def _hint(why: str) -> str:
    if "identity" in why or "hexadecimal" in why:
        return "write the name of a file with lines identity:key"
    if "is valid" in why:
        return 'set "date" to a day on which the certificate is valid'
    if "name" in why:
        return 'set "name" to a host name in the certificate'
    if "root" in why:
        return (
            'set "roots" to the root certificate that signed it, and add the '
            "intermediate certificates to the chain"
        )
    return "choose another file"


def _secured(stacks: Iterable[ResolvedStack]) -> Iterator[tuple[ResolvedStack, str]]:
    """Give each stack that shows certificates, with the layer that does."""
    for stack in stacks:
        for layer in ("tls", "quic", "dtls"):
            if layer in stack.layers and not is_keyed(stack):
                yield stack, layer


def _check_stack(
    stack: ResolvedStack,
    layer: str,
    read: Any,  # noqa: ANN401  (modules know no types)
    *,
    has_client: bool,
) -> None:
    options = stack.options
    wanted = {"key": read.key, "chain": str(read.chain)}
    said = {name: options.get(f"{layer}.{name}") for name in wanted}
    if layer == "dtls":
        said = {"key": "ecdsa_p256", "chain": "1"}
    for name, value in wanted.items():
        if said[name] not in (None, value):
            shown = {"key": f"the key is {value}", "chain": f"it has {value} certificates"}[name]
            what = f"{shown}, where {show(stack.name)} has {layer}.{name}={said[name]}"
            hint = f"write {layer}.{name}={value}"
            if layer == "dtls":
                hint = "DTLS takes one certificate with a key of ECDSA on P-256"
            raise Fault(what, hint=hint, location=("server", "certificate"))
    if options.get(f"{layer}.client_certificate") == "on" and not has_client:
        raise Fault(
            f"clients of {show(stack.name)} must present a certificate",
            hint='add "client: {certificate: device.pem, key: device.key}"',
        )
