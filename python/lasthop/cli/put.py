"""`lasthop put`: set a CoAP resource."""

from typing import Annotated

import typer

from lasthop.cli import options
from lasthop.cli.coap_request import CoapRequest

NAME = "put"
EXAMPLE = "Example: lasthop put coap://127.0.0.1/lamp on"


def command(  # noqa: PLR0913  each is an option
    url: Annotated[str, typer.Argument(metavar="URL", help="coap://HOST[:PORT]/PATH[?QUERY]")],
    body: Annotated[str, typer.Argument(metavar="BODY", help="What is sent.")],
    *,
    content_format: options.ContentFormat = 0,
    non: options.NonConfirmable = False,
    timeout: options.Timeout = 100.0,
    as_json: options.Json = False,
) -> int:
    """Set a resource by our CoAP client; exit 1 when the server answers an error."""
    return CoapRequest(
        url=url,
        method="put",
        payload=body.encode(),
        content_format=content_format,
        confirmable=not non,
        timeout_s=timeout,
        as_json=as_json,
    ).send()
