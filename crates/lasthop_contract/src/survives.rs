/// What a host still has after a crash. By default it is nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Survives {
    /// What applications keep of their sessions: subscriptions, messages that are not acknowledged, tokens.
    pub sessions: Keeping,
    /// What layers keep of their peers so that a later connection resumes.
    pub tickets: Keeping,
}

/// Where something is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keeping {
    /// In memory, which is lost.
    #[default]
    Memory,
    /// On flash, or a disk.
    Flash,
}

impl Keeping {
    /// Whether it outlives a crash.
    #[must_use]
    pub const fn is_durable(self) -> bool {
        matches!(self, Self::Flash)
    }
}
