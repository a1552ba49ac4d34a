use lasthop_contract::MessageId;
use lasthop_units::Instant;

use crate::{Cache, Freshness, OwnResources};

/// The source of a server's responses by resource name.
#[derive(Clone, Debug)]
pub enum ResponseSource {
    /// What is its own.
    Own(OwnResources),
    /// What its host has fetched from another.
    Cached(Cache),
}

/// How a request is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResponseState {
    /// Here it is.
    Here(Freshness),
    /// It takes its time.
    Later,
    /// The server behind has given no answer.
    Nothing,
    /// What was to be done is done.
    Done,
}

impl Default for ResponseSource {
    fn default() -> Self {
        Self::Own(OwnResources::default())
    }
}

impl ResponseSource {
    /// Records a request.
    ///
    /// It returns the freshness if the request names the current entity tag, so that the answer is immediate.
    pub fn asked(
        &mut self,
        now: Instant,
        message: MessageId,
        resource: u32,
        tag: Option<u32>,
    ) -> Option<Freshness> {
        match self {
            Self::Own(own) => {
                let freshness = own.freshness(now, resource);
                (tag.is_some() && tag == freshness.tag).then_some(freshness)
            }
            Self::Cached(cache) => {
                cache.asked(message, resource, false);
                None
            }
        }
    }

    /// Records a write; returns whether its sender must wait for the outcome.
    pub fn written(&mut self, message: MessageId, resource: u32) -> bool {
        match self {
            Self::Own(own) => {
                own.write(resource);
                false
            }
            Self::Cached(cache) => {
                cache.asked(message, resource, true);
                true
            }
        }
    }

    /// Returns how the current request is answered.
    #[must_use]
    pub fn response_state(&self, now: Instant, resource: Option<u32>) -> ResponseState {
        match self {
            Self::Own(own) => ResponseState::Here(match resource {
                Some(resource) => own.freshness(now, resource),
                None => Freshness {
                    lifetime: own.lifetime,
                    ..Freshness::default()
                },
            }),
            Self::Cached(cache) => cache.response_state(),
        }
    }

    /// Whether it is the cache of another host.
    #[must_use]
    pub const fn is_cached(&self) -> bool {
        matches!(self, Self::Cached(_))
    }
}
