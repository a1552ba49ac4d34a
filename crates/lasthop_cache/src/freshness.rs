use lasthop_units::Duration;

/// What a server says of the representation that it gives out (RFC 7252 section 5.10, RFC 9111 section 4.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Freshness {
    /// For how long it is fresh from when it was made; `None` where nothing is said of that.
    pub lifetime: Option<Duration>,
    /// How long ago it was made.
    pub age: Duration,
    /// Its entity tag.
    pub tag: Option<u32>,
}

impl Freshness {
    /// For how much longer it is fresh, in whole seconds as protocols say it; `None` where nothing is said of that.
    #[must_use]
    pub fn seconds_left(&self) -> Option<u32> {
        let left = self
            .lifetime?
            .as_nanos()
            .saturating_sub(self.age.as_nanos());
        Some(u32::try_from(left / 1_000_000_000).unwrap_or(u32::MAX))
    }
}

/// What a client has read of the answer to a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// What is said of the representation.
    pub freshness: Freshness,
    /// Whether it is the one that was named in the request, so that it was not sent again.
    pub is_unchanged: bool,
    /// Whether the time that the answer took counts as age (RFC 9111 section 4.2.3).
    pub counts_delay: bool,
}
