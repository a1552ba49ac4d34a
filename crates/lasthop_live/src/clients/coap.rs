use std::io;
use std::rc::Rc;
use std::sync::Arc;

use lasthop_coap::{
    Carrier, CoapClient, CoapClientConfig, CoapParameters, CoapRequest, CoapResponse, Code,
    MessageType, Push, RequestEvent, RequestId,
};
use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, CloseReason, DeviceId, FailureReason,
    RandomStream, Transport, TransportEvent,
};
use lasthop_dtls::Dtls;
use lasthop_tls::Tls;
use lasthop_units::Instant;

use super::asking::{Asking, ClientError, Ending};
use crate::{KernelTcp, KernelUdp, Poller, Tally};
use crate::{dtls, secured};

/// A CoAP response.
#[derive(Debug)]
pub struct CoapAnswer<'a> {
    /// The response code.
    pub code: Code,
    /// The body, reassembled from its blocks.
    pub payload: &'a [u8],
    /// The format of the body.
    pub content_format: Option<u16>,
    /// The sequence number of a notification.
    pub observe: Option<u32>,
}

/// The transport of a request.
#[derive(Clone, Copy, Debug)]
pub enum CoapWay<'a> {
    /// UDP (RFC 7252), with DTLS if there is a profile.
    Datagrams(Option<&'a lasthop_dtls::ClientProfile>),
    /// TCP (RFC 8323), with TLS if there is a profile.
    Streams(Option<&'a lasthop_tls::ClientProfile>),
}

/// Sends one request and passes each answer to `take`, until that returns false.
///
/// There is one answer, or one for each notification of an observation.
///
/// # Errors
/// When the server cannot be reached or does not answer in time.
pub fn ask(
    asking: &Asking<'_>,
    way: CoapWay<'_>,
    request: CoapRequest,
    take: impl FnMut(CoapAnswer<'_>) -> bool + 'static,
) -> Result<(), ClientError> {
    let config = CoapClientConfig {
        answers: false,
        server: asking.server,
        device: DeviceId(0),
        kind: MessageType::Confirmable,
        push: Push::Observe,
        receives: false,
        carrier: match way {
            CoapWay::Datagrams(_) => Carrier::Datagrams,
            CoapWay::Streams(_) => Carrier::Streams,
        },
        parameters: Arc::new(CoapParameters {
            max_body_size: LARGEST_BODY,
            ..CoapParameters::default()
        }),
    };
    let ending = Ending::default();
    let errand = Errand {
        client: CoapClient::new(config, RandomStream::named(asking.seed, "client")),
        to_ask: Some(request),
        asked: None,
        take: Box::new(take),
        tally: None,
        dtls: match way {
            CoapWay::Datagrams(profile) => profile.cloned(),
            CoapWay::Streams(_) => None,
        },
        ending: ending.clone(),
    };
    let poller = Poller::new()?;
    match way {
        CoapWay::Datagrams(profile) => {
            let udp = KernelUdp::client(&poller);
            let transport: Box<dyn Transport> = match profile {
                Some(profile) => Box::new(Dtls::new(udp, Some(profile.clone()), None, None)),
                None => Box::new(udp),
            };
            asking.run(&poller, transport, errand, &ending)
        }
        CoapWay::Streams(secured) => {
            let tcp = KernelTcp::client(&poller);
            let tally = Some(tcp.tally());
            let transport: Box<dyn Transport> = match secured {
                Some(profile) => {
                    let profile = profile.clone().speaking("coap");
                    Box::new(Tls::new(tcp, Some(profile), None, None))
                }
                None => Box::new(tcp),
            };
            asking.run(&poller, transport, Errand { tally, ..errand }, &ending)
        }
    }
}

/// What a user asks for may be large.
const LARGEST_BODY: usize = 64 << 20;

/// What takes an answer, and says whether another one is wanted.
type Take = Box<dyn FnMut(CoapAnswer<'_>) -> bool>;

/// A client with one thing to do.
struct Errand {
    client: CoapClient,
    to_ask: Option<CoapRequest>,
    asked: Option<RequestId>,
    take: Take,
    /// What TCP counts, where that carries it.
    tally: Option<Rc<Tally>>,
    /// How datagrams are secured, where they are.
    dtls: Option<lasthop_dtls::ClientProfile>,
    ending: Ending,
}

impl Errand {
    fn begin(&mut self, now: Instant, transport: &mut dyn Transport) {
        let Some(request) = self.to_ask.take() else {
            return;
        };
        match self.client.request(now, request, transport) {
            Ok(id) => self.asked = Some(id),
            Err(_) => self.ending.fail(unreachable()),
        }
    }

    fn attend(&mut self, now: Instant, transport: &mut dyn Transport) {
        while let Some(event) = self.client.next_event() {
            match event {
                RequestEvent::Response(response) => self.answered(now, &response, transport),
                RequestEvent::Failed { reason, .. } => self.ending.fail(match reason {
                    FailureReason::ConnectionLost => unreachable(),
                    FailureReason::NoAcknowledgement => ClientError::NoAnswer,
                    other => ClientError::Refused(format!("no answer: {}", other.name())),
                }),
            }
        }
    }

    fn answered(&mut self, now: Instant, response: &CoapResponse, transport: &mut dyn Transport) {
        let Some(id) = self.asked.filter(|_| !self.ending.is_done()) else {
            return;
        };
        let wants_more = (self.take)(CoapAnswer {
            code: response.code,
            payload: &response.payload,
            content_format: response.content_format,
            observe: response.observe,
        });
        // Without a sequence number nothing will follow.
        if wants_more && response.observe.is_some() {
            return;
        }
        if response.observe.is_some() {
            self.client.cancel(now, id, transport);
        }
        self.ending.set_done();
    }
}

impl Errand {
    /// Why a secured connection ended, where its layer knows it.
    fn why_it_ended(&self, reason: CloseReason) -> Option<String> {
        match &self.dtls {
            Some(profile) => dtls::why_it_ended(profile.has_key(), reason),
            None => secured::why_it_ended(reason),
        }
    }

    /// A connection that has ended is not opened again: the answer would have come by it.
    fn closed(&self) {
        if let Some(tally) = &self.tally {
            let error = tally.last_error.take().map(io::Error::from);
            self.ending.fail(error.map_or_else(
                || ClientError::Refused("the server has gone".into()),
                ClientError::from,
            ));
        }
    }
}

fn unreachable() -> ClientError {
    ClientError::Refused("no server listens there; check the address, or start the server".into())
}

impl Application for Errand {
    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        // What the layer of security says is more than what becomes of the request by it.
        if let ApplicationInput::Transport(_, TransportEvent::Closed(reason)) = input
            && !self.ending.is_done()
            && let Some(why) = self.why_it_ended(reason)
        {
            self.ending.fail(ClientError::Refused(why));
        }
        self.client.handle(now, input, transport);
        self.attend(now, transport);
        if let ApplicationInput::Transport(_, TransportEvent::Closed(_)) = input
            && !self.ending.is_done()
        {
            self.closed();
        }
    }

    fn poll(&mut self, now: Instant, transport: &mut dyn Transport) -> ApplicationOutput {
        loop {
            match self.client.poll(now, transport) {
                ApplicationOutput::Ready(..) => {
                    self.begin(now, transport);
                    self.attend(now, transport);
                }
                ApplicationOutput::Event(_) | ApplicationOutput::Received(_) => {}
                wait @ ApplicationOutput::WaitUntil(_) => return wait,
            }
        }
    }
}
