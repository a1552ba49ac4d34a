"""`lasthop pub`: publish one message."""

import secrets
from typing import Annotated

import typer

from lasthop import _native
from lasthop.cli import options
from lasthop.cli.output import say_json
from lasthop.errors import EXIT_PASS, UsageError
from lasthop.live import (
    one_line_errors,
    read_target,
    read_trust,
    read_user,
    stopped_by_signals,
)

NAME = "pub"
EXAMPLE = "Example: lasthop pub mqtt://127.0.0.1/house/door open"


def command(  # noqa: PLR0913  each is an option
    url: Annotated[
        str,
        typer.Argument(
            metavar="URL",
            help="Broker and topic: mqtt://HOST[:PORT]/TOPIC. Other schemes: mqtts://, ws://, "
            "wss://, quic://.",
        ),
    ],
    message: Annotated[str, typer.Argument(metavar="MESSAGE", help="Text to publish.")],
    *,
    qos: options.Qos = 1,
    version: options.MqttVersion = "3.1.1",
    user: options.MqttUser = None,
    cafile: options.CaFile = None,
    cert: options.Certificate = None,
    key: options.Key = None,
    retain: Annotated[
        bool,
        typer.Option(
            "--retain",
            help="Publishes the message as retained: the broker also sends it to clients that "
            "subscribe later.",
        ),
    ] = False,
    sessions: Annotated[
        int | None,
        typer.Option(
            "--sessions",
            min=1,
            max=1_000_000,
            help="Number of sessions, one after the other, that each publish the message. Later "
            "sessions resume the first one, over QUIC with early data. --json prints how "
            "each was set up. Default: 1.",
        ),
    ] = None,
    timeout: options.Timeout = 10.0,
    as_json: options.Json = False,
) -> int:
    """Publish one MQTT message. With QoS 1 or 2 it ends when the broker has acknowledged it."""
    target = read_target(url, ["mqtt", "mqtt_ws", "mqtt_quic"], "topic")
    if not target.path or "+" in target.path or "#" in target.path or "\0" in target.path:
        fault = f'URL: "{target.path}" is not a topic to publish to; write mqtt://HOST/house/door'
        raise UsageError(fault)
    options.check_mqtt(version)
    trust = read_trust(target, cafile, cert, key)
    with one_line_errors(url), stopped_by_signals() as stopper:
        established = _native.mqtt_publish(
            target.resolve(stream=not target.scheme.is_quic),
            target.path,
            message.encode(),
            qos=qos,
            version=version,
            client_id=f"lasthop-{secrets.token_hex(6)}",
            user=None if user is None else read_user(user),
            retain=retain,
            trust=trust,
            web_host=target.authority if target.scheme.is_web else None,
            by_quic=target.scheme.is_quic,
            sessions=sessions or 1,
            timeout_s=timeout,
            seed=secrets.randbits(63),
            stopper=stopper,
        )
    if as_json:
        told = {} if sessions is None else {"sessions": established}
        say_json({"published": target.path, "qos": qos, **told})
    return EXIT_PASS
