use std::sync::OnceLock;

use lasthop_contract::{RandomStream, noting_keys};
use lasthop_tls::Tls;

use crate::attack::{Attack, drive};
use crate::record_keys::RecordKeys;
use crate::script::Script;
use crate::tls::profiles_without_sessions;
use crate::tls_end::TlsEnd;

/// TLS 1.3 with an end that is honest until the handshake is over, and a script of what it seals and sends after that.
///
/// The first byte says who is attacked (1: the client). A step is a byte for the operation, and what that takes. Whatever
/// comes, the other end reads what was sealed as application data and nothing else; it says no more than what its own
/// application writes asks for; and at the end it has read everything, or the connection is over.
pub fn post_handshake(data: &[u8]) {
    drive::<PostHandshake>(data);
}

struct PostHandshake {
    victim: TlsEnd,
    keys: RecordKeys,
    /// What was sealed as application data.
    said: Vec<u8>,
    /// How many bytes the victim sent.
    heard: usize,
    /// How many it may send for what its application wrote.
    allowed: usize,
    is_over: bool,
    /// Bytes were sent that may be the beginning of a record whose rest never comes.
    is_cut: bool,
    /// close_notify was sealed: what comes behind it is not read (RFC 8446 section 6.1).
    has_closed: bool,
}

const CHANGE_CIPHER_SPEC: u8 = 20;
const ALERT: u8 = 21;
const HANDSHAKE: u8 = 22;
const APPLICATION_DATA: u8 = 23;

const CLOSE_NOTIFY: u8 = 0;

// Messages of a handshake.
const NEW_SESSION_TICKET: u8 = 4;
const KEY_UPDATE: u8 = 24;

/// A record with a KeyUpdate, and one with an alert.
const LAST_WORDS: usize = 2 * 32;
/// What is added to what an application writes at once: a KeyUpdate, and a header and a tag for each record.
const AROUND_A_WRITE: usize = 32 + 5 * 32;
/// More than a record may carry (RFC 8446 section 5.2).
const LARGEST: usize = 17_000;
const MOST_UPDATES: u16 = 512;

impl Attack for PostHandshake {
    fn new(victim: usize) -> Self {
        let (mut ends, secrets) = shaken_hands();
        // Nobody has sealed anything yet: there are no tickets.
        let keys = RecordKeys::of(secrets[1 - victim]);
        Self {
            victim: ends.swap_remove(victim),
            keys,
            said: Vec::new(),
            heard: 0,
            allowed: LAST_WORDS,
            is_over: false,
            is_cut: false,
            has_closed: false,
        }
    }

    fn step(&mut self, script: &mut Script<'_>) {
        match script.byte() & 0x0f {
            0 => self.say(script.slice()),
            1 => {
                let message = message(script.byte(), script.slice());
                self.seal(HANDSHAKE, &message);
            }
            2 => {
                let [kind, high] = [script.byte(), script.byte()];
                let [middle, low] = script.word().to_be_bytes();
                let message = [&[kind, high, middle, low][..], script.slice()].concat();
                self.seal(HANDSHAKE, &message);
            }
            3 => self.update_keys(script.byte()),
            4 => (0..script.word().min(MOST_UPDATES)).for_each(|_| self.update_keys(1)),
            5 => self.fragmented(script),
            6 => {
                let count = script.byte() % 8;
                let messages = (0..count).map(|_| message(script.byte(), script.slice()));
                let messages: Vec<_> = messages.collect();
                self.seal(HANDSHAKE, &messages.concat());
            }
            7 => self.seal(script.byte(), script.slice()),
            8 => self.seal(ALERT, &[script.byte(), script.byte()]),
            9 => self.send_clear(CHANGE_CIPHER_SPEC, script.slice()),
            10 => self.send_clear(script.byte(), script.slice()),
            11 => {
                let ticket = ticket(script);
                self.seal(HANDSHAKE, &message(NEW_SESSION_TICKET, &ticket));
            }
            12 => {
                let bytes = script.slice();
                self.allowed += bytes.len() + AROUND_A_WRITE;
                self.victim.write(0, bytes);
            }
            13 => self.victim.make_room(script.word().into()),
            14 => {
                self.is_cut = true;
                self.send(script.slice());
            }
            _ => {
                self.allowed += AROUND_A_WRITE;
                self.victim.finish(0);
            }
        }
    }

    fn check(&mut self) {
        self.hear();
        let read = &self.victim.stream(0).read;
        assert!(self.said.starts_with(read), "bytes were made up");
        let (heard, allowed) = (self.heard, self.allowed);
        assert!(heard <= allowed, "{heard} B for {allowed}");
    }

    fn end(&mut self) {
        self.victim.make_room(usize::MAX);
        self.say(b"the end");
        self.check();
        if !self.is_over && !self.is_cut && !self.has_closed {
            let read = self.victim.stream(0).read.len();
            assert_eq!(read, self.said.len(), "it neither reads nor ends");
        }
    }
}

impl PostHandshake {
    fn say(&mut self, bytes: &[u8]) {
        self.seal(APPLICATION_DATA, bytes);
    }

    /// Asks for new keys, or names them, and goes on with its own.
    fn update_keys(&mut self, request: u8) {
        self.seal(HANDSHAKE, &message(KEY_UPDATE, &[request]));
        self.keys.update();
    }

    /// A message in two records, with something between them or not.
    fn fragmented(&mut self, script: &mut Script<'_>) {
        let message = message(script.byte(), script.slice());
        let (first, second) = message.split_at(usize::from(script.word()) % message.len());
        self.seal(HANDSHAKE, first);
        match script.byte() % 4 {
            1 => self.say(b"between"),
            2 => self.seal(ALERT, &[1, 0]),
            3 => self.send_clear(CHANGE_CIPHER_SPEC, &[1]),
            _ => {}
        }
        self.seal(HANDSHAKE, second);
        if message[0] == KEY_UPDATE {
            self.keys.update();
        }
    }

    fn seal(&mut self, kind: u8, content: &[u8]) {
        let content = &content[..content.len().min(LARGEST)];
        if kind == APPLICATION_DATA && !self.has_closed {
            self.said.extend(content);
        }
        self.has_closed |= kind == ALERT && matches!(content, [_, CLOSE_NOTIFY]);
        let record = self.keys.seal(kind, content);
        self.send(&record);
    }

    fn send_clear(&mut self, kind: u8, content: &[u8]) {
        let content = &content[..content.len().min(LARGEST)];
        let length = (content.len() as u16).to_be_bytes();
        let record = [&[kind, 3, 3][..], &length, content].concat();
        self.send(&record);
    }

    fn send(&mut self, bytes: &[u8]) {
        self.victim.receive(0, bytes, None);
        self.hear();
    }

    fn hear(&mut self) {
        let (bytes, ending) = self.victim.take(0, usize::MAX);
        self.heard += bytes.len();
        self.is_over |= ending.is_some();
    }
}

fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    let [_, length @ ..] = (body.len() as u32).to_be_bytes();
    [&[kind][..], &length, body].concat()
}

/// A ticket as RFC 8446 section 4.6.1 has it, as far as its parts are short enough.
fn ticket(script: &mut Script<'_>) -> Vec<u8> {
    let mut ticket = vec![0, 0];
    ticket.extend(script.word().to_be_bytes());
    ticket.extend([1, 2, 3, 4]);
    let nonce = script.slice();
    ticket.push(nonce.len() as u8);
    ticket.extend(nonce);
    let of_server = script.slice();
    ticket.extend((of_server.len() as u16).to_be_bytes());
    ticket.extend(of_server);
    match script.flag() {
        // early_data, with how much may come.
        true => ticket.extend([0, 8, 0, 42, 0, 4, 0xff, 0xff, 0xff, 0xff]),
        false => ticket.extend([0, 0]),
    }
    ticket
}

/// Both ends after their handshake, and the secrets that they seal with.
fn shaken_hands() -> (Vec<TlsEnd>, [[u8; 48]; 2]) {
    static SECRETS: OnceLock<[[u8; 48]; 2]> = OnceLock::new();
    let shake = || {
        let (client, server) = profiles_without_sessions();
        let end = |name, client, server| {
            let random = RandomStream::named(1, name);
            TlsEnd::new(|below| Tls::new(below, client, server, Some(random)))
        };
        let mut ends = vec![
            end("client", Some(client), None),
            end("server", None, Some(server)),
        ];
        ends[0].open(&[]);
        ends[1].accept();
        loop {
            let mut is_silent = true;
            for side in 0..2 {
                let (bytes, ending) = ends[side].take(0, usize::MAX);
                is_silent &= !ends[1 - side].receive(0, &bytes, ending);
            }
            if is_silent {
                return ends;
            }
        }
    };
    // All handshakes are the same: their random numbers are.
    match SECRETS.get() {
        Some(secrets) => (shake(), *secrets),
        None => {
            let (ends, noted) = noting_keys(shake);
            let secret = |label| secret_in(&noted, label);
            let secrets = ["CLIENT_TRAFFIC_SECRET_0", "SERVER_TRAFFIC_SECRET_0"].map(secret);
            (ends, *SECRETS.get_or_init(|| secrets))
        }
    }
}

fn secret_in(noted: &str, label: &str) -> [u8; 48] {
    let mut lines = noted.lines().map(|line| line.split(' '));
    let digits = lines.find_map(|mut line| (line.next() == Some(label)).then(|| line.nth(1)));
    let digits = digits.flatten().expect("the secrets of a run are noted");
    let byte = |place: usize| u8::from_str_radix(&digits[2 * place..2 * place + 2], 16);
    core::array::from_fn(|place| byte(place).expect("it is noted in digits"))
}
