use std::sync::{Arc, OnceLock};

use lasthop_contract::RandomStream;
use lasthop_tls::{
    Authority, Chain, ClientProfile, ClientSettings, Group, Issue, KeyKind, Randomness,
    RootCertStore, ServerProfile, ServerSettings, Settings, Tls, Verify, Version,
};

use crate::script::Script;
use crate::tls_end::{Stream, TlsEnd};

/// TLS with two honest ends, and a third party between them that has no key: a script of what the ends do, and of what
/// befalls the bytes under way.
///
/// The first byte says how (1: TLS 1.2; 2: sessions are resumed, with early data in TLS 1.3; 4: the client shows a
/// certificate; 8: small records). A step is a byte for the side (128), the connection (16 to 112) and the operation, and
/// what that takes. Whatever is done to the bytes under way, an end reads what the other wrote and nothing else, and
/// believes that it was all only if it was; where nothing is done to them, all of it arrives.
pub fn tls(data: &[u8]) {
    let mut script = Script::new(data);
    let mut duel = Duel::new(script.byte());
    while !script.is_empty() {
        duel.step(&mut script);
        duel.check();
    }
    duel.end();
}

struct Duel {
    /// The client and the server.
    ends: [TlsEnd; 2],
    opened: u64,
    /// Nobody has touched the bytes of any connection yet, nor reset one.
    is_honest: bool,
}

/// How often bytes go to and fro before it is a loop.
const MOST_TURNS: usize = 10_000;
/// A script names eight connections.
const MOST_CONNECTIONS: u64 = 8;

impl Duel {
    fn new(flags: u8) -> Self {
        let (client, server) = profiles(flags);
        let end = |name, client, server| {
            let random = RandomStream::named(1, name);
            TlsEnd::new(|below| Tls::new(below, client, server, Some(random)))
        };
        Self {
            ends: [
                end("client", Some(client), None),
                end("server", None, Some(server)),
            ],
            opened: 0,
            is_honest: true,
        }
    }

    fn step(&mut self, script: &mut Script<'_>) {
        let instruction = script.byte();
        let side = usize::from(instruction >> 7);
        let place = u64::from(instruction >> 4 & 7);
        let end = &mut self.ends[side];
        match instruction & 0x0f {
            0 if self.opened < MOST_CONNECTIONS => {
                self.ends[0].open(script.slice());
                self.ends[1].accept();
                self.opened += 1;
            }
            1 => end.write(place, script.slice()),
            2 => end.finish(place),
            3 => self.carry_all(),
            4 => {
                self.carry(side, place, script.word().into());
            }
            5 => end.make_room(script.word().into()),
            6 => {
                self.is_honest = false;
                end.reset(place);
            }
            operation => self.meddle(operation, side, place, script),
        }
    }

    /// Does something to the bytes that an end has written and the other does not have yet.
    fn meddle(&mut self, operation: u8, side: usize, place: u64, script: &mut Script<'_>) {
        self.ends[side].meddle(place, |bytes| {
            let at = match bytes.len() {
                0 => 0,
                length => usize::from(script.word()) % length,
            };
            match operation {
                7 => {
                    let mask = script.byte();
                    if let Some(byte) = bytes.get_mut(at) {
                        *byte ^= mask;
                    }
                }
                8 => {
                    let end = (at + usize::from(script.word())).min(bytes.len());
                    bytes.drain(at..end);
                }
                9 => {
                    let rest = bytes.split_off(at);
                    bytes.extend(script.slice());
                    bytes.extend(rest);
                }
                10 => {
                    let again: Vec<u8> = bytes.range(at..).copied().collect();
                    bytes.extend(again);
                }
                _ => return,
            }
            self.is_honest = false;
        });
    }

    /// Hands over so many bytes, and the end if they are the last; whether anything was handed over.
    fn carry(&mut self, side: usize, place: u64, most: usize) -> bool {
        let (bytes, ending) = self.ends[side].take(place, most);
        self.ends[1 - side].receive(place, &bytes, ending)
    }

    fn carry_all(&mut self) {
        for _ in 0..MOST_TURNS {
            let mut is_silent = true;
            for place in 0..self.opened {
                for side in 0..2 {
                    is_silent &= !self.carry(side, place, usize::MAX);
                }
            }
            if is_silent {
                return;
            }
        }
        panic!("the ends do not come to rest");
    }

    fn end(&mut self) {
        for end in &mut self.ends {
            end.make_room(usize::MAX);
        }
        self.carry_all();
        self.check();
        if self.is_honest {
            self.each(|from, to| {
                assert_eq!(from.written.len(), to.read.len(), "something is lost");
            });
        }
    }

    /// What was read is what was written, and its end is the end.
    fn check(&self) {
        self.each(|from, to| {
            assert!(from.written.starts_with(&to.read), "bytes were made up");
            if to.peer_finished {
                assert!(from.is_finished, "an end was made up");
                assert_eq!(from.written.len(), to.read.len(), "the end came too soon");
            }
        });
    }

    fn each(&self, check: impl Fn(&Stream, &Stream)) {
        for place in 0..self.opened {
            let [a, b] = [0, 1].map(|side: usize| self.ends[side].stream(place));
            check(a, b);
            check(b, a);
        }
    }
}

/// What both ends show each other. Making it takes longer than a script.
fn credentials() -> &'static (Arc<RootCertStore>, Chain, Chain) {
    static MADE: OnceLock<(Arc<RootCertStore>, Chain, Chain)> = OnceLock::new();
    MADE.get_or_init(|| {
        let mut authority = Authority::new(KeyKind::Ed25519, RandomStream::named(1, "credentials"));
        let server = authority.issue(&Issue::of_server(SERVER, 2));
        let client = authority.issue(&Issue::of_client("device.example"));
        (Arc::new(authority.roots()), server, client)
    })
}

const SERVER: &str = "server.example";

fn profiles(flags: u8) -> (ClientProfile, ServerProfile) {
    profiles_with(flags, if flags & 2 == 0 { 0 } else { 10 }, 2)
}

/// Profiles of TLS 1.3 without tickets: an end seals nothing of its own behind the handshake.
pub(crate) fn profiles_without_sessions() -> (ClientProfile, ServerProfile) {
    profiles_with(0, 0, 0)
}

fn profiles_with(flags: u8, sessions: usize, tickets: u8) -> (ClientProfile, ServerProfile) {
    let (roots, of_server, of_client) = credentials();
    let [is_old, resumes, is_shown, is_small] = [1, 2, 4, 8].map(|bit| flags & bit != 0);
    let settings = Settings {
        randomness: Randomness::OfTheRun,
        version: if is_old {
            Version::Tls12
        } else {
            Version::Tls13
        },
        groups: vec![Group::X25519],
        largest_record: is_small.then_some(64),
        protocols: Vec::new(),
    };
    let client = ClientProfile::new(
        &settings,
        ClientSettings {
            server: SERVER.to_owned(),
            verify: Verify::Against(Arc::clone(roots)),
            credentials: is_shown.then(|| of_client.clone()),
            resumes,
            sends_early_data: resumes && !is_old,
        },
    );
    let server = ServerProfile::new(
        &settings,
        ServerSettings {
            credentials: of_server.clone(),
            clients: is_shown.then(|| Verify::Against(Arc::clone(roots))),
            tickets,
            sessions,
            early_data: if resumes && !is_old { 64 } else { 0 },
            patience: None,
        },
    );
    let fits = "these settings fit together";
    (client.expect(fits), server.expect(fits))
}
