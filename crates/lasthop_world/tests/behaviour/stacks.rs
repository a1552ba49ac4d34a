//! The stacks of these tests.

use lasthop_world::{Registry, RunSpec, StackSpec};

/// A stack with every default but these options.
pub(crate) fn stack(layers: &str, options: &[(&str, &str)]) -> StackSpec {
    Registry::standard().stack(layers, options).unwrap()
}

/// Makes both ends of a spec speak a stack.
pub(crate) fn set_stack(spec: &mut RunSpec, stack: StackSpec) {
    let registry = Registry::standard();
    spec.servers[0].services[0].port = registry.builder(&stack).unwrap().port();
    spec.stacks.insert("device".into(), stack);
}

/// The stack of a spec.
pub(crate) fn stack_of(spec: &RunSpec) -> &StackSpec {
    &spec.stacks["device"]
}

pub(crate) fn raw_udp(max_retransmit: Option<u16>) -> StackSpec {
    match max_retransmit {
        None => stack("raw_udp/udp", &[]),
        Some(count) => stack(
            "raw_udp/udp",
            &[("ack", "on"), ("max_retransmit", &count.to_string())],
        ),
    }
}

pub(crate) fn json_udp() -> StackSpec {
    stack("json_udp/udp", &[])
}

pub(crate) fn raw_tcp() -> StackSpec {
    stack("raw_tcp/tcp", &[])
}

pub(crate) fn mqtt(qos: &str) -> StackSpec {
    stack("mqtt/tcp", &[("qos", qos)])
}

pub(crate) fn mqtt_5(qos: &str) -> StackSpec {
    let options = [("qos", qos), ("version", "5"), ("topic_alias", "on")];
    stack("mqtt/tcp", &options)
}

pub(crate) fn coap_non(push: &str) -> StackSpec {
    stack("coap/udp", &[("type", "non"), ("push", push)])
}

pub(crate) fn coap_con(nstart: u16, push: &str) -> StackSpec {
    let nstart = nstart.to_string();
    stack("coap/udp", &[("nstart", &nstart), ("push", push)])
}

pub(crate) fn coap_tcp(push: &str) -> StackSpec {
    stack("coap/tcp", &[("push", push)])
}

/// Each stack with each change, beside which the others take turns: in some run each of them meets every stack, and every change.
pub(crate) fn in_turns<Change: Clone, Other: Copy>(
    stacks: Vec<StackSpec>,
    changes: &[Change],
    others: &[Other],
) -> Vec<(StackSpec, Change, Other)> {
    let mut turns = Vec::with_capacity(stacks.len() * changes.len());
    for (first, stack) in stacks.into_iter().enumerate() {
        for (second, change) in changes.iter().enumerate() {
            let other = others[(first + second) % others.len()];
            turns.push((stack.clone(), change.clone(), other));
        }
    }
    turns
}

/// Every protocol with the settings that change what it does.
pub(crate) fn every_stack() -> Vec<StackSpec> {
    let larmo = [("tcp.profile", "larmo_2019"), ("tcp.fast_open", "on")];
    let resumed = [("tls.resume", "ticket"), ("tls.early_data", "on")];
    let by_id = [
        ("qos", "2"),
        ("tls.version", "1.2"),
        ("tls.session_id", "on"),
        ("auth", "jwt"),
    ];
    // Where a round trip takes seconds, those 1200 bytes that QUIC begins with take a while each.
    let patient = [("qos", "1"), ("connect_timeout", "5min")];
    let streams = [
        ("qos", "2"),
        ("streams", "per_topic"),
        ("quic.resume", "ticket"),
        ("quic.early_data", "on"),
        ("connect_timeout", "5min"),
    ];
    let http_2 = [("version", "2"), ("auth", "jwt"), ("tls.resume", "ticket")];
    let http_3 = [
        ("auth", "jwt"),
        ("quic.resume", "ticket"),
        ("timeout", "5min"),
    ];
    let certified = [
        ("push", "observe"),
        ("dtls.auth", "certificate"),
        ("dtls.cid", "8B"),
        ("dtls.resume", "session_id"),
    ];
    // What its server signs holds the cookie, and so the address: a signature of ECDSA has 70 to 72 bytes.
    let newest = [
        ("dtls.auth", "certificate"),
        ("dtls.version", "1.3"),
        ("dtls.cookie", "off"),
    ];
    vec![
        raw_udp(None),
        raw_udp(Some(4)),
        json_udp(),
        raw_tcp(),
        stack("raw_tcp/tcp", &[("tcp.profile", "lwip_esp8266")]),
        stack("raw_tcp/tcp", &larmo),
        mqtt("0"),
        mqtt("1"),
        mqtt("2"),
        mqtt_5("1"),
        mqtt_5("2"),
        stack("mqtt/ws/tcp", &[("qos", "1")]),
        stack("mqtt/ws/tcp", &[("qos", "2"), ("tcp.fast_open", "on")]),
        coap_non("post"),
        coap_non("observe"),
        coap_con(8, "put"),
        coap_con(8, "observe"),
        coap_tcp("post"),
        coap_tcp("observe"),
        stack("raw_tcp/tls/tcp", &[("tls.chain", "3")]),
        stack("mqtt/tls/tcp", &resumed),
        stack("mqtt/tls/tcp", &by_id),
        stack("coap/tls/tcp", &[("push", "observe")]),
        stack("coap/dtls/udp", &certified),
        stack("coap/dtls/udp", &newest),
        stack("raw_udp/dtls/udp", &[("ack", "on")]),
        stack("mqtt/ws/tls/tcp", &[("qos", "1")]),
        stack("mqtt/quic/udp", &patient),
        stack("mqtt/quic/udp", &streams),
        stack("http/tcp", &[]),
        stack(
            "http/tcp",
            &[("connection", "per_message"), ("chunked", "on")],
        ),
        stack("http/tls/tcp", &http_2),
        stack("http/quic/udp", &http_3),
        // Not with a connection a message: each is some 14 kB, and the line carries 1.5 kB from one message to the next.
        stack(
            "http/quic/udp",
            &[("qpack_table", "0B"), ("timeout", "5min")],
        ),
        stack("dds/udp", &[]),
    ]
}

/// What an option of the application is, where it is a word.
pub(crate) fn option<'a>(stack: &'a StackSpec, name: &str) -> Option<&'a str> {
    stack.application.options.get(name)?.as_str()
}

/// Whether its ends are participants, which are answered where they say that they are: not behind a translator.
pub(crate) fn speaks_dds(stack: &StackSpec) -> bool {
    stack.application.name == "dds"
}

/// The same stack over another IP version.
pub(crate) fn over_ip(stack: &StackSpec, version: u8) -> StackSpec {
    let mut stack = stack.clone();
    let ip = stack.layer_mut("ip").unwrap();
    ip.options
        .insert("version".into(), version.to_string().into());
    stack
}
