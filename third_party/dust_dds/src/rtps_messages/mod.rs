pub mod error;
pub mod overall_structure;
pub mod submessage_elements;
pub mod submessages;
pub mod types;
