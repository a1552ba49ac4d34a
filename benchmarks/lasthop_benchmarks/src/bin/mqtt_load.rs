//! Loads an MQTT broker over sockets of the kernel and says how many messages came back. It shares nothing with our
//! broker: the packets are written by hand, so that brokers can be held against each other.
//!
//! Each connection subscribes to a topic of its own and publishes to it, the next message as soon as the last one is
//! back and acknowledged.

use core::error::Error;
use core::mem::MaybeUninit;
use core::net::SocketAddr;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::process::ExitCode;

use rustix::event::Timespec;
use rustix::event::epoll::{self, EventData, EventFlags};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, connect, recv, send, socket_with,
    sockopt,
};
use rustix::time::{ClockId, clock_gettime};
use serde_json::json;

const HELP: &str = "\
usage: mqtt_load --broker ADDRESS --connections N [--qos 0|1] [--payload BYTES] [--seconds S] [--idle]

Prints a JSON object with the messages that came back. With --idle it connects and says so, and stays silent until its
standard input ends.
";

struct Options {
    broker: SocketAddr,
    connections: u32,
    qos: u8,
    payload: usize,
    seconds: f64,
    is_idle: bool,
}

struct Client {
    socket: OwnedFd,
    received: Vec<u8>,
    publish: Vec<u8>,
    /// What has to come before the next message leaves: the message itself and, at QoS 1, its PUBACK.
    awaited: u8,
}

struct Load {
    options: Options,
    epoll: OwnedFd,
    clients: Vec<Client>,
    subscribed: u32,
    messages: u64,
}

const CONNACK: u8 = 2;
const PUBLISH: u8 = 3;
const PUBACK: u8 = 4;
const SUBACK: u8 = 9;

fn main() -> ExitCode {
    match Options::read() {
        Ok(None) => {
            print!("{HELP}");
            ExitCode::SUCCESS
        }
        Ok(Some(options)) => match Load::connect(options).and_then(Load::run) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => failed(&*error),
        },
        Err(error) => failed(&*error),
    }
}

fn failed(error: &dyn Error) -> ExitCode {
    eprintln!("mqtt_load: {error}");
    ExitCode::from(2)
}

impl Options {
    fn read() -> Result<Option<Self>, Box<dyn Error>> {
        use lexopt::prelude::*;

        let (mut broker, mut connections) = (None, 1);
        let (mut qos, mut payload, mut seconds, mut is_idle) = (0, 64, 5.0, false);
        let mut parser = lexopt::Parser::from_env();
        while let Some(argument) = parser.next()? {
            match argument {
                Long("help") => return Ok(None),
                Long("broker") => broker = Some(parser.value()?.parse()?),
                Long("connections") => connections = parser.value()?.parse()?,
                Long("qos") => qos = parser.value()?.parse()?,
                Long("payload") => payload = parser.value()?.parse()?,
                Long("seconds") => seconds = parser.value()?.parse()?,
                Long("idle") => is_idle = true,
                other => return Err(other.unexpected().into()),
            }
        }
        if qos > 1 {
            return Err("QoS is 0 or 1".into());
        }
        Ok(Some(Self {
            broker: broker.ok_or("say where the broker is: --broker ADDRESS")?,
            connections,
            qos,
            payload,
            seconds,
            is_idle,
        }))
    }
}

impl Load {
    /// Connects all clients, one after the other, and subscribes each to its topic.
    fn connect(options: Options) -> Result<Self, Box<dyn Error>> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let mut clients = Vec::new();
        for number in 0..options.connections {
            let family = if options.broker.is_ipv4() {
                AddressFamily::INET
            } else {
                AddressFamily::INET6
            };
            let socket = socket_with(family, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
            connect(&socket, &options.broker)?;
            sockopt::set_tcp_nodelay(&socket, true)?;
            epoll::add(
                &epoll,
                &socket,
                EventData::new_u64(number.into()),
                EventFlags::IN,
            )?;
            send(&socket, &connect_packet(number), SendFlags::NOSIGNAL)?;
            let client = Client {
                socket,
                received: Vec::new(),
                publish: publish_packet(number, options.qos, options.payload),
                awaited: 0,
            };
            clients.push(client);
        }
        let mut load = Self {
            options,
            epoll,
            clients,
            subscribed: 0,
            messages: 0,
        };
        while load.subscribed < load.options.connections {
            load.turn(None, false)?;
        }
        Ok(load)
    }

    fn run(mut self) -> Result<(), Box<dyn Error>> {
        if self.options.is_idle {
            println!("{}", json!({ "connected": self.options.connections }));
            std::io::stdin().read_to_end(&mut Vec::new())?;
            return Ok(());
        }
        let begin = seconds_now();
        let end = begin + self.options.seconds;
        for client in &mut self.clients {
            client.send_next(self.options.qos)?;
        }
        let mut now = begin;
        while now < end {
            self.turn(Some(end - now), true)?;
            now = seconds_now();
        }
        let seconds = now - begin;
        println!(
            "{}",
            json!({ "messages": self.messages, "seconds": seconds })
        );
        Ok(())
    }

    /// Waits for what comes, at most for so many seconds, and answers it.
    fn turn(&mut self, longest: Option<f64>, publishes: bool) -> Result<(), Box<dyn Error>> {
        let timeout = longest.map(|seconds| Timespec {
            tv_sec: seconds as i64,
            tv_nsec: (seconds.fract() * 1e9) as i64,
        });
        let mut room = [MaybeUninit::<epoll::Event>::uninit(); 256];
        let ready = match epoll::wait(&self.epoll, &mut room, timeout.as_ref()) {
            Ok((ready, _)) => ready,
            Err(Errno::INTR) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        for event in ready.iter() {
            let number = event.data.u64() as usize;
            let client = &mut self.clients[number];
            let mut buffer = [0; 4096];
            let (length, _) = recv(&client.socket, &mut buffer, RecvFlags::empty())?;
            if length == 0 {
                return Err(format!("the broker closed connection {number}").into());
            }
            client.received.extend_from_slice(&buffer[..length]);
            while let Some(packet) = client.next_packet() {
                match packet[0] >> 4 {
                    CONNACK if packet[3] == 0 => {
                        let subscribe = subscribe_packet(number as u32, self.options.qos);
                        send(&client.socket, &subscribe, SendFlags::NOSIGNAL)?;
                    }
                    SUBACK => self.subscribed += 1,
                    PUBLISH => {
                        self.messages += 1;
                        client.awaited -= 1;
                        if self.options.qos == 1 {
                            let id = packet_id(&packet);
                            let puback = [PUBACK << 4, 2, id[0], id[1]];
                            send(&client.socket, &puback, SendFlags::NOSIGNAL)?;
                        }
                    }
                    PUBACK => client.awaited -= 1,
                    other => return Err(format!("the broker sent a packet of type {other}").into()),
                }
                if publishes && client.awaited == 0 {
                    client.send_next(self.options.qos)?;
                }
            }
        }
        Ok(())
    }
}

impl Client {
    fn send_next(&mut self, qos: u8) -> rustix::io::Result<()> {
        self.awaited = 1 + qos;
        send(&self.socket, &self.publish, SendFlags::NOSIGNAL).map(|_| ())
    }

    /// Takes a packet that is complete.
    fn next_packet(&mut self) -> Option<Vec<u8>> {
        let (mut length, mut at) = (0, 1);
        loop {
            let byte = *self.received.get(at)?;
            length |= usize::from(byte & 0x7f) << (7 * (at - 1));
            at += 1;
            if byte & 0x80 == 0 {
                break;
            }
        }
        let end = at + length;
        (self.received.len() >= end).then(|| self.received.drain(..end).collect())
    }
}

/// The seconds since the machine started.
fn seconds_now() -> f64 {
    let time = clock_gettime(ClockId::Monotonic);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// The identifier of a PUBLISH whose topic is short.
fn packet_id(packet: &[u8]) -> [u8; 2] {
    let head = 2 + usize::from(packet[1] & 0x80 != 0);
    let topic = usize::from(u16::from_be_bytes([packet[head], packet[head + 1]]));
    let at = head + 2 + topic;
    [packet[at], packet[at + 1]]
}

fn connect_packet(number: u32) -> Vec<u8> {
    let mut body = b"\x00\x04MQTT\x04\x02\x00\x00".to_vec();
    add_text(&mut body, &format!("load-{number}"));
    packet(0x10, &body)
}

fn subscribe_packet(number: u32, qos: u8) -> Vec<u8> {
    let mut body = vec![0, 1];
    add_text(&mut body, &topic_of(number));
    body.push(qos);
    packet(0x82, &body)
}

fn publish_packet(number: u32, qos: u8, payload: usize) -> Vec<u8> {
    let mut body = Vec::new();
    add_text(&mut body, &topic_of(number));
    if qos > 0 {
        body.extend_from_slice(&[0, 2]);
    }
    body.resize(body.len() + payload, b'x');
    packet(0x30 | qos << 1, &body)
}

fn topic_of(number: u32) -> String {
    format!("load/{number}")
}

fn add_text(body: &mut Vec<u8>, text: &str) {
    body.extend_from_slice(&(text.len() as u16).to_be_bytes());
    body.extend_from_slice(text.as_bytes());
}

fn packet(first: u8, body: &[u8]) -> Vec<u8> {
    let mut packet = vec![first];
    let mut rest = body.len();
    loop {
        let more = u8::from(rest >= 0x80) << 7;
        packet.push((rest & 0x7f) as u8 | more);
        rest >>= 7;
        if rest == 0 {
            break;
        }
    }
    packet.extend_from_slice(body);
    packet
}
