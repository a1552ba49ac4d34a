"""`lasthop get`: read a CoAP resource."""

from typing import Annotated

import typer

from lasthop.cli import options
from lasthop.cli.coap_request import CoapRequest

NAME = "get"
EXAMPLE = "Example: lasthop get coap://127.0.0.1/.well-known/core"


def command(  # noqa: PLR0913  each is an option
    url: Annotated[
        str,
        typer.Argument(
            metavar="URL",
            help="coap://HOST[:PORT]/PATH[?QUERY], or coaps://, coap+tcp://, coaps+tcp://",
        ),
    ],
    *,
    observe: Annotated[
        int | None,
        typer.Option("--observe", metavar="N", min=1, help="Observe it, for N notifications."),
    ] = None,
    accept: Annotated[
        int | None,
        typer.Option("--accept", metavar="N", min=0, max=65_535, help="The format wanted."),
    ] = None,
    cafile: options.CaFile = None,
    cert: options.Certificate = None,
    key: options.Key = None,
    psk: options.PreSharedKey = None,
    dtls: options.DtlsVersion = None,
    non: options.NonConfirmable = False,
    timeout: options.Timeout = 100.0,
    as_json: options.Json = False,
) -> int:
    """Read or observe a resource by our CoAP client; exit 1 when the server answers an error."""
    return CoapRequest(
        url=url,
        method="get",
        accept=accept,
        notifications=observe,
        cafile=cafile,
        certificate=cert,
        key=key,
        psk=psk,
        dtls=dtls,
        confirmable=not non,
        timeout_s=timeout,
        as_json=as_json,
    ).send()
