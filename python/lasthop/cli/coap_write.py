"""`lasthop put` and `lasthop post`: send a body to a CoAP resource."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any

import typer

from lasthop.cli import options
from lasthop.cli.coap_command import Url, coap_command


def write_command(method: str, summary: str) -> Callable[..., int]:
    """Make the command of a method that has a body."""

    def own(
        url: Url,  # noqa: ARG001  (the command reads it)
        body: Annotated[str, typer.Argument(metavar="BODY", help="Text to send.")],
        *,
        content_format: options.ContentFormat = 0,
    ) -> Mapping[str, Any]:
        return {"payload": body.encode(), "content_format": content_format}

    own.__doc__ = f"{summary}. The exit code is 1 if the server answers with an error."
    return coap_command(method, own)
