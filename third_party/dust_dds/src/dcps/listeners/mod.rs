pub mod data_reader_listener;
pub mod data_writer_listener;
pub mod domain_participant_listener;
pub mod publisher_listener;
pub mod subscriber_listener;
pub mod topic_listener;
