use lasthop_contract::MessageId;
use lasthop_units::Instant;

use crate::{Cache, Freshness, OwnResources};

/// What the server of a protocol gives out by the names of resources, and what it knows of that.
#[derive(Clone, Debug)]
pub enum ResponseSource {
    /// What is its own.
    Own(OwnResources),
    /// What its host has fetched from another.
    Cached(Cache),
}

/// What is said to who asked.
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
    /// A request for a resource has come. Gives what is said at once where who asks has named the entity tag that it still
    /// has.
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

    /// A message for a resource has come; whether who sent it is to wait for what becomes of it.
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

    /// What is said with the answer that is being given.
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

    /// Whether it is what another host has.
    #[must_use]
    pub const fn is_cached(&self) -> bool {
        matches!(self, Self::Cached(_))
    }
}
