//! Whatever arrives, a decoder answers with a value or an error, and what it accepts is what it would send.
//!
//! Each function takes any bytes and panics when that is not so. `cargo fuzz` looks for such bytes; the corpora
//! replay as a test, without a fuzzer.

#![forbid(unsafe_code)]

mod attack;
mod capture;
mod coap;
mod datagram_keys;
mod datagrams;
mod dtls;
mod dtls_sealed;
mod exchange;
mod forged_segment;
mod http;
mod http3;
mod ip_udp;
mod json_udp;
mod message_id;
mod mqtt;
mod nat;
mod payload_template;
mod post_handshake;
mod qpack;
mod quic;
mod raw_udp;
mod record_keys;
mod repair;
mod run_spec;
mod script;
mod stream_exchange;
mod streams;
mod tcp;
mod tcp_end;
mod tls;
mod tls_end;
mod websocket;
mod wires;

pub use capture::capture;
pub use coap::coap;
pub use dtls::dtls;
pub use dtls_sealed::dtls_sealed;
pub use http::http;
pub use http3::http3;
pub use ip_udp::ip_udp;
pub use json_udp::json_udp;
pub use message_id::message_id;
pub use mqtt::mqtt;
pub use nat::nat;
pub use payload_template::payload_template;
pub use post_handshake::post_handshake;
pub use qpack::qpack;
pub use quic::quic;
pub use raw_udp::raw_udp;
pub use run_spec::run_spec;
pub use tcp::tcp;
pub use tls::tls;
pub use websocket::websocket;

/// A decoder under test, given any bytes.
pub type Target = fn(&[u8]);

/// Every target by its name, which is that of its function, its program and its corpus.
pub const TARGETS: [(&str, Target); 20] = [
    ("capture", capture),
    ("coap", coap),
    ("dtls", dtls),
    ("dtls_sealed", dtls_sealed),
    ("http", http),
    ("http3", http3),
    ("ip_udp", ip_udp),
    ("json_udp", json_udp),
    ("message_id", message_id),
    ("mqtt", mqtt),
    ("nat", nat),
    ("payload_template", payload_template),
    ("post_handshake", post_handshake),
    ("qpack", qpack),
    ("quic", quic),
    ("raw_udp", raw_udp),
    ("run_spec", run_spec),
    ("tcp", tcp),
    ("tls", tls),
    ("websocket", websocket),
];
