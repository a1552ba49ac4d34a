pub mod interface;
pub mod types;
