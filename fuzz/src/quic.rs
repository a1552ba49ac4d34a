use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use lasthop_contract::{
    Cause, Chunk, ConnectionId, Layer, Provenance, RandomStream, ReadOutcome, ResetReason,
    StreamId, Transport, TransportEvent, TransportInput, TransportOutput,
};
use lasthop_quic::{Quic, QuicClient, QuicServer, QuicSettings};
use lasthop_tls::{
    Authority, Chain, ClientProfile, ClientSettings, Group, Issue, KeyKind, Randomness,
    RootCertStore, ServerProfile, ServerSettings, Settings, Verify, Version,
};
use lasthop_units::{Duration, Instant};

use crate::datagrams::{Datagrams, address};
use crate::script::Script;
use crate::wires::Wires;

/// QUIC with two honest ends, and a third party between them that has no key: a script of what the ends do, and of what
/// befalls the datagrams under way.
///
/// The first byte says how (1: the server sends a Retry; 2: nothing is resumed; 4: the client believes somebody else). A step
/// is a byte for the side (128) and the operation, and what that takes. Whatever is done to the datagrams, an end reads the
/// beginning of what the other wrote on one connection, and nobody reads a connection twice; where nothing is done to them,
/// what is written at the end arrives.
pub fn quic(data: &[u8]) {
    let mut script = Script::new(data);
    let mut duel = Duel::new(script.byte());
    while !script.is_empty() {
        duel.step(&mut script);
        duel.settle();
    }
    duel.end();
}

struct End {
    quic: Quic<Datagrams>,
    connection: Option<ConnectionId>,
    is_established: bool,
    deadline: Option<Instant>,
    streams: BTreeMap<ConnectionId, Stream>,
}

/// What was written to and read from the first stream of a connection.
#[derive(Default)]
struct Stream {
    written: Vec<u8>,
    read: Vec<u8>,
}

struct Duel {
    now: Instant,
    /// The client and the server.
    ends: [End; 2],
    wires: Wires,
    /// From where the client is heard.
    port: u16,
    said: u32,
    /// Nobody has touched anything, and each believes the other.
    is_honest: bool,
}

const SERVER: &str = "server.example";
const SERVER_PORT: u16 = 14_567;
const FIRST: StreamId = StreamId(0);
const PAYLOAD: Provenance = Provenance::new(Layer::Application, Cause::Payload);
/// No script writes more to a stream, so that none fills it.
const MOST_WRITTEN: usize = 100_000;

thread_local! {
    /// What the server shows, and who believes it.
    static CREDENTIALS: LazyCell<(Chain, Arc<RootCertStore>)> = LazyCell::new(|| credentials("ours"));
    static STRANGERS: LazyCell<Arc<RootCertStore>> = LazyCell::new(|| credentials("theirs").1);
}

fn credentials(name: &str) -> (Chain, Arc<RootCertStore>) {
    let mut authority = Authority::new(KeyKind::Ed25519, RandomStream::named(1, name));
    let chain = authority.issue(&Issue::of_server(SERVER, 1));
    (chain, Arc::new(authority.roots()))
}

fn profiles(retries: bool, resumes: bool, is_stranger: bool) -> (QuicClient, QuicServer) {
    let common = Settings {
        randomness: Randomness::OfTheRun,
        version: Version::Tls13,
        groups: vec![Group::X25519],
        largest_record: None,
        protocols: vec![b"mqtt".to_vec()],
    };
    let (chain, roots) = CREDENTIALS.with(|it| (**it).clone());
    let roots = match is_stranger {
        true => STRANGERS.with(|it| Arc::clone(it)),
        false => roots,
    };
    let client = ClientSettings {
        server: SERVER.to_owned(),
        verify: Verify::Against(roots),
        credentials: None,
        resumes,
        sends_early_data: resumes,
    };
    let server = ServerSettings {
        credentials: chain,
        clients: None,
        tickets: 2,
        sessions: if resumes { 100 } else { 0 },
        early_data: if resumes { u32::MAX } else { 0 },
        patience: None,
    };
    let fits = "these settings fit together";
    let client = ClientProfile::new(&common, client).expect(fits);
    let server = ServerProfile::new(&common, server).expect(fits);
    let settings = QuicSettings::default();
    let client = QuicClient::new(&client, &settings).expect(fits);
    let server = QuicServer::new(&server, &settings, retries).expect(fits);
    (client, server)
}

impl Duel {
    fn new(flags: u8) -> Self {
        let [retries, is_anew, is_stranger] = [1, 2, 4].map(|bit| flags & bit != 0);
        let (client, server) = profiles(retries, !is_anew, is_stranger);
        let end = |name, client, server| {
            let random = RandomStream::named(1, name);
            End {
                quic: Quic::new(Datagrams::default(), client, server, Some(random)),
                connection: None,
                is_established: false,
                deadline: None,
                streams: BTreeMap::new(),
            }
        };
        let mut ends = [
            end("client", Some(client), None),
            end("server", None, Some(server)),
        ];
        let listens = ends[1].quic.listen(SERVER_PORT);
        listens.expect("nobody else does");
        Self {
            now: Instant::ZERO,
            ends,
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
            1 => self.write(side, script.slice()),
            2 => self.carry(side),
            3 => self.carry_all(),
            4 => self.wait(Duration::from_millis(script.word().into())),
            5 => self.wait(Duration::from_secs(script.byte().into())),
            6 => {
                self.is_honest = false;
                if let Some(id) = self.ends[side].connection {
                    let quic = &mut self.ends[side].quic;
                    quic.reset(self.now, id, ResetReason::NotNeeded);
                }
            }
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

    /// Opens a connection of the client, which begins with what no other begins with.
    fn open(&mut self) {
        let client = &mut self.ends[0];
        if client.connection.is_some() {
            return;
        }
        self.said += 1;
        let early = self.said.to_be_bytes();
        let chunk = Chunk {
            bytes: &early,
            provenance: PAYLOAD,
        };
        let opened = client.quic.open(self.now, address(SERVER_PORT), &[chunk]);
        if let Ok(id) = opened {
            client.connection = Some(id);
            client.streams.entry(id).or_default().written.extend(early);
        }
    }

    fn write(&mut self, side: usize, bytes: &[u8]) {
        let end = &mut self.ends[side];
        let Some(id) = end.connection else {
            return;
        };
        let stream = end.streams.entry(id).or_default();
        if stream.written.len() + bytes.len() > MOST_WRITTEN {
            return;
        }
        let chunk = Chunk {
            bytes,
            provenance: PAYLOAD,
        };
        if let Ok(taken) = end.quic.write(self.now, id, FIRST, &[chunk]) {
            stream.written.extend(&bytes[..taken]);
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
                        end.quic.handle(at, TransportInput::Timeout);
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
            self.ends[1 - side].quic.lower().receive(from, datagram);
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
            let lower = self.ends[side].quic.lower();
            while let Some((to, datagram)) = lower.sent.pop_front() {
                // What is sent to where the client was is lost.
                if to == port {
                    self.wires.push(side, datagram);
                }
            }
        }
        let [client, server] = &self.ends;
        let mut heard: Vec<ConnectionId> = Vec::new();
        for there in server.streams.values().filter(|it| !it.read.is_empty()) {
            let written = client.streams.iter();
            let mut here = written.filter(|(_, it)| it.written.starts_with(&there.read));
            let (id, here) = here.next_back().expect("what is read was written");
            assert!(!heard.contains(id), "a connection is read twice");
            heard.push(*id);
            assert!(there.written.starts_with(&here.read), "it was made up");
        }
    }

    fn listen_to(&mut self, side: usize) {
        loop {
            let end = &mut self.ends[side];
            match end.quic.poll(self.now) {
                TransportOutput::WaitUntil(deadline) => {
                    end.deadline = deadline;
                    return;
                }
                TransportOutput::Event(id, TransportEvent::Readable(FIRST)) => {
                    self.read(side, id);
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

    fn read(&mut self, side: usize, id: ConnectionId) {
        let end = &mut self.ends[side];
        let stream = end.streams.entry(id).or_default();
        let mut room = [0; 1000];
        while let Ok(ReadOutcome::Read(count)) = end.quic.read(self.now, id, FIRST, &mut room) {
            stream.read.extend(&room[..count]);
        }
    }

    fn end(&mut self) {
        for _ in 0..20 {
            self.open();
            self.settle();
            self.carry_all();
            self.wait(Duration::from_secs(10));
        }
        if self.is_honest {
            let is_there = self.ends.iter().all(|it| it.is_established);
            assert!(is_there, "nobody was in the way");
            for _ in 0..100 {
                self.carry_all();
                self.wait(Duration::from_secs(1));
            }
            let ids = [0, 1].map(|side| self.ends[side].connection.expect("they are there"));
            let [here, there] = [0, 1].map(|side| &self.ends[side].streams[&ids[side]]);
            assert_eq!(here.written, there.read, "it is lost");
            assert_eq!(there.written, here.read, "it is lost");
        }
    }
}
