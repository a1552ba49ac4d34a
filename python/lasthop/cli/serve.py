"""`lasthop serve`: our broker and servers on sockets of this machine."""

import ipaddress
import os
import secrets
import signal
from pathlib import Path
from typing import Annotated

import typer

from lasthop import _native
from lasthop.cli import options
from lasthop.cli.output import complain, say, say_json
from lasthop.errors import EXIT_PASS, UsageError
from lasthop.live import (
    SERVED,
    DtlsOffered,
    Scheme,
    check_folder,
    dtls_scheme_of,
    has_secured,
    in_the_clear,
    one_line_errors,
    read_access,
    read_clients,
    read_gateway_data,
    read_limits,
    read_listen_addresses,
    read_tls,
    scheme_of,
    stopped_by_signals,
)
from lasthop.study.text.faults import nearest

NAME = "serve"
EXAMPLE = "Example: lasthop serve mqtt coap --listen 127.0.0.1"
_EXAMPLES = ("plugtest",)
_LOG_FORMS = ("text", "json")
_SECURED_BY = {"coap": "add --dtls-psk FILE, or ", "json+udp": ""}


def command(  # noqa: C901, PLR0913  each is an option
    served: Annotated[
        list[str],
        typer.Argument(
            metavar="mqtt|coap|json_udp|gateway|probe...",
            help="Servers to start: one, or several that share their topics. gateway is an MQTT "
            "device gateway for devices that authenticate with tokens; it runs alone. probe "
            "answers lasthop probe and runs alone.",
            show_default=False,
        ),
    ],
    *,
    listen: Annotated[
        list[str] | None,
        typer.Option(
            "--listen",
            metavar="ADDRESS",
            help="IP address and port, for example 127.0.0.1:1883 or [::1]:1883. With several "
            "servers write the scheme too: mqtt://127.0.0.1:1883. Repeatable. Default: "
            "127.0.0.1 and the usual port of each protocol.",
        ),
    ] = None,
    limit: Annotated[
        list[str] | None,
        typer.Option(
            "--limit",
            metavar="NAME=VALUE",
            help="Replaces a limit for clients, for example connections=5000. Repeatable. "
            "Default: see docs/reference/serve.md.",
        ),
    ] = None,
    user: Annotated[
        list[str] | None,
        typer.Option(
            "--user",
            metavar="NAME:PASSWORD",
            help="User name and password of a client that may connect. Other clients are "
            "refused, and other users of this machine can see both. Repeatable. Default: "
            "every client may connect.",
        ),
    ] = None,
    password_file: Annotated[
        Path | None,
        typer.Option(
            "--password-file",
            metavar="FILE",
            help="File with the users that may connect, in the format of mosquitto_passwd. "
            "Default: none.",
        ),
    ] = None,
    acl_file: Annotated[
        Path | None,
        typer.Option(
            "--acl-file",
            metavar="FILE",
            help="File with the topics that each user may read and write, in the format of "
            "mosquitto's acl_file. Default: all topics for all users.",
        ),
    ] = None,
    allow_anonymous: Annotated[
        bool,
        typer.Option(
            "--allow-anonymous",
            help="Also accepts clients without a user name when users are configured.",
        ),
    ] = False,
    tls_cert: Annotated[
        Path | None,
        typer.Option(
            "--tls-cert",
            metavar="FILE",
            help="PEM file with the certificate chain of the server. mqtt and coap_tcp then use "
            "TLS 1.2 and 1.3, by default on ports 8883 and 5684. Needs --tls-key. Default: "
            "no TLS.",
        ),
    ] = None,
    tls_key: Annotated[
        Path | None,
        typer.Option(
            "--tls-key",
            metavar="FILE",
            help="PEM file with the private key for --tls-cert. Default: none.",
        ),
    ] = None,
    client_ca: Annotated[
        Path | None,
        typer.Option(
            "--client-ca",
            metavar="FILE",
            help="PEM file with certificate authorities. Only clients that present a "
            "certificate of one of them may connect by TLS or DTLS. Default: clients need "
            "no certificate.",
        ),
    ] = None,
    dtls_psk: Annotated[
        Path | None,
        typer.Option(
            "--dtls-psk",
            metavar="FILE",
            help="File with pre-shared keys, lines identity:key, with the key in hexadecimal "
            "digits. coap is then served by DTLS 1.2 only, by default on port 5684. Only "
            "its owner may read the file (chmod 600). Default: no DTLS.",
        ),
    ] = None,
    dtls: Annotated[
        str | None,
        typer.Option(
            "--dtls",
            metavar="1.2|1.3",
            help="DTLS version. coap is then served by DTLS only, by default on port 5684, with "
            "the certificate of --tls-cert (ECDSA on P-256). Default: no DTLS.",
        ),
    ] = None,
    ws: Annotated[
        bool,
        typer.Option(
            "--ws",
            help="Also serves mqtt over WebSocket, by default on port 8083, with TLS on 8084. "
            "Other address: --listen ws://127.0.0.1:8083.",
        ),
    ] = False,
    quic: Annotated[
        bool,
        typer.Option(
            "--quic",
            help="Also serves mqtt over QUIC, by default on UDP port 14567. Needs --tls-cert. "
            "Other address: --listen quic://127.0.0.1:14567.",
        ),
    ] = False,
    quic_retry: Annotated[
        bool,
        typer.Option(
            "--quic-retry",
            help="Makes QUIC clients prove their address first (Retry). This is always on for "
            "addresses that other machines can reach.",
        ),
    ] = False,
    data: Annotated[
        str | None,
        typer.Option(
            "--data",
            metavar="FOLDER|URL",
            help="Data of the gateway, that is its devices and their messages: a folder, which "
            "is created if missing, or postgresql://USER@HOST/DATABASE. Required for "
            "gateway. Default: none.",
        ),
    ] = None,
    http: Annotated[
        bool,
        typer.Option(
            "--http",
            help="Also serves the devices of the gateway over HTTP, by default on port 8080, "
            "with TLS on 8443. Other address: --listen http://127.0.0.1:8080.",
        ),
    ] = False,
    http3: Annotated[
        bool,
        typer.Option(
            "--http3",
            help="Also serves the devices of the gateway over HTTP/3, by default on UDP port "
            "8443. Needs --tls-cert. Other address: --listen h3://127.0.0.1:8443.",
        ),
    ] = False,
    metrics: Annotated[
        bool,
        typer.Option(
            "--metrics",
            help="Serves the counters of the gateway to Prometheus at /metrics, by HTTP without "
            "TLS, by default on port 9464. Other address: --listen "
            "metrics://127.0.0.1:9464.",
        ),
    ] = False,
    log: Annotated[
        str | None,
        typer.Option(
            "--log",
            metavar="text|json",
            help="Log format of the gateway on standard error: one line for each connection, "
            "refusal with its reason, disconnection and message that is not stored. Tokens "
            "and payloads are never logged. Default: no log.",
        ),
    ] = None,
    example: Annotated[
        str | None,
        typer.Option(
            "--example",
            metavar="plugtest",
            help="With coap: serves the test resources of the ETSI plugtests. Default: only "
            "resources that clients create.",
        ),
    ] = None,
    as_json: options.Json = False,
) -> int:
    """Run the servers of the simulator on real sockets of this machine, until Ctrl-C."""
    if "probe" in served:
        return _serve_probe(served, listen or [f"127.0.0.1:{_PROBE_PORT}"], as_json=as_json)
    _check_served(served)
    if "gateway" in served:
        named = (user, password_file, acl_file, allow_anonymous or None)
        _check_gateway(served, data, has_users=any(it is not None for it in named))
        served = ["mqtt"]
    else:
        over_http = "--http" if http else "--http3" if http3 else None
        _check_no_gateway(served, data, http=over_http, metrics=metrics, has_log=log is not None)
    if log not in {None, *_LOG_FORMS}:
        message = f'--log: "{log}" is not a log format; write text or json'
        raise UsageError(message)
    if example is not None and (not {"coap", "coap_tcp"} & set(served) or example not in _EXAMPLES):
        message = (
            f'--example: {" ".join(served)} has no example "{example}"; '
            "write: serve coap --example plugtest"
        )
        raise UsageError(message)
    tls = read_tls(tls_cert, tls_key)
    clients = read_clients(client_ca, secured=tls is not None)
    secured_datagrams = DtlsOffered(dtls_psk, dtls, tls_cert, tls, clients).read(served)
    if ws and "mqtt" not in served:
        message = f"--ws: {' '.join(served)} is not served over WebSocket; serve mqtt"
        raise UsageError(message)
    if quic:
        _check_quic(served, is_secured=tls is not None)
    elif http3 and tls is None:
        message = "--http3: QUIC needs a certificate; add --tls-cert FILE --tls-key FILE"
        raise UsageError(message)
    elif quic_retry and not http3:
        message = "--quic-retry: nothing is served over QUIC; add --quic or --http3"
        raise UsageError(message)
    if tls is not None and dtls is None and not has_secured(served):
        message = (
            f"--tls-cert: {' '.join(served)} is not served by TLS; serve mqtt or coap_tcp, "
            "or coap by --dtls 1.2"
        )
        raise UsageError(message)
    added = {"mqtt_ws": ws, "mqtt_quic": quic, "http": http, "http_quic": http3, "metrics": metrics}
    names = [*served, *(name for name, is_wanted in added.items() if is_wanted)]
    schemes = {name: scheme_of(name, secured=tls is not None) for name in names}
    if secured_datagrams is not None:
        schemes |= {name: scheme for name in names if (scheme := dtls_scheme_of(name))}
    addresses = read_listen_addresses(listen or ["127.0.0.1"], list(schemes.values()))
    limits = read_limits(limit or (), *served)
    access = read_access(
        users=user or (),
        password_file=password_file,
        acl_file=acl_file,
        allow_anonymous=allow_anonymous,
    )
    check_folder(data, makes=True, tell=complain)
    _allow_descriptors()
    with one_line_errors(f"serve {' '.join(served)}"), stopped_by_signals() as stopper:
        server = _native.Server(
            list(addresses.items()),
            limits=limits,
            example=example,
            access=access,
            tls=tls,
            clients=clients,
            quic_retry=quic_retry,
            dtls=secured_datagrams,
            log=log,
            gateway=None if data is None else read_gateway_data(data),
            seed=secrets.randbits(63),
        )
        _warn_of_the_clear(addresses, schemes)
        _tell_where(server.addresses, schemes, as_json=as_json)
        server.run(stopper)
    return EXIT_PASS


def _serve_probe(served: list[str], listen: list[str], *, as_json: bool) -> int:
    """Serve `lasthop probe`, which is none of the protocols of a study."""
    from lasthop.probe.server import ProbeServer  # noqa: PLC0415  (nothing else needs it)

    if len(served) > 1 or len(listen) > 1:
        message = "serve: probe runs alone and at one address; write serve probe --listen ADDRESS"
        raise UsageError(message)
    host, port = _read_probe_address(listen[0])
    server = ProbeServer(host, port)
    host, port = server.address
    url = f"udp://[{host}]:{port}" if ":" in host else f"udp://{host}:{port}"
    if as_json:
        say_json({"listening": [url]})
    else:
        say(f"listening on {url}")
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    try:
        server.run(reading)
    finally:
        signal.set_wakeup_fd(before)
    return EXIT_PASS


def _read_probe_address(written: str) -> tuple[str, int]:
    host, port = written, _PROBE_PORT
    if written.startswith("["):
        host, _, after = written.removeprefix("[").partition("]")
        text = after.removeprefix(":") or str(_PROBE_PORT)
    else:
        host, _, text = written.partition(":")
        text = text or str(_PROBE_PORT)
    try:
        port = int(text)
        host = str(ipaddress.ip_address(host))
    except ValueError:
        example = f"127.0.0.1:{_PROBE_PORT}"
        message = f"--listen: {written} is not an IP address and a port; write {example}"
        raise UsageError(message) from None
    return host, port


_PROBE_PORT = 7777


def _check_served(served: list[str]) -> None:
    for place, name in enumerate(served):
        if name not in SERVED:
            near = nearest(name, SERVED) or "mqtt"
            message = f'serve: "{name}" cannot be served; write {near}'
            raise UsageError(message)
        if name in served[:place]:
            message = f"serve: {name} is given twice; write it once, with --listen for each address"
            raise UsageError(message)


def _check_gateway(served: list[str], data: str | None, *, has_users: bool) -> None:
    if len(served) > 1:
        message = "serve: gateway cannot run together with other servers; write serve gateway"
        raise UsageError(message)
    if data is None:
        message = "serve: a gateway needs a place for its data; add --data FOLDER"
        raise UsageError(message)
    if has_users:
        message = (
            "--user, --password-file, --acl-file, --allow-anonymous: devices of a "
            "gateway authenticate with tokens; remove these options, and add "
            "devices with lasthop gateway device add"
        )
        raise UsageError(message)


def _check_no_gateway(
    served: list[str], data: str | None, *, http: str | None, metrics: bool, has_log: bool
) -> None:
    names = " ".join(served)
    if http is not None:
        message = f"{http}: {names} is not served over HTTP; write lasthop serve gateway"
        raise UsageError(message)
    if metrics:
        message = f"--metrics: {names} has no metrics; write lasthop serve gateway"
        raise UsageError(message)
    if has_log:
        message = f"--log: {names} writes no log; write lasthop serve gateway"
        raise UsageError(message)
    if data is not None:
        message = f"--data: {names} stores no data; write lasthop serve gateway"
        raise UsageError(message)


def _check_quic(served: list[str], *, is_secured: bool) -> None:
    if "mqtt" not in served:
        message = f"--quic: {' '.join(served)} is not served over QUIC; serve mqtt"
        raise UsageError(message)
    if not is_secured:
        message = "--quic: QUIC needs a certificate; add --tls-cert FILE --tls-key FILE"
        raise UsageError(message)


def _warn_of_the_clear(addresses: dict[str, list[str]], schemes: dict[str, Scheme]) -> None:
    for url in in_the_clear(addresses, schemes):
        remedy = _SECURED_BY.get(url.partition("://")[0], "add --tls-cert FILE --tls-key FILE, or ")
        complain(
            f"serve: {url} is in the clear for other machines: the network between can read "
            f"passwords, tokens and messages; {remedy}listen at 127.0.0.1"
        )


def _tell_where(
    addresses: list[tuple[str, str]], schemes: dict[str, Scheme], *, as_json: bool
) -> None:
    urls = [f"{schemes[served].name}://{address}" for served, address in addresses]
    if as_json:
        say_json({"listening": urls})
    else:
        say(f"listening on {' '.join(urls)}")


def _allow_descriptors() -> None:
    """Let the server have as many connections as the system allows this process."""
    import resource  # noqa: PLC0415  (not every platform has it, and help is given without)

    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
