use core::cell::Cell;
use std::borrow::Cow;
use std::collections::VecDeque;

use dimpl::{CertificateError, Error, Output, SecurityError};
use lasthop_contract::{
    Chunk, CloseReason, ConnectionId, DiscardReason, Expectation, Payload, Provenance, ShortQueue,
};
use lasthop_tls::{Spans, Trust};
use lasthop_units::Instant;

use crate::clock::{of_library, of_run};
use crate::crypto_context::{CryptoContext, Opening};
use crate::labels::Labels;
use crate::records::unopened;
use crate::resumption::Resumable;

/// How many datagrams wait for the end of a handshake. Those that are too many are lost, as datagrams are.
const MOST_WAITING: usize = 16;

/// For how large a datagram of a session there is room at first.
const USUAL_DATAGRAM: usize = 2_048;

thread_local! {
    /// Room for a datagram. Between two nobody needs it, so all hosts of a thread share it.
    static ROOM: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// One connection: a session, and what waits for it.
pub(crate) struct Connection {
    pub(crate) id: ConnectionId,
    session: Box<dimpl::Dtls>,
    /// By whom the certificate of the peer must be signed.
    trust: Option<Box<Trust>>,
    /// The connection below that leads to the peer.
    pub(crate) flow: ConnectionId,
    /// The first bytes of the random number of the client, at the server.
    pub(crate) hello: u64,
    /// What the peer puts into its records, where it was asked for that.
    pub(crate) connection_id: Box<[u8]>,
    /// What its session may be resumed by.
    pub(crate) resumable: Resumable,
    labels: Labels,
    /// What of the application waits for the end of the handshake.
    waiting: VecDeque<Datagram<'static>>,
    pub(crate) is_established: bool,
    pub(crate) deadline: Option<Instant>,
    /// When the peer was heard last, by what it said in this session.
    pub(crate) heard: Instant,
}

/// A datagram of the application.
struct Datagram<'a> {
    bytes: Cow<'a, [u8]>,
    spans: VecDeque<(Provenance, usize)>,
    expectation: Option<Expectation>,
}

/// What a session did.
#[derive(Debug, Default)]
pub(crate) struct Turn {
    /// To be sent, each with what its bytes are there for, and what is expected to follow.
    pub(crate) datagrams: ShortQueue<(Vec<u8>, Spans, Option<Expectation>)>,
    /// What the peer said.
    pub(crate) received: ShortQueue<Payload>,
    pub(crate) is_newly_established: bool,
    /// What a later one may go on with.
    pub(crate) session: Option<dimpl::Session>,
    /// The alert by which the certificate of the peer is refused.
    refusal: Option<u8>,
    /// Why it is over.
    pub(crate) closed: Option<CloseReason>,
    /// Why the datagram that it was to take was of no use.
    pub(crate) discarded: Option<DiscardReason>,
}

/// What a session is asked for.
pub(crate) enum Wish<'a> {
    /// To go on where time leads.
    Wake,
    /// To take a datagram of the peer.
    Receive(&'a [u8]),
    /// To say goodbye.
    Close,
}

impl Connection {
    pub(crate) fn new(session: dimpl::Dtls, trust: Option<Trust>, flow: ConnectionId) -> Self {
        Self {
            id: ConnectionId(0),
            session: Box::new(session),
            trust: trust.map(Box::new),
            flow,
            hello: 0,
            connection_id: Box::default(),
            resumable: Resumable::Never,
            labels: Labels::default(),
            waiting: VecDeque::new(),
            is_established: false,
            deadline: None,
            heard: Instant::ZERO,
        }
    }

    /// Begins another session with the same peer. What waits for the end of a handshake waits for that of this one.
    pub(crate) fn begin_anew(&mut self, session: dimpl::Dtls, trust: Option<Trust>) {
        *self.session = session;
        self.trust = trust.map(Box::new);
        self.labels = Labels::default();
        self.is_established = false;
    }

    /// Whether the peer knows it by a connection ID (RFC 9146), from whatever address it speaks.
    pub(crate) fn has_connection_id(&self) -> bool {
        !self.session.peer_connection_id().is_empty()
    }

    /// Whether it goes on with an earlier session, as far as is known.
    pub(crate) fn is_resumed(&self) -> bool {
        self.session.is_resumed()
    }

    /// The newest record of the peer that was authenticated.
    pub(crate) fn newest_received(&self) -> Option<u64> {
        self.session.newest_received()
    }

    /// Does as is wished, and what follows from it.
    pub(crate) fn go_on(
        &mut self,
        now: Instant,
        host: &mut Option<Box<CryptoContext>>,
        wish: &Wish<'_>,
    ) -> Turn {
        let mut turn = Turn::default();
        let was_established = self.is_established;
        if let Some(host) = host {
            host.opening = Opening::default();
        }
        let result = CryptoContext::enter(host, || {
            self.session.handle_timeout(of_library(now))?;
            match wish {
                Wish::Wake => Ok(()),
                Wish::Receive(datagram) => self.session.handle_packet(datagram),
                Wish::Close => self.session.close(),
            }
        });
        if let (Wish::Receive(datagram), true, Ok(())) = (wish, was_established, &result) {
            let opening = host.as_ref().map_or(Opening::default(), |it| it.opening);
            turn.discarded = unopened(datagram, opening, &self.connection_id);
        }
        self.drain(now, host, &mut turn, &mut VecDeque::new(), None);
        if let Err(error) = result {
            self.die(now, host, &error, &mut turn);
        }
        if let Some(alert) = turn.refusal.take() {
            self.refuse(now, host, alert, &mut turn);
        }
        while turn.closed.is_none()
            && self.is_established
            && let Some(waiting) = self.waiting.pop_front()
        {
            self.seal(now, host, waiting, &mut turn);
        }
        if self.waiting.is_empty() {
            self.waiting = VecDeque::new();
        }
        turn
    }

    /// Sends a datagram, once the handshake is over.
    pub(crate) fn send(
        &mut self,
        now: Instant,
        host: &mut Option<Box<CryptoContext>>,
        chunks: &[Chunk<'_>],
        expectation: Option<Expectation>,
    ) -> Turn {
        let bytes = match chunks {
            [chunk] => Cow::Borrowed(chunk.bytes),
            chunks => {
                let length = chunks.iter().map(|it| it.bytes.len()).sum();
                let mut bytes = Vec::with_capacity(length);
                chunks.iter().for_each(|it| bytes.extend(it.bytes));
                bytes.into()
            }
        };
        let spans = chunks.iter().map(|it| (it.provenance, it.bytes.len()));
        let datagram = Datagram {
            bytes,
            spans: spans.collect(),
            expectation,
        };
        let mut turn = Turn::default();
        if self.is_established {
            self.seal(now, host, datagram, &mut turn);
        } else if self.waiting.len() < MOST_WAITING {
            let bytes = datagram.bytes.into_owned().into();
            self.waiting.push_back(Datagram { bytes, ..datagram });
        }
        turn
    }

    fn seal(
        &mut self,
        now: Instant,
        host: &mut Option<Box<CryptoContext>>,
        mut datagram: Datagram<'_>,
        turn: &mut Turn,
    ) {
        let sealed = CryptoContext::enter(host, || {
            self.session.handle_timeout(of_library(now))?;
            self.session.send_application_data(&datagram.bytes)
        });
        let expectation = datagram.expectation;
        self.drain(now, host, turn, &mut datagram.spans, expectation);
        if let Err(error) = sealed {
            self.die(now, host, &error, turn);
        }
    }

    /// Takes what the session has to give.
    fn drain(
        &mut self,
        now: Instant,
        host: &Option<Box<CryptoContext>>,
        turn: &mut Turn,
        data: &mut VecDeque<(Provenance, usize)>,
        expectation: Option<Expectation>,
    ) {
        let keeps_books = host.as_ref().is_some_and(|it| it.random.is_some());
        let mut room = ROOM.take();
        if room.is_empty() {
            room = vec![0; USUAL_DATAGRAM];
        }
        let id_length = self.session.peer_connection_id().len();
        self.labels.set_resumed(self.session.is_resumed());
        loop {
            match self.session.poll_output(&mut room) {
                Output::BufferTooSmall { needed } => room.resize(needed, 0),
                Output::Packet(datagram) => {
                    let spans = match keeps_books {
                        true => CryptoContext::sealed(|sealed| {
                            self.labels.label(datagram, id_length, sealed, data)
                        }),
                        false => Labels::of_anything(datagram),
                    };
                    turn.datagrams.push((datagram.to_vec(), spans, expectation));
                }
                Output::ApplicationData(data) => {
                    self.heard = now;
                    turn.received.push(Payload::copied_from(data));
                }
                Output::PeerCert(certificate) => {
                    let trust = self.trust.as_ref();
                    turn.refusal = trust.and_then(|it| it.refusal(certificate, now));
                    if turn.refusal.is_some() {
                        break;
                    }
                }
                Output::Connected => {
                    self.is_established = true;
                    self.heard = now;
                    turn.is_newly_established = true;
                    turn.session = self.session.take_session();
                    self.trust = None;
                }
                Output::CloseNotify => turn.closed = Some(CloseReason::Finished),
                Output::Timeout(deadline) => {
                    self.deadline = of_run(now, deadline);
                    break;
                }
                _ => {}
            }
        }
        ROOM.set(room);
        CryptoContext::sealed(VecDeque::clear);
    }

    /// Tells the peer what the session died of, where there is somebody to be told.
    fn die(
        &mut self,
        now: Instant,
        host: &mut Option<Box<CryptoContext>>,
        error: &Error,
        turn: &mut Turn,
    ) {
        let reason = match error {
            Error::Timeout(_) => CloseReason::TimedOut,
            Error::SecurityError(SecurityError::FatalAlert { description }) => {
                CloseReason::PeerAlert(*description)
            }
            Error::ConnectionClosed => CloseReason::Finished,
            error => return self.refuse(now, host, alert_for(error), turn),
        };
        turn.closed = Some(reason);
    }

    /// Ends it with an alert.
    fn refuse(
        &mut self,
        now: Instant,
        host: &mut Option<Box<CryptoContext>>,
        alert: u8,
        turn: &mut Turn,
    ) {
        // What fails here has nothing to say.
        let _ = CryptoContext::enter(host, || self.session.fail(alert));
        self.drain(now, host, turn, &mut VecDeque::new(), None);
        turn.is_newly_established = false;
        turn.session = None;
        turn.received = ShortQueue::new();
        turn.closed = Some(CloseReason::Refused(alert));
    }
}

// RFC 5246 section 7.2.
const UNEXPECTED_MESSAGE: u8 = 10;
const HANDSHAKE_FAILURE: u8 = 40;
const BAD_CERTIFICATE: u8 = 42;
const DECRYPT_ERROR: u8 = 51;
const INTERNAL_ERROR: u8 = 80;

/// How a peer is told what went wrong.
fn alert_for(error: &Error) -> u8 {
    match error {
        Error::UnexpectedMessage(_) | Error::RenegotiationAttempt => UNEXPECTED_MESSAGE,
        // A client with another key and one that is not known look the same (RFC 4279 section 2).
        Error::CryptoError(_)
        | Error::PskError(_)
        | Error::SecurityError(
            SecurityError::ClientFinishedVerificationFailed
            | SecurityError::ServerFinishedVerificationFailed,
        ) => DECRYPT_ERROR,
        // RFC 5246 section 7.4.6.
        Error::CertificateError(CertificateError::NoClientCertificateReceived)
        | Error::SecurityError(_)
        | Error::IncompleteServerHello => HANDSHAKE_FAILURE,
        Error::CertificateError(_) => BAD_CERTIFICATE,
        _ => INTERNAL_ERROR,
    }
}
