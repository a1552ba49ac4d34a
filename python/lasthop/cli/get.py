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
            help="Resource: coap://HOST[:PORT]/PATH[?QUERY]. Other schemes: coaps://, "
            "coap+tcp://, coaps+tcp://.",
        ),
    ],
    *,
    observe: Annotated[
        int | None,
        typer.Option(
            "--observe",
            metavar="N",
            min=1,
            help="Observes the resource and ends after N notifications. Default: one plain "
            "request.",
        ),
    ] = None,
    accept: Annotated[
        int | None,
        typer.Option(
            "--accept",
            metavar="N",
            min=0,
            max=65_535,
            help="CoAP Content-Format number that the answer should have, for example 50 for "
            "JSON. Default: any.",
        ),
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
    """Read or observe a CoAP resource. The exit code is 1 if the server answers with an error."""
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
