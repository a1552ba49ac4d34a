use core::net::{IpAddr, SocketAddr};
use std::collections::VecDeque;
use std::sync::Arc;

use lasthop_contract::{
    ConnectionId, DiscardReason, OpenError, Packet, RandomStream, TimerQueue, TransportOutput,
};
use lasthop_units::Instant;

use super::connection::{Connection, Outputs, State};
use super::fast_open::{FastOpen, Known};
use super::handshake::peer_segment_size;
use super::output::TEAR_DOWN;
use super::profile::TcpProfile;
use super::segment::{Flags, Header, Segment};
use super::sequence::Seq;
use super::time_wait::{Late, TimeWaits};
use crate::TCP_PROTOCOL;
use crate::flow_table::{Flow, FlowTable};
use crate::ip::IpPacket;
use crate::local::Local;

/// TCP over IPv4 or IPv6: all connections of a host.
///
/// A connection stays with the address that its host had when it began: after a change of address nothing reaches
/// it any more and nothing of it leaves, as with Linux, and it times out unless the application gives it up.
#[derive(Debug)]
pub struct Tcp {
    pub(super) local: Local,
    pub(super) profile: Arc<TcpProfile>,
    pub(super) stream: RandomStream,
    half_open: u32,
    pub(super) connections: FlowTable<Box<Connection>>,
    timers: TimerQueue<ConnectionId>,
    // What few hosts have, and those that have it not always.
    fast_open: Option<Box<FastOpen>>,
    pub(super) time_waits: Option<Box<TimeWaits>>,
    /// Whether an address has changed: connections may have one that is no longer there.
    pub(super) has_moved: bool,
    pub(super) outputs: VecDeque<TransportOutput>,
}

impl Tcp {
    /// Creates TCP for a host with this address.
    ///
    /// The stream gives initial sequence numbers, timestamp offsets and cookies.
    #[must_use]
    pub fn new(address: IpAddr, profile: Arc<TcpProfile>, stream: RandomStream) -> Self {
        Self::at(Local::from(address), profile, stream)
    }

    /// Creates TCP with the addresses and ports of a transport in a host.
    #[must_use]
    pub fn at(mut local: Local, profile: Arc<TcpProfile>, stream: RandomStream) -> Self {
        local.speak(TCP_PROTOCOL);
        Self {
            local,
            profile,
            stream,
            has_moved: false,
            half_open: 0,
            connections: FlowTable::new(),
            timers: TimerQueue::new(),
            fast_open: None,
            time_waits: None,
            outputs: VecDeque::new(),
        }
    }

    /// Sets the profile of future connections.
    pub fn set_profile(&mut self, profile: Arc<TcpProfile>) {
        self.profile = profile;
    }

    pub(super) fn receive(&mut self, now: Instant, packet: Packet) {
        if let Err(reason) = self.accept_packet(now, &packet) {
            self.outputs
                .push_back(TransportOutput::Discard(packet, reason));
        }
    }

    fn accept_packet(&mut self, now: Instant, packet: &Packet) -> Result<(), DiscardReason> {
        let bytes = packet.bytes();
        let ip = IpPacket::parse(bytes)?;
        if !self.local.has(ip.destination) {
            return Err(DiscardReason::WrongAddress);
        }
        if ip.protocol != TCP_PROTOCOL {
            return Err(DiscardReason::UnknownProtocol);
        }
        let segment = Segment::parse(bytes, &ip, packet.interface())?;
        let local_port = segment.destination.port();
        match self.connections.find(local_port, segment.source) {
            Some(id) => self.deliver(now, id, &segment),
            None => self.receive_unconnected(now, &segment),
        }
    }

    /// Hands a segment to its connection.
    fn deliver(
        &mut self,
        now: Instant,
        id: ConnectionId,
        segment: &Segment<'_>,
    ) -> Result<(), DiscardReason> {
        let Some(connection) = self.connections.get_mut(id) else {
            return Err(DiscardReason::NoConnection);
        };
        if connection.state == State::SynSent
            && let Some(cookie) = &segment.options.fast_open
            && connection.profile.fast_open_client
        {
            let known = Known {
                cookie: cookie.clone(),
                segment_size: peer_segment_size(&segment.options),
            };
            self.fast_open().keep(segment.source, known);
        }
        let Some(connection) = self.connections.get_mut(id) else {
            return Err(DiscardReason::NoConnection);
        };
        let was_half_open = connection.is_half_open();
        connection.interface = segment.interface.or(connection.interface);
        let mut out = Outputs::new(id, connection.interface, &mut self.outputs);
        let taken = match connection.state {
            State::SynSent => connection.receive_syn_sent(now, segment, &mut out),
            State::SynReceived => connection.receive_syn_received(now, segment, &mut out),
            State::TimeWait => connection.receive_late(now, segment, &mut out),
            State::Closed => {
                // What is left of it is for the application to read.
                if !segment.flags.has(Flags::RST) {
                    out.transmit(reset_for(segment));
                }
                Err(DiscardReason::NoConnection)
            }
            _ => connection.receive(now, segment, &mut out),
        };
        if connection.is_orphan {
            connection.reset_if_unread(now, &mut out);
        }
        self.settle(id, was_half_open);
        taken
    }

    /// A segment without a connection (RFC 9293 sections 3.10.7.1 and 2).
    fn receive_unconnected(
        &mut self,
        now: Instant,
        segment: &Segment<'_>,
    ) -> Result<(), DiscardReason> {
        let (span, interval) = (self.profile.time_wait, self.profile.challenge_interval);
        let local_port = segment.destination.port();
        if let Some(waits) = &mut self.time_waits
            && waits.contains(local_port, segment.source)
        {
            match waits.receive(now, segment, span, interval) {
                Late::Answered(packet) => {
                    self.outputs.push_back(TransportOutput::Transmit(packet));
                    return Ok(());
                }
                Late::Ignored => return Err(DiscardReason::OutOfWindow),
                Late::Ended => return Ok(()),
                Late::Replaced => {}
            }
        }
        let flags = segment.flags;
        if flags.has(Flags::RST) {
            return Err(DiscardReason::NoConnection);
        }
        let is_listening = self.local.is_listening(local_port);
        if !is_listening || flags.has(Flags::ACK) {
            self.outputs
                .push_back(TransportOutput::Transmit(reset_for(segment)));
            let is_opening = flags.has(Flags::SYN) && !is_listening;
            return Err(if is_opening {
                DiscardReason::PortUnreachable
            } else {
                DiscardReason::NoConnection
            });
        }
        if !flags.has(Flags::SYN) || flags.has(Flags::FIN) {
            return Err(DiscardReason::UnexpectedFlags);
        }
        if self.half_open >= self.profile.max_half_open {
            return Err(DiscardReason::BacklogFull);
        }
        self.accept_syn(now, segment);
        Ok(())
    }

    fn accept_syn(&mut self, now: Instant, segment: &Segment<'_>) {
        let random = self.stream.next_u64();
        let profile = Arc::clone(&self.profile);
        let takes_early_data = profile.fast_open_server;
        let connection = Connection::accept(
            profile,
            now,
            segment,
            self.local.mtu(segment.interface),
            random,
        );
        let id = self.connections.add(Box::new(connection));
        self.half_open += 1;
        let mut answer = None;
        let mut is_good = false;
        if let Some(cookie) = segment
            .options
            .fast_open
            .as_ref()
            .filter(|_| takes_early_data)
        {
            let fast_open = self.fast_open();
            is_good = fast_open.is_good(segment.source, cookie);
            answer = (!is_good).then(|| fast_open.for_client(segment.source));
        }
        let Some(connection) = self.connections.get_mut(id) else {
            return;
        };
        let mut out = Outputs::new(id, connection.interface, &mut self.outputs);
        if is_good {
            connection.take_early_data(now, segment, &mut out);
        }
        connection.answer_syn(now, answer.as_ref(), &mut out);
        self.settle(id, true);
    }

    /// Updates the timer, the half-open count and the end of a connection after an event.
    fn settle(&mut self, id: ConnectionId, was_half_open: bool) {
        let Some(connection) = self.connections.get_mut(id) else {
            return;
        };
        if was_half_open && !connection.is_half_open() {
            self.half_open -= 1;
        }
        let deadline = connection.deadline();
        if deadline != connection.armed {
            if let Some(at) = connection.armed {
                self.timers.disarm(at, id);
            }
            if let Some(at) = deadline {
                self.timers.arm(at, id);
            }
            connection.armed = deadline;
        }
        // One that nobody was told of goes silently.
        if connection.state == State::Closed
            && !connection.closed_announced
            && connection.unread.is_empty()
        {
            self.connections.remove(id);
        }
    }

    /// Does something with a connection, and settles it.
    pub(super) fn with<T>(
        &mut self,
        id: ConnectionId,
        act: impl FnOnce(&mut Connection, &mut Outputs<'_>) -> T,
    ) -> Option<T> {
        let connection = self.connections.get_mut(id)?;
        let was_half_open = connection.is_half_open();
        let mut out = Outputs::new(id, connection.interface, &mut self.outputs);
        let result = act(connection, &mut out);
        self.settle(id, was_half_open);
        Some(result)
    }

    pub(super) fn timeout(&mut self, now: Instant) {
        if let Some(waits) = &mut self.time_waits {
            waits.expire(now);
            if waits.is_empty() {
                self.time_waits = None;
            }
        }
        while let Some(id) = self.timers.pop_due(now) {
            if let Some(connection) = self.connections.get_mut(id) {
                connection.armed = None;
            }
            self.with(id, |connection, out| connection.timeout(now, out));
        }
    }

    /// The application learns that a connection is gone: now its id means nothing any more.
    pub(super) fn forget(&mut self, now: Instant, id: ConnectionId) {
        let Some(connection) = self.connections.remove(id) else {
            return;
        };
        if let Some(at) = connection.armed {
            self.timers.disarm(at, id);
        }
        if connection.state == State::TimeWait {
            let entry = connection.time_wait(now);
            let (port, peer) = (connection.local_port(), connection.peer());
            let waits = self.time_waits.get_or_insert_default();
            waits.add(port, peer, entry);
        }
    }

    /// The port of a connection that begins here.
    pub(super) fn port(&mut self, peer: SocketAddr, wanted: Option<u16>) -> Result<u16, OpenError> {
        let (waits, connections) = (&self.time_waits, &self.connections);
        let is_taken = |port| {
            let is_late = waits
                .as_ref()
                .is_some_and(|waits| waits.contains(port, peer));
            is_late || connections.find(port, peer).is_some()
        };
        match wanted {
            Some(port) if is_taken(port) || !self.local.claim(port) => {
                Err(OpenError::PortTaken(port))
            }
            Some(port) => Ok(port),
            None => self.local.take_free(is_taken).ok_or(OpenError::NoFreePort),
        }
    }

    /// The process ends: its connections close behind what it wrote, or are reset where it left something unread.
    pub(super) fn stop(&mut self, now: Instant) {
        self.local.stop_listening();
        for id in self.connections.ids() {
            self.with(id, |connection, out| {
                connection.is_orphan = true;
                connection.finish(now, out);
                connection.reset_if_unread(now, out);
            });
        }
    }

    /// Everything is gone, without a word.
    pub(super) fn forget_all(&mut self) {
        self.local.stop_listening();
        self.connections.clear();
        self.half_open = 0;
        self.timers = TimerQueue::new();
        self.fast_open = None;
        self.time_waits = None;
        self.outputs = VecDeque::new();
    }

    pub(super) fn fast_open(&mut self) -> &mut FastOpen {
        let stream = &mut self.stream;
        self.fast_open
            .get_or_insert_with(|| Box::new(FastOpen::new(stream)))
    }

    pub(super) fn next_deadline(&self) -> Option<Instant> {
        let waits = self
            .time_waits
            .as_ref()
            .and_then(|waits| waits.next_deadline());
        [self.timers.next_deadline(), waits]
            .into_iter()
            .flatten()
            .min()
    }
}

impl Flow for Box<Connection> {
    fn local_port(&self) -> u16 {
        self.local.port()
    }

    fn peer(&self) -> SocketAddr {
        self.peer
    }
}

/// The reset that answers a segment of no connection (RFC 9293 section 3.10.7.1).
pub(super) fn reset_for(segment: &Segment<'_>) -> Packet {
    let is_acknowledging = segment.flags.has(Flags::ACK);
    let (seq, ack, flags) = if is_acknowledging {
        (segment.ack, Seq(0), Flags::RST)
    } else {
        (Seq(0), segment.end(), Flags::RST.with(Flags::ACK))
    };
    let header = Header {
        source: segment.destination,
        destination: segment.source,
        seq,
        ack,
        flags,
        window: 0,
        options: &[],
        provenance: TEAR_DOWN,
    };
    let mut packet = header.packet(|_| {});
    if let Some(interface) = segment.interface {
        packet.set_interface(interface);
    }
    packet
}
