"""The arguments that `lasthop get`, `put` and `post` have in common."""

import inspect
from collections.abc import Callable, Mapping
from typing import Annotated, Any

import typer

from lasthop.cli import options
from lasthop.cli.coap_request import CoapRequest

Url = Annotated[
    str,
    typer.Argument(
        metavar="URL",
        help="Resource: coap://HOST[:PORT]/PATH[?QUERY]. Other schemes: coaps://, "
        "coap+tcp://, coaps+tcp://.",
    ),
]


def coap_command(method: str, own: Callable[..., Mapping[str, Any]]) -> Callable[..., int]:
    """Make a command that sends one CoAP request and prints the answers.

    Parameters
    ----------
    own
        Takes the URL and the arguments of this method alone, and gives their fields of a
        ``CoapRequest``. Its docstring is the help of the command.
    """
    given, common = inspect.signature(own).parameters, inspect.signature(_common).parameters
    parameters = {**given, **common}

    def command(**words: Any) -> int:  # noqa: ANN401  (each has the type of its parameter)
        shared = _common(**{name: words.pop(name) for name in common})
        return CoapRequest(url=words["url"], method=method, **own(**words), **shared).send()

    command.__doc__ = own.__doc__
    command.__annotations__ = {name: it.annotation for name, it in parameters.items()}
    command.__signature__ = inspect.Signature(list(parameters.values()))  # type: ignore[attr-defined]
    return command


def _common(  # noqa: PLR0913  (each is an option)
    *,
    cafile: options.CaFile = None,
    cert: options.Certificate = None,
    key: options.Key = None,
    psk: options.PreSharedKey = None,
    dtls: options.DtlsVersion = None,
    non: options.NonConfirmable = False,
    timeout: options.Timeout = 100.0,
    as_json: options.Json = False,
) -> Mapping[str, Any]:
    return {
        "cafile": cafile,
        "certificate": cert,
        "key": key,
        "psk": psk,
        "dtls": dtls,
        "confirmable": not non,
        "timeout_s": timeout,
        "as_json": as_json,
    }
