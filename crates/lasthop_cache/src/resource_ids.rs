use std::rc::Rc;

use lasthop_contract::message_text::{ID_LENGTH, write_id};
use lasthop_contract::{MessageId, Payload};
use lasthop_units::Instant;

use crate::{Cache, Reply};

/// How a protocol's client finds the resource of a message.
#[derive(Clone, Debug)]
pub enum ResourceIds {
    /// A configured resource for each flow, by channel.
    Resources(Rc<[(u8, u32)]>),
    /// The resource that was requested from the proxy, for a caching proxy.
    Cached(Cache),
}

impl ResourceIds {
    /// Returns the resource of a message; `None` without a name.
    #[must_use]
    pub fn resource_of(&self, message: MessageId) -> Option<u32> {
        match self {
            Self::Resources(resources) => {
                let mut resources = resources.iter();
                let channel = message.flow.channel();
                let found = resources.find(|(of, _)| *of == channel);
                found.map(|(_, resource)| *resource)
            }
            Self::Cached(cache) => cache.resource_of(message),
        }
    }

    /// Returns the entity tag of the cached representation.
    #[must_use]
    pub fn tag_for(&self, message: MessageId) -> Option<u32> {
        match self {
            Self::Resources(_) => None,
            Self::Cached(cache) => cache.tag_for(message),
        }
    }

    /// Records the metadata of a response, before the response itself is reported.
    pub fn said(&self, now: Instant, message: MessageId, reply: Reply) {
        if let Self::Cached(cache) = self {
            cache.said(now, message, reply);
        }
    }
}

/// Returns a representation as the answer to another request, with that request's message ID.
///
/// It is our own mark in a payload of text, and costs no bytes: a reader counts that its question was answered.
#[must_use]
pub fn renamed(payload: &[u8], message: MessageId) -> Payload {
    let mut bytes = payload.to_vec();
    if let Some(mark) = bytes.first_chunk_mut::<ID_LENGTH>() {
        write_id(message.flow, message.number.get(), mark);
    }
    Payload::copied_from(&bytes)
}
