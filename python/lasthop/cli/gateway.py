"""`lasthop gateway`: manages devices of a gateway, commands to them, and their messages."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from lasthop import _native
from lasthop.cli import gateway_devices as devices
from lasthop.cli import options
from lasthop.cli.gateway_log import FOLLOWING_S, print_log, say_json_message, trim_log
from lasthop.cli.output import complain, say
from lasthop.errors import EXIT_PASS, EnvironmentFailure, UsageError, one_line
from lasthop.live import check_folder, read_gateway_data
from lasthop.live.pushing import Endpoint, Push

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
            help="Action: device add|remove|block|unblock DEVICE, device list, key "
            "add|remove|list DEVICE, bind|unbind GATEWAY DEVICE, config set DEVICE TEXT, command "
            "send DEVICE TEXT, token DEVICE, log, log trim, push SUBSCRIPTION URL, or backup FILE. "
            "DEVICE and GATEWAY are written projects/P/locations/L/registries/R/devices/D.",
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
            "earlier keys. Repeatable. key add and key remove: the public key to add or to remove. "
            "token: PEM file with the private key. Default: none.",
        ),
    ] = None,
    fingerprint: Annotated[
        str | None,
        typer.Option(
            "--fingerprint",
            metavar="TEXT",
            help="key remove: the key whose fingerprint begins so, as key list prints it. "
            "Default: the key of --key.",
        ),
    ] = None,
    keep_connections: Annotated[
        bool,
        typer.Option(
            "--keep-connections",
            help="For device add and key remove: MQTT connections that used a removed key stay "
            "until their tokens expire. Default: they are closed at once.",
        ),
    ] = False,
    from_file: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="FILE|-",
            help="device add: instead of DEVICE, adds the devices of a CSV file or of standard "
            "input (-), all or none. Each line has a device and its public keys: names of files, "
            "or PEM in quotes. Default: one device, DEVICE.",
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
        typer.Option(
            "--follow", help="For log and push: continues with new messages, until Ctrl-C."
        ),
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
    """Look after the devices of a gateway, whether or not its server runs."""
    action, arguments = _action_of(words, from_file)
    for option, is_given, actions, remedy in (
        (
            "--new-key",
            new_key is not None and bool(key or attaches or gateway or action != "device add"),
            (),
            (
                "it works only with device add, and without --key, --attaches and --gateway; "
                "remove the others"
            ),
        ),
        (
            "--from",
            from_file is not None and bool(key or attaches or gateway or new_key),
            (),
            (
                "the file names devices and their keys; remove --key, --new-key, --attaches and "
                "--gateway"
            ),
        ),
        (
            "--count",
            count is not None and new_key is None,
            (),
            "each of the devices needs its own key; add --new-key FILE",
        ),
        (
            "--older-than, --keep and --even-unread",
            older_than is not None or keep is not None or even_unread,
            ("log trim",),
            "they work only with log trim; write log trim, or remove them",
        ),
        (
            "--attempts",
            attempts is not None,
            ("push",),
            "it works only with push; remove it",
        ),
        (
            "--keep-connections",
            keep_connections,
            ("device add", "key remove"),
            "it works only with device add and key remove; remove it",
        ),
        (
            "--fingerprint",
            fingerprint is not None,
            ("key remove",),
            "it works only with key remove; write key remove, or remove it",
        ),
    ):
        if is_given and action not in actions:
            message = f"{option}: {remedy}"
            raise UsageError(message)
    with _told_in_one_line():
        if action == "token":
            _say_token(arguments[0], key or [], hours)
            return EXIT_PASS
        if data is None:
            message = f"gateway: {action} needs the data of a gateway; add --data FOLDER"
            raise UsageError(message)
        check_folder(data, makes=action == "device add", tell=complain)
        open_data = _native.GatewayAdministration
        administration = (open_data.to_trim if action == "log trim" else open_data)(
            read_gateway_data(data)
        )
        added = devices.Added(
            files=tuple(key or ()),
            attaches=attaches,
            gateway=gateway,
            new_key=new_key,
            count=count,
            from_file=from_file,
            keep=keep_connections,
        )
        does: dict[str, Callable[..., None]] = {
            "device add": partial(devices.add, added=added),
            "device remove": devices.remove_device,
            "device block": devices.block_device,
            "device unblock": devices.unblock_device,
            "device list": partial(devices.list_devices, as_json=as_json),
            "key add": partial(devices.add_key, files=key or []),
            "key remove": partial(
                devices.remove_key,
                files=key or [],
                fingerprint=fingerprint,
                keep=keep_connections,
            ),
            "key list": partial(devices.list_keys, as_json=as_json),
            "bind": devices.bind,
            "unbind": devices.unbind,
            "config set": _set_config,
            "command send": partial(_send_command, folder=folder),
            "log trim": partial(
                trim_log, older_than=older_than, keep=keep, even_unread=even_unread
            ),
            "log": partial(print_log, subscription=subscription, follow=follow, as_json=as_json),
            "backup": _back_up,
            "push": partial(_push, attempts=attempts, follow=follow),
        }
        does[action](administration, *arguments)
    return EXIT_PASS


_ARGUMENTS = {
    "device add": 1,
    "device remove": 1,
    "device block": 1,
    "device unblock": 1,
    "device list": 0,
    "key add": 1,
    "key remove": 1,
    "key list": 1,
    "bind": 2,
    "unbind": 2,
    "config set": 2,
    "command send": 2,
    "token": 1,
    "log": 0,
    "log trim": 0,
    "push": 2,
    "backup": 1,
}


def _action_of(words: list[str], from_file: str | None) -> tuple[str, list[str]]:
    """Return what is to be done, and to what."""
    action, arguments = " ".join(words[:2]), words[2:]
    if action != "log trim" and words[0] in {"log", "push", "token", "bind", "unbind", "backup"}:
        action, arguments = words[0], words[1:]
    if from_file is not None:
        if action != "device add" or arguments:
            message = (
                "--from: it works only with device add, and without DEVICE; write "
                "lasthop gateway device add --from FILE --data FOLDER"
            )
            raise UsageError(message)
        return action, [from_file]
    if _ARGUMENTS.get(action) != len(arguments):
        message = (
            f'gateway: "{" ".join(words)}" is not a known action; write device add '
            "DEVICE --key FILE, "
            "device remove DEVICE, device block DEVICE, device unblock DEVICE, device list, "
            "key add DEVICE --key FILE, key remove DEVICE --key FILE, key list DEVICE, "
            "bind GATEWAY DEVICE, unbind GATEWAY DEVICE, config set DEVICE TEXT, "
            "command send DEVICE TEXT, token DEVICE --key FILE, log, log trim, "
            "push SUBSCRIPTION URL or backup FILE"
        )
        raise UsageError(message)
    return action, arguments


def _back_up(administration: "_native.GatewayAdministration", file: str) -> None:
    administration.back_up(Path(file))
    say(f"the data are in {file}")


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
    pem = devices.read_pem(files[0])
    say(_native.gateway_token(device, pem, issued_at=int(time.time()), life_s=hours * 3600))


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
