"""`lasthop get`: read a CoAP resource."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from lasthop.cli.coap_command import Url, coap_command

NAME = "get"
EXAMPLE = "Example: lasthop get coap://127.0.0.1/.well-known/core"


def _own(
    url: Url,  # noqa: ARG001  (the command reads it)
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
) -> Mapping[str, Any]:
    """Read or observe a CoAP resource. The exit code is 1 if the server answers with an error."""
    return {"accept": accept, "notifications": observe}


command = coap_command("get", _own)
