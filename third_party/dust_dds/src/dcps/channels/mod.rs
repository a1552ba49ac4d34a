pub mod mpsc;
pub mod notification;
pub mod oneshot;
pub mod rpc;
