use std::collections::BTreeMap;

use lasthop_contract::{
    Chunk, ConnectionId, RandomStream, Transport, TransportEvent, TransportInput, TransportOutput,
    noting_keys,
};
use lasthop_dtls::Dtls;
use lasthop_units::{Duration, Instant};

use crate::attack::{Attack, drive};
use crate::datagram_keys::{DatagramKeys, RecordHead};
use crate::datagrams::{Datagrams, address};
use crate::dtls::{PAYLOAD, SERVER_PORT, with_keys};
use crate::script::Script;

/// DTLS 1.2 with an end that is honest until the handshake is over, and a script of what it seals and sends after that.
///
/// The first byte says who is attacked (1: the client). A step is a byte for the operation, and what that takes. Whatever
/// comes, the other end receives what was sealed as application data, each record once, and nothing else; it says no more than
/// what its own application sends asks for; and at the end it receives what is sealed, or the connection is over.
pub fn dtls_sealed(data: &[u8]) {
    drive::<SealedRecords>(data);
}

struct SealedRecords {
    now: Instant,
    victim: End,
    /// From where the victim hears.
    port: u16,
    keys: DatagramKeys,
    /// The number of the next record that goes on where the last one ended.
    number: u64,
    /// The last records, to be sent again.
    sent: Vec<Vec<u8>>,
    /// What was sealed as application data, and how often.
    said: BTreeMap<Vec<u8>, usize>,
    /// How many messages there were that differ from all others.
    messages: u32,
    /// How many datagrams the victim may send.
    allowed: usize,
    heard: usize,
}

struct End {
    dtls: Dtls<Datagrams>,
    connection: Option<ConnectionId>,
    is_over: bool,
    received: Vec<Vec<u8>>,
}

const CHANGE_CIPHER_SPEC: u8 = 20;
const ALERT: u8 = 21;
const HANDSHAKE: u8 = 22;
const APPLICATION_DATA: u8 = 23;

/// The epoch of the only keys of a session.
const SEALED: u16 = 1;
const CLIENT_PORT: u16 = 40_000;
/// The Finished messages had the first numbers of that epoch.
const FIRST_NUMBER: u64 = 8;
/// A record may carry no more (RFC 5246 section 6.2.1).
const LARGEST: usize = 1 << 14;
/// The last flight again and an alert, for what makes an end think that it was lost.
const ANSWERS: usize = 4;

impl Attack for SealedRecords {
    fn new(victim: usize) -> Self {
        let (mut ends, [client, server]) = shaken_hands();
        let (keys, port) = match victim {
            0 => (server, SERVER_PORT),
            _ => (client, CLIENT_PORT),
        };
        Self {
            now: Instant::ZERO,
            victim: ends.swap_remove(victim),
            port,
            keys,
            number: FIRST_NUMBER,
            sent: Vec::new(),
            said: BTreeMap::new(),
            messages: 0,
            allowed: 0,
            heard: 0,
        }
    }

    fn step(&mut self, script: &mut Script<'_>) {
        self.allowed += ANSWERS;
        match script.byte() & 0x0f {
            0 => self.say(script.slice()),
            1 => {
                let message = handshake(script);
                self.seal(HANDSHAKE, &message);
            }
            2 => self.seal(HANDSHAKE, script.slice()),
            3 => self.seal(ALERT, &[script.byte(), script.byte()]),
            4 => self.seal(script.byte(), script.slice()),
            5 => self.seal(CHANGE_CIPHER_SPEC, script.slice()),
            6 => {
                // A copy of one that was sent.
                let place = usize::from(script.byte());
                if let Some(record) = self.sent.iter().rev().nth(place) {
                    self.send(record.clone());
                }
            }
            7 => self.number += u64::from(script.word()),
            8 => {
                // A number of long ago, sealed well.
                let number = self.number.saturating_sub(script.word().into());
                let message = self.next_message(script.slice());
                let record = self.seal_as(APPLICATION_DATA, SEALED, number, &message);
                self.send(record);
            }
            9 => {
                let (kind, epoch, number) = (script.byte(), script.word(), script.word());
                let record = self.seal_as(kind, epoch, number.into(), script.slice());
                self.send(record);
            }
            10 => {
                let head = RecordHead {
                    kind: script.byte(),
                    epoch: u16::from(script.flag()),
                    number: script.word().into(),
                };
                self.send(head.clear(script.slice()));
            }
            11 => {
                let (first, second) = (self.record(script), self.record(script));
                self.send([first, second].concat());
            }
            12 => {
                let record = self.record(script);
                let length = usize::from(script.word()) % (record.len() + 1);
                self.send(record[..length].to_vec());
            }
            13 => self.send(script.slice().to_vec()),
            14 => self.speak(script.slice()),
            _ => self.wait(Duration::from_millis(script.word().into())),
        }
    }

    fn check(&mut self) {
        while self.victim.dtls.lower().sent.pop_front().is_some() {
            self.heard += 1;
        }
        let mut counts = BTreeMap::<&Vec<u8>, usize>::new();
        for datagram in &self.victim.received {
            let count = counts.entry(datagram).or_default();
            *count += 1;
            let sealed = self.said.get(datagram).copied().unwrap_or(0);
            assert!(*count <= sealed, "received {count} times, sealed {sealed}");
        }
        let (heard, allowed) = (self.heard, self.allowed);
        assert!(heard <= allowed, "{heard} datagrams for {allowed}");
    }

    fn end(&mut self) {
        self.allowed += ANSWERS;
        self.say(b"the end");
        self.check();
        let message = [&self.messages.to_be_bytes()[..], b"the end"].concat();
        let is_received = self.victim.received.contains(&message);
        assert!(
            is_received || self.victim.is_over,
            "it neither receives nor ends"
        );
    }
}

impl SealedRecords {
    /// The next record of application data.
    fn record(&mut self, script: &mut Script<'_>) -> Vec<u8> {
        let message = self.next_message(script.slice());
        self.next_record(APPLICATION_DATA, &message)
    }

    /// A message that was never sent before.
    fn next_message(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.messages += 1;
        [&self.messages.to_be_bytes()[..], bytes].concat()
    }

    fn next_record(&mut self, kind: u8, content: &[u8]) -> Vec<u8> {
        self.seal_as(kind, SEALED, self.number, content)
    }

    fn seal_as(&mut self, kind: u8, epoch: u16, number: u64, content: &[u8]) -> Vec<u8> {
        let content = &content[..content.len().min(LARGEST)];
        if kind == APPLICATION_DATA && epoch == SEALED {
            *self.said.entry(content.to_vec()).or_default() += 1;
        }
        self.number = self.number.max(number + 1);
        let head = RecordHead {
            kind,
            epoch,
            number,
        };
        self.keys.seal(head, content)
    }

    fn say(&mut self, bytes: &[u8]) {
        let message = self.next_message(bytes);
        self.seal(APPLICATION_DATA, &message);
    }

    fn seal(&mut self, kind: u8, content: &[u8]) {
        let record = self.next_record(kind, content);
        self.send(record);
    }

    fn send(&mut self, datagram: Vec<u8>) {
        self.victim
            .dtls
            .lower()
            .receive(self.port, datagram.clone());
        self.sent.push(datagram);
        self.victim.listen(self.now);
    }

    /// The victim's application sends something.
    fn speak(&mut self, bytes: &[u8]) {
        let Some(id) = self.victim.connection else {
            return;
        };
        let chunk = Chunk {
            bytes,
            provenance: PAYLOAD,
        };
        // A connection that is over takes nothing.
        let _ = self.victim.dtls.send_datagram(self.now, id, &[chunk]);
        self.victim.listen(self.now);
    }

    fn wait(&mut self, span: Duration) {
        self.now += span;
        self.victim.dtls.handle(self.now, TransportInput::Timeout);
        self.victim.listen(self.now);
    }
}

impl End {
    fn listen(&mut self, now: Instant) {
        loop {
            match self.dtls.poll(now) {
                TransportOutput::WaitUntil(_) => return,
                TransportOutput::Event(id, TransportEvent::DatagramReadable) => {
                    while let Some(datagram) = self.dtls.receive_datagram(id) {
                        self.received.push(datagram.to_vec());
                    }
                }
                TransportOutput::Event(id, TransportEvent::Established(_)) => {
                    self.connection = Some(id);
                }
                TransportOutput::Event(id, TransportEvent::Closed(_))
                    if self.connection == Some(id) =>
                {
                    self.connection = None;
                    self.is_over = true;
                }
                _ => {}
            }
        }
    }
}

/// A message of a handshake with a head of DTLS (RFC 6347 section 4.2.2), which may say that it is a part.
fn handshake(script: &mut Script<'_>) -> Vec<u8> {
    let (kind, sequence) = (script.byte(), script.word());
    let (missing, offset) = (script.byte(), script.byte());
    let body = script.slice();
    let length = |bytes: usize| (bytes as u32).to_be_bytes();
    let [_, whole @ ..] = length(body.len() + usize::from(missing));
    let [_, part @ ..] = length(body.len());
    let offset = [0, 0, offset];
    let sequence = sequence.to_be_bytes();
    [&[kind][..], &whole, &sequence, &offset, &part, body].concat()
}

/// Both ends after their handshake, and the keys that they seal with.
fn shaken_hands() -> (Vec<End>, [DatagramKeys; 2]) {
    let ((ends, randoms), noted) = noting_keys(shake);
    let line = noted.lines().next().expect("the secret is noted");
    let digits = line.rsplit(' ').next().expect("it ends with the secret");
    let master: Vec<u8> = (0..digits.len() / 2)
        .map(|place| u8::from_str_radix(&digits[2 * place..2 * place + 2], 16))
        .collect::<Result<_, _>>()
        .expect("it is noted in digits");
    let [client, server] = randoms;
    (ends, DatagramKeys::of(&master, &client, &server))
}

fn shake() -> (Vec<End>, [Vec<u8>; 2]) {
    let (client, server) = with_keys(false, false, false);
    let end = |name, client, server| End {
        dtls: Dtls::new(
            Datagrams::default(),
            client,
            server,
            Some(RandomStream::named(1, name)),
        ),
        connection: None,
        is_over: false,
        received: Vec::new(),
    };
    let mut ends = vec![
        end("client", Some(client), None),
        end("server", None, Some(server)),
    ];
    let opened = ends[0].dtls.open(Instant::ZERO, address(SERVER_PORT), &[]);
    ends[0].connection = opened.ok();
    let mut randoms = [Vec::new(), Vec::new()];
    loop {
        let mut is_silent = true;
        for side in 0..2 {
            ends[side].listen(Instant::ZERO);
            while let Some((_, datagram)) = ends[side].dtls.lower().sent.pop_front() {
                is_silent = false;
                if randoms[side].is_empty() {
                    randoms[side] = random_of(&datagram);
                }
                let from = [CLIENT_PORT, SERVER_PORT][side];
                ends[1 - side].dtls.lower().receive(from, datagram);
            }
        }
        if is_silent {
            return (ends, randoms);
        }
    }
}

/// The random number of a hello, which is the first message of an end.
fn random_of(datagram: &[u8]) -> Vec<u8> {
    const RECORD_AND_MESSAGE_HEADS: usize = 13 + 12;
    const VERSION: usize = 2;
    const LENGTH: usize = 32;
    datagram[RECORD_AND_MESSAGE_HEADS + VERSION..][..LENGTH].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sealed_here_is_received() {
        for victim in 0..2 {
            let mut attack = SealedRecords::new(victim);
            attack.say(b"hello");
            assert_eq!(attack.victim.received, [b"\0\0\0\x01hello"]);
        }
    }
}
