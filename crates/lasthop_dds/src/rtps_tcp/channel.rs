//! The state of a connection of RTPS over TCP.

use std::collections::{BTreeMap, VecDeque};

use lasthop_contract::{Chunk, Outbox, Payload, Provenance};

use super::control::{Answer, Control, ControlMessage, Transaction, VERSION};
use super::frame::FrameReader;
use crate::contact::Contact;
use crate::ports::Ports;

/// A connection between two participants.
#[derive(Debug)]
pub(crate) struct Channel {
    pub(crate) outbox: Outbox,
    pub(crate) reader: FrameReader,
    pub(crate) phase: Phase,
    /// Where this participant is, as it tells the other one.
    pub(crate) own: Contact,
    /// Where the other participant is: the address that was connected to, or the one that the peer told.
    pub(crate) peer: Option<Contact>,
    /// Messages that arrived, each behind its logical port.
    pub(crate) inbox: VecDeque<Payload>,
    ports: BTreeMap<u16, RemotePort>,
    begun: u32,
}

/// How far a connection is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// TCP is not established yet.
    Opening,
    /// This end has asked the peer to bind, in this transaction.
    Binding(Transaction),
    /// The peer has yet to ask.
    Awaiting,
    /// Both participants use the connection.
    Bound,
    /// This end has said that the connection ends.
    Ended,
}

/// A logical port of the peer.
#[derive(Debug)]
enum RemotePort {
    /// The peer was asked in this transaction, or will be when it is bound. Messages wait meanwhile.
    Asked(Option<Transaction>, VecDeque<Message>),
    Open,
}

/// A message that waits, in parts with their provenance.
pub(crate) type Message = Vec<(Provenance, Vec<u8>)>;

/// The most messages that wait for a logical port.
const MOST_WAITING: usize = 64;

/// The most logical ports of a peer that are kept: two, and those of participants that it had before.
const MOST_PORTS: usize = 16;

/// What becomes of a message to a logical port.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Passage {
    /// It can leave.
    Open,
    /// It waits, and the peer is to be asked with this message first.
    Ask(ControlMessage),
    /// It waits until the peer has answered.
    Waits,
    /// There is no room for it.
    Full,
}

impl Channel {
    pub(crate) fn new(outbox: Outbox, phase: Phase, own: Contact, peer: Option<Contact>) -> Self {
        Self {
            outbox,
            reader: FrameReader::default(),
            phase,
            own,
            peer,
            inbox: VecDeque::new(),
            ports: BTreeMap::new(),
            begun: 0,
        }
    }

    /// Begins a transaction with a request.
    pub(crate) fn request(&mut self, body: Control) -> ControlMessage {
        let transaction = Transaction(self.begun);
        self.begun = self.begun.wrapping_add(1);
        ControlMessage { transaction, body }
    }

    /// Returns the first message of the end that opened the connection.
    pub(crate) fn bind(&mut self) -> ControlMessage {
        let request = self.request(Control::BindConnection {
            version: VERSION,
            at: self.own,
        });
        self.phase = Phase::Binding(request.transaction);
        request
    }

    /// Offers a message to a logical port of the peer. What waits is kept.
    pub(crate) fn pass(&mut self, port: u16, chunks: &[Chunk<'_>]) -> Passage {
        let is_known = self.ports.contains_key(&port);
        if !is_known && self.ports.len() >= MOST_PORTS {
            return Passage::Full;
        }
        let asks = !is_known && self.phase == Phase::Bound;
        let request = asks.then(|| self.request(Control::OpenLogicalPort(port)));
        let asked = request.as_ref().map(|it| it.transaction);
        let known = self.ports.entry(port);
        match known.or_insert_with(|| RemotePort::Asked(asked, VecDeque::new())) {
            RemotePort::Open => return Passage::Open,
            RemotePort::Asked(_, waiting) if waiting.len() >= MOST_WAITING => return Passage::Full,
            RemotePort::Asked(_, waiting) => {
                let parts = chunks.iter().map(|it| (it.provenance, it.bytes.to_vec()));
                waiting.push_back(parts.collect());
            }
        }
        match request {
            Some(request) => Passage::Ask(request),
            None => Passage::Waits,
        }
    }

    /// Returns the requests for logical ports that waited until the connection was bound.
    pub(crate) fn ask(&mut self) -> Vec<ControlMessage> {
        let all = self.ports.iter();
        let unasked = all.filter(|(_, it)| matches!(it, RemotePort::Asked(None, _)));
        let unasked: Vec<u16> = unasked.map(|(port, _)| *port).collect();
        let mut requests = Vec::new();
        for port in unasked {
            let request = self.request(Control::OpenLogicalPort(port));
            if let Some(RemotePort::Asked(asked, _)) = self.ports.get_mut(&port) {
                *asked = Some(request.transaction);
            }
            requests.push(request);
        }
        requests
    }

    /// Processes the answer to a request for a logical port. Returns the port and the messages that can leave.
    ///
    /// Messages to a port that nobody has are lost. The next message to it asks again.
    pub(crate) fn answered(
        &mut self,
        transaction: Transaction,
        answer: Answer,
    ) -> Option<(u16, VecDeque<Message>)> {
        let mut all = self.ports.iter();
        let is_it = |known: &RemotePort| matches!(known, RemotePort::Asked(Some(it), _) if *it == transaction);
        let (port, _) = all.find(|(_, known)| is_it(known))?;
        let port = *port;
        let RemotePort::Asked(_, waiting) = self.ports.remove(&port)? else {
            return None;
        };
        if answer != Answer::Ok {
            return None;
        }
        self.ports.insert(port, RemotePort::Open);
        Some((port, waiting))
    }

    /// Forgets a logical port that the peer has closed.
    pub(crate) fn close_port(&mut self, port: u16) {
        self.ports.remove(&port);
    }

    /// Returns the answer to a request of the peer, or `None` for what is not answered.
    pub(crate) fn answer(&self, request: &Control) -> Option<Control> {
        let is_bound = matches!(self.phase, Phase::Bound | Phase::Binding(_));
        let if_bound = |answer| match is_bound {
            true => answer,
            false => Answer::ServerError,
        };
        match request {
            Control::BindConnection { version, .. } => {
                let answer = match (version == &VERSION, self.phase) {
                    (false, _) => Answer::IncompatibleVersion,
                    (true, Phase::Awaiting) => Answer::Ok,
                    (true, _) => Answer::BadRequest,
                };
                Some(Control::ConnectionBound(answer, Some(self.own)))
            }
            Control::OpenLogicalPort(port) => {
                let answer = match is_open(*port) {
                    true => Answer::Ok,
                    false => Answer::InvalidPort,
                };
                Some(Control::LogicalPortOpened(if_bound(answer)))
            }
            Control::CheckLogicalPorts(ports) => {
                let open = ports.iter().copied().filter(|port| is_open(*port));
                let open = if is_bound { open.collect() } else { Vec::new() };
                Some(Control::LogicalPortsChecked(if_bound(Answer::Ok), open))
            }
            Control::KeepAlive(_) => Some(Control::KeptAlive(if_bound(Answer::Ok))),
            _ => None,
        }
    }
}

/// Whether this participant receives at a logical port.
pub(crate) fn is_open(port: u16) -> bool {
    Ports::LOGICAL.both().contains(&port)
}
