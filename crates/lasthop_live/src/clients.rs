//! Our clients on sockets of the kernel, each for one thing.

mod asking;
mod coap;
mod mqtt;

pub use asking::{Asking, ClientError};
pub use coap::{CoapAnswer, CoapWay, ask};
pub use mqtt::{MqttSession, publish, subscribe};
