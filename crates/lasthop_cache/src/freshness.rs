use lasthop_units::Duration;

/// The freshness of a representation, as a server declares it (RFC 7252 section 5.10, RFC 9111 section 4.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Freshness {
    /// The lifetime from its creation; `None` if it is not declared.
    pub lifetime: Option<Duration>,
    /// The age of the representation.
    pub age: Duration,
    /// The entity tag.
    pub tag: Option<u32>,
}

impl Freshness {
    /// Returns the remaining lifetime in whole seconds; `None` if it is not declared.
    #[must_use]
    pub fn seconds_left(&self) -> Option<u32> {
        let left = self
            .lifetime?
            .as_nanos()
            .saturating_sub(self.age.as_nanos());
        Some(u32::try_from(left / 1_000_000_000).unwrap_or(u32::MAX))
    }
}

/// The caching metadata of a response, as the client read it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// The declared freshness.
    pub freshness: Freshness,
    /// Whether the response confirms the entity tag of the request and so has no body.
    pub is_unchanged: bool,
    /// Whether the response delay counts as age (RFC 9111 section 4.2.3).
    pub counts_delay: bool,
}
