//! lasthop's clients on kernel sockets, each for one command.

mod asking;
mod coap;
mod mqtt;

pub use asking::{Asking, ClientError};
pub use coap::{CoapAnswer, CoapWay, ask};
pub use mqtt::{MqttSession, publish, subscribe};
