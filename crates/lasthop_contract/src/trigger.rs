use core::fmt;

use lasthop_units::Duration;

/// Why a host sends something other than new data or an immediate answer: a timer ran out, or loss was detected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// Retransmission timeout without an acknowledgement (RFC 6298 section 5).
    RetransmissionTimeout {
        /// The timeout that ran out.
        timeout: TimerSpan,
        /// How many ran out in a row before it.
        backed_off: u8,
    },
    /// The segment was marked lost at a timeout, and the window now has room (RFC 5681 section 4.3).
    LostAtTimeout,
    /// Duplicate acknowledgements reached the loss threshold (RFC 5681 section 3.2).
    DuplicateAcknowledgements,
    /// Selectively acknowledged data reached the loss threshold (RFC 6675 section 4).
    SelectiveAcknowledgements,
    /// Data sent later was acknowledged first, so this segment is lost (RACK, RFC 8985 section 6).
    Overtaken,
    /// The reordering window has passed (RFC 8985 section 6.3).
    ReorderingTimeout,
    /// The last segment was unacknowledged for too long, so a probe asks for an acknowledgement (RFC 8985 section 7).
    TailLossProbe,
    /// A delayed acknowledgement was due before any data could carry it (RFC 9293 section 3.8.6.3).
    DelayedAcknowledgement,
    /// The peer's window stays closed (RFC 9293 section 3.8.6.1).
    WindowProbe {
        /// How many probes went unanswered before it.
        unanswered: u8,
    },
    /// Keep-alive after a long silence (RFC 9293 section 3.8.4).
    KeepAlive {
        /// How many probes went unanswered before it.
        unanswered: u8,
    },
    /// The application-layer acknowledgement timed out (`ACK_TIMEOUT` of RFC 7252 section 4.2).
    AcknowledgementTimeout {
        /// The timeout that ran out.
        timeout: TimerSpan,
        /// How many ran out in a row before it.
        backed_off: u8,
    },
    /// Data that the old connection left unacknowledged is sent again on a new connection (MQTT-4.4.0-1).
    Reconnection,
}

/// The span of a timer, in microseconds: up to 71 minutes in four bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimerSpan(u32);

impl From<Duration> for TimerSpan {
    fn from(span: Duration) -> Self {
        Self(u32::try_from(span.as_nanos() / 1000).unwrap_or(u32::MAX))
    }
}

impl fmt::Display for TimerSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (millis, micros) = (self.0 / 1000, self.0 % 1000);
        if micros == 0 {
            write!(f, "{millis} ms")
        } else {
            write!(f, "{millis}.{micros:03} ms")
        }
    }
}

impl Trigger {
    /// Returns the name in result tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::RetransmissionTimeout { .. } => "retransmission_timeout",
            Self::LostAtTimeout => "lost_at_timeout",
            Self::DuplicateAcknowledgements => "duplicate_acknowledgements",
            Self::SelectiveAcknowledgements => "selective_acknowledgements",
            Self::Overtaken => "overtaken",
            Self::ReorderingTimeout => "reordering_timeout",
            Self::TailLossProbe => "tail_loss_probe",
            Self::DelayedAcknowledgement => "delayed_acknowledgement",
            Self::WindowProbe { .. } => "window_probe",
            Self::KeepAlive { .. } => "keep_alive",
            Self::AcknowledgementTimeout { .. } => "acknowledgement_timeout",
            Self::Reconnection => "reconnection",
        }
    }
}

impl fmt::Display for Trigger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::RetransmissionTimeout {
                timeout,
                backed_off,
            } => {
                write!(
                    f,
                    "retransmission timeout of {timeout}{}",
                    Doubled(backed_off)
                )
            }
            Self::LostAtTimeout => f.write_str("lost at the timeout"),
            Self::DuplicateAcknowledgements => {
                f.write_str("fast retransmit: lost by duplicate acknowledgements")
            }
            Self::SelectiveAcknowledgements => {
                f.write_str("fast retransmit: lost by selective acknowledgements")
            }
            Self::Overtaken => {
                f.write_str("fast retransmit: lost, as later ones have arrived (RACK)")
            }
            Self::ReorderingTimeout => f.write_str("reordering timer (RACK)"),
            Self::TailLossProbe => f.write_str("tail loss probe"),
            Self::DelayedAcknowledgement => f.write_str("delayed-acknowledgement timer"),
            Self::WindowProbe { unanswered } => {
                write!(f, "zero-window probe {}", u32::from(unanswered) + 1)
            }
            Self::KeepAlive { unanswered } => {
                write!(f, "keep-alive probe {}", u32::from(unanswered) + 1)
            }
            Self::AcknowledgementTimeout {
                timeout,
                backed_off,
            } => {
                write!(
                    f,
                    "acknowledgement timeout of {timeout}{}",
                    Doubled(backed_off)
                )
            }
            Self::Reconnection => f.write_str("redelivery on a new connection"),
        }
    }
}

/// How often a timeout had been doubled, if at all.
struct Doubled(u8);

impl fmt::Display for Doubled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => Ok(()),
            1 => f.write_str(", after 1 other"),
            count => write!(f, ", after {count} others"),
        }
    }
}

const _: () = assert!(
    size_of::<Option<Trigger>>() == 8,
    "a packet has room for it"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_how_long_and_for_how_manieth_time() {
        let timeout = Duration::from_nanos(1_234_567_890).into();
        let backed_off = |backed_off| Trigger::RetransmissionTimeout {
            timeout,
            backed_off,
        };
        let said = [0, 1, 2].map(|count| backed_off(count).to_string());
        assert_eq!(
            said,
            [
                "retransmission timeout of 1234.567 ms",
                "retransmission timeout of 1234.567 ms, after 1 other",
                "retransmission timeout of 1234.567 ms, after 2 others",
            ]
        );
        let long = TimerSpan::from(Duration::from_secs(1_000_000));
        assert_eq!(long.to_string(), "4294967.295 ms", "it ends there");
        let probe = Trigger::KeepAlive { unanswered: 255 };
        assert_eq!(probe.to_string(), "keep-alive probe 256");
    }
}
