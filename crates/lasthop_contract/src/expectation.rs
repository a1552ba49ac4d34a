/// What the sender of a packet expects to follow it.
///
/// With this a radio can release its connection early.
///
/// The two are the values of release assistance information (TS 24.301 section 9.9.4.25).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// No packet follows in either direction.
    NothingMore,
    /// One packet comes back, and none after it.
    OneAnswer,
}

/// How many messages an application still expects from its peers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awaited {
    /// None: the application is done.
    Nothing,
    /// One message, and the application sends nothing after it.
    OneMessage,
    /// More than one message, or an unknown number.
    More,
}

impl Awaited {
    /// Combines the expectations of two applications, or of two layers of one application.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nothing, awaited) | (awaited, Self::Nothing) => awaited,
            _ => Self::More,
        }
    }

    /// Returns the expectation for a number of messages.
    #[must_use]
    pub const fn messages(count: usize) -> Self {
        match count {
            0 => Self::Nothing,
            1 => Self::OneMessage,
            _ => Self::More,
        }
    }

    /// Returns `Nothing` if `is_done`, else `More`.
    ///
    /// This fits a protocol in which every incoming message needs an answer.
    #[must_use]
    pub const fn nothing_if(is_done: bool) -> Self {
        if is_done { Self::Nothing } else { Self::More }
    }
}

#[cfg(test)]
mod tests {
    use super::Awaited::{More, Nothing, OneMessage};
    use super::*;

    #[test]
    fn two_that_wait_wait_for_more_than_one_message() {
        for (one, other, both) in [
            (Nothing, Nothing, Nothing),
            (Nothing, OneMessage, OneMessage),
            (OneMessage, OneMessage, More),
            (Nothing, More, More),
        ] {
            assert_eq!((one.and(other), other.and(one)), (both, both));
        }
        assert_eq!(
            [0, 1, 2].map(Awaited::messages),
            [Nothing, OneMessage, More]
        );
    }
}
