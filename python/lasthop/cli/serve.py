"""`lasthop serve`: our broker and servers on sockets of this machine."""

import resource
import secrets
from typing import Annotated

import typer

from lasthop import _native
from lasthop.cli import options
from lasthop.cli.output import say, say_json
from lasthop.errors import EXIT_PASS, UsageError
from lasthop.live import (
    DEFAULT_PORTS,
    read_limits,
    read_listen_address,
    stopped_by_signals,
    told_in_one_line,
)
from lasthop.study.faults import nearest

NAME = "serve"
EXAMPLE = "Example: lasthop serve mqtt --listen 127.0.0.1:1883"
_EXAMPLES = ("plugtest",)


def command(
    served: Annotated[
        str,
        typer.Argument(metavar="mqtt|coap|json_udp", help="What is served.", show_default=False),
    ],
    *,
    listen: Annotated[
        list[str] | None,
        typer.Option(
            "--listen",
            metavar="ADDRESS",
            help="An IP address with its port, as 127.0.0.1:1883 or [::1]:1883; repeatable. "
            "This machine alone without it.",
        ),
    ] = None,
    limit: Annotated[
        list[str] | None,
        typer.Option(
            "--limit",
            metavar="NAME=VALUE",
            help="Replaces a limit of what clients may ask for; repeatable.",
        ),
    ] = None,
    example: Annotated[
        str | None,
        typer.Option(
            "--example", metavar="plugtest", help="Of coap: resources of the ETSI plugtests."
        ),
    ] = None,
    as_json: options.Json = False,
) -> int:
    """Serve on sockets of this machine until Ctrl-C; what runs in studies runs here."""
    if served not in DEFAULT_PORTS:
        near = nearest(served, DEFAULT_PORTS) or "mqtt"
        message = f'serve: "{served}" cannot be served; write {near}'
        raise UsageError(message)
    if example is not None and (served != "coap" or example not in _EXAMPLES):
        message = (
            f'--example: {served} has no example "{example}"; write: serve coap --example plugtest'
        )
        raise UsageError(message)
    addresses = [read_listen_address(text, served) for text in listen or ["127.0.0.1"]]
    limits = read_limits(limit or (), served)
    _allow_descriptors()
    with told_in_one_line(f"serve {served}"), stopped_by_signals() as stopper:
        server = _native.Server(
            served, addresses, limits=limits, example=example, seed=secrets.randbits(63)
        )
        _tell_where(served, server.addresses, as_json=as_json)
        server.run(stopper)
    return EXIT_PASS


def _tell_where(served: str, addresses: list[str], *, as_json: bool) -> None:
    scheme = served.replace("_", "+")
    urls = [f"{scheme}://{address}" for address in addresses]
    if as_json:
        say_json({"listening": urls})
    else:
        say(f"listening on {' '.join(urls)}")


def _allow_descriptors() -> None:
    """Let the server have as many connections as the system allows this process."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
