//! The core of a message broker, without a protocol: identities, subscriptions, retained messages, sessions.
//!
//! Every broker of this project stands on it, whatever its clients speak. A [`SubscriptionTree`] alone serves a
//! protocol without sessions; [`BrokerCore`] adds who is who, what waits for whom, and when a session ends.
//!
//! ```
//! use lasthop_broker::{SubscriptionOptions, SubscriptionTree, TopicFilter};
//! let mut tree = SubscriptionTree::new();
//! let filter = TopicFilter::parse("ward/+/pulse")?;
//! tree.subscribe(&filter, 1, SubscriptionOptions::default());
//! let mut matches = Vec::new();
//! tree.collect("ward/7/pulse", |_| true, &mut matches);
//! assert_eq!(matches.len(), 1);
//! # Ok::<(), lasthop_broker::FilterError>(())
//! ```

mod broker_core;
mod message;
mod message_queue;
mod retained;
mod session;
mod slots;
mod subscription_tree;
mod topic;

pub use broker_core::{BrokerCore, BrokerLimits, Full};
pub use message::{Message, Origin, Publication, Qos};
pub use message_queue::{MessageQueue, QueuedMessage, SubscriptionIds};
pub use retained::RetainedMessages;
pub use session::{Session, SessionId};
pub use slots::Slots;
pub use subscription_tree::{
    RetainHandling, SubscriptionMatch, SubscriptionOptions, SubscriptionTree,
};
pub use topic::{FilterError, MAX_LEVELS, TopicFilter, is_topic_name};
