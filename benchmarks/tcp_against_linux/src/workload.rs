use lasthop_units::Duration;

/// What a client sends: writes of one size, some at a time, at an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Workload {
    /// 100 B, then the end of the stream: losses of the SYN, of the only segment and of the FIN.
    Message,
    /// 4 kB at once, three segments: few acknowledgements tell of a loss.
    Tail,
    /// 30 kB at once.
    Upload,
    /// 400 B each 250 ms for 60 s.
    ThinStream,
    /// 1 MB at once.
    Bulk,
    /// 15 kB, and after 5 s 15 kB again: the window after an idle time.
    IdleRestart,
    /// Two writes of 100 B together each 500 ms for 15 s, with Nagle's algorithm: the second waits for a delayed
    /// acknowledgement.
    Nagle,
    /// 30 kB at once to a receiver that offers three segments.
    SmallWindow,
}

impl Workload {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Message,
        Self::Tail,
        Self::Upload,
        Self::ThinStream,
        Self::Bulk,
        Self::IdleRestart,
        Self::Nagle,
        Self::SmallWindow,
    ];

    /// As in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Tail => "tail",
            Self::Upload => "upload",
            Self::ThinStream => "thin",
            Self::Bulk => "bulk",
            Self::IdleRestart => "idle_restart",
            Self::Nagle => "nagle",
            Self::SmallWindow => "small_window",
        }
    }

    /// The bytes that the client writes at a time.
    #[must_use]
    pub const fn write_size(self) -> usize {
        match self {
            Self::Message | Self::Nagle => 100,
            Self::Tail => 4_000,
            Self::Upload | Self::SmallWindow => 30_000,
            Self::ThinStream => 400,
            Self::Bulk => 1_000_000,
            Self::IdleRestart => 15_000,
        }
    }

    /// How often it writes.
    #[must_use]
    pub const fn writes(self) -> usize {
        match self {
            Self::ThinStream => 240,
            Self::Nagle => 60,
            Self::IdleRestart => 2,
            _ => 1,
        }
    }

    /// All that it writes.
    #[must_use]
    pub const fn total_size(self) -> usize {
        self.writes() * self.write_size()
    }

    /// How many writes are due at a time.
    #[must_use]
    pub const fn together(self) -> usize {
        match self {
            Self::Nagle => 2,
            _ => 1,
        }
    }

    /// From the writes of one time to those of the next.
    #[must_use]
    pub const fn interval(self) -> Duration {
        match self {
            Self::IdleRestart => Duration::from_secs(5),
            Self::Nagle => Duration::from_millis(500),
            _ => Duration::from_millis(250),
        }
    }

    /// Whether small writes wait for acknowledgements (RFC 9293, 3.7.4).
    #[must_use]
    pub const fn has_nagle(self) -> bool {
        matches!(self, Self::Nagle)
    }

    /// Whether the stream ends with the last write, and the flow with its end.
    #[must_use]
    pub const fn ends_stream(self) -> bool {
        matches!(self, Self::Message)
    }

    /// The largest window that the receiver offers, in bytes; `None` where it offers what it likes.
    #[must_use]
    pub const fn window(self) -> Option<u32> {
        match self {
            Self::SmallWindow => Some(3 * 1460),
            _ => None,
        }
    }

    /// How many arrivals a whole flow has: its writes, and the end of the stream where it matters.
    #[must_use]
    pub const fn arrivals(self) -> usize {
        self.writes() + self.ends_stream() as usize
    }

    /// How long after the connection was there a write is due, counted from 0.
    #[must_use]
    pub fn due(self, write: usize) -> Duration {
        self.interval() * (write / self.together()) as u64
    }

    /// How many bytes the client has written this long after the connection was there.
    #[must_use]
    pub fn written_after(self, span: Duration) -> usize {
        let times = span.as_nanos() / self.interval().as_nanos() + 1;
        let writes = times.saturating_mul(self.together() as u64);
        usize::try_from(writes).map_or(self.writes(), |writes| writes.min(self.writes()))
            * self.write_size()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thin_stream_writes_four_times_a_second_for_a_minute() {
        let thin = Workload::ThinStream;
        assert_eq!(thin.written_after(Duration::ZERO), 400);
        assert_eq!(thin.written_after(Duration::from_millis(999)), 1600);
        assert_eq!(thin.written_after(Duration::from_secs(3600)), 96_000);
        assert_eq!(Workload::Upload.written_after(Duration::ZERO), 30_000);
    }

    #[test]
    fn pairs_of_writes_are_due_at_once() {
        let pairs = Workload::Nagle;
        assert_eq!(pairs.written_after(Duration::ZERO), 200);
        assert_eq!(pairs.written_after(Duration::from_millis(500)), 400);
        assert_eq!(pairs.written_after(Duration::from_secs(60)), 6_000);
        let due = [0, 1, 2, 3, 59].map(|write| pairs.due(write).as_nanos() / 1_000_000);
        assert_eq!(due, [0, 0, 500, 500, 14_500]);
    }

    #[test]
    fn what_is_due_has_been_written() {
        for workload in Workload::ALL {
            for write in 0..workload.writes() {
                let written = workload.written_after(workload.due(write));
                assert!(
                    written > write * workload.write_size(),
                    "{workload:?} {write}"
                );
            }
        }
    }
}
