use std::collections::BTreeSet;
use std::sync::Arc;

use lasthop_contract::{
    Cause, Chunk, ConnectionId, Layer, Provenance, RandomStream, ResetReason, Transport,
    TransportEvent, TransportInput, TransportOutput,
};
use lasthop_dtls::{
    ClientProfile, Dtls, PreSharedKey, PreSharedKeys, ServerProfile, Settings, Version,
};
use lasthop_tls::{Authority, Issue, KeyKind, Trust};
use lasthop_units::{Duration, Instant};

use crate::datagrams::{Datagrams, address};
use crate::script::Script;
use crate::wires::Wires;

/// DTLS with two honest ends, and a third party between them that has no key: a script of what the ends do, and of what
/// befalls the datagrams under way.
///
/// The first byte says how (1: no cookie; 2: connection IDs; 4: the client has another key, or believes somebody else;
/// 8: DTLS 1.3, with a certificate and without connection IDs; 16: sessions of DTLS 1.2 are resumed). A step is a byte for the
/// side (128) and the operation, and what that takes. Whatever is done to the datagrams, an end receives what the other sent,
/// once, and nothing else; where nothing is done to them, what is sent at the end arrives.
pub fn dtls(data: &[u8]) {
    let mut script = Script::new(data);
    let mut duel = Duel::new(script.byte());
    while !script.is_empty() {
        duel.step(&mut script);
        duel.settle();
    }
    duel.end();
}

struct End {
    dtls: Dtls<Datagrams>,
    connection: Option<ConnectionId>,
    is_established: bool,
    deadline: Option<Instant>,
    sent: BTreeSet<Vec<u8>>,
    received: BTreeSet<Vec<u8>>,
}

struct Duel {
    now: Instant,
    /// The client and the server.
    ends: [End; 2],
    wires: Wires,
    /// From where the client is heard.
    port: u16,
    said: u32,
    /// Nobody has touched anything, and both have the same key.
    is_honest: bool,
}

const SERVER: &str = "server.example";
pub(crate) const SERVER_PORT: u16 = 5684;
pub(crate) const PAYLOAD: Provenance = Provenance::new(Layer::Application, Cause::Payload);

const FIT: &str = "these settings fit together";

/// A client and a server with one key, or the client with another.
pub(crate) fn with_keys(
    cookie: bool,
    is_stranger: bool,
    has_ids: bool,
) -> (ClientProfile, ServerProfile) {
    let settings = Settings {
        connection_id: if has_ids { 4 } else { 0 },
        ..Settings::default()
    };
    let key = PreSharedKey::of_run(u64::from(is_stranger), "device");
    let client = ClientProfile::with_key(&settings, key).expect(FIT);
    let server = ServerProfile::with_keys(&settings, PreSharedKeys::of_run(0), cookie);
    (client, server.expect(FIT))
}

fn with_certificate(cookie: bool, is_stranger: bool) -> (ClientProfile, ServerProfile) {
    let authority = |seed| {
        let random = RandomStream::named(seed, "credentials");
        Authority::new(KeyKind::EcdsaP256, random)
    };
    let shown = authority(0).issue(&Issue::of_server(SERVER, 1));
    let believed = authority(u64::from(is_stranger)).roots();
    let trust = Trust::in_server(Arc::new(believed), SERVER);
    let settings = Settings::default();
    let version = Version::V1_3;
    let client = ClientProfile::with_certificates(&settings, version, trust, None);
    let server = ServerProfile::with_certificate(&settings, version, shown, None, cookie);
    (client.expect(FIT), server.expect(FIT))
}

impl Duel {
    fn new(flags: u8) -> Self {
        let [no_cookie, has_ids, is_stranger, is_1_3, resumes] =
            [1, 2, 4, 8, 16].map(|bit| flags & bit != 0);
        let (mut client, mut server) = if is_1_3 {
            with_certificate(!no_cookie, is_stranger)
        } else {
            with_keys(!no_cookie, is_stranger, has_ids)
        };
        if resumes {
            (client, server) = (client.resuming(), server.remembering(2));
        }
        let end = |name, client, server| {
            let random = RandomStream::named(1, name);
            End {
                dtls: Dtls::new(Datagrams::default(), client, server, Some(random)),
                connection: None,
                is_established: false,
                deadline: None,
                sent: BTreeSet::new(),
                received: BTreeSet::new(),
            }
        };
        Self {
            now: Instant::ZERO,
            ends: [
                end("client", Some(client), None),
                end("server", None, Some(server)),
            ],
            wires: Wires::default(),
            port: 40_000,
            said: 0,
            is_honest: !is_stranger,
        }
    }

    fn step(&mut self, script: &mut Script<'_>) {
        let instruction = script.byte();
        let side = usize::from(instruction >> 7);
        match instruction & 0x0f {
            0 => self.open(),
            1 => self.send(side, script.slice()),
            2 => self.carry(side),
            3 => self.carry_all(),
            4 => self.wait(Duration::from_millis(script.word().into())),
            5 => self.wait(Duration::from_secs(script.byte().into())),
            6 => self.close(side),
            // A translator forgets the client.
            7 => {
                self.is_honest = false;
                self.port = self.port.wrapping_add(1).max(1_024);
            }
            operation => {
                self.is_honest = false;
                self.wires.meddle(operation, side, script);
            }
        }
    }

    fn open(&mut self) {
        let client = &mut self.ends[0];
        if client.connection.is_none() {
            let opened = client.dtls.open(self.now, address(SERVER_PORT), &[]);
            client.connection = opened.ok();
        }
    }

    /// Ends a connection: in peace where nothing is under way.
    fn close(&mut self, side: usize) {
        let is_in_peace = self.ends.iter().all(|it| it.is_established) && self.wires.is_empty();
        self.is_honest &= is_in_peace;
        if let Some(id) = self.ends[side].connection {
            let dtls = &mut self.ends[side].dtls;
            dtls.reset(self.now, id, ResetReason::NotNeeded);
        }
        if is_in_peace {
            self.settle();
            self.carry_all();
        }
    }

    /// Sends something that was never sent before.
    fn send(&mut self, side: usize, bytes: &[u8]) {
        let end = &mut self.ends[side];
        let Some(id) = end.connection else {
            return;
        };
        self.said += 1;
        let message = [&self.said.to_be_bytes()[..], bytes].concat();
        let chunk = Chunk {
            bytes: &message,
            provenance: PAYLOAD,
        };
        if end.dtls.send_datagram(self.now, id, &[chunk]).is_ok() {
            end.sent.insert(message);
        }
    }

    fn wait(&mut self, span: Duration) {
        let end = self.now + span;
        loop {
            let deadlines = self.ends.iter().filter_map(|it| it.deadline);
            match deadlines.min().filter(|at| *at <= end) {
                Some(at) => {
                    assert!(at >= self.now, "a deadline lies in the past");
                    self.now = at;
                    for end in &mut self.ends {
                        end.dtls.handle(at, TransportInput::Timeout);
                    }
                    self.settle();
                    let still = self.ends.iter().filter_map(|it| it.deadline).min();
                    assert!(still.is_none_or(|it| it > at), "time stands still");
                }
                None => break,
            }
        }
        self.now = end;
    }

    fn carry(&mut self, side: usize) {
        if let Some(datagram) = self.wires.pop(side) {
            let from = [self.port, SERVER_PORT][side];
            self.ends[1 - side].dtls.lower().receive(from, datagram);
        }
    }

    fn carry_all(&mut self) {
        let mut turns = 0;
        while !self.wires.is_empty() {
            self.carry(0);
            self.carry(1);
            self.settle();
            turns += 1;
            assert!(turns < 10_000, "the ends do not come to rest");
        }
    }

    /// Lets both ends say what they have to say, and checks it.
    fn settle(&mut self) {
        for side in 0..2 {
            self.listen_to(side);
            let port = [SERVER_PORT, self.port][side];
            let end = &mut self.ends[side];
            while let Some((to, datagram)) = end.dtls.lower().sent.pop_front() {
                // What is sent to where the client was is lost.
                if to == port {
                    self.wires.push(side, datagram);
                }
            }
        }
        for side in 0..2 {
            let (from, to) = (&self.ends[1 - side].sent, &self.ends[side].received);
            assert!(to.is_subset(from), "a datagram was made up");
        }
    }

    fn listen_to(&mut self, side: usize) {
        loop {
            let end = &mut self.ends[side];
            match end.dtls.poll(self.now) {
                TransportOutput::WaitUntil(deadline) => {
                    end.deadline = deadline;
                    return;
                }
                TransportOutput::Event(id, TransportEvent::DatagramReadable) => {
                    while let Some(datagram) = end.dtls.receive_datagram(id) {
                        assert!(end.received.insert(datagram.to_vec()), "received twice");
                    }
                }
                TransportOutput::Event(id, TransportEvent::Established(_)) => {
                    end.connection = Some(id);
                    end.is_established = true;
                }
                TransportOutput::Event(id, TransportEvent::Closed(_))
                    if end.connection == Some(id) =>
                {
                    end.connection = None;
                    end.is_established = false;
                }
                _ => {}
            }
        }
    }

    fn end(&mut self) {
        for _ in 0..40 {
            self.open();
            self.settle();
            self.carry_all();
            self.wait(Duration::from_secs(10));
        }
        if self.is_honest {
            let is_there = self.ends.iter().all(|it| it.is_established);
            assert!(is_there, "nobody was in the way");
            for side in 0..2 {
                self.send(side, b"at last");
                self.settle();
                self.carry_all();
                let said = [&self.said.to_be_bytes()[..], b"at last"].concat();
                assert!(self.ends[1 - side].received.contains(&said), "it is lost");
            }
        }
    }
}
