/// The state of a host that survives a crash. The default is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Survives {
    /// Session state of applications: subscriptions, unacknowledged messages, tokens.
    pub sessions: Keeping,
    /// Resumption state of security layers.
    pub tickets: Keeping,
}

/// Where state is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keeping {
    /// In memory, which a crash erases.
    #[default]
    Memory,
    /// In flash or on disk.
    Flash,
}

impl Keeping {
    /// Whether the state survives a crash.
    #[must_use]
    pub const fn is_durable(self) -> bool {
        matches!(self, Self::Flash)
    }
}
