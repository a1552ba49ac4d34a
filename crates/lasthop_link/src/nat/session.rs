use core::net::SocketAddr;

/// Where the TCP connection behind a mapping stands, as its flags tell (RFC 5382 section 5, RFC 7857 section 2).
///
/// Of several connections from one port, which is rare, nothing is known: the mapping stays as for an open one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Session {
    peer: SocketAddr,
    phase: Phase,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The host has sent SYN and nothing else.
    Opening,
    /// Perhaps one side has finished.
    Open { finished: [bool; 2] },
    /// Both sides have finished, or one has reset it.
    Closed,
    /// There are others.
    OneOfSeveral,
}

/// What a session is told of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    /// The end outside.
    pub(super) peer: SocketAddr,
    pub(super) flags: Flags,
}

/// The flags of a TCP header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Flags(pub(super) u8);

/// Who sent a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sender {
    Inside,
    Outside,
}

impl Session {
    /// The session of a host that sends its first segment by a mapping.
    pub(super) const fn begun_by(segment: Segment) -> Self {
        let phase = if segment.flags.has(Flags::RESET) {
            Phase::Closed
        } else if segment.flags.has(Flags::SYN) {
            Phase::Opening
        } else {
            Phase::Open {
                finished: [segment.flags.has(Flags::FINISH), false],
            }
        };
        Self {
            peer: segment.peer,
            phase,
        }
    }

    /// Whether it has not begun or is over, so that little time is left to its mapping.
    pub(super) const fn is_transitory(&self) -> bool {
        matches!(self.phase, Phase::Opening | Phase::Closed)
    }

    /// Follows a segment.
    pub(super) fn follow(&mut self, sender: Sender, segment: Segment) {
        let is_of_another = segment.peer != self.peer;
        match (sender, is_of_another) {
            // Whoever is outside and has no part in it cannot end it.
            (Sender::Outside, true) => {}
            (Sender::Inside, true) if !self.is_transitory() => self.phase = Phase::OneOfSeveral,
            (Sender::Inside, true) => *self = Self::begun_by(segment),
            (Sender::Inside, false)
                if segment.flags.has(Flags::SYN) && self.phase != Phase::OneOfSeveral =>
            {
                *self = Self::begun_by(segment);
            }
            (_, false) => self.go_on(sender, segment.flags),
        }
    }

    fn go_on(&mut self, sender: Sender, flags: Flags) {
        let mut finished = match (self.phase, sender) {
            (Phase::Open { finished }, _) => finished,
            (Phase::Opening, Sender::Inside) => [false; 2],
            (Phase::Opening, Sender::Outside) if flags.has(Flags::RESET) => [false; 2],
            (Phase::Opening | Phase::Closed | Phase::OneOfSeveral, _) => return,
        };
        finished[sender as usize] |= flags.has(Flags::FINISH);
        self.phase = if flags.has(Flags::RESET) || finished == [true; 2] {
            Phase::Closed
        } else {
            Phase::Open { finished }
        };
    }
}

impl Flags {
    const FINISH: u8 = 0x01;
    const SYN: u8 = 0x02;
    const RESET: u8 = 0x04;

    const fn has(self, flag: u8) -> bool {
        self.0 & flag != 0
    }
}
