pub mod discovered_reader_data;
pub mod discovered_topic_data;
pub mod discovered_writer_data;
pub mod parameter_id_values;
pub mod rtps_data_representation;
pub mod rtps_data_representation_serialization;
pub mod spdp_discovered_participant_data;
pub mod type_lookup;
