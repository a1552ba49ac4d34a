"""`lasthop put` and `lasthop post`: give a body to a CoAP resource."""

from collections.abc import Callable
from typing import Annotated

import typer

from lasthop.cli import options
from lasthop.cli.coap_request import CoapRequest


def write_command(method: str, summary: str) -> Callable[..., int]:
    """Make the command of a method that has a body."""

    def command(  # noqa: PLR0913  each is an option
        url: Annotated[
            str,
            typer.Argument(
                metavar="URL",
                help="Resource: coap://HOST[:PORT]/PATH[?QUERY]. Other schemes: coaps://, "
                "coap+tcp://, coaps+tcp://.",
            ),
        ],
        body: Annotated[str, typer.Argument(metavar="BODY", help="Text to send.")],
        *,
        content_format: options.ContentFormat = 0,
        cafile: options.CaFile = None,
        cert: options.Certificate = None,
        key: options.Key = None,
        psk: options.PreSharedKey = None,
        dtls: options.DtlsVersion = None,
        non: options.NonConfirmable = False,
        timeout: options.Timeout = 100.0,
        as_json: options.Json = False,
    ) -> int:
        return CoapRequest(
            url=url,
            method=method,
            payload=body.encode(),
            content_format=content_format,
            cafile=cafile,
            certificate=cert,
            key=key,
            psk=psk,
            dtls=dtls,
            confirmable=not non,
            timeout_s=timeout,
            as_json=as_json,
        ).send()

    command.__doc__ = f"{summary}. The exit code is 1 if the server answers with an error."
    return command
