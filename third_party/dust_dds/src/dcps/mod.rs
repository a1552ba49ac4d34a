pub mod data_representation_builtin_endpoints;
pub mod dcps_domain_participant;
pub mod dcps_mail;
pub mod dcps_mail_handler;
pub mod dcps_participant_factory;
pub mod listeners;
pub mod status_condition;
pub mod status_mask;
pub mod xtypes_glue;

/// Contains the built-in topics used by the service to propagate information needed for discovery and other data.
pub mod builtin_topics;

pub mod channels;
/// Contains all the basic types used in the other modules including e.g. qos policies and communication statuses.
pub mod infrastructure;
