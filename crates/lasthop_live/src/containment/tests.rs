//! Servers on sockets that panic over one of their clients.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the clients of a server on sockets have sockets and threads of their own"
)]

use core::net::{Ipv4Addr, SocketAddr};
use core::time::Duration;
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpStream, UdpSocket};
use std::os::unix::net::UnixStream;
use std::thread;

use lasthop_contract::RandomStream;
use lasthop_tls::{Authority, Issue, KeyKind};

use super::brittle::WORD;
use crate::secured_server;
use crate::serve::{Offer, Served, Server};

const CONNECT: &[u8] = b"\x10\x0e\x00\x04MQTT\x04\x02\x00\x3c\x00\x02me";
const OTHER_CONNECT: &[u8] = b"\x10\x0e\x00\x04MQTT\x04\x02\x00\x3c\x00\x02it";
const CONNACK: &[u8] = b"\x20\x02\x00\x00";
const PING: &[u8] = b"\xc0\x00";
const PONG: &[u8] = b"\xd0\x00";
/// To `t`, QoS 0.
const SUBSCRIBE: &[u8] = b"\x82\x06\x00\x01\x00\x01t\x00";
const SUBACK: &[u8] = b"\x90\x03\x00\x01\x00";
const PUBLISH: &[u8] = b"\x30\x05\x00\x01thi";

const PATIENCE: Duration = Duration::from_secs(20);

/// Serves while the clients do their work.
fn serving(served: Served, offer: Offer, work: impl FnOnce(SocketAddr)) {
    let anywhere = (Ipv4Addr::LOCALHOST, 0).into();
    let server = Server::bind(&[(served, vec![anywhere])], offer, 1).expect("a port is free");
    let (_, address) = server.addresses().next().expect("it listens");
    let (stop, stopped) = UnixStream::pair().expect("the kernel has sockets");
    let server = thread::spawn(move || server.run(stopped).expect("the kernel lets it"));
    work(address);
    drop(stop);
    server.join().expect("the server ends well");
}

fn connected(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).expect("it listens");
    let set = stream.set_read_timeout(Some(PATIENCE));
    set.expect("a socket has a timeout");
    stream
}

fn asks(stream: &mut TcpStream, request: &[u8], answer: &[u8]) {
    stream.write_all(request).expect("the connection is there");
    hears(stream, answer);
}

fn hears(stream: &mut TcpStream, said: &[u8]) {
    let mut heard = vec![0; said.len()];
    stream.read_exact(&mut heard).expect("the server answers");
    assert_eq!(heard, said);
}

/// Says the word over which the server panics, and hears the end of the connection.
fn provokes(stream: &mut TcpStream) {
    stream.write_all(WORD).expect("the connection is there");
    match stream.read(&mut [0; 100]) {
        Ok(0) => {}
        Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
        other => panic!("the connection is still there: {other:?}"),
    }
}

#[test]
fn a_panic_within_a_broker_ends_the_connection_of_who_caused_it() {
    serving(Served::Mqtt, Offer::default(), |address| {
        let mut subscriber = connected(address);
        asks(&mut subscriber, CONNECT, CONNACK);
        asks(&mut subscriber, SUBSCRIBE, SUBACK);
        for _ in 0..100 {
            let mut other = connected(address);
            asks(&mut other, OTHER_CONNECT, CONNACK);
            asks(&mut other, SUBSCRIBE, SUBACK);
            provokes(&mut other);
        }
        // What they subscribed to is gone with them, and the broker still carries messages.
        asks(&mut subscriber, PING, PONG);
        let mut publisher = connected(address);
        asks(&mut publisher, OTHER_CONNECT, CONNACK);
        publisher.write_all(PUBLISH).expect("it is there");
        hears(&mut subscriber, PUBLISH);
    });
}

#[test]
fn a_panic_below_tls_ends_the_connection_of_who_caused_it() {
    let mut authority = Authority::new(KeyKind::Ed25519, RandomStream::named(1, "credentials"));
    let chain = authority.issue(&Issue::of_server("server.example", 1));
    let offer = Offer {
        secured: Some(secured_server(chain, None)),
        ..Offer::default()
    };
    serving(Served::Mqtt, offer, |address| {
        let mut waiting = connected(address);
        for _ in 0..100 {
            provokes(&mut connected(address));
        }
        // TLS still reads records: no handshake begins with these bytes, and its alert says so (RFC 8446 section 6).
        waiting
            .write_all(&[22, 3, 1, 0, 4, 99, 0, 0, 0])
            .expect("it is there");
        hears(&mut waiting, &[21, 3]);
    });
}

#[test]
fn a_panic_over_a_datagram_forgets_its_peer_and_no_other() {
    serving(Served::Coap, Offer::default(), |address| {
        let peer = || {
            let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port is free");
            let set = socket.set_read_timeout(Some(PATIENCE));
            set.expect("a socket has a timeout");
            socket.connect(address).expect("it has a route");
            socket
        };
        let (hostile, honest) = (peer(), peer());
        for number in 0..100 {
            hostile.send(WORD).expect("it leaves");
            // A confirmable GET (RFC 7252 section 3).
            honest.send(&[0x40, 1, 0, number]).expect("it leaves");
            let mut answer = [0; 100];
            let length = honest.recv(&mut answer).expect("the server answers");
            assert!(length >= 4 && answer[2..4] == [0, number]);
        }
    });
}
