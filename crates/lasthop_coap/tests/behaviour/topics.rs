//! The topics of a core as resources, and who may use them.

use lasthop_broker::{
    Admission, Authority, BrokerCore, BrokerLimits, BrokerService, Client, Credentials, Everybody,
    Identity, Origin, Publication, Qos, Refusal, SharedPublication, SubscriptionOptions,
    TopicFilter,
};
use lasthop_coap::{CoapRequest, Code, RequestEvent, RequestId};
use lasthop_contract::{ApplicationInput, WakeFlag};

use crate::harness::{CON, Pair, Setting, UdpPair, client_address, server_address};
use crate::peer::Peer;
use lasthop_transport::Udp;
use lasthop_units::{Duration, Instant};

/// A server and another service of its core.
struct Shared {
    pair: UdpPair,
    other: BrokerService,
}

impl Shared {
    fn new(authority: Box<dyn Authority>) -> Self {
        Self::with(&Setting::reports(CON), authority)
    }

    fn with(setting: &Setting, authority: Box<dyn Authority>) -> Self {
        let core = BrokerCore::new(BrokerLimits::default(), authority, WakeFlag::new());
        let mut pair = Pair::new(
            (Udp::new(client_address()), setting.client()),
            (
                Udp::new(server_address()),
                setting.server().at(core.service()),
            ),
            1,
        );
        pair.start();
        pair.run_seconds(1);
        Self {
            pair,
            other: core.service(),
        }
    }

    fn ask(&mut self, request: CoapRequest) -> RequestId {
        let pair = &mut self.pair;
        let (client, transport) = (&mut pair.client.application, &mut pair.client.transport);
        let id = client.request(pair.now, request, transport).unwrap();
        pair.drain();
        pair.run_seconds(2);
        id
    }

    /// Code and body of the responses that have come.
    fn answers(&mut self) -> Vec<(RequestId, Code, Vec<u8>)> {
        let client = &mut self.pair.client.application;
        let events = core::iter::from_fn(|| client.next_event());
        let answers = events.filter_map(|event| match event {
            RequestEvent::Response(response) => {
                Some((response.request, response.code, response.payload.to_vec()))
            }
            _ => None,
        });
        answers.collect()
    }

    fn answer(&mut self, request: CoapRequest) -> (Code, Vec<u8>) {
        let id = self.ask(request);
        let answers = self.answers();
        let mut mine = answers.into_iter().filter(|(of, ..)| *of == id);
        let (_, code, body) = mine.next().unwrap();
        (code, body)
    }

    /// Another service publishes.
    fn publish(&mut self, topic: &str, payload: &[u8], retain: bool) {
        self.publish_at_once(&Publication {
            retain,
            ..publication(topic, payload)
        });
        self.pair.drain();
        self.pair.run_seconds(2);
    }

    /// The same without any time for the clients to hear of it.
    fn publish_at_once(&mut self, publication: &Publication<'_>) {
        let mut shared = SharedPublication::new(publication);
        self.other.publish(&mut shared, &mut Default::default());
    }

    fn want(&mut self, filter: &str) {
        let filter = TopicFilter::parse(filter).unwrap();
        let options = SubscriptionOptions::default();
        self.other.subscribe(1, &filter, options);
    }

    fn next_delivery(&mut self) -> Option<(String, Vec<u8>, bool)> {
        let message = self.other.next_delivery()?.message;
        let publication = message.publication();
        let payload = publication.payload.to_vec();
        Some((message.topic().into(), payload, publication.retain))
    }
}

fn publication<'a>(topic: &'a str, payload: &'a [u8]) -> Publication<'a> {
    Publication {
        topic,
        payload,
        properties: &[],
        qos: Qos::AtLeastOnce,
        retain: false,
        expires_at: None,
        id: None,
        origin: Origin::Gone,
    }
}

fn get(path: &str) -> CoapRequest {
    CoapRequest::new(CON, Code::GET, path)
}

fn put(path: &str, body: &[u8]) -> CoapRequest {
    CoapRequest {
        payload: body.into(),
        ..CoapRequest::new(CON, Code::PUT, path)
    }
}

fn observe(path: &str) -> CoapRequest {
    CoapRequest {
        observe: true,
        ..get(path)
    }
}

fn open() -> Shared {
    Shared::new(Box::new(Everybody))
}

#[test]
fn what_is_put_is_published_and_stays() {
    let mut shared = open();
    shared.want("a/#");
    assert_eq!(shared.answer(get("ps/a/b")).0, Code::NOT_FOUND);
    assert_eq!(shared.answer(put("ps/a/b", b"1")).0, Code::CREATED);
    assert_eq!(shared.answer(put("ps/a/b", b"2")).0, Code::CHANGED);
    assert_eq!(shared.answer(get("ps/a/b")), (Code::CONTENT, b"2".into()));
    let told = [shared.next_delivery(), shared.next_delivery()];
    let expected = |payload: &[u8]| Some(("a/b".to_owned(), payload.to_vec(), true));
    assert_eq!(told, [expected(b"1"), expected(b"2")]);
    let delete = CoapRequest::new(CON, Code::DELETE, "ps/a/b");
    assert_eq!(shared.answer(delete).0, Code::DELETED);
    assert_eq!(shared.answer(get("ps/a/b")).0, Code::NOT_FOUND);
    assert_eq!(shared.next_delivery(), expected(b""));
}

#[test]
fn a_body_in_blocks_is_one_message() {
    let mut shared = open();
    shared.want("a");
    let body = vec![7; 5000];
    assert_eq!(shared.answer(put("ps/a", &body)).0, Code::CREATED);
    assert_eq!(
        shared.next_delivery(),
        Some(("a".into(), body.clone(), true))
    );
    assert_eq!(shared.next_delivery(), None);
    assert_eq!(shared.answer(get("ps/a")), (Code::CONTENT, body));
}

#[test]
fn an_observer_is_told_what_others_publish_though_there_was_nothing_yet() {
    let mut shared = open();
    let id = shared.ask(observe("ps/a/b"));
    shared.publish("a/b", b"1", false);
    shared.publish("a/c", b"-", false);
    // More than a datagram holds: the observer fetches the rest.
    let large = vec![7; 3000];
    shared.publish("a/b", &large, false);
    shared.publish("a/b", b"", true);
    shared.ask(put("ps/a/b", b"3"));
    let states: Vec<_> = shared.answers();
    let states = states.into_iter().filter(|(of, ..)| *of == id);
    let bodies: Vec<_> = states.map(|(_, _, body)| body).collect();
    assert_eq!(
        bodies,
        [
            b"".to_vec(),
            b"1".to_vec(),
            large,
            b"".to_vec(),
            b"3".to_vec()
        ]
    );
}

#[test]
fn what_was_published_last_can_be_read_while_somebody_observes() {
    let mut shared = open();
    shared.publish("a", b"not kept", false);
    assert_eq!(shared.answer(get("ps/a")).0, Code::NOT_FOUND);
    shared.ask(observe("ps/a"));
    shared.publish("a", b"seen", false);
    shared.answers();
    assert_eq!(shared.answer(get("ps/a")), (Code::CONTENT, b"seen".into()));
}

#[test]
fn a_server_stays_in_touch_with_who_observes_a_topic_and_fell_silent() {
    let core = BrokerCore::new(
        BrokerLimits::default(),
        Box::new(Everybody),
        WakeFlag::new(),
    );
    let mut other = core.service();
    let mut peer = Peer::of(Setting::reports(CON).server().at(core.service()));
    // A CON GET of ps/a that observes it, and CON POSTs to d/9 from elsewhere.
    let observe = [0x41, 0x01, 0, 1, 9, 0x60, 0x52, b'p', b's', 1, b'a'];
    assert_eq!(peer.says(&observe)[0][1], 0x45);
    for number in 2..=10 {
        peer.wait(1000);
        peer.moves();
        peer.says(&[0x40, 0x02, 0, number, 0xb1, b'd', 1, b'9', 0xff, b'x']);
    }
    assert_eq!(peer.known.len(), 2, "that one, and who spoke last");
    let publication = publication("a", b"news");
    let mut shared = SharedPublication::new(&publication);
    other.publish(&mut shared, &mut Default::default());
    peer.inform(ApplicationInput::Timeout);
    let heard = peer.hears();
    assert!(heard[0].ends_with(b"news"), "{heard:?}");
}

#[test]
fn an_observation_that_is_over_is_no_subscription() {
    let mut shared = open();
    let id = shared.ask(observe("ps/a"));
    let pair = &mut shared.pair;
    let (client, transport) = (&mut pair.client.application, &mut pair.client.transport);
    client.cancel(pair.now, id, transport);
    shared.pair.drain();
    shared.pair.run_seconds(2);
    shared.answers();
    let publication = publication("a", b"x");
    let mut message = SharedPublication::new(&publication);
    let published = shared.other.publish(&mut message, &mut Default::default());
    assert!(!published.has_recipient);
}

#[test]
fn an_observer_ends_up_with_the_last_state_after_a_burst() {
    let mut setting = Setting::reports(CON);
    setting.parameters.max_waiting = 2;
    let mut shared = Shared::with(&setting, Box::new(Everybody));
    let ids = [shared.ask(observe("ps/a")), shared.ask(observe("ps/b"))];
    shared.answers();
    for number in 1..=200 {
        let payload = format!("{number}");
        for topic in ["a", "b"] {
            shared.publish_at_once(&publication(topic, payload.as_bytes()));
        }
        shared.pair.drain();
    }
    shared.pair.run_seconds(10);
    let states = shared.answers();
    for id in ids {
        let last = states.iter().rfind(|(of, ..)| *of == id);
        let last = last.map(|(_, _, body)| String::from_utf8_lossy(body));
        assert_eq!(last.as_deref(), Some("200"));
    }
}

#[test]
fn what_has_expired_is_given_out_no_more_though_somebody_observes() {
    for retain in [true, false] {
        let mut shared = open();
        shared.ask(observe("ps/a"));
        shared.publish_at_once(&Publication {
            retain,
            expires_at: Some(shared.pair.now + Duration::from_secs(10)),
            ..publication("a", b"soon old")
        });
        shared.pair.drain();
        let state = shared.answer(get("ps/a"));
        assert_eq!(state, (Code::CONTENT, b"soon old".into()), "{retain}");
        shared.pair.run_seconds(10);
        assert_eq!(shared.answer(get("ps/a")).0, Code::NOT_FOUND, "{retain}");
    }
}

#[test]
fn a_path_that_names_no_topic_is_refused() {
    let mut shared = open();
    for path in ["ps", "ps/a/+", "ps/#", "ps/$share/g/a"] {
        assert_eq!(shared.answer(get(path)).0, Code::BAD_REQUEST, "{path}");
        assert_eq!(shared.answer(observe(path)).0, Code::BAD_REQUEST, "{path}");
        assert_eq!(
            shared.answer(put(path, b"x")).0,
            Code::BAD_REQUEST,
            "{path}"
        );
    }
    assert_eq!(shared.answer(put("psa/a", b"x")).0, Code::CREATED);
    let list = shared.answer(get(".well-known/core")).1;
    let list = String::from_utf8(list).unwrap();
    assert!(list.contains("</ps>;rt=\"core.ps\""), "{list}");
}

/// Ann may write what begins with `a`; everybody whom it knows may read it.
#[derive(Debug)]
struct Ann;

impl Authority for Ann {
    fn identify(&self, _now: Instant, credentials: &Credentials<'_>) -> Result<Admission, Refusal> {
        match (credentials.user_name, credentials.password) {
            (None, None) => Ok(Identity::ANONYMOUS.into()),
            (Some(b"ann"), Some(b"secret")) => Ok(Identity(1).into()),
            _ => Err(Refusal::BadCredentials),
        }
    }

    fn may_publish(&self, client: Client<'_>, topic: &str) -> bool {
        client.identity == Identity(1) && topic.starts_with('a')
    }

    fn may_subscribe(&self, _client: Client<'_>, filter: &TopicFilter<'_>) -> bool {
        filter.text().starts_with('a')
    }
}

#[test]
fn who_is_not_known_gets_4_01_and_who_may_not_4_03() {
    let mut shared = Shared::new(Box::new(Ann));
    let with = |request: CoapRequest, password: &str| CoapRequest {
        query: vec!["username=ann".into(), format!("password={password}")],
        ..request
    };
    for (request, code) in [
        (put("ps/a", b"1"), Code::UNAUTHORIZED),
        (with(put("ps/a", b"1"), "guess"), Code::UNAUTHORIZED),
        (with(put("ps/b", b"1"), "secret"), Code::FORBIDDEN),
        (with(put("ps/a", b"1"), "secret"), Code::CREATED),
        (get("ps/a"), Code::CONTENT),
        (get("ps/b"), Code::UNAUTHORIZED),
        (with(get("ps/b"), "secret"), Code::FORBIDDEN),
        (observe("ps/b"), Code::UNAUTHORIZED),
        (with(get(".well-known/core"), "guess"), Code::UNAUTHORIZED),
        (with(put("lamp", b"on"), "guess"), Code::UNAUTHORIZED),
        (put("lamp", b"on"), Code::CREATED),
    ] {
        let text = format!("{request:?}");
        assert_eq!(shared.answer(request).0, code, "{text}");
    }
}
