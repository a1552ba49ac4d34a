# The Rust extension: run specs in, Arrow out.

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal, Self, TypedDict, final

__all__ = [
    "HAS_SOCKETS",
    "Access",
    "Cancel",
    "CaptureError",
    "CaptureLedger",
    "CaptureSearch",
    "EmulatorControl",
    "RunCancelled",
    "RunTables",
    "Server",
    "SpecError",
    "Stopper",
    "arrow_schema",
    "coap_request",
    "emulate",
    "emulate_before_server",
    "explain",
    "merge_captures",
    "message_kinds",
    "mqtt_publish",
    "mqtt_subscribe",
    "nbiot_attach",
    "nbiot_fault",
    "nbiot_network_time",
    "nbiot_preset",
    "serve_limits",
    "simulate",
    "stack_catalogue",
    "version",
]

# Whether it has what servers and clients on sockets need; without, its I/O is files alone.
HAS_SOCKETS: bool

# The run spec cannot be run; the message says which field and why.
class SpecError(ValueError): ...

# A capture or the messages of a run could not be written.
class CaptureError(OSError): ...

# The run was stopped by its `Cancel`.
class RunCancelled(Exception): ...  # noqa: N818

# A switch that stops a run from another thread.
@final
class Cancel:
    def __init__(self) -> None: ...
    def cancel(self) -> None: ...

# The tables of one run, each one Arrow IPC stream; that of messages is empty where a file has it.
@final
class RunTables:
    @property
    def summary(self) -> bytes: ...
    @property
    def messages(self) -> bytes: ...
    @property
    def ledger(self) -> bytes: ...
    @property
    def packets(self) -> bytes: ...
    @property
    def latency(self) -> bytes: ...
    @property
    def groups(self) -> bytes: ...
    @property
    def bills(self) -> bytes: ...
    @property
    def sims(self) -> bytes: ...

# The schema message of Arrow IPC for columns: the name, the type and the unit of each.
def arrow_schema(columns: Sequence[tuple[str, str, str | None]]) -> bytes: ...
def simulate(
    spec_json: str,
    *,
    run_id: str,
    captures: dict[str, str] | None = None,
    messages: str | None = None,
    credentials: Credentials | None = None,
    cancel: Cancel | None = None,
) -> RunTables: ...

# The certificates, the key and the roots of clients, as PEM, of a server that is real software.
def server_files(
    spec_json: str, server: str, credentials: Credentials | None = None
) -> tuple[str, str, str, bool, str] | None: ...
def explain(spec_json: str, device: int, message: int, flow: str | None = None) -> str: ...

# The whole settings of an NB-IoT network by name, as JSON.
def nbiot_network_time(name: str) -> str: ...
def nbiot_attach() -> str: ...
def nbiot_preset(name: str) -> str: ...

class NbiotFault(TypedDict):
    code: Literal["not_allowed", "too_large"]
    field: str
    problem: str
    remedy: str | None

# The first field of such settings that no network may have, None if all are allowed.
def nbiot_fault(network_json: str) -> NbiotFault | None: ...

# What a message of these fields (JSON) takes, in an encoding, deflated or not.
def encoded_bytes(fields: str, encoding: str, deflate: bool) -> int: ...

# Applications, layers and their options, as JSON.
def stack_catalogue() -> str: ...
def version() -> str: ...

# Kinds of messages that can be read in packets, such as mqtt.PUBREC.
def message_kinds() -> list[str]: ...

# Looks for the packets of a capture in which a message begins: takes it in pieces.
@final
class CaptureSearch:
    # `channel` is the place of the message's flow among those of its group.
    def __new__(cls, device: int, channel: int, message: int) -> Self: ...
    def feed(self, piece: bytes, /) -> None: ...
    # By what the message is found: it stands in its payload.
    def text(self) -> str: ...
    # The numbers of the packets, counted from 1.
    def found(self) -> list[int]: ...
    # Each PUBLISH of MQTT that holds the message whole in one segment, without those that TCP sent
    # again: from where, its packet identifier (None with QoS 0), whether DUP is set.
    def publications(self) -> list[tuple[str, int | None, bool]]: ...

# What the bytes of capture files are for: takes them in pieces.
@final
class CaptureLedger:
    def __init__(
        self,
        ports: Sequence[tuple[int, str]] = ...,
        tariff: str | None = ...,
        *,
        keeps_packets: bool = ...,
    ) -> None: ...
    @staticmethod
    def protocols() -> list[str]: ...
    def feed(self, piece: bytes) -> None: ...
    def end_of_file(self) -> None: ...
    def finish(self) -> str: ...
    def bill(self, seconds: float) -> str | None: ...
    def packets(self) -> dict[str, bytes]: ...
    def all_conversations(self) -> str: ...
    def conversations(self, first: int, count: int) -> str: ...

# Puts captures of one interface each, by their names, into one file in the order of time.
def merge_captures(interfaces: Sequence[tuple[str, Path]], into: Path) -> None: ...

# Carries IP packets between two ends until stop_fd can be read; what it did, as JSON. To ready_fd a
# byte is written when it begins. Signals are not looked for: run it in a thread, or let them write
# to stop_fd. The thread has real-time priority meanwhile, where that is allowed.
def emulate(
    spec_json: str, near_fd: int, far_fd: int, stop_fd: int, ready_fd: int | None = None
) -> str: ...

# The same before a server: what comes to two listeners, of TCP and of UDP, goes on to it through
# the path. The path lies between two devices, with the listeners behind the far one, or without
# ends between a TCP and UDP of ours and another one.
def emulate_before_server(
    spec_json: str,
    listeners: tuple[int, int],
    server: str,
    *,
    mtu_bytes: int,
    stop_fd: int,
    ready_fd: int,
    control: EmulatorControl,
    ends: tuple[int, int] | None = None,
) -> str: ...

# Gives orders to an emulator at work, from another thread.
@final
class EmulatorControl:
    def __init__(self) -> None: ...
    # An order and its answer as JSON; no answer when the emulator has ended.
    def ask(self, order: str) -> str | None: ...

# Ends a server or a client: by a byte at its descriptor, as signals write it.
@final
class Stopper:
    def __init__(self) -> None: ...
    @property
    def descriptor(self) -> int: ...

# A server that listens already, and serves when it is run.
@final
class Access:
    def __init__(self) -> None: ...
    def add_user(self, name: str, password: str) -> None: ...
    def add_password_file(self, text: str) -> None: ...
    def add_acl_file(self, text: str) -> None: ...
    def allow_anonymous(self) -> None: ...

class Tls:
    def __init__(self, certificates: bytes, key: bytes) -> None: ...

# What the ends of a run show each other; it is never told.
class Credentials:
    def __init__(
        self,
        # With the attributes server, name, client, roots and starts.
        certificates: object | None = None,
        keys: str | None = None,
    ) -> None: ...
    @property
    def identity(self) -> str: ...
    @property
    def key(self) -> str | None: ...
    @property
    def chain(self) -> int | None: ...
    def knows(self, name: str) -> bool: ...

class Roots:
    def __init__(self, certificates: bytes) -> None: ...

class Trust:
    def __init__(self, roots: Roots, server: str, presented: Tls | None = None) -> None: ...

class DtlsServer:
    @staticmethod
    def of_keys(text: str) -> DtlsServer: ...
    @staticmethod
    def of_certificate(version: str, presented: Tls, clients: Roots | None) -> DtlsServer: ...

class DtlsClient:
    @staticmethod
    def of_key(text: str) -> DtlsClient: ...
    @staticmethod
    def of_certificates(
        version: str, roots: Roots, server: str, presented: Tls | None
    ) -> DtlsClient: ...

class Server:
    def __init__(
        self,
        services: Sequence[tuple[str, Sequence[str]]],
        *,
        limits: Mapping[str, int],
        example: str | None = None,
        access: Access,
        tls: Tls | None = None,
        clients: Roots | None = None,
        quic_retry: bool = False,
        dtls: DtlsServer | None = None,
        gateway: GatewayData | None = None,
        log: str | None = None,
        seed: int,
    ) -> None: ...
    @property
    def addresses(self) -> list[tuple[str, str]]: ...
    def run(self, stopper: Stopper) -> None: ...

# Where the data of a gateway are.
class GatewayData:
    def __init__(self, folder: Path) -> None: ...
    @staticmethod
    def on_postgres(
        *,
        host: str,
        port: int,
        user: str,
        database: str,
        password: str | None,
        security: str,
        authorities: bytes,
    ) -> GatewayData: ...

# What is done to the data of a gateway beside its server.
class GatewayAdministration:
    def __init__(self, data: GatewayData) -> None: ...
    @staticmethod
    def to_trim(data: GatewayData) -> GatewayAdministration: ...
    def put_device(
        self, path: str, pems: Sequence[str], attaches: str | None, *, keep: bool
    ) -> bool: ...
    def put_devices(
        self,
        devices: Sequence[tuple[str, Sequence[str]]],
        *,
        keep: bool,
        tell: Callable[[int], object],
    ) -> int: ...
    def keys(self, path: str) -> list[tuple[str, str]]: ...
    def add_key(self, path: str, pem: str) -> bool: ...
    def remove_key(self, path: str, named: str, *, keep: bool) -> str: ...
    def back_up(self, file: Path) -> None: ...
    def set_blocked(self, path: str, is_blocked: bool) -> bool: ...
    def bind(self, gateway: str, device: str) -> bool: ...
    def unbind(self, gateway: str, device: str) -> None: ...
    def remove_device(self, path: str) -> None: ...
    def devices(self) -> list[tuple[str, list[str], int, str | None, list[str], bool]]: ...
    def set_config(self, path: str, payload: bytes) -> int: ...
    def send_command(self, path: str, folder: str, payload: bytes) -> None: ...
    def messages(self, first: int, most: int) -> list[tuple[int, str, int, str, str, bytes]]: ...
    def next_of(self, subscription: str) -> int: ...
    def trim_log(
        self, before: int | None, keep: int | None, even_unread: bool
    ) -> tuple[int, int, str | None, bool | None]: ...
    def acknowledge(self, subscription: str, before: int) -> None: ...

def gateway_new_key() -> tuple[str, str]: ...
def gateway_token(device: str, pem: str, *, issued_at: int, life_s: int) -> str: ...

# The limits of servers, as a JSON list.
def serve_limits() -> str: ...
def mqtt_publish(
    server: str,
    topic: str,
    payload: bytes,
    *,
    qos: int,
    version: str,
    client_id: str,
    user: tuple[str, str | None] | None,
    retain: bool,
    trust: Trust | None = None,
    web_host: str | None = None,
    by_quic: bool = False,
    sessions: int = 1,
    timeout_s: float | None,
    seed: int,
    stopper: Stopper,
) -> list[str]: ...
def mqtt_subscribe(
    server: str,
    topic: str,
    take: Callable[[str, bytes], bool],
    *,
    qos: int,
    version: str,
    client_id: str,
    user: tuple[str, str | None] | None,
    trust: Trust | None = None,
    web_host: str | None = None,
    by_quic: bool = False,
    timeout_s: float | None,
    seed: int,
    stopper: Stopper,
) -> None: ...
def coap_request(
    server: str,
    method: str,
    path: str,
    take: Callable[[str, bytes, int | None], bool],
    *,
    query: Sequence[str],
    payload: bytes,
    content_format: int | None,
    accept: int | None,
    observe: bool,
    confirmable: bool,
    by_tcp: bool,
    trust: Trust | None = None,
    dtls: DtlsClient | None = None,
    timeout_s: float | None,
    seed: int,
    stopper: Stopper,
) -> None: ...
