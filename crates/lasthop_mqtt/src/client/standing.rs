use lasthop_contract::{Established, SessionChange};
use lasthop_units::Instant;

/// The progress of a client towards a session, for session events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Standing {
    /// No session, and no attempt.
    #[default]
    Away,
    /// Attempting to set up a session since this instant.
    Trying(Instant),
    /// The session is set up.
    SetUp,
}

impl Standing {
    /// Records that a connection is opened.
    pub(super) fn open(&mut self, now: Instant) -> SessionChange {
        let again = *self != Self::Away;
        if !again {
            *self = Self::Trying(now);
        }
        SessionChange::Tried { again }
    }

    /// Records that messages can be sent. `how` says how the connection was established.
    pub(super) fn complete(&mut self, how: Established) -> Option<SessionChange> {
        let Self::Trying(since) = *self else {
            return None;
        };
        *self = Self::SetUp;
        Some(SessionChange::SetUp { since, how })
    }

    /// Records that the connection is lost. A client that was still trying keeps trying, unless `gives_up` is true.
    pub(super) fn lose(&mut self, gives_up: bool) -> SessionChange {
        if gives_up || *self == Self::SetUp {
            *self = Self::Away;
        }
        SessionChange::Lost
    }
}
