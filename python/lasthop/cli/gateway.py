"""`lasthop gateway`: the devices of a gateway, what they are told and what they have said."""

import base64
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from lasthop import _native
from lasthop.cli import options
from lasthop.cli.output import say, say_json
from lasthop.errors import EXIT_PASS, EnvironmentFailure, UsageError, one_line

NAME = "gateway"
EXAMPLE = (
    "Example: lasthop gateway device add "
    "projects/p/locations/eu/registries/r/devices/d --key d.pub.pem --data gateway"
)

_AT_A_TIME = 1000
_FOLLOWING_S = 0.2


def command(  # noqa: PLR0913  each is an option
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="WHAT...",
            help="device add|remove DEVICE, device list, config set DEVICE TEXT, "
            "command send DEVICE TEXT, token DEVICE, or log; DEVICE is "
            "projects/P/locations/L/registries/R/devices/D.",
            show_default=False,
        ),
    ],
    *,
    data: Annotated[
        Path | None,
        typer.Option(
            "--data", metavar="FOLDER", help="The folder that lasthop serve has; of all but token."
        ),
    ] = None,
    key: Annotated[
        list[Path] | None,
        typer.Option(
            "--key",
            metavar="FILE",
            help="Of device add: a public key of P-256 or RSA, PEM; repeatable, in place of those "
            "that the device has. Of token: the private key.",
        ),
    ] = None,
    hours: Annotated[
        int,
        typer.Option(
            "--hours", min=1, max=24, metavar="COUNT", help="Of token: how long it is valid."
        ),
    ] = 1,
    folder: Annotated[
        str, typer.Option("--folder", metavar="NAME", help="Of command send: its subfolder.")
    ] = "",
    subscription: Annotated[
        str | None,
        typer.Option(
            "--subscription",
            metavar="NAME",
            help="Of log: begin behind what was printed for this name before.",
        ),
    ] = None,
    follow: Annotated[
        bool, typer.Option("--follow", help="Of log: go on with what comes, until Ctrl-C.")
    ] = False,
    as_json: options.Json = False,
) -> int:
    """Look after the devices of a gateway, whether or not its server runs."""
    action = " ".join(words[:2])
    arguments = words[2:]
    if words[0] in {"log", "token"}:
        action, arguments = words[0], words[1:]
    known = {
        "device add": 1,
        "device remove": 1,
        "device list": 0,
        "config set": 2,
        "command send": 2,
        "token": 1,
        "log": 0,
    }
    if known.get(action) != len(arguments):
        message = (
            f'gateway: "{" ".join(words)}" cannot be done; write device add DEVICE --key FILE, '
            "device remove DEVICE, device list, config set DEVICE TEXT, command send DEVICE TEXT, "
            "token DEVICE --key FILE or log"
        )
        raise UsageError(message)
    with _told_in_one_line():
        if action == "token":
            _say_token(arguments[0], key or [], hours)
            return EXIT_PASS
        if data is None:
            message = f"gateway: {action} is about the data of a gateway; add --data FOLDER"
            raise UsageError(message)
        administration = _native.GatewayAdministration(data)
        if action == "device add":
            _add_device(administration, arguments[0], key or [])
        elif action == "device remove":
            administration.remove_device(arguments[0])
            say(f"removed {arguments[0]}")
        elif action == "device list":
            _list_devices(administration, as_json=as_json)
        elif action == "config set":
            version = administration.set_config(arguments[0], arguments[1].encode())
            say(f"configuration {version} of {arguments[0]}")
        elif action == "command send":
            administration.send_command(arguments[0], folder, arguments[1].encode())
            say(f"sent to {arguments[0]}")
        else:
            _log(administration, subscription, follow=follow, as_json=as_json)
    return EXIT_PASS


def _add_device(
    administration: _native.GatewayAdministration, device: str, files: list[Path]
) -> None:
    if not files:
        message = (
            "--key: a device has a public key; write one by openssl pkey -in KEY -pubout -out FILE"
        )
        raise UsageError(message)
    is_new = administration.put_device(device, [_read_pem(file) for file in files])
    say(f"{'added' if is_new else 'changed'} {device}")


def _say_token(device: str, files: list[Path], hours: int) -> None:
    if len(files) != 1:
        message = (
            "--key: a token is signed by one private key; write one by openssl genpkey "
            "-algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out FILE"
        )
        raise UsageError(message)
    pem = _read_pem(files[0])
    say(_native.gateway_token(device, pem, issued_at=int(time.time()), life_s=hours * 3600))


def _read_pem(file: Path) -> str:
    try:
        return file.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError) as error:
        message = f"--key: {file} cannot be read as PEM; write one by openssl genpkey or pkey"
        raise UsageError(message) from error


def _list_devices(administration: _native.GatewayAdministration, *, as_json: bool) -> None:
    for device, algorithms, version in administration.devices():
        if as_json:
            say_json({"device": device, "algorithms": algorithms, "config_version": version})
        else:
            say(f"{device} {' '.join(algorithms)} configuration {version}")


def _log(
    administration: _native.GatewayAdministration,
    subscription: str | None,
    *,
    follow: bool,
    as_json: bool,
) -> None:
    """Print the messages; those of a subscription are acknowledged once they were printed."""
    first = 1 if subscription is None else administration.next_of(subscription)
    write: Callable[[tuple[int, str, int, str, str, bytes]], None]
    write = _say_json_message if as_json else _say_message
    while True:
        messages = administration.messages(first, _AT_A_TIME)
        for message in messages:
            write(message)
        if messages:
            first = messages[-1][0] + 1
            if subscription is not None:
                administration.acknowledge(subscription, first)
        elif follow:
            time.sleep(_FOLLOWING_S)
        else:
            return


def _say_message(message: tuple[int, str, int, str, str, bytes]) -> None:
    offset, device, at, kind, folder, payload = message
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))
    what = f"{kind}/{folder}" if folder else kind
    said = payload.decode(errors="replace")
    # A device is not to write lines of its own, nor to a terminal.
    say(one_line(f"{offset} {when} {device.rpartition('/')[2]} {what} {said}"))


def _say_json_message(message: tuple[int, str, int, str, str, bytes]) -> None:
    offset, device, at, kind, folder, payload = message
    say_json(
        {
            "offset": offset,
            "device": device,
            "unix_time_s": at,
            "kind": kind,
            "folder": folder,
            "payload_base64": base64.b64encode(payload).decode(),
        }
    )


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
