"""The stack's part of a run spec."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lasthop.study.quantity import TIME, parse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lasthop.study.stacks.notation import ResolvedStack

Spec = dict[str, Any]


def stack_spec(stack: ResolvedStack) -> Spec:
    """Give the stack's part of a run spec, one key with the settings under it."""
    options = stack.options
    if not stack.supported:
        return {stack.layers[0]: {"layers": list(stack.layers), "options": dict(options)}}
    settings: Spec = {"ip_version": int(options["ip.version"])}
    match stack.layers[:-1]:
        case ("json_udp", "udp"):
            settings["subscribe_timeout_ns"] = _time(options, "subscribe_timeout")
        case ("raw_udp", "udp"):
            acknowledges = options["ack"] == "on"
            settings["acknowledgement"] = _acknowledgement(options) if acknowledges else None
        case ("raw_tcp", "tcp"):
            settings["tcp"] = _tcp(options)
        case ("mqtt", "tcp"):
            settings |= {"tcp": _tcp(options), "mqtt": _mqtt(options)}
        case ("coap", "udp"):
            settings |= {"type": _coap_type(options), "echo": options["echo"] == "on"}
            settings |= {"coap": _coap(options)}
        case ("coap", "tcp"):
            return {"coap_tcp": settings | {"tcp": _tcp(options), "coap": _coap(options)}}
        case layers:
            raise AssertionError(layers)
    return {stack.layers[0]: settings}


def _time(options: Mapping[str, str], name: str) -> int:
    return int(parse(options[name], TIME))


def _acknowledgement(options: Mapping[str, str]) -> Spec:
    return _first_wait(options) | {"max_retransmit": int(options["max_retransmit"])}


def _first_wait(options: Mapping[str, str]) -> Spec:
    return {
        "timeout_ns": _time(options, "ack_timeout"),
        "random_factor": float(options["ack_random_factor"]),
    }


def _tcp(options: Mapping[str, str]) -> Spec:
    return {
        "profile": options["tcp.profile"],
        "congestion": options["tcp.congestion"],
        "timestamps": options["tcp.timestamps"] == "on",
        "fast_open": options["tcp.fast_open"] == "on",
        "nodelay_client": options["tcp.nodelay_client"] == "on",
        "nodelay_server": options["tcp.nodelay_server"] == "on",
    }


def _mqtt(options: Mapping[str, str]) -> Spec:
    return {
        "qos": int(options["qos"]),
        "version": options["version"],
        "keep_alive_s": _time(options, "keep_alive") // 10**9,
        # QoS 0 has no acknowledgements to wait for.
        "max_in_flight": int(options.get("max_in_flight", "1")),
        "topic_alias": options.get("topic_alias") == "on",
        "session": "keep",
    }


def _coap_type(options: Mapping[str, str]) -> Spec:
    if options["type"] == "non":
        return {"non": _first_wait(options)}
    exchange = {"nstart": int(options["nstart"]), "acknowledgement": _acknowledgement(options)}
    return {"con": exchange}


def _coap(options: Mapping[str, str]) -> Spec:
    return {"push": options["push"], "block_bytes": int(options["block_size"])}
