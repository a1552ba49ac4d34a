use core::error::Error;
use std::sync::Arc;

use lasthop_coap::{Carrier, CoapParameters, CoapServer, CoapServerConfig, MessageType, Push};
use lasthop_contract::RandomStream;
use lasthop_transport::{Tcp, TcpProfile, Udp};

use crate::{Options, Outcome, run_host};

pub(crate) fn run(options: &Options, words: &[String]) -> Result<(), Box<dyn Error>> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (how, asks_for_proof) = match words[..] {
        [how] => (how, false),
        [how, "echo"] => (how, true),
        _ => return Err("coap-server takes con, non or tcp, and echo or nothing".into()),
    };
    let (carrier, kind) = carrier_and_type(how)?;
    let config = CoapServerConfig {
        answers: false,
        kind,
        push: Push::Observe,
        carrier,
        parameters: Arc::new(CoapParameters {
            asks_for_proof,
            ..CoapParameters::default()
        }),
    };
    let server = CoapServer::new(config, RandomStream::named(options.seed, "server"));
    let outcome = Outcome::never();
    match carrier {
        Carrier::Datagrams => run_host(options, Udp::new(options.address), server, &outcome),
        Carrier::Streams => run_host(options, tcp(options), server, &outcome),
    }
}

/// What carries the messages, and whether they are to be acknowledged, which means nothing over TCP.
pub(crate) fn carrier_and_type(word: &str) -> Result<(Carrier, MessageType), String> {
    match word {
        "con" => Ok((Carrier::Datagrams, MessageType::Confirmable)),
        "non" => Ok((Carrier::Datagrams, MessageType::NonConfirmable)),
        "tcp" => Ok((Carrier::Streams, MessageType::Confirmable)),
        other => Err(format!("{other} is neither con, non nor tcp")),
    }
}

/// The TCP below CoAP.
pub(crate) fn tcp(options: &Options) -> Tcp {
    let profile = TcpProfile {
        nodelay: true,
        ..TcpProfile::linux()
    };
    let stream = RandomStream::named(options.seed, "tcp");
    Tcp::new(options.address, Arc::new(profile), stream)
}
