//! The core of a message broker, without a protocol: permission, subscriptions, fan-out, retained messages, sessions.
//!
//! Every broker of this project stands on it, whatever its clients speak. A host has one [`BrokerCore`]; each of its
//! services publishes and subscribes there by a [`BrokerService`] of its own, and asks an [`Authority`] who may.
//! [`Sessions`] are for protocols whose clients come back. A [`Keeper`] has what clients publish before they are told that it
//! was taken.
//!
//! ```
//! use lasthop_broker::{
//!     BrokerCore, BrokerLimits, Everybody, Origin, Publication, Qos, SharedPublication, SubscriptionOptions,
//!     TopicFilter,
//! };
//! let core = BrokerCore::new(BrokerLimits::default(), Box::new(Everybody), Default::default());
//! let (mut mqtt, mut coap) = (core.service(), core.service());
//! let filter = TopicFilter::parse("ward/+/pulse")?;
//! coap.subscribe(1, &filter, SubscriptionOptions::default());
//! let publication = Publication {
//!     topic: "ward/7/pulse",
//!     payload: b"61",
//!     properties: &[],
//!     qos: Qos::AtMostOnce,
//!     retain: false,
//!     expires_at: None,
//!     id: None,
//!     origin: Origin::Gone,
//! };
//! mqtt.publish(&mut SharedPublication::new(&publication), &mut Default::default());
//! let delivery = coap.next_delivery().expect("somebody there wants it");
//! assert_eq!(delivery.message.publication().payload, b"61");
//! # Ok::<(), lasthop_broker::FilterError>(())
//! ```

mod authority;
mod broker_core;
mod broker_service;
mod budget;
mod inbox;
mod keeper;
mod message;
mod message_queue;
mod retained;
mod session;
mod sessions;
mod shared_publication;
mod shares;
mod slots;
mod subscribers;
mod subscription_tree;
mod topic;

pub use authority::{
    Admission, Authority, Client, Credentials, Everybody, Identity, Readiness, Refusal,
};
pub use broker_core::{BrokerCore, BrokerLimits, Full, Published};
pub use broker_service::{BrokerService, ServiceId, Subscriber};
pub use budget::{Budget, Charge};
pub use inbox::Delivery;
pub use keeper::{Keeper, KeeperOutput, NotKept, Parting, Ticket};
pub use message::{Message, Origin, Publication, Qos};
pub use message_queue::{MessageQueue, QueuedMessage, SubscriptionIds};
pub use retained::{RetainedLimits, RetainedMessages, RetainedPart, RetainedSearch};
pub use session::{Session, SessionId};
pub use sessions::{FILTER_COST, Sessions};
pub use shared_publication::SharedPublication;
pub use shares::Holder;
pub use slots::Slots;
pub use subscription_tree::{
    Matches, RetainHandling, SubscriptionMatch, SubscriptionOptions, SubscriptionTree,
};
pub use topic::{FilterError, MAX_LEVELS, TopicFilter, is_topic_name};
