//! A caching proxy without a protocol: freshness of cached representations, waiting clients and upstream requests.
//!
//! A [`Front`] stands on each server that readers ask, a [`Back`] on the client of the server behind. Between them is a
//! [`Cache`], which all share, and the protocols with them: they tell it which resource a request is for, and what was said
//! with an answer, and ask it what to say.
//!
//! What readers observe is observed once for all of them: a service has a [`Watching`], and the client of the server behind
//! carries out each [`UpstreamRequest`] and says what it was [`UpstreamReport`].

mod back;
mod cache;
mod freshness;
mod front;
mod observations;
mod own_resources;
mod resource_ids;
mod response_source;
mod state;
mod store;
mod watching;

pub use back::Back;
pub use cache::{Cache, CacheConfig};
pub use freshness::{Freshness, Reply};
pub use front::Front;
pub use observations::{Seen, UpstreamReport, UpstreamRequest, UpstreamState};
pub use own_resources::OwnResources;
pub use resource_ids::{ResourceIds, renamed};
pub use response_source::{ResponseSource, ResponseState};
pub use watching::{Current, Watching};
