/// What the sender of a packet expects to follow it, where it knows: a radio need not wait for more.
///
/// The two are the values of release assistance information (TS 24.301 clause 9.9.4.25).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// No packet, either way.
    NothingMore,
    /// One packet back, and none after it.
    OneAnswer,
}

/// What an application waits for, of all that its peers are to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awaited {
    /// Nothing: it has sent all, and knows all.
    Nothing,
    /// One message, after which it has nothing to send.
    OneMessage,
    /// More than that, or it cannot tell.
    More,
}

impl Awaited {
    /// What two applications wait for, or two layers of one.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nothing, awaited) | (awaited, Self::Nothing) => awaited,
            _ => Self::More,
        }
    }

    /// A number of messages.
    #[must_use]
    pub const fn messages(count: usize) -> Self {
        match count {
            0 => Self::Nothing,
            1 => Self::OneMessage,
            _ => Self::More,
        }
    }

    /// Nothing, or more than one message: where each message that comes has to be answered.
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
