//! A proxy that observes once for all of its readers (RFC 7641 section 5), byte by byte: readers and the server behind are peers
//! that say what the test says.

use core::net::SocketAddr;
use std::sync::Arc;

use lasthop_cache::{Back, Cache, CacheConfig, Front, ResourceIds, ResponseSource};
use lasthop_coap::{
    Carrier, CoapClient, CoapClientConfig, CoapParameters, CoapServer, CoapServerConfig, Code,
    Message, MessageType, PORT, Push,
};
use lasthop_contract::{ApplicationInput, DeviceId, RandomStream, Survives, WakeFlag};
use lasthop_units::{DataSize, Duration};

use crate::harness::client_address;
use crate::peer::Peer;

const OBSERVE: u16 = 6;
const ETAG: u16 = 4;
const PATH: u16 = 11;
const MAX_AGE: u16 = 14;
const ACCEPT: u16 = 17;
const FORMAT: u16 = 12;
const QUERY: u16 = 15;

/// A proxy between peers.
struct Proxy {
    readers: Peer<Front<CoapServer>>,
    server: Peer<Back<CoapClient>>,
    next_id: u16,
}

/// A message that somebody has said.
#[derive(Clone, Debug)]
struct Said {
    kind: u8,
    code: Code,
    id: u16,
    token: Vec<u8>,
    options: Vec<(u16, Vec<u8>)>,
    payload: Vec<u8>,
}

const CON: u8 = 0;
const NON: u8 = 1;
const ACK: u8 = 2;
const RST: u8 = 3;

impl Said {
    fn of(datagram: &[u8]) -> Self {
        let message = Message::parse(datagram).unwrap();
        let content = &message.content;
        let options = content.options(datagram);
        let token_end = 4 + usize::from(datagram[0] & 0xf);
        Self {
            kind: datagram[0] >> 4 & 3,
            code: content.code,
            id: u16::from_be_bytes([datagram[2], datagram[3]]),
            token: datagram[4..token_end].to_vec(),
            options: options.map(|(n, value)| (n, value.to_vec())).collect(),
            payload: datagram[content.payload()].to_vec(),
        }
    }

    fn number(&self, option: u16) -> Option<u32> {
        let found = self.options.iter().find(|(number, _)| *number == option);
        found.map(|(_, value)| {
            value
                .iter()
                .fold(0, |sum, byte| sum << 8 | u32::from(*byte))
        })
    }

    fn path(&self) -> String {
        let segments = self.options.iter().filter(|(number, _)| *number == PATH);
        let segments: Vec<_> = segments
            .map(|(_, it)| core::str::from_utf8(it).unwrap())
            .collect();
        segments.join("/")
    }
}

/// A message of these parts; its options are short.
fn message(
    (kind, code, id): (u8, Code, u16),
    token: &[u8],
    options: &[(u16, &[u8])],
    payload: &[u8],
) -> Vec<u8> {
    let mut bytes = vec![0x40 | kind << 4 | token.len() as u8, code.0];
    bytes.extend(id.to_be_bytes());
    bytes.extend(token);
    let mut before = 0;
    for (number, value) in options {
        bytes.push((number - before) as u8 * 16 + value.len() as u8);
        bytes.extend(*value);
        before = *number;
    }
    if !payload.is_empty() {
        bytes.push(0xff);
        bytes.extend(payload);
    }
    bytes
}

fn config(cache: CacheConfig) -> Proxy {
    with(MessageType::NonConfirmable, cache)
}

/// A proxy that notifies by messages of this kind.
fn with(kind: MessageType, config: CacheConfig) -> Proxy {
    let cache = Cache::new(config, WakeFlag::default());
    let parameters = Arc::new(CoapParameters {
        nstart: 4,
        ..CoapParameters::default()
    });
    let server = CoapServer::new(
        CoapServerConfig {
            kind,
            push: Push::Post,
            answers: true,
            carrier: Carrier::Datagrams,
            parameters: Arc::clone(&parameters),
        },
        RandomStream::named(1, "front"),
    );
    let client = CoapClient::new(
        CoapClientConfig {
            server: SocketAddr::new(client_address(), PORT),
            device: DeviceId(1),
            kind: MessageType::Confirmable,
            push: Push::Post,
            receives: false,
            answers: false,
            carrier: Carrier::Datagrams,
            parameters,
        },
        RandomStream::named(1, "back"),
    );
    let server = server.response_source(ResponseSource::Cached(cache.clone()));
    let client = client.resource_ids(ResourceIds::Cached(cache.clone()));
    Proxy {
        readers: Peer::of(Front::new(server, cache.clone(), 0)),
        server: Peer::of_client(Back::new(client, cache)),
        next_id: 1000,
    }
}

fn keeping() -> CacheConfig {
    CacheConfig {
        room: DataSize::from_bytes(64_000),
        stale_if_error: Duration::ZERO,
    }
}

fn proxy() -> Proxy {
    config(keeping())
}

impl Proxy {
    fn settle(&mut self) {
        for _ in 0..3 {
            self.readers.pump();
            self.server.pump();
        }
    }

    /// What readers have heard since.
    fn heard(&mut self) -> Vec<Said> {
        self.settle();
        self.readers.hears().iter().map(|it| Said::of(it)).collect()
    }

    /// What the server behind has heard since.
    fn asked(&mut self) -> Vec<Said> {
        self.settle();
        self.server.hears().iter().map(|it| Said::of(it)).collect()
    }

    fn reader_says(&mut self, datagram: &[u8]) {
        let heard = self.readers.says(datagram);
        self.readers.put_back(heard);
        self.settle();
    }

    fn server_says(&mut self, datagram: &[u8]) {
        let heard = self.server.says(datagram);
        self.server.put_back(heard);
        self.settle();
    }

    /// A confirmable GET of `ps/a` by a token.
    fn get(&mut self, token: &[u8], observe: Option<u8>) {
        self.next_id += 1;
        let observe = observe.map(|it| {
            vec![it]
                .into_iter()
                .filter(|it| *it > 0)
                .collect::<Vec<_>>()
        });
        let mut options: Vec<(u16, &[u8])> = Vec::new();
        if let Some(observe) = &observe {
            options.push((OBSERVE, observe));
        }
        options.extend([(PATH, &b"ps"[..]), (PATH, b"a")]);
        let datagram = message((CON, Code::GET, self.next_id), token, &options, &[]);
        self.reader_says(&datagram);
    }

    /// The server behind answers a request in the acknowledgement.
    fn answer(&mut self, to: &Said, observe: Option<u8>, max_age: u8, payload: &[u8]) {
        let (sequence, max_age) = ([observe.unwrap_or_default()], [max_age]);
        let mut options: Vec<(u16, &[u8])> = vec![(ETAG, b"tagg")];
        if observe.is_some() {
            options.push((OBSERVE, &sequence));
        }
        options.push((MAX_AGE, &max_age));
        let datagram = message((ACK, Code::CONTENT, to.id), &to.token, &options, payload);
        self.server_says(&datagram);
    }

    /// The server behind notifies of a new state.
    fn notify(&mut self, token: &[u8], sequence: u8, max_age: u8, payload: &[u8]) {
        self.next_id += 1;
        let (sequence, max_age) = ([sequence], [max_age]);
        let options: [(u16, &[u8]); 2] = [(OBSERVE, &sequence), (MAX_AGE, &max_age)];
        let head = (NON, Code::CONTENT, self.next_id);
        self.server_says(&message(head, token, &options, payload));
    }

    fn wait(&mut self, seconds: u64) {
        for _ in 0..seconds {
            self.readers.wait(1);
            self.server.wait(1);
            self.settle();
        }
    }

    /// Two readers who observe what the server behind said first; gives the token of its observation.
    fn observed_by_two(&mut self, max_age: u8) -> Vec<u8> {
        self.get(b"one", Some(0));
        let asked = self.asked();
        assert_eq!(asked.len(), 1);
        self.answer(&asked[0], Some(5), max_age, b"first");
        self.get(b"two", Some(0));
        let heard = self.heard();
        let states = heard.iter().filter(|it| it.code == Code::CONTENT);
        assert_eq!(states.count(), 2, "{heard:?}");
        self.acknowledge(&heard);
        assert!(self.asked().is_empty());
        asked[0].token.clone()
    }

    /// Readers acknowledge what wants it.
    fn acknowledge(&mut self, heard: &[Said]) {
        for said in heard.iter().filter(|said| said.kind == CON) {
            let datagram = message((ACK, Code::EMPTY, said.id), &[], &[], &[]);
            self.reader_says(&datagram);
        }
    }
}

fn payloads(heard: &[Said]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let states = heard.iter().filter(|it| it.code == Code::CONTENT);
    let mut all: Vec<_> = states
        .map(|it| (it.token.clone(), it.payload.clone()))
        .collect();
    all.sort();
    all
}

fn both(state: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
    vec![
        (b"one".to_vec(), state.to_vec()),
        (b"two".to_vec(), state.to_vec()),
    ]
}

#[test]
fn two_readers_are_told_by_one_observation() {
    let mut proxy = proxy();
    proxy.get(b"one", Some(0));
    let asked = proxy.asked();
    assert_eq!((asked.len(), asked[0].number(OBSERVE)), (1, Some(0)));
    assert_eq!(asked[0].path(), "ps/a");
    // It takes its time, which a reader is told.
    assert_eq!(proxy.heard()[0].code, Code::EMPTY);
    proxy.get(b"two", Some(0));
    assert!(proxy.asked().is_empty(), "who comes meanwhile waits");
    proxy.answer(&asked[0], Some(200), 30, b"first");
    let heard = proxy.heard();
    assert_eq!(payloads(&heard), both(b"first"));
    proxy.acknowledge(&heard);
    proxy.wait(7);
    proxy.notify(&asked[0].token, 201, 25, b"second");
    let told = proxy.heard();
    assert_eq!(payloads(&told), both(b"second"));
    for said in &told {
        // Its own sequence, the Max-Age of what has just come.
        assert_eq!(said.number(MAX_AGE), Some(25));
        let before = heard.iter().find(|it| it.token == said.token);
        let (before, after) = (before.unwrap().number(OBSERVE), said.number(OBSERVE));
        assert!(before < after && after < Some(200), "{before:?} {after:?}");
    }
}

#[test]
fn what_was_notified_is_given_to_who_asks_while_it_is_fresh() {
    let mut proxy = proxy();
    let token = proxy.observed_by_two(30);
    proxy.notify(&token, 6, 30, b"second");
    proxy.heard();
    proxy.wait(10);
    proxy.get(b"three", None);
    let heard = proxy.heard();
    assert_eq!(heard[0].payload, b"second");
    assert_eq!(heard[0].number(MAX_AGE), Some(20));
    assert_eq!(heard[0].number(OBSERVE), None);
    // So is who observes from now on.
    proxy.get(b"four", Some(0));
    let heard = proxy.heard();
    assert_eq!((heard[0].kind, heard[0].number(MAX_AGE)), (ACK, Some(20)));
    assert!(heard[0].number(OBSERVE).is_some());
    assert!(proxy.asked().is_empty());
    proxy.notify(&token, 7, 30, b"third");
    assert_eq!(proxy.heard().len(), 3);
}

#[test]
fn the_last_one_who_goes_ends_the_observation() {
    let mut proxy = proxy();
    let token = proxy.observed_by_two(60);
    proxy.get(b"one", Some(1));
    let heard = proxy.heard();
    assert_eq!(
        (heard[0].payload.as_slice(), heard[0].number(OBSERVE)),
        (&b"first"[..], None)
    );
    assert!(proxy.asked().is_empty());
    // The other rejects a notification.
    proxy.notify(&token, 6, 60, b"second");
    let heard = proxy.heard();
    assert_eq!(heard.len(), 1);
    assert_eq!(heard[0].token, b"two");
    proxy.reader_says(&message((RST, Code::EMPTY, heard[0].id), &[], &[], &[]));
    let asked = proxy.asked();
    assert_eq!((asked.len(), asked[0].number(OBSERVE)), (1, Some(1)));
    assert_eq!(
        (asked[0].token.as_slice(), asked[0].code),
        (&token[..], Code::GET)
    );
    proxy.answer(&asked[0], None, 60, b"second");
    // What still comes is rejected.
    proxy.notify(&token, 7, 60, b"third");
    assert_eq!(proxy.asked()[0].kind, RST);
    assert!(proxy.heard().is_empty());
}

#[test]
fn who_acknowledges_no_notification_is_gone() {
    let mut proxy = with(MessageType::Confirmable, keeping());
    let token = proxy.observed_by_two(255);
    proxy.notify(&token, 6, 255, b"second");
    let heard = proxy.heard();
    assert_eq!(payloads(&heard), both(b"second"));
    let one: Vec<Said> = heard.into_iter().filter(|it| it.token == b"one").collect();
    proxy.acknowledge(&one);
    proxy.wait(100);
    let repeated = proxy.heard();
    assert!(repeated.len() >= 4 && repeated.iter().all(|it| it.token == b"two"));
    assert!(proxy.asked().is_empty());
    proxy.notify(&token, 7, 255, b"third");
    let heard = proxy.heard();
    assert_eq!(heard.len(), 1, "{heard:?}");
    proxy.wait(100);
    proxy.heard();
    let asked = proxy.asked();
    assert_eq!(
        asked[0].number(OBSERVE),
        Some(1),
        "the last one is gone, too"
    );
}

#[test]
fn one_token_is_one_observation_however_often_it_registers() {
    let mut proxy = proxy();
    proxy.get(b"one", Some(0));
    proxy.get(b"one", Some(0));
    let asked = proxy.asked();
    assert_eq!(asked.len(), 1);
    proxy.answer(&asked[0], Some(1), 60, b"first");
    let heard = proxy.heard();
    assert_eq!(payloads(&heard).len(), 1);
    proxy.acknowledge(&heard);
    proxy.get(b"one", Some(0));
    assert_eq!(payloads(&proxy.heard()).len(), 1);
    proxy.notify(&asked[0].token, 2, 60, b"second");
    assert_eq!(payloads(&proxy.heard()).len(), 1);
    proxy.get(b"one", Some(1));
    assert_eq!(proxy.asked()[0].number(OBSERVE), Some(1));
}

#[test]
fn a_server_that_does_not_tell_of_changes_is_given_out_plainly() {
    let mut proxy = proxy();
    proxy.get(b"one", Some(0));
    let asked = proxy.asked();
    proxy.answer(&asked[0], None, 10, b"first");
    let heard = proxy.heard();
    let state = heard.last().unwrap();
    assert_eq!(
        (state.payload.as_slice(), state.number(OBSERVE)),
        (&b"first"[..], None)
    );
    proxy.acknowledge(&heard);
    // There is no observation to end, and nothing is asked for again by itself.
    proxy.wait(120);
    assert!(proxy.asked().is_empty());
    // An observation that the server gives up ends here as well.
    let mut proxy = self::proxy();
    let token = proxy.observed_by_two(20);
    let head = (NON, Code::NOT_FOUND, 7);
    proxy.server_says(&message(head, &token, &[], &[]));
    let heard = proxy.heard();
    assert_eq!(heard.len(), 2);
    assert!(heard.iter().all(|it| it.code == Code::NOT_FOUND));
    proxy.notify(&token, 9, 20, b"third");
    assert!(proxy.heard().is_empty());
    assert_eq!(proxy.asked()[0].kind, RST);
}

#[test]
fn who_asks_plainly_while_it_registers_waits_and_who_observes_while_it_asks_is_registered_next() {
    let mut proxy = proxy();
    proxy.get(b"one", Some(0));
    proxy.get(b"two", None);
    let asked = proxy.asked();
    assert_eq!(asked.len(), 1);
    proxy.answer(&asked[0], Some(1), 60, b"first");
    let heard = proxy.heard();
    assert_eq!(payloads(&heard), both(b"first"));
    proxy.acknowledge(&heard);
    proxy.notify(&asked[0].token, 2, 60, b"second");
    assert_eq!(payloads(&proxy.heard()).len(), 1);
    // The other way round.
    let mut proxy = self::proxy();
    proxy.get(b"two", None);
    let plain = proxy.asked();
    assert_eq!((plain.len(), plain[0].number(OBSERVE)), (1, None));
    proxy.get(b"one", Some(0));
    assert!(proxy.asked().is_empty());
    proxy.answer(&plain[0], None, 60, b"first");
    let heard = proxy.heard();
    assert_eq!(payloads(&heard), [(b"two".to_vec(), b"first".to_vec())]);
    let asked = proxy.asked();
    assert_eq!((asked.len(), asked[0].number(OBSERVE)), (1, Some(0)));
    proxy.answer(&asked[0], Some(9), 60, b"first");
    assert_eq!(payloads(&proxy.heard()).len(), 1);
}

#[test]
fn who_gives_up_while_it_registers_leaves_nothing_behind() {
    let mut proxy = proxy();
    proxy.get(b"one", Some(0));
    let asked = proxy.asked();
    proxy.get(b"one", Some(1));
    proxy.answer(&asked[0], Some(1), 60, b"first");
    let heard = proxy.heard();
    assert!(
        heard.iter().all(|it| it.number(OBSERVE).is_none()),
        "{heard:?}"
    );
    // The observation is ended, and what was wanted plainly is asked for.
    for _ in 0..3 {
        for asked in proxy.asked() {
            proxy.answer(&asked, None, 60, b"first");
        }
    }
    let heard = proxy.heard();
    assert_eq!(payloads(&heard).len(), 1, "{heard:?}");
    proxy.acknowledge(&heard);
    proxy.notify(&asked[0].token, 2, 60, b"second");
    assert_eq!(proxy.asked()[0].kind, RST);
    assert!(proxy.heard().is_empty());
}

#[test]
fn a_server_that_is_silent_beyond_max_age_is_registered_at_again() {
    let mut proxy = proxy();
    let token = proxy.observed_by_two(10);
    // 5 to 15 s after the end of freshness (RFC 7641 section 3.3.1).
    proxy.wait(10);
    assert!(proxy.asked().is_empty());
    proxy.wait(16);
    let asked = proxy.asked();
    assert!(!asked.is_empty());
    assert_eq!(
        (asked[0].number(OBSERVE), &asked[0].token),
        (Some(0), &token)
    );
    // It has forgotten all, and counts from the beginning.
    proxy.answer(&asked[0], Some(1), 10, b"after");
    assert_eq!(payloads(&proxy.heard()), both(b"after"));
    proxy.notify(&token, 2, 10, b"later");
    assert_eq!(payloads(&proxy.heard()), both(b"later"));
}

#[test]
fn what_is_stale_is_asked_for_by_the_same_observation() {
    let mut proxy = proxy();
    let token = proxy.observed_by_two(3);
    proxy.wait(3);
    for (number, observe) in [(1, None), (2, Some(0))] {
        proxy.get(b"new", observe);
        let asked = proxy.asked();
        assert_eq!(asked.len(), 1);
        assert_eq!(
            (asked[0].number(OBSERVE), &asked[0].token),
            (Some(0), &token)
        );
        // Nothing has changed, and so the number is the same.
        proxy.answer(&asked[0], Some(5), 0, b"first");
        let heard = proxy.heard();
        assert_eq!(payloads(&heard).len(), 3, "{number} {heard:?}");
        proxy.acknowledge(&heard);
    }
}

#[test]
fn what_is_never_fresh_is_passed_on_and_not_kept() {
    let mut proxy = proxy();
    proxy.get(b"one", Some(0));
    let asked = proxy.asked();
    proxy.answer(&asked[0], Some(1), 0, b"first");
    let heard = proxy.heard();
    assert_eq!(heard.last().unwrap().number(MAX_AGE), Some(0));
    proxy.acknowledge(&heard);
    proxy.notify(&asked[0].token, 2, 0, b"second");
    assert_eq!(proxy.heard().len(), 1);
    proxy.get(b"two", None);
    assert_eq!(proxy.asked().len(), 1);
}

#[test]
fn a_server_that_gives_no_answer_is_asked_again_while_somebody_waits_for_changes() {
    let mut proxy = config(CacheConfig {
        stale_if_error: Duration::from_secs(600),
        ..keeping()
    });
    let token = proxy.observed_by_two(10);
    // It is off: registered at again in vain, four times repeated, and again.
    proxy.wait(200);
    let asked = proxy.asked();
    assert!(asked.iter().all(|it| it.number(OBSERVE) == Some(0)));
    assert!(
        asked.iter().any(|it| it.token != token),
        "by an observation of its own"
    );
    // Who asks now is given what there is.
    proxy.get(b"three", None);
    proxy.wait(100);
    let heard = proxy.heard();
    let state = heard.iter().find(|it| it.code == Code::CONTENT);
    assert_eq!(
        state.map(|it| (it.token.as_slice(), it.number(MAX_AGE))),
        Some((&b"three"[..], Some(0)))
    );
    proxy.acknowledge(&heard);
    let asked = proxy.asked();
    let newest = asked.last().unwrap();
    proxy.answer(newest, Some(1), 60, b"again");
    assert_eq!(payloads(&proxy.heard()), both(b"again"));
    // Without that it is refused.
    let mut proxy = self::proxy();
    proxy.get(b"one", Some(0));
    proxy.wait(100);
    let heard = proxy.heard();
    assert!(
        heard.iter().any(|it| it.code == Code::GATEWAY_TIMEOUT),
        "{heard:?}"
    );
    // It is no observer, so nobody wants the observation any more.
    proxy.asked();
    proxy.wait(300);
    assert!(proxy.asked().len() <= 5);
}

#[test]
fn a_proxy_that_crashes_has_forgotten_its_readers_and_rejects_what_it_observed() {
    let mut proxy = proxy();
    let token = proxy.observed_by_two(60);
    proxy
        .readers
        .inform(ApplicationInput::Crash(Survives::default()));
    proxy
        .server
        .inform(ApplicationInput::Crash(Survives::default()));
    proxy.server.inform(ApplicationInput::Start);
    proxy.notify(&token, 6, 60, b"second");
    assert_eq!(proxy.asked()[0].kind, RST);
    assert!(proxy.heard().is_empty());
    // A reader that registers again is observed for again, and its sequence goes on.
    proxy.get(b"one", Some(0));
    let asked = proxy.asked();
    assert_eq!(asked.len(), 1);
    proxy.answer(&asked[0], Some(1), 60, b"third");
    assert!(proxy.heard().last().unwrap().number(OBSERVE) > Some(1));
}

#[test]
fn resources_are_told_apart_by_path_and_arguments_and_formats_are_those_of_the_server() {
    let mut proxy = proxy();
    let ask = |proxy: &mut Proxy, id: u16, options: &[(u16, &[u8])]| {
        let head = (CON, Code::GET, id);
        proxy.reader_says(&message(head, &id.to_be_bytes(), options, &[]));
    };
    ask(
        &mut proxy,
        1,
        &[(PATH, b"ps"), (QUERY, b"x=1"), (QUERY, b"y")],
    );
    ask(&mut proxy, 2, &[(PATH, b"ps"), (QUERY, b"x=2")]);
    let asked = proxy.asked();
    assert_eq!(asked.len(), 2);
    assert_eq!(
        asked[0].options[1..],
        [(QUERY, b"x=1".to_vec()), (QUERY, b"y".to_vec())]
    );
    let options: [(u16, &[u8]); 1] = [(FORMAT, &[50])];
    let head = (ACK, Code::CONTENT, asked[0].id);
    proxy.server_says(&message(head, &asked[0].token, &options, b"{}"));
    let heard = proxy.heard();
    assert_eq!(heard.last().unwrap().number(FORMAT), Some(50));
    assert_eq!(asked[1].options[1..], [(QUERY, b"x=2".to_vec())]);
    // What is there in another format is not acceptable; a name that cannot be written is refused.
    ask(
        &mut proxy,
        3,
        &[
            (PATH, b"ps"),
            (QUERY, b"x=1"),
            (QUERY, b"y"),
            (ACCEPT, &[40]),
        ],
    );
    assert_eq!(proxy.heard().last().unwrap().code, Code::NOT_ACCEPTABLE);
    ask(&mut proxy, 4, &[(PATH, b"a/b")]);
    assert_eq!(proxy.heard().last().unwrap().code, Code::BAD_REQUEST);
    // What there is by its entity tag is not sent again.
    proxy.observed_by_two(60);
    let options: [(u16, &[u8]); 3] = [(ETAG, b"tagg"), (PATH, b"ps"), (PATH, b"a")];
    ask(&mut proxy, 5, &options);
    let heard = proxy.heard();
    let valid = (
        heard[0].code,
        heard[0].number(MAX_AGE),
        heard[0].payload.len(),
    );
    assert_eq!(valid, (Code::VALID, None, 0));
}
