"""Adapter of RabbitMQ, by AMQP 0-9-1 or by its MQTT plugin."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from lasthop.adapters.adapter import Adapter, Offer

if TYPE_CHECKING:
    from pathlib import Path

_AMQP = """\
listeners.tcp.1 = {address}:{port}
tcp_listen_options.nodelay = {nodelay}
"""
_MQTT = """\
listeners.tcp = none
mqtt.listeners.tcp.1 = {address}:{port}
mqtt.allow_anonymous = true
mqtt.prefetch = {max_in_flight}
mqtt.tcp_listen_options.nodelay = {nodelay}
mqtt.retained_message_store = rabbit_mqtt_retained_msg_store_ets
"""
_CONFIGURATION = """\
loopback_users = none
log.console = true
log.console.level = info
log.file = false
"""

_USUAL_IN_FLIGHT = 10  # the plugin's own default
_NO_BUSY_WAITING = "+sbwt none +sbwtdcpu none +sbwtdio none"  # as its guide to runtimes advises


class RabbitMq(Adapter):
    """RabbitMQ without authentication. Queues are in the run's folder, and QoS 2 becomes QoS 1.

    The scripts of Debian switch to a user of its own, so those behind them are run. Its port
    mapper is one for each namespace and ends with it.
    """

    name: ClassVar[str] = "rabbitmq"
    protocols: ClassVar[frozenset[str]] = frozenset({"mqtt/tcp", "amqp/tcp"})
    program: ClassVar[str] = "/usr/lib/rabbitmq/bin/rabbitmq-server"
    install: ClassVar[str] = "apt-get install rabbitmq-server"
    settings: ClassVar[frozenset[str]] = frozenset({"tcp.nodelay_server", "max_in_flight"})
    oldest: ClassVar[tuple[int, ...]] = (3, 8)
    ready_s: ClassVar[float] = 120.0

    def version_command(self, program: Path) -> list[str]:
        """Return the command that prints the version. It needs no running server."""
        return [str(program.with_name("rabbitmqctl")), "version"]

    def command(self, program: Path, offer: Offer) -> list[str]:
        """Write configuration and plugin list, and return the command that starts the broker."""
        is_mqtt = offer.application != "amqp"
        listening = (_MQTT if is_mqtt else _AMQP).format(
            address=offer.address,
            port=offer.port,
            max_in_flight=offer.options.get("max_in_flight", _USUAL_IN_FLIGHT),
            nodelay=str(bool(offer.options.get("tcp.nodelay_server", True))).lower(),
        )
        file = offer.write("rabbitmq.conf", listening + _CONFIGURATION)
        plugins = offer.write("enabled_plugins", f"[{'rabbitmq_mqtt' if is_mqtt else ''}].\n")
        settings = {
            "HOME": file.parent,
            "RABBITMQ_NODENAME": "lasthop@localhost",
            "RABBITMQ_CONFIG_FILE": file,
            "RABBITMQ_ENABLED_PLUGINS_FILE": plugins,
            "RABBITMQ_MNESIA_BASE": file.parent / "mnesia",
            "RABBITMQ_LOG_BASE": file.parent / "log",
            "ERL_CRASH_DUMP": file.parent / "crash",
            "RABBITMQ_FEATURE_FLAGS_FILE": file.parent / "feature_flags",
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": _NO_BUSY_WAITING,
        }
        return ["env", *(f"{name}={value}" for name, value in settings.items()), str(program)]
