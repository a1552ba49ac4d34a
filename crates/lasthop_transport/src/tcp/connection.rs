use core::net::SocketAddr;
use std::collections::VecDeque;
use std::sync::Arc;

use lasthop_contract::{
    CloseReason, ConnectionId, Established, InterfaceId, Mtu, Packet, TransportEvent,
    TransportOutput, Trigger,
};
use lasthop_units::Instant;

use super::acknowledgement::Acknowledgement;
use super::congestion::CongestionWindow;
use super::endpoint::Tcp;
use super::profile::TcpProfile;
use super::rack::Rack;
use super::reassembly::Reassembly;
use super::rtt::RoundTrip;
use super::scoreboard::Scoreboard;
use super::send_buffer::SendBuffer;
use super::sequence::Seq;

/// One connection: the transmission control block of RFC 9293 section 3.3.1.
///
/// What it does is in the files around this one: `handshake`, `receive`, `incoming_ack`, `recovery`, `output`,
/// `timeout`, `close`.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(super) profile: Arc<TcpProfile>,
    pub(super) local: SocketAddr,
    pub(super) peer: SocketAddr,
    /// By which its last segment came, or its segments are to leave.
    pub(super) interface: Option<InterfaceId>,
    pub(super) state: State,
    /// When the connection must be looked at, as its host has noted it.
    pub(super) armed: Option<Instant>,

    // What both ends agreed on.
    pub(super) timestamps: bool,
    pub(super) sack: bool,
    /// By how much the peer's windows are shifted, and ours.
    pub(super) peer_scale: u8,
    pub(super) own_scale: u8,
    /// The largest payload of a segment beside the time stamps.
    pub(super) segment_size: u16,
    /// How large its packets may be, where that is said.
    pub(super) mtu: Option<Mtu>,
    pub(super) opened_by_peer: bool,
    /// Whether the SYN carried early data, in the one direction or the other (RFC 7413).
    pub(super) early_data: bool,

    // What is sent.
    pub(super) initial: Seq,
    pub(super) una: Seq,
    pub(super) next: Seq,
    /// The peer's window, the largest of them, and the segment that brought it (RFC 9293: SND.WND, SND.WL1).
    pub(super) window: u32,
    pub(super) largest_window: u32,
    pub(super) window_seq: Seq,
    /// The end of the last segment that was not full (Minshall).
    pub(super) small_end: Seq,
    pub(super) buffer: SendBuffer,
    pub(super) wants_room: bool,
    pub(super) fin_queued: bool,
    pub(super) fin_sent: bool,
    pub(super) board: Scoreboard,
    pub(super) last_sent: Instant,

    // How much may be sent, and what is lost.
    pub(super) congestion: CongestionWindow,
    pub(super) rtt: RoundTrip,
    pub(super) phase: Phase,
    /// Where the present phase ends.
    pub(super) high: Seq,
    /// Set while the last reduction may be undone: where it began.
    pub(super) undo_from: Option<Seq>,
    /// How many segments sent again have not been reported as duplicates; below 0 when none was sent again.
    pub(super) undo_count: i32,
    /// When the first segment was sent again.
    pub(super) first_resent: Option<Instant>,
    pub(super) frto: bool,
    pub(super) rack: Rack,
    /// How many segments were delivered, sent again, and reported as duplicates.
    pub(super) delivered: u32,
    /// How many were sent at all.
    pub(super) sent: u32,
    pub(super) resent: u32,
    pub(super) reported_duplicates: u32,
    /// The reordering in segments that does not count as loss.
    pub(super) reordering: u32,
    /// The end of the tail loss probe that is out (RFC 8985 section 7), and whether it repeated old data.
    pub(super) probe_end: Option<Seq>,
    pub(super) probe_repeats: bool,

    // Timers.
    pub(super) timer: Timer,
    pub(super) timer_at: Option<Instant>,
    /// Keep-alive, or the wait for a silent peer to finish.
    pub(super) idle_at: Option<Instant>,
    /// Timeouts in a row; for a SYN also those of its first, undoubled tries.
    pub(super) timeouts: u32,
    /// Doublings of the window probe, and probes without an answer.
    pub(super) backoffs: u8,
    pub(super) probes: u32,
    pub(super) last_heard: Instant,

    // What is received.
    pub(super) peer_initial: Seq,
    pub(super) received: Seq,
    /// Up to where it was acknowledged, and the window that was offered then.
    pub(super) acknowledged: Seq,
    pub(super) offered: u32,
    pub(super) unread: VecDeque<u8>,
    pub(super) announced: bool,
    pub(super) peer_finished: bool,
    pub(super) reassembly: Option<Box<Reassembly>>,
    /// A duplicate to be reported (RFC 2883).
    pub(super) duplicate: Option<(Seq, Seq)>,
    pub(super) acknowledgement: Acknowledgement,
    pub(super) timestamp_offset: u32,
    /// The peer's time stamp to echo, and when it came (RFC 7323 section 4.3).
    pub(super) recent_timestamp: u32,
    pub(super) recent_timestamp_at: Instant,
    pub(super) last_challenge: Option<Instant>,
    /// Why it ended, where the application was not told yet because it has not read everything.
    pub(super) ended: Option<CloseReason>,
    pub(super) closed_announced: bool,
    /// The process that it belonged to is gone.
    pub(super) is_orphan: bool,
}

/// The states of RFC 9293 section 3.3.2, less LISTEN, which holds nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    SynSent,
    SynReceived,
    Established,
    FinWait1,
    FinWait2,
    CloseWait,
    Closing,
    LastAck,
    TimeWait,
    Closed,
}

/// The congestion state of Linux.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    /// No loss is suspected.
    Open,
    /// Something arrived out of order.
    Disorder,
    /// The window was reduced, with nothing to send again.
    Reduced,
    /// Fast recovery.
    Recovery,
    /// Recovery after a timeout.
    Loss,
}

/// What the retransmission timer is set for: one thing at a time, as in Linux.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timer {
    Off,
    Retransmission,
    LossProbe,
    Reordering,
    WindowProbe,
}

/// Where a connection puts what it has for the outside.
pub(crate) struct Outputs<'a> {
    id: ConnectionId,
    interface: Option<InterfaceId>,
    queue: &'a mut VecDeque<TransportOutput>,
    /// What makes segments leave at the moment.
    trigger: Option<Trigger>,
}

impl<'a> Outputs<'a> {
    pub(crate) fn new(
        id: ConnectionId,
        interface: Option<InterfaceId>,
        queue: &'a mut VecDeque<TransportOutput>,
    ) -> Self {
        Self {
            id,
            interface,
            queue,
            trigger: None,
        }
    }

    pub(crate) fn transmit(&mut self, mut packet: Packet) {
        if let Some(trigger) = self.trigger {
            packet.set_trigger(trigger);
        }
        if let Some(interface) = self.interface {
            packet.set_interface(interface);
        }
        self.queue.push_back(TransportOutput::Transmit(packet));
    }

    pub(crate) fn event(&mut self, event: TransportEvent) {
        self.queue.push_back(TransportOutput::Event(self.id, event));
    }

    /// What leaves from here on leaves because of this.
    pub(crate) fn begin(&mut self, trigger: Trigger) {
        self.trigger = Some(trigger);
    }

    /// What leaves from here on leaves because it is its turn.
    pub(crate) fn end(&mut self) {
        self.trigger = None;
    }
}

impl Connection {
    /// A connection about to shake hands.
    pub(crate) fn new(
        profile: Arc<TcpProfile>,
        now: Instant,
        local: SocketAddr,
        peer: SocketAddr,
        random: u64,
    ) -> Self {
        let initial = Seq(random as u32);
        Self {
            local,
            peer,
            interface: None,
            state: State::SynSent,
            armed: None,
            timestamps: false,
            sack: false,
            peer_scale: 0,
            own_scale: 0,
            segment_size: 536,
            mtu: None,
            opened_by_peer: false,
            early_data: false,
            initial,
            una: initial,
            next: initial,
            window: 0,
            largest_window: 0,
            window_seq: Seq(0),
            small_end: initial,
            buffer: SendBuffer::new(initial + 1),
            wants_room: false,
            fin_queued: false,
            fin_sent: false,
            board: Scoreboard::default(),
            last_sent: now,
            congestion: CongestionWindow::new(&profile),
            rtt: RoundTrip::new(&profile),
            phase: Phase::Open,
            high: initial,
            undo_from: None,
            undo_count: 0,
            first_resent: None,
            frto: false,
            rack: Rack::default(),
            delivered: 0,
            sent: 0,
            resent: 0,
            reported_duplicates: 0,
            reordering: profile.duplicate_threshold,
            probe_end: None,
            probe_repeats: false,
            timer: Timer::Off,
            timer_at: None,
            idle_at: None,
            timeouts: 0,
            backoffs: 0,
            probes: 0,
            last_heard: now,
            peer_initial: Seq(0),
            received: Seq(0),
            acknowledged: Seq(0),
            offered: 0,
            unread: VecDeque::new(),
            announced: false,
            peer_finished: false,
            reassembly: None,
            duplicate: None,
            acknowledgement: Acknowledgement::default(),
            timestamp_offset: (random >> 32) as u32,
            recent_timestamp: 0,
            recent_timestamp_at: now,
            last_challenge: None,
            ended: None,
            closed_announced: false,
            is_orphan: false,
            profile,
        }
    }

    /// When this connection must be looked at again.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        let timers = [self.timer_at, self.acknowledgement.due, self.idle_at];
        timers.into_iter().flatten().min()
    }

    /// The time stamp of an instant (RFC 7323 section 5.4): milliseconds from a random start.
    pub(crate) fn timestamp(&self, at: Instant) -> u32 {
        ((at.as_nanos() / 1_000_000) as u32).wrapping_add(self.timestamp_offset)
    }

    /// Whether the handshake is over.
    pub(crate) fn is_synchronised(&self) -> bool {
        !matches!(self.state, State::SynSent | State::SynReceived)
    }

    /// Tells the application that the connection is there.
    pub(crate) fn announce(&mut self, how: Established, out: &mut Outputs<'_>) {
        out.event(TransportEvent::Established(how));
    }

    /// Tells the application that there is something to read.
    pub(crate) fn announce_readable(&mut self, out: &mut Outputs<'_>) {
        if !self.announced {
            self.announced = true;
            out.event(TransportEvent::Readable(Tcp::STREAM));
        }
    }

    /// Ends at once: no timer is left, and nothing more is sent. What arrived before may still be read, unless it was
    /// the application that ended it.
    pub(crate) fn end(&mut self, reason: CloseReason, out: &mut Outputs<'_>) {
        let is_unknown = self.is_half_open() && !self.early_data;
        self.state = State::Closed;
        self.stop_timers();
        if matches!(reason, CloseReason::Reset(_)) {
            self.unread = VecDeque::new();
        }
        // The application knows nothing of a handshake that a peer did not complete.
        if !is_unknown {
            self.ended = Some(reason);
            self.announce_if_done(out);
        }
    }

    /// Whether a peer has begun the handshake and not completed it.
    pub(crate) fn is_half_open(&self) -> bool {
        self.opened_by_peer && self.state == State::SynReceived
    }

    pub(crate) fn announce_closed(&mut self, reason: CloseReason, out: &mut Outputs<'_>) {
        if !self.closed_announced {
            self.closed_announced = true;
            out.event(TransportEvent::Closed(reason));
        }
    }

    pub(crate) fn stop_timers(&mut self) {
        self.timer = Timer::Off;
        self.timer_at = None;
        self.idle_at = None;
        self.acknowledgement.due = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_takes_little_room() {
        assert!(
            size_of::<Connection>() <= 600,
            "{}",
            size_of::<Connection>()
        );
    }
}
