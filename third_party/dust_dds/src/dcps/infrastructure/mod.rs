/// Classes related to the domain definition.
pub mod domain;

/// Classes related to the error and return codes.
pub mod error;

/// Classes related to the instance handle that identifies the entities.
pub mod instance;

/// Classes related to the listener infrastructure.
pub mod listener;

/// Classes related to the qos policies for the different entities.
pub mod qos;

/// Classes related to the qos policies.
pub mod qos_policy;

/// Contains the [`SampleInfo`](crate::subscription::sample_info::SampleInfo) and any related objects.
pub mod sample_info;

/// Classes related to communication statuses.
pub mod status;

/// Classes related to time and duration.
pub mod time;

/// Contains the classes needed to publish and subscribe types using Dust DDS
pub mod type_support;
