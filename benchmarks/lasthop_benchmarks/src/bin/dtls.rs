//! Measures DTLS 1.2 with a pre-shared key, and prints a JSON object: the CPU time of a handshake of both ends with its
//! cookie, packets and timers, and of a message beside one without DTLS and its cipher (AES-128-CCM-8, both ends).
//!
//! What is compared takes turns. Each figure is the median of its rounds; beside it stand the smallest and the largest.

use core::net::{IpAddr, SocketAddr};
use std::hint::black_box;
use std::process::ExitCode;

use aes::Aes128;
use ccm::Ccm;
use ccm::aead::{AeadInPlace, KeyInit};
use ccm::consts::{U8, U12};
use lasthop_benchmarks::{Figures, cpu_seconds_each, rounded};
use lasthop_contract::testing::Pair;
use lasthop_contract::{
    Cause, Chunk, ConnectionId, Direction, Layer, Provenance, RandomStream, Transport,
    TransportEvent,
};
use lasthop_dtls::{ClientProfile, Dtls, PreSharedKey, PreSharedKeys, ServerProfile, Settings};
use lasthop_transport::Udp;
use lasthop_units::Duration;
use serde_json::json;

const ROUNDS: usize = 25;
const HANDSHAKES: u32 = 200;
const MESSAGES: u32 = 5_000;
const MESSAGE: [u8; 100] = [7; 100];
const DELAY: Duration = Duration::from_millis(1);
/// Longer than a handshake of three round trips.
const LONG: Duration = Duration::from_millis(20);
const SEED: u64 = 1;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let (mut handshakes, mut secured) = (Vec::new(), Vec::new());
    let (mut plain, mut cipher) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let mut ends = secured_ends();
        handshakes.push(cpu_seconds_each(HANDSHAKES, || {
            connect(&mut ends);
        }));
        let id = connect(&mut ends);
        secured.push(cpu_seconds_each(MESSAGES, || message(&mut ends, id)));
        let mut ends = plain_ends();
        let id = open(&mut ends);
        plain.push(cpu_seconds_each(MESSAGES, || message(&mut ends, id)));
        cipher.push(cipher_of_a_message());
    }
    let handshake = Figures::of(handshakes);
    let [secured, plain, cipher] = [secured, plain, cipher].map(Figures::of);
    println!(
        "{}",
        json!({
            "handshake_us": handshake.told(1e6),
            "message_ns": {
                "plain": plain.told(1e9), "secured": secured.told(1e9), "cipher": cipher.told(1e9),
                "beyond_plain_and_cipher": rounded((secured.median - plain.median - cipher.median) * 1e9),
            },
        })
    );
    ExitCode::SUCCESS
}

fn udp(address: &str) -> Udp {
    let address: IpAddr = address.parse().expect("it is an address");
    Udp::new(address)
}

fn server_address() -> SocketAddr {
    "192.0.2.1:5684".parse().expect("it is an address")
}

fn plain_ends() -> Pair<Udp, Udp> {
    let mut server = udp("192.0.2.1");
    server
        .listen(server_address().port())
        .expect("it is its only port");
    Pair::new(udp("10.0.0.1"), server, DELAY)
}

fn secured_ends() -> Pair<Dtls<Udp>, Dtls<Udp>> {
    let settings = Settings::default();
    let fits = "the settings fit together";
    let key = PreSharedKey::of_run(SEED, "device-0");
    let client = ClientProfile::with_key(&settings, key).expect(fits);
    let server = ServerProfile::with_keys(&settings, PreSharedKeys::of_run(SEED), true);
    let server = server.expect(fits);
    let random = |name: &str| Some(RandomStream::named(SEED, name));
    let here = Dtls::new(udp("10.0.0.1"), Some(client), None, random("device"));
    let mut there = Dtls::new(udp("192.0.2.1"), None, Some(server), random("host"));
    there
        .listen(server_address().port())
        .expect("it is its only port");
    Pair::new(here, there, DELAY)
}

fn open<T: Transport, U: Transport>(ends: &mut Pair<T, U>) -> ConnectionId {
    let now = ends.now();
    let opened = ends.client.open(now, server_address(), &[]);
    opened.expect("there are ports enough")
}

/// A session, which both ends forget when the next one is measured.
fn connect(ends: &mut Pair<Dtls<Udp>, Dtls<Udp>>) -> ConnectionId {
    let id = open(ends);
    ends.run_for(LONG);
    let established = ends
        .take_events()
        .into_iter()
        .filter(|it| matches!(it.event, TransportEvent::Established(_)));
    assert_eq!(established.count(), 2);
    id
}

/// A message from the client, as the server reads it.
fn message<T: Transport, U: Transport>(ends: &mut Pair<T, U>, id: ConnectionId) {
    let chunk = Chunk {
        bytes: &MESSAGE,
        provenance: Provenance::new(Layer::Application, Cause::Payload),
    };
    let now = ends.now();
    ends.client
        .send_datagram(now, id, &[chunk])
        .expect("it fits into a datagram");
    ends.run_for(DELAY + DELAY);
    let events = ends.take_events().into_iter();
    let there = events.rev().find(|it| it.end == Direction::Down);
    let there = there.expect("the server has it").connection;
    let read = core::iter::from_fn(|| ends.server.receive_datagram(there));
    assert_eq!(read.last().map(|it| it.len()), Some(MESSAGE.len()));
}

/// What both ends do with the message alone, by keys that are expanded already.
fn cipher_of_a_message() -> f64 {
    let key = Ccm::<Aes128, U8, U12>::new(&[5; 16].into());
    let mut number = 0_u64;
    cpu_seconds_each(MESSAGES, || {
        number += 1;
        let mut nonce = [0; 12];
        nonce[4..].copy_from_slice(&number.to_be_bytes());
        let mut text = MESSAGE;
        // As much as a record of DTLS 1.2 authenticates beside its text (RFC 5246 section 6.2.3.3).
        let header = [0; 13];
        let tag = key.encrypt_in_place_detached(&nonce.into(), &header, &mut text);
        let tag = tag.expect("it can be sealed");
        let opened = key.decrypt_in_place_detached(&nonce.into(), &header, &mut text, &tag);
        opened.expect("it can be opened");
        black_box(&text);
    })
}
