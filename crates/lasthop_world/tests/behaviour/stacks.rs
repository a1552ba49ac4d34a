//! The stacks of these tests.

use lasthop_world::{
    AcknowledgementSpec, CoapSpec, CoapTypeSpec, CongestionSpec, MqttSpec, MqttVersionSpec,
    PushSpec, SessionSpec, StackSpec, TcpProfileSpec, TcpSpec,
};

const SECOND_NS: u64 = 1_000_000_000;

pub(crate) fn raw_udp(max_retransmit: Option<u16>) -> StackSpec {
    StackSpec::RawUdp {
        ip_version: 4,
        acknowledgement: max_retransmit.map(acknowledgement),
    }
}

pub(crate) fn json_udp() -> StackSpec {
    StackSpec::JsonUdp {
        ip_version: 4,
        subscribe_timeout_ns: SECOND_NS,
    }
}

pub(crate) fn raw_tcp(tcp: TcpSpec) -> StackSpec {
    StackSpec::RawTcp { ip_version: 4, tcp }
}

pub(crate) fn mqtt(qos: u8, version: MqttVersionSpec) -> StackSpec {
    StackSpec::Mqtt {
        ip_version: 4,
        tcp: tcp(),
        mqtt: MqttSpec {
            qos,
            version,
            keep_alive_s: 60,
            max_in_flight: 20,
            topic_alias: version == MqttVersionSpec::V5,
            session: SessionSpec::Keep,
        },
    }
}

pub(crate) fn coap_non(push: PushSpec) -> StackSpec {
    let kind = CoapTypeSpec::Non {
        timeout_ns: 2 * SECOND_NS,
        random_factor: 1.5,
    };
    coap(kind, push)
}

pub(crate) fn coap_con(nstart: u16, push: PushSpec) -> StackSpec {
    let kind = CoapTypeSpec::Con {
        nstart,
        acknowledgement: acknowledgement(4),
    };
    coap(kind, push)
}

pub(crate) fn coap_tcp(push: PushSpec) -> StackSpec {
    StackSpec::CoapTcp {
        ip_version: 4,
        tcp: tcp(),
        coap: coap_settings(push),
    }
}

/// Linux with its defaults and no Nagle.
pub(crate) fn tcp() -> TcpSpec {
    TcpSpec {
        profile: TcpProfileSpec::Linux,
        congestion: CongestionSpec::Cubic,
        timestamps: true,
        fast_open: false,
        nodelay_client: true,
        nodelay_server: true,
    }
}

/// Every protocol with the settings that change what it does.
pub(crate) fn every_stack() -> Vec<StackSpec> {
    let lwip = TcpSpec {
        profile: TcpProfileSpec::LwipEsp8266,
        congestion: CongestionSpec::Reno,
        timestamps: false,
        ..tcp()
    };
    let larmo = TcpSpec {
        profile: TcpProfileSpec::Larmo2019,
        congestion: CongestionSpec::Reno,
        fast_open: true,
        ..tcp()
    };
    vec![
        raw_udp(None),
        raw_udp(Some(4)),
        json_udp(),
        raw_tcp(tcp()),
        raw_tcp(lwip),
        raw_tcp(larmo),
        mqtt(0, MqttVersionSpec::V3),
        mqtt(1, MqttVersionSpec::V3),
        mqtt(2, MqttVersionSpec::V3),
        mqtt(1, MqttVersionSpec::V5),
        mqtt(2, MqttVersionSpec::V5),
        coap_non(PushSpec::Post),
        coap_non(PushSpec::Observe),
        coap_con(8, PushSpec::Put),
        coap_con(8, PushSpec::Observe),
        coap_tcp(PushSpec::Post),
        coap_tcp(PushSpec::Observe),
    ]
}

/// The same stack over another IP version.
pub(crate) fn over_ip(stack: &StackSpec, version: u8) -> StackSpec {
    let mut json = serde_json::to_value(stack).unwrap();
    for settings in json.as_object_mut().unwrap().values_mut() {
        settings["ip_version"] = version.into();
    }
    serde_json::from_value(json).unwrap()
}

fn coap(kind: CoapTypeSpec, push: PushSpec) -> StackSpec {
    StackSpec::Coap {
        ip_version: 4,
        kind,
        echo: false,
        coap: coap_settings(push),
    }
}

fn coap_settings(push: PushSpec) -> CoapSpec {
    CoapSpec {
        push,
        block_bytes: 1024,
    }
}

fn acknowledgement(max_retransmit: u16) -> AcknowledgementSpec {
    AcknowledgementSpec {
        timeout_ns: 2 * SECOND_NS,
        random_factor: 1.5,
        max_retransmit,
    }
}
