use core::error::Error;
use std::sync::Arc;

use lasthop_coap::{Carrier, CoapParameters, CoapServer, CoapServerConfig, MessageType, Push};
use lasthop_contract::RandomStream;
use lasthop_transport::Udp;

use crate::{Options, Outcome, run_host};

pub(crate) fn run(options: &Options, words: &[String]) -> Result<(), Box<dyn Error>> {
    let kind = match words {
        [kind] => message_type(kind)?,
        _ => return Err("coap-server takes con or non".into()),
    };
    let config = CoapServerConfig {
        kind,
        push: Push::Observe,
        carrier: Carrier::Datagrams,
        parameters: Arc::new(CoapParameters::default()),
    };
    let server = CoapServer::new(config, RandomStream::named(options.seed, "server"));
    run_host(
        options,
        Udp::new(options.address),
        server,
        &Outcome::never(),
    )
}

/// Whether messages are to be acknowledged.
pub(crate) fn message_type(word: &str) -> Result<MessageType, String> {
    match word {
        "con" => Ok(MessageType::Confirmable),
        "non" => Ok(MessageType::NonConfirmable),
        other => Err(format!("{other} is neither con nor non")),
    }
}
