use lasthop_contract::{Established, SessionChange};
use lasthop_units::Instant;

/// Where a client is on its way to a session, as it tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Standing {
    /// It has none, and does not try.
    #[default]
    Away,
    /// It tries, since then.
    Trying(Instant),
    /// It has one.
    SetUp,
}

impl Standing {
    /// A connection is opened.
    pub(super) fn open(&mut self, now: Instant) -> SessionChange {
        let again = *self != Self::Away;
        if !again {
            *self = Self::Trying(now);
        }
        SessionChange::Tried { again }
    }

    /// Messages can be sent, by a connection that came about like this.
    pub(super) fn complete(&mut self, how: Established) -> Option<SessionChange> {
        let Self::Trying(since) = *self else {
            return None;
        };
        *self = Self::SetUp;
        Some(SessionChange::SetUp { since, how })
    }

    /// The connection is gone. A client that was trying goes on with it, unless it gives up.
    pub(super) fn lose(&mut self, gives_up: bool) -> SessionChange {
        if gives_up || *self == Self::SetUp {
            *self = Self::Away;
        }
        SessionChange::Lost
    }
}
