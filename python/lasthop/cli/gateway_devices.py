"""The devices of a gateway and their keys: added, listed, blocked and removed."""

from __future__ import annotations

import csv
import io
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lasthop import _native
from lasthop.cli.output import say, say_json
from lasthop.cli.progress import counted
from lasthop.errors import UsageError
from lasthop.results.atomic import environment
from lasthop.study.registered_devices import Registered, write_registered

if TYPE_CHECKING:
    from collections.abc import Iterator

_BEGINS = "-----BEGIN"
_EXAMPLE = "DEVICE,d1.pub.pem"


@dataclass(frozen=True, slots=True)
class Added:
    """The arguments of `device add`.

    Parameters
    ----------
    files
        The files of the public keys.
    attaches
        Which devices it may attach.
    gateway
        The gateway that it is bound to.
    new_key
        The new file for keys that are made here.
    count
        How many devices have a key of these.
    from_file
        The file that names the devices.
    keep
        Whether connections by keys that it loses stay until their tokens end.
    """

    files: tuple[Path, ...] = ()
    attaches: str | None = None
    gateway: str | None = None
    new_key: Path | None = None
    count: int | None = None
    from_file: str | None = None
    keep: bool = False


def add(administration: _native.GatewayAdministration, named: str, *, added: Added) -> None:
    """Add a device, or many: by its keys, by keys that are made here, or from a file."""
    if added.from_file is not None:
        _add_from_file(administration, added.from_file, keep=added.keep)
    elif added.new_key is not None:
        _add_with_new_keys(administration, named, added.new_key, added=added)
    else:
        _add_device(administration, named, added=added)


def _add_device(
    administration: _native.GatewayAdministration, device: str, *, added: Added
) -> None:
    gateway = added.gateway
    if not added.files and gateway is None:
        message = (
            "--key: a device has a public key, or --gateway; write a key by openssl pkey -in KEY "
            "-pubout -out FILE"
        )
        raise UsageError(message)
    listed = {row[0]: row[3] for row in administration.devices()}
    if not added.files and device in listed:
        message = f"--key: {device} is there already; write lasthop gateway bind {gateway} {device}"
        raise UsageError(message)
    # Nothing is added that cannot be bound.
    is_beside = gateway is None or device.rpartition("/")[0] == gateway.rpartition("/")[0]
    if gateway is not None and (listed.get(gateway) is None or not is_beside):
        message = (
            f"--gateway: {gateway} is not a gateway in this registry; create it with "
            f"lasthop gateway device add {gateway} --key FILE --attaches bound"
        )
        raise UsageError(message)
    pems = [read_pem(file) for file in added.files]
    is_new = administration.put_device(device, pems, added.attaches, keep=added.keep)
    say(f"{'added' if is_new else 'changed'} {device}")
    if gateway is not None:
        bind(administration, gateway, device)


def _add_with_new_keys(
    administration: _native.GatewayAdministration, device: str, file: Path, *, added: Added
) -> None:
    count = added.count
    names = [device] if count is None else [f"{device}-{number + 1}" for number in range(count)]
    keys = [_native.gateway_new_key() for _ in names]
    pairs = zip(names, keys, strict=True)
    with environment(file):
        write_registered(file, [Registered(name, private) for name, (private, _) in pairs])
    try:
        public = zip(names, keys, strict=True)
        new = _put(administration, [(name, [pem]) for name, (_, pem) in public], keep=added.keep)
    except BaseException:
        file.unlink()
        raise
    changed = f", {len(names) - new} with another key than before" if new < len(names) else ""
    say(f"added {new} device{'' if new == 1 else 's'}{changed}; the keys are in {file}")


def _add_from_file(administration: _native.GatewayAdministration, file: str, *, keep: bool) -> None:
    devices = _read_devices(file)
    new = _put(administration, devices, keep=keep)
    changed = f", changed {len(devices) - new}" if new < len(devices) else ""
    say(f"added {new} device{'' if new == 1 else 's'}{changed}")


def _put(
    administration: _native.GatewayAdministration,
    devices: list[tuple[str, list[str]]],
    *,
    keep: bool,
) -> int:
    with counted("adding devices", total=len(devices)) as tell:
        return administration.put_devices(devices, keep=keep, tell=tell)


def _read_devices(file: str) -> list[tuple[str, list[str]]]:
    try:
        if file == "-":
            text, folder = sys.stdin.read(), Path()
        else:
            text, folder = Path(file).read_text(encoding="utf-8-sig"), Path(file).parent
    except (OSError, UnicodeDecodeError) as error:
        message = f"--from: {file} cannot be read as text; write lines of CSV, {_EXAMPLE}"
        raise UsageError(message) from error
    devices = {}
    for place, row in _rows(file, text):
        name, *keys = row
        if not keys:
            message = f"{place}: {name} has no key; write {_EXAMPLE}"
            raise UsageError(message)
        if name in devices:
            raise UsageError(f"{place}: {name} is there twice; write each device once")
        devices[name] = [_key_of(key, folder, place) for key in keys]
    if not devices:
        raise UsageError(f"--from: {file} names no device; write lines of CSV, {_EXAMPLE}")
    return list(devices.items())


def _rows(file: str, text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield where each row is, and its fields that are not empty."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    begins = 1
    try:
        for row in reader:
            place, begins = f"--from: {file}:{begins}", reader.line_num + 1
            fields = [field.strip() for field in row if field.strip()]
            if fields and fields[0] != "device":
                yield place, fields
    except csv.Error as error:
        message = f"--from: {file}:{begins}: this is no CSV ({error}); write {_EXAMPLE}"
        raise UsageError(message) from error


def _key_of(key: str, folder: Path, place: str) -> str:
    if key.startswith(_BEGINS):
        return key
    try:
        return (folder / key).read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError) as error:
        message = f"{place}: {folder / key} cannot be read as PEM; name the file of a public key"
        raise UsageError(message) from error


def remove_device(administration: _native.GatewayAdministration, device: str) -> None:
    """Take a device out."""
    administration.remove_device(device)
    say(f"removed {device}")


def block_device(administration: _native.GatewayAdministration, device: str) -> None:
    """Block a device, regardless of its credentials."""
    is_new = administration.set_blocked(device, is_blocked=True)
    say(f"blocked {device}" if is_new else f"{device} was blocked already")


def unblock_device(administration: _native.GatewayAdministration, device: str) -> None:
    """Have a device served again."""
    is_new = administration.set_blocked(device, is_blocked=False)
    say(f"unblocked {device}" if is_new else f"{device} was not blocked")


def list_devices(administration: _native.GatewayAdministration, *, as_json: bool) -> None:
    """Print all devices, by name."""
    for device, algorithms, version, attaches, gateways, is_blocked in administration.devices():
        if as_json:
            say_json(
                {
                    "device": device,
                    "algorithms": algorithms,
                    "config_version": version,
                    "attaches": attaches,
                    "bound_to": gateways,
                    "blocked": is_blocked,
                }
            )
        else:
            parts = [device, *algorithms, f"configuration {version}"]
            parts += [f"attaches {attaches}"] if attaches else []
            parts += [f"bound to {gateway}" for gateway in gateways]
            parts += ["blocked"] if is_blocked else []
            say(" ".join(parts))


def add_key(
    administration: _native.GatewayAdministration, device: str, *, files: list[Path]
) -> None:
    """Add a key to those of a device."""
    is_new = administration.add_key(device, _only_key(files))
    say(f"added a key to {device}" if is_new else f"{device} has this key already")


def remove_key(
    administration: _native.GatewayAdministration,
    device: str,
    *,
    files: list[Path],
    fingerprint: str | None,
    keep: bool,
) -> None:
    """Take one key of a device away."""
    if fingerprint is not None and files:
        raise UsageError("--fingerprint: --key names the key as well; leave one of them out")
    named = _only_key(files) if fingerprint is None else fingerprint
    gone = administration.remove_key(device, named, keep=keep)
    say(f"removed key {gone} of {device}")


def list_keys(administration: _native.GatewayAdministration, device: str, *, as_json: bool) -> None:
    """Print the keys of a device by their fingerprints."""
    for fingerprint, algorithm in administration.keys(device):
        if as_json:
            say_json({"fingerprint": fingerprint, "algorithm": algorithm})
        else:
            say(f"{fingerprint} {algorithm}")


def _only_key(files: list[Path]) -> str:
    if len(files) != 1:
        message = "--key: name one public key; write one by openssl pkey -in KEY -pubout -out FILE"
        raise UsageError(message)
    return read_pem(files[0])


def bind(administration: _native.GatewayAdministration, gateway: str, device: str) -> None:
    """Let a gateway attach a device."""
    is_new = administration.bind(gateway, device)
    say(f"{device} {'is' if is_new else 'was'} bound to {gateway}")


def unbind(administration: _native.GatewayAdministration, gateway: str, device: str) -> None:
    """Take that right away."""
    administration.unbind(gateway, device)
    say(f"{device} is not bound to {gateway} any more")


def read_pem(file: Path) -> str:
    """Read the file of a key."""
    try:
        return file.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError) as error:
        message = f"--key: {file} cannot be read as PEM; write one by openssl genpkey or pkey"
        raise UsageError(message) from error
