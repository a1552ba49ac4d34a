//! Packet time lines: one `Tcp` against a peer that follows a script, in virtual time.
//!
//! A script is what should happen, line by line. Each line begins with the time since the line before:
//!
//! ```text
//! +0 open                                       we call `open`; so do `listen`, `write 100`, `read 100`, `finish`, `reset`
//! +0 > S 0:0(0) win 65535 <mss 1460>            we send a SYN
//! +0.1 < S. 0:0(0) ack 1 win 65535 <mss 1460>   the peer sends its own, 100 ms later
//! +0 > . 1:1(0) ack 1 win 65535
//! +0 ! Established(Full)                        an event; `= read 100` is what a read gave
//! +0 < R 900000:900000(0) win 0                 the peer sends what is out of the window
//! +0 x out_of_window                            a segment was of no use
//! ```
//!
//! `set keep_alive 2 1 3` before all makes a profile of its own: idle, interval and probes. So does
//! `set receive_buffer 4000`.
//!
//! `+0 connected` stands for the lines of a handshake with a peer that takes segments of 1000 B ([`CONNECTED`]).
//!
//! Flags are S, F, R, P and `.` for ACK. Numbers are relative to the first of each side, time stamps to the first of
//! ours and to 1000 of the peer's. What we do is played from the script, what follows is written down, and both must
//! be the same text.

use core::fmt::Write;
use core::net::SocketAddr;
use std::sync::Arc;

use lasthop_contract::{
    Cause, Chunk, ConnectionId, Expectation, InterfaceId, Layer, Mtu, Packet, Provenance,
    RandomStream, ReadOutcome, ResetReason, Transport, TransportEvent, TransportInput,
    TransportOutput,
};
use lasthop_transport::tcp::KeepAlive;
use lasthop_transport::{Tcp, TcpProfile};
use lasthop_units::{Duration, Instant};

use super::wire::{Bases, Line, PEER, PEER_PORT, US, US_PORT};

/// What `+0 connected` stands for.
const CONNECTED: &str = "+0 open
    +0 > S 0:0(0) win 65535 <mss 1460,sackOK>
    +0.1 < S. 0:0(0) ack 1 win 64000 <mss 1000,sackOK>
    +0 ! Established(Full)
    +0 > . 1:1(0) ack 1 win 65535";

/// Plays a script and panics with both texts where they differ.
pub(super) fn check(profile: TcpProfile, script: &str) {
    let (profile, script) = with_settings(profile, script);
    let host = Tcp::new(
        US.parse().unwrap(),
        Arc::new(profile),
        RandomStream::named(1, "tcp"),
    );
    Player::new(host).play(&script);
}

/// The same with the name of what made a segment leave behind it, where it was neither new nor an answer.
pub(super) fn check_with_triggers(profile: TcpProfile, script: &str) {
    let host = Tcp::new(
        US.parse().unwrap(),
        Arc::new(profile),
        RandomStream::named(1, "tcp"),
    );
    let player = Player {
        tells_triggers: true,
        ..Player::new(host)
    };
    player.play(script);
}

/// The same with a host that has lived before.
pub(super) fn check_again(host: Tcp, script: &str) -> Tcp {
    Player::new(host).play(script)
}

struct Player {
    host: Tcp,
    now: Instant,
    connection: Option<ConnectionId>,
    bases: Bases,
    deadline: Option<Instant>,
    tells_triggers: bool,
    /// What happened: when, and the rest of the line.
    happened: Vec<(Instant, String)>,
}

impl Player {
    fn new(host: Tcp) -> Self {
        Self {
            host,
            now: Instant::ZERO,
            connection: None,
            bases: Bases::default(),
            deadline: None,
            tells_triggers: false,
            happened: Vec::new(),
        }
    }

    fn play(mut self, script: &str) -> Tcp {
        let script = script.replace("+0 connected", CONNECTED);
        let lines: Vec<&str> = script
            .lines()
            .map(str::trim)
            .filter(|l| !l.is_empty())
            .collect();
        let mut at = Instant::ZERO;
        for line in &lines {
            let (time, rest) = line.split_once(' ').unwrap();
            at += seconds(time);
            if !rest.starts_with(['>', '!', '=', 'x']) {
                self.run_until(at);
                self.happened.push((at, rest.to_owned()));
                self.act(rest);
                self.drain();
            }
        }
        self.run_until(at);
        let expected = lines.join("\n");
        let got = self.transcript();
        assert!(expected == got, "expected\n{expected}\n\ngot\n{got}\n");
        self.host
    }

    fn run_until(&mut self, end: Instant) {
        self.drain();
        while let Some(at) = self.deadline.filter(|at| *at <= end) {
            self.now = at.max(self.now);
            self.host.handle(self.now, TransportInput::Timeout);
            self.drain();
        }
        self.now = end;
    }

    fn act(&mut self, action: &str) {
        let mut words = action.split_whitespace();
        let what = words.next().unwrap();
        let now = self.now;
        let mut number = || {
            words
                .next()
                .map_or(0, |word| word.parse::<usize>().unwrap())
        };
        if what == "<" {
            let packet = Line::parse(&action[2..]).packet(&self.bases);
            self.host.handle(now, TransportInput::Packet(packet));
            return;
        }
        if let "listen" = what {
            self.host.listen(US_PORT).unwrap();
            return;
        }
        if let "mtu" = what {
            let told = TransportInput::InterfaceMtu {
                interface: InterfaceId(0),
                mtu: Mtu {
                    interface_bytes: number() as u16,
                    path_bytes: number() as u16,
                },
            };
            self.host.handle(now, told);
            return;
        }
        let provenance = Provenance::new(Layer::Application, Cause::Payload);
        if let "open" = what {
            let bytes = vec![b'x'; number()];
            let chunk = Chunk {
                bytes: &bytes,
                provenance,
            };
            let peer = SocketAddr::new(PEER.parse().unwrap(), PEER_PORT);
            let early = if bytes.is_empty() { &[][..] } else { &[chunk] };
            self.connection = Some(self.host.open(now, peer, early).unwrap());
            return;
        }
        let id = self.connection.unwrap();
        match what {
            "write" => {
                let bytes = vec![b'x'; number()];
                let chunk = Chunk {
                    bytes: &bytes,
                    provenance,
                };
                let taken = self.host.write(now, id, Tcp::STREAM, &[chunk]).unwrap();
                if taken < bytes.len() {
                    self.note(format!("= wrote {taken}"));
                }
            }
            "read" => {
                let mut room = vec![0; number()];
                let outcome = match self.host.read(now, id, Tcp::STREAM, &mut room) {
                    Ok(ReadOutcome::Read(count)) => format!("= read {count}"),
                    Ok(ReadOutcome::Blocked) => "= blocked".to_owned(),
                    Ok(ReadOutcome::Finished) => "= finished".to_owned(),
                    Err(error) => format!("= {error}"),
                };
                self.note(outcome);
            }
            "finish" => self.host.finish(now, id, Tcp::STREAM),
            "reset" => self.host.reset(now, id, ResetReason::NotNeeded),
            _ => panic!("no such action: {action}"),
        }
    }

    fn drain(&mut self) {
        loop {
            match self.host.poll(self.now) {
                TransportOutput::Transmit(packet) => self.note_packet(&packet),
                TransportOutput::Event(id, event) => {
                    if let TransportEvent::Established(_) = event {
                        self.connection = Some(id);
                    }
                    self.note(match event {
                        TransportEvent::Readable(_) => "! Readable".to_owned(),
                        TransportEvent::Writable(_) => "! Writable".to_owned(),
                        event => format!("! {event:?}"),
                    });
                }
                TransportOutput::Evicted => {}
                TransportOutput::Discard(_, reason) => self.note(format!("x {}", reason.name())),
                TransportOutput::WaitUntil(deadline) => {
                    self.deadline = deadline;
                    return;
                }
            }
        }
    }

    fn note_packet(&mut self, packet: &Packet) {
        let line = Line::read(packet, &mut self.bases);
        let trigger = packet.trigger().filter(|_| self.tells_triggers);
        let why = trigger.map_or_else(String::new, |trigger| format!(" ; {trigger}"));
        let last = if packet.expectation() == Some(Expectation::NothingMore) {
            " ; last"
        } else {
            ""
        };
        self.note(format!("> {line}{why}{last}"));
    }

    fn note(&mut self, text: String) {
        self.happened.push((self.now, text));
    }

    fn transcript(&self) -> String {
        let (mut text, mut last) = (String::new(), Instant::ZERO);
        for (at, line) in &self.happened {
            let time = trimmed((*at - last).as_nanos());
            last = *at;
            let separator = if text.is_empty() { "" } else { "\n" };
            write!(text, "{separator}+{time} {line}").unwrap();
        }
        text
    }
}

/// Takes the lines that set something out of a script.
fn with_settings(mut profile: TcpProfile, script: &str) -> (TcpProfile, String) {
    let mut lines = Vec::new();
    for line in script.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["set", "keep_alive", idle, interval, probes] => {
                let span = |text: &str| Duration::from_secs(text.parse().unwrap());
                profile.keep_alive = Some(KeepAlive {
                    idle: span(idle),
                    interval: span(interval),
                    probes: probes.parse().unwrap(),
                });
            }
            ["set", "receive_buffer", bytes] => profile.receive_buffer = bytes.parse().unwrap(),
            ["set", ..] => panic!("no such setting: {line}"),
            _ => lines.push(line),
        }
    }
    (profile, lines.join("\n"))
}

fn seconds(text: &str) -> Duration {
    let seconds: f64 = text.strip_prefix('+').unwrap().parse().unwrap();
    Duration::from_nanos((seconds * 1e6).round() as u64 * 1000)
}

/// Nanoseconds as seconds to the microsecond, without idle zeros.
fn trimmed(nanos: u64) -> String {
    let text = format!(
        "{}.{:06}",
        nanos / 1_000_000_000,
        nanos % 1_000_000_000 / 1000
    );
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
