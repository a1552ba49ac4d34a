"""`lasthop sub`: print the messages of a topic."""

import secrets
from typing import Annotated

import typer

from lasthop import _native
from lasthop.cli import options
from lasthop.cli.output import say, say_json
from lasthop.errors import EXIT_PASS, Interrupted, UsageError
from lasthop.live import (
    one_line_errors,
    read_target,
    read_trust,
    read_user,
    stopped_by_signals,
)

NAME = "sub"
EXAMPLE = "Example: lasthop sub mqtt://127.0.0.1/house/+ --count 3"


def command(  # noqa: PLR0913  each is an option
    url: Annotated[
        str,
        typer.Argument(
            metavar="URL",
            help="Broker and topic filter: mqtt://HOST[:PORT]/TOPIC, where + and # are "
            "wildcards. Other schemes: mqtts://, ws://, wss://, quic://.",
        ),
    ],
    *,
    count: Annotated[
        int | None,
        typer.Option(
            "--count",
            metavar="N",
            min=1,
            help="Number of messages after which the command ends. Default: unlimited.",
        ),
    ] = None,
    qos: options.Qos = 1,
    version: options.MqttVersion = "3.1.1",
    user: options.MqttUser = None,
    cafile: options.CaFile = None,
    cert: options.Certificate = None,
    key: options.Key = None,
    timeout: options.TimeoutOrNone = None,
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose", "-v", help="Prints the topic before each message, as mosquitto_sub does."
        ),
    ] = False,
    as_json: options.Json = False,
) -> int:
    """Subscribe to an MQTT topic and print each message on a line."""
    target = read_target(url, ["mqtt", "mqtt_ws", "mqtt_quic"], "topic")
    if not _is_filter(target.path):
        fault = f'URL: "{target.path}" is not a topic filter; write mqtt://HOST/house/+'
        raise UsageError(fault)
    options.check_mqtt(version)
    trust = read_trust(target, cafile, cert, key)
    left = count

    def take(topic: str, payload: bytes) -> bool:
        nonlocal left
        text = payload.decode(errors="replace")
        if as_json:
            say_json({"topic": topic, "payload": text})
        else:
            say(f"{topic} {text}" if verbose else text)
        left = None if left is None else left - 1
        return left is None or left > 0

    try:
        with one_line_errors(url), stopped_by_signals() as stopper:
            _native.mqtt_subscribe(
                target.resolve(stream=not target.scheme.is_quic),
                target.path,
                take,
                qos=qos,
                version=version,
                client_id=f"lasthop-{secrets.token_hex(6)}",
                user=None if user is None else read_user(user),
                trust=trust,
                web_host=target.authority if target.scheme.is_web else None,
                by_quic=target.scheme.is_quic,
                timeout_s=timeout,
                seed=secrets.randbits(63),
                stopper=stopper,
            )
    except Interrupted:
        # Who names no end ends it so.
        if count is not None:
            raise
    return EXIT_PASS


def _is_filter(topic: str) -> bool:
    levels = topic.split("/")
    well_placed = all(level in {"+", "#"} or not set("+#") & set(level) for level in levels)
    return bool(topic) and "\0" not in topic and well_placed and "#" not in levels[:-1]
