use lasthop_contract::MessageId;
use lasthop_units::Instant;

use crate::{Cache, Freshness, OwnResources};

/// The source of a server's responses by resource name.
#[derive(Clone, Debug)]
pub enum ResponseSource {
    /// The server's own resources.
    Own(OwnResources),
    /// The cache of the server's host, which is a proxy.
    Cached(Cache),
}

/// The state of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResponseState {
    /// The representation is available.
    Here(Freshness),
    /// The response is delayed.
    Later,
    /// The upstream server did not answer.
    Nothing,
    /// The write was carried out.
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

    /// Records a write. Returns whether the response must wait for the outcome.
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

    /// Returns how to respond to the current request.
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

    /// Whether the source is the cache of a proxy.
    #[must_use]
    pub const fn is_cached(&self) -> bool {
        matches!(self, Self::Cached(_))
    }
}
