/// Classes related to the async status conditions.
pub mod condition;
/// Contains the [`DustDdsConfiguration`](crate::configuration::DustDdsConfiguration) struct that allow configuring the runtime options
/// of the Dust DDS systems
pub mod configuration;
/// Classes related to the async content filtered topic.
pub mod content_filtered_topic;
/// Classes related to the async data reader.
pub mod data_reader;
/// Traits related to the async data reader listener.
pub mod data_reader_listener;
/// Classes related to the async data writer.
pub mod data_writer;
/// Traits related to the async data writer listener.
pub mod data_writer_listener;
/// Classes related to the async domain participant.
pub mod domain_participant;
/// Classes related to the async domain participant factory.
pub mod domain_participant_factory;
/// Traits related to the async domain participant listener.
pub mod domain_participant_listener;
/// Classes related to the async publisher.
pub mod publisher;
/// Traits related to the async publisher listener.
pub mod publisher_listener;
/// Classes related to the async subscriber.
pub mod subscriber;
/// Traits related to the async subscriber listener.
pub mod subscriber_listener;
/// Classes related to the async topic.
pub mod topic;
/// Classes related to the async topic description.
pub mod topic_description;
/// Traits related to the async topic listener.
pub mod topic_listener;
/// Classes related to the async wait set.
pub mod wait_set;
