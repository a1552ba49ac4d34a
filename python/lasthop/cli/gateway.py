"""`lasthop gateway`: manages devices of a gateway, commands to them, and their messages."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from lasthop import _native
from lasthop.cli import options
from lasthop.cli.gateway_log import FOLLOWING_S, print_log, say_json_message, trim_log
from lasthop.cli.output import complain, say, say_json
from lasthop.errors import EXIT_PASS, EnvironmentFailure, UsageError, one_line
from lasthop.live import check_folder, read_gateway_data
from lasthop.live.pushing import Endpoint, Push
from lasthop.results.atomic import environment
from lasthop.study.registered_devices import Registered, write_registered

NAME = "gateway"
EXAMPLE = (
    "Example: lasthop gateway device add "
    "projects/p/locations/eu/registries/r/devices/d --key d.pub.pem --data gateway"
)


def command(  # noqa: PLR0913  each is an option
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="WHAT...",
            help="Action: device add DEVICE, device remove DEVICE, device list, bind GATEWAY "
            "DEVICE, unbind GATEWAY DEVICE, config set DEVICE TEXT, command send DEVICE "
            "TEXT, token DEVICE, log, log trim, or push SUBSCRIPTION URL. DEVICE and "
            "GATEWAY are written projects/P/locations/L/registries/R/devices/D.",
            show_default=False,
        ),
    ],
    *,
    data: Annotated[
        str | None,
        typer.Option(
            "--data",
            metavar="FOLDER|URL",
            help="Data folder or database URL of lasthop serve gateway. Every action except "
            "token needs it. Default: none.",
        ),
    ] = None,
    key: Annotated[
        list[Path] | None,
        typer.Option(
            "--key",
            metavar="FILE",
            help="device add: PEM file with the device's public key, P-256 or RSA. It replaces "
            "earlier keys. Repeatable. token: PEM file with the private key. Default: none.",
        ),
    ] = None,
    attaches: Annotated[
        str | None,
        typer.Option(
            "--attaches",
            metavar="WHOM",
            help="device add: makes the device a gateway that may act for other devices of its "
            "registry, once it has attached them. bound allows devices that are bound to "
            "it, token allows devices whose token it presents, both requires the two. "
            "Default: a plain device.",
        ),
    ] = None,
    gateway: Annotated[
        str | None,
        typer.Option(
            "--gateway",
            metavar="GATEWAY",
            help="device add: binds the new device to this gateway. It then needs no key of its "
            "own. Default: not bound.",
        ),
    ] = None,
    new_key: Annotated[
        Path | None,
        typer.Option(
            "--new-key",
            metavar="FILE",
            help="device add: creates a private key and writes it to this new file, together "
            "with the name of the device. Default: no new key.",
        ),
    ] = None,
    count: Annotated[
        int | None,
        typer.Option(
            "--count",
            min=1,
            max=5000,
            metavar="COUNT",
            help="device add with --new-key: number of devices to add, named DEVICE-1, DEVICE-2 "
            "and so on. Use the file with lasthop load --devices. Default: one device, "
            "named DEVICE.",
        ),
    ] = None,
    hours: Annotated[
        int,
        typer.Option(
            "--hours",
            min=1,
            max=24,
            metavar="COUNT",
            help="token: hours for which the token is valid.",
        ),
    ] = 1,
    folder: Annotated[
        str,
        typer.Option(
            "--folder",
            metavar="NAME",
            help="command send: subfolder of the command topic. Default: none.",
        ),
    ] = "",
    subscription: Annotated[
        str | None,
        typer.Option(
            "--subscription",
            metavar="NAME",
            help="log: prints only messages that were not yet printed for this subscription. "
            "Default: all messages.",
        ),
    ] = None,
    follow: Annotated[
        bool,
        typer.Option("--follow", help="log and push: also handles new messages, until Ctrl-C."),
    ] = False,
    attempts: Annotated[
        int | None,
        typer.Option(
            "--attempts",
            min=1,
            metavar="COUNT",
            help="push: number of attempts for a message. After that, the message is printed as "
            "log --json does. Default: unlimited.",
        ),
    ] = None,
    older_than: Annotated[
        str | None,
        typer.Option(
            "--older-than",
            metavar="TIME",
            help="log trim: removes messages that are older than this, for example 30d. "
            "Default: any age.",
        ),
    ] = None,
    keep: Annotated[
        int | None,
        typer.Option(
            "--keep",
            min=0,
            metavar="COUNT",
            help="log trim: number of newest messages to keep; older ones are removed. Default: "
            "set by --older-than.",
        ),
    ] = None,
    even_unread: Annotated[
        bool,
        typer.Option(
            "--even-unread",
            help="log trim: also removes messages that a subscription has not read yet.",
        ),
    ] = False,
    as_json: options.Json = False,
) -> int:
    """Manage the devices of a gateway. Its server may run at the same time."""
    action = " ".join(words[:2])
    arguments = words[2:]
    if action != "log trim" and words[0] in {"log", "push", "token", "bind", "unbind"}:
        action, arguments = words[0], words[1:]
    known = {
        "device add": 1,
        "device remove": 1,
        "device list": 0,
        "bind": 2,
        "unbind": 2,
        "config set": 2,
        "command send": 2,
        "token": 1,
        "log": 0,
        "log trim": 0,
        "push": 2,
    }
    if known.get(action) != len(arguments):
        message = (
            f'gateway: "{" ".join(words)}" is not a known action; write device add '
            "DEVICE --key FILE, device remove DEVICE, device list, bind GATEWAY "
            "DEVICE, unbind GATEWAY DEVICE, config set DEVICE TEXT, command send "
            "DEVICE TEXT, token DEVICE --key FILE, log, log trim or push "
            "SUBSCRIPTION URL"
        )
        raise UsageError(message)
    if new_key is not None and (key or attaches or gateway or action != "device add"):
        message = (
            "--new-key: it works only with device add, and without --key, "
            "--attaches and --gateway; remove the others"
        )
        raise UsageError(message)
    if count is not None and new_key is None:
        raise UsageError("--count: each of the devices needs its own key; add --new-key FILE")
    if action != "log trim" and (older_than is not None or keep is not None or even_unread):
        raise UsageError(
            "--older-than, --keep and --even-unread: they work only "
            "with log trim; write log trim, or remove them"
        )
    if attempts is not None and action != "push":
        raise UsageError("--attempts: it works only with push; remove it")
    with _told_in_one_line():
        if action == "token":
            _say_token(arguments[0], key or [], hours)
            return EXIT_PASS
        if data is None:
            message = f"gateway: {action} needs the data of a gateway; add --data FOLDER"
            raise UsageError(message)
        check_folder(data, makes=action == "device add", tell=complain)
        administration = _native.GatewayAdministration(read_gateway_data(data))
        does: dict[str, Callable[..., None]] = {
            "device add": (
                partial(_add_device, files=key or [], attaches=attaches, gateway=gateway)
                if new_key is None
                else partial(_add_with_new_keys, file=new_key, count=count)
            ),
            "device remove": _remove_device,
            "device list": partial(_list_devices, as_json=as_json),
            "bind": _bind,
            "unbind": _unbind,
            "config set": _set_config,
            "command send": partial(_send_command, folder=folder),
            "log trim": partial(
                trim_log, older_than=older_than, keep=keep, even_unread=even_unread
            ),
            "log": partial(print_log, subscription=subscription, follow=follow, as_json=as_json),
            "push": partial(_push, attempts=attempts, follow=follow),
        }
        does[action](administration, *arguments)
    return EXIT_PASS


def _add_device(
    administration: "_native.GatewayAdministration",
    device: str,
    *,
    files: list[Path],
    attaches: str | None,
    gateway: str | None,
) -> None:
    if not files and gateway is None:
        message = (
            "--key: a device needs a public key, or --gateway; extract a public "
            "key with openssl pkey -in KEY -pubout -out FILE"
        )
        raise UsageError(message)
    listed = {row[0]: row[3] for row in administration.devices()}
    if not files and device in listed:
        message = f"--key: {device} exists already; write lasthop gateway bind {gateway} {device}"
        raise UsageError(message)
    # Nothing is added that cannot be bound.
    is_beside = gateway is None or device.rpartition("/")[0] == gateway.rpartition("/")[0]
    if gateway is not None and (listed.get(gateway) is None or not is_beside):
        message = (
            f"--gateway: {gateway} is not a gateway of this registry; add it with "
            f"lasthop gateway device add {gateway} --key FILE --attaches bound"
        )
        raise UsageError(message)
    is_new = administration.put_device(device, [_read_pem(file) for file in files], attaches)
    say(f"{'added' if is_new else 'changed'} {device}")
    if gateway is not None:
        _bind(administration, gateway, device)


def _add_with_new_keys(
    administration: "_native.GatewayAdministration", device: str, *, file: Path, count: int | None
) -> None:
    names = [device] if count is None else [f"{device}-{number + 1}" for number in range(count)]
    keys = [_native.gateway_new_key() for _ in names]
    pairs = zip(names, keys, strict=True)
    with environment(file):
        write_registered(file, [Registered(name, private) for name, (private, _) in pairs])
    try:
        public = zip(names, keys, strict=True)
        new = administration.put_devices([(name, [pem]) for name, (_, pem) in public])
    except BaseException:
        file.unlink()
        raise
    changed = f", {len(names) - new} with another key than before" if new < len(names) else ""
    say(f"added {new} device{'' if new == 1 else 's'}{changed}; the keys are in {file}")


def _remove_device(administration: "_native.GatewayAdministration", device: str) -> None:
    administration.remove_device(device)
    say(f"removed {device}")


def _bind(administration: "_native.GatewayAdministration", gateway: str, device: str) -> None:
    is_new = administration.bind(gateway, device)
    say(f"{device} {'is' if is_new else 'was'} bound to {gateway}")


def _unbind(administration: "_native.GatewayAdministration", gateway: str, device: str) -> None:
    administration.unbind(gateway, device)
    say(f"{device} is not bound to {gateway} any more")


def _set_config(administration: "_native.GatewayAdministration", device: str, text: str) -> None:
    version = administration.set_config(device, text.encode())
    say(f"configuration {version} of {device}")


def _send_command(
    administration: "_native.GatewayAdministration", device: str, text: str, *, folder: str
) -> None:
    administration.send_command(device, folder, text.encode())
    say(f"sent to {device}")


def _say_token(device: str, files: list[Path], hours: int) -> None:
    if len(files) != 1:
        message = (
            "--key: token needs exactly one private key; create one with openssl "
            "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out FILE"
        )
        raise UsageError(message)
    pem = _read_pem(files[0])
    say(_native.gateway_token(device, pem, issued_at=int(time.time()), life_s=hours * 3600))


def _read_pem(file: Path) -> str:
    try:
        return file.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError) as error:
        message = (
            f"--key: {file} is not a PEM file; create one with openssl genpkey or openssl pkey"
        )
        raise UsageError(message) from error


def _list_devices(administration: "_native.GatewayAdministration", *, as_json: bool) -> None:
    for device, algorithms, version, attaches, gateways in administration.devices():
        if as_json:
            say_json(
                {
                    "device": device,
                    "algorithms": algorithms,
                    "config_version": version,
                    "attaches": attaches,
                    "bound_to": gateways,
                }
            )
        else:
            parts = [device, *algorithms, f"configuration {version}"]
            parts += [f"attaches {attaches}"] if attaches else []
            parts += [f"bound to {gateway}" for gateway in gateways]
            say(" ".join(parts))


def _push(
    administration: "_native.GatewayAdministration",
    subscription: str,
    url: str,
    *,
    attempts: int | None,
    follow: bool,
) -> None:
    push = Push(
        administration,
        subscription,
        Endpoint(url),
        give_up=say_json_message,
        tell=lambda failure: complain(f"push: {one_line(url)}: {failure}; trying again"),
        attempts=attempts,
    )
    try:
        push.run(follow=follow, pause_s=FOLLOWING_S)
    finally:
        plural = "" if push.delivered == 1 else "s"
        complain(f"push: {push.delivered} message{plural} taken by {url}")


@contextmanager
def _told_in_one_line() -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        message = f"gateway: {error}"
        raise UsageError(message) from error
    except OSError as error:
        message = f"gateway: {error}"
        raise EnvironmentFailure(message) from error
