"""The notation of stacks: layers left out are filled in, defaults are written out."""

import pytest

from lasthop.study.stacks import catalogue, parse_stack
from lasthop.study.stacks.spec import stack_spec
from lasthop.study.text.faults import Fault

TCP = (
    "tcp.profile=linux tcp.nodelay=on tcp.nodelay_client=on tcp.nodelay_server=on "
    "tcp.congestion=cubic tcp.timestamps=on tcp.path_mtu=icmp tcp.fast_open=off ip.version=4"
)
MQTT = (
    "qos=1 version=3.1.1 keep_alive=1min ping_after=own_silence max_in_flight=20 back_off=1s "
    "connect_pipelining=off"
)

TLS = (
    "tls.key=ecdsa_p256 tls.raw_key=off tls.chain=1 tls.client_certificate=off "
    "tls.group=x25519 tls.ml_kem=off tls.verify=on tls.record=16384B"
)
TLS_1_2 = (
    TLS.replace("ecdsa_p256", "rsa_2048")
    .replace(" tls.raw_key=off", "")
    .replace(" tls.ml_kem=off", "")
)
HTTP = (
    "version=1.1 connection=keep connections=6 chunked=off body=message "
    "timeout=30s idle_timeout=75s hold=30s"
)

RESOLVED = {
    "raw_udp": "raw_udp/udp/ip ack=off ip.version=4",
    "raw_udp/udp/ip": "raw_udp/udp/ip ack=off ip.version=4",
    "raw_udp ip.version=6": "raw_udp/udp/ip ack=off ip.version=6",
    "raw_udp ack=on ack_timeout=2s": "raw_udp/udp/ip ack=on ack_timeout=2s "
    "ack_random_factor=1.5 max_retransmit=4 ip.version=4",
    "raw_udp max_retransmit=10 ack=on ack_random_factor=2.0 ack_timeout=1500ms": "raw_udp/udp/ip "
    "ack=on ack_timeout=1500ms ack_random_factor=2 max_retransmit=10 ip.version=4",
    "json_udp": "json_udp/udp/ip subscribe_timeout=1s ip.version=4",
    "mqtt qos=1": f"mqtt/tcp/ip {MQTT} auth=none {TCP}",
    "mqtt/tls/tcp qos=1 tls.resume=ticket": f"mqtt/tls/tcp/ip {MQTT} auth=none "
    "tls.version=1.3 tls.resume=ticket tls.early_data=off tls.tickets=2 tls.sessions=1000000 "
    f"{TLS} {TCP}",
    "mqtt/quic quic.resume=ticket quic.early_data=on streams=per_topic": f"mqtt/quic/udp/ip "
    f"{MQTT.removesuffix(' connect_pipelining=off')} "
    "streams=per_topic datagrams=off priority=none auth=none quic.resume=ticket "
    "quic.early_data=on "
    "quic.tickets=2 quic.sessions=1000000 quic.key=ecdsa_p256 quic.chain=1 "
    "quic.client_certificate=off quic.group=x25519 quic.ml_kem=off quic.verify=on quic.retry=off "
    "quic.congestion=cubic quic.initial_window=10 "
    "quic.initial_rtt=333ms quic.mtu_discovery=on quic.streams=100 quic.fallback=none "
    "quic.keep_alive=0s quic.idle_timeout=0s ip.version=4",
    "mqtt/ws/tcp": f"mqtt/ws/tcp/ip {MQTT} auth=none ws.patience=1min {TCP}",
    "mqtt_sn/udp": "mqtt_sn/udp/ip qos=1 ip.version=4",
    "coap type=con nstart=4 ack_timeout=2s": "coap/udp/ip type=con nstart=4 ack_timeout=2s "
    "ack_random_factor=1.5 max_retransmit=4 push=post block_size=1024 echo=off ip.version=4",
    "coap type=non": "coap/udp/ip type=non ack_timeout=2s ack_random_factor=1.5 "
    "push=post block_size=1024 echo=off ip.version=4",
    "coap/dtls/udp dtls.cid=8B": "coap/dtls/udp/ip type=con nstart=1 ack_timeout=2s "
    "ack_random_factor=1.5 max_retransmit=4 push=post block_size=1024 echo=off "
    "dtls.auth=psk dtls.cookie=on dtls.cid=8B dtls.resume=none dtls.unanswered=handshake "
    "dtls.timeout=1s dtls.retries=5 ip.version=4",
    "raw_udp/dtls dtls.auth=certificate dtls.version=1.3": "raw_udp/dtls/udp/ip ack=off "
    "dtls.auth=certificate dtls.version=1.3 dtls.client_certificate=off dtls.verify=on "
    "dtls.mtu=1200B dtls.cookie=on dtls.unanswered=handshake dtls.timeout=1s dtls.retries=5 "
    "ip.version=4",
    "raw_tcp/tls tls.raw_key=on": "raw_tcp/tls/tcp/ip tls.version=1.3 tls.resume=none "
    "tls.key=ecdsa_p256 tls.raw_key=on tls.client_certificate=off tls.group=x25519 "
    f"tls.ml_kem=off tls.record=16384B {TCP}",
    "coap/tcp": f"coap/tcp/ip push=post block_size=1024 {TCP}",
    "https": f"http/tls/tcp/ip {HTTP} auth=none tls.version=1.3 tls.resume=none {TLS} {TCP}",
    "http/tls/tcp version=2": "http/tls/tcp/ip version=2 connection=keep body=message "
    "window=65535B timeout=30s idle_timeout=75s hold=30s auth=none tls.version=1.3 "
    f"tls.resume=none {TLS} {TCP}",
    "http/quic qpack_table=0B": "http/quic/udp/ip qpack_table=0B index_authorization=on "
    "connection=keep body=message timeout=30s idle_timeout=75s hold=30s auth=none quic.resume=none "
    "quic.key=ecdsa_p256 quic.chain=1 quic.client_certificate=off quic.group=x25519 "
    "quic.ml_kem=off quic.verify=on quic.retry=off quic.congestion=cubic quic.initial_window=10 "
    "quic.initial_rtt=333ms quic.mtu_discovery=on quic.streams=100 quic.fallback=none "
    "quic.keep_alive=0s quic.idle_timeout=0s ip.version=4",
    "http/tls/tcp auth=jwt": f"http/tls/tcp/ip {HTTP} auth=jwt token_lifetime=1h "
    f"tls.version=1.3 tls.resume=none {TLS} {TCP}",
    "raw_tcp/tls tls.version=1.2 tls.key=rsa_2048": "raw_tcp/tls/tcp/ip tls.version=1.2 "
    f"tls.session_id=off {TLS_1_2} {TCP}",
    "dds reliability=best_effort": (
        "dds/udp/ip reliability=best_effort durability=volatile history_depth=10 "
        "announcement_interval=5s fragment_size=1344B type_information=on ip.version=4"
    ),
    "mqtt qos=0 version=5": "mqtt/tcp/ip qos=0 version=5 keep_alive=1min ping_after=own_silence "
    f"receive_maximum=65535 topic_alias=off back_off=1s connect_pipelining=off auth=none {TCP}",
    "raw_tcp tcp.nodelay_client=off": "raw_tcp/tcp/ip "
    + TCP.replace("nodelay_client=on", "nodelay_client=off"),
    "raw_tcp tcp.profile=lwip_esp8266 tcp.nodelay=off": "raw_tcp/tcp/ip "
    "tcp.profile=lwip_esp8266 tcp.nodelay=off tcp.nodelay_client=off tcp.nodelay_server=off "
    "tcp.congestion=reno tcp.timestamps=off tcp.path_mtu=unknown tcp.fast_open=off ip.version=4",
}


@pytest.mark.parametrize("written", RESOLVED)
def test_every_layer_and_default_is_written_out(written: str) -> None:
    assert parse_stack(written).resolved == RESOLVED[written]


@pytest.mark.parametrize("written", RESOLVED)
def test_a_resolved_stack_resolves_to_itself(written: str) -> None:
    resolved = parse_stack(written).resolved
    assert parse_stack(resolved).resolved == resolved


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("raw_udp", None),
        ("raw_udp ack=on ip.version=6", None),
        ("json_udp", None),
        ("mqtt qos=1", None),
        ("coap", None),
        ("coap/tcp", None),
        ("mqtt/ws", None),
        ("mqtt/ws/tcp tcp.fast_open=on", None),
        ("mqtt auth=jwt", None),
        ("mqtt/quic", None),
        ("mqtt/quic streams=per_publish priority=as_listed", None),
        ("dds", None),
        ("dds/rtps_tcp", None),
        ("dds/rtps_tcp/tls", None),
        ("mqtt_sn", "mqtt_sn is not built yet"),
        ("https", None),
        ("http auth=jwt", None),
    ],
)
def test_a_stack_that_is_not_built_says_so(written: str, reason: str | None) -> None:
    stack = parse_stack(written)
    assert stack.supported == (reason is None)
    assert reason is None or str(stack.reason).startswith(reason.rstrip("*"))


@pytest.mark.parametrize(
    ("written", "what", "hint"),
    [
        ("", "is empty", "write one of the stacks"),
        ("mqtt/udp", "does not run over", "mqtt/tls/tcp"),
        ("http/quic version=2", "version has no effect without the layer tcp", "remove version"),
        ("coap/quic", "does not run over", "coap/dtls/udp"),
        ("raw_udp ack", "is not an option", "name=value"),
        ("raw_udp ack = on", "is not an option", "without spaces"),
        ("raw_udp ack=on ack=off", "given twice", "remove"),
        ("raw_udp ack=on ack_timeout=0s", "too small", "2s"),
        ("raw_udp ack=on ack_timeout=2", "has no unit", '"2s"'),
        ("raw_udp ack=on ack_random_factor=0.5", "out of range", "1 to 10"),
        ("raw_udp ack=on max_retransmit=1.5", "not a whole number", "4"),
        ("raw_udp ack=on max_retransmit=21", "out of range", "0 to 20"),
        ("raw_udp max_retransmit=3", "has no effect without ack=on", "add ack=on"),
        ("mqtt streams=per_topic", "without the layer quic", "remove"),
        ("mqtt/tls streams=per_qos", "without the layer quic", "remove"),
        ("mqtt/quic streams=per_message", "unknown value", "per_publish"),
        ("mqtt/quic priority=as_listed", "has no effect without streams=per_topic", "add"),
        ("mqtt/quic quic.fallback_after=1s", "has no effect without quic.fallback=", "add"),
        (
            "coap/dtls dtls.version=1.3",
            "has no effect without dtls.auth=certificate",
            "add dtls.auth=certificate",
        ),
        (
            "coap/dtls dtls.auth=certificate dtls.version=1.3 dtls.cid=8B",
            "dtls.cid has no effect with dtls.version=1.3",
            "remove dtls.cid",
        ),
        ("mqtt/quic quic.streams=0", "out of range", "1 to 60000"),
        ("mqtt qos=3", "unknown value", "0 or 1 or 2"),
        ("mqtt keep_alive=1ms", "not a whole number of seconds", '"1s" to "65535s", or "0s"'),
        ("mqtt keep_alive=1.9s", "not a whole number of seconds", '"1s" to "65535s", or "0s"'),
        ("mqtt keep_alive=65536s", "out of range", '"1s" to "65535s", or "0s" for none'),
        ("mqtt tcp.initial_window=0", "out of range", "1 to 64"),
        ("mqtt tcp.beta=1", "out of range", "0.1 to 0.95"),
        ("mqtt/tcp tls.resume=ticket", "has no option", "its options"),
        ("raw_udp impl=../x", "is not a name", "mosquitto"),
        ("raw_udp " + "x" * 1100, "characters", "at most"),
    ],
)
def test_a_stack_that_does_not_exist_says_what_does(written: str, what: str, hint: str) -> None:
    with pytest.raises(Fault) as caught:
        parse_stack(written)
    assert what in caught.value.what
    assert hint in str(caught.value.hint)


@pytest.mark.parametrize("name", catalogue().applications)
def test_every_way_to_run_an_application_can_be_written(name: str) -> None:
    for over in catalogue().applications[name].over:
        assert parse_stack("/".join((name, *over))).layers[: len(over) + 1] == (name, *over)


@pytest.mark.parametrize("seconds", [0, 1, 90, 65535])
def test_a_keep_alive_goes_out_as_it_is_written(seconds: int) -> None:
    stack = parse_stack(f"mqtt keep_alive={seconds}s")
    assert stack_spec(stack)["application"]["options"]["keep_alive"] == seconds
    assert parse_stack(stack.resolved).resolved == stack.resolved
