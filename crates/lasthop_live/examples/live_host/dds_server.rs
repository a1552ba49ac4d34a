use core::error::Error;
use std::sync::Arc;

use lasthop_contract::message_text::message_id;
use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, OutgoingMessage, Payload, RandomStream,
    Transport,
};
use lasthop_dds::{DdsServer, DdsServerConfig, PORT};
use lasthop_units::Instant;
use serde_json::json;

use crate::dds::{settings_of, transport_of};
use crate::{Options, Outcome, run_host};

/// A participant that sends every report back to the device that it is of.
struct Echo {
    participant: DdsServer,
}

pub(crate) fn run(options: &Options, words: &[String]) -> Result<(), Box<dyn Error>> {
    let [settings] = words else {
        return Err("dds-server takes settings".into());
    };
    let config = DdsServerConfig {
        address: options.address,
        port: PORT,
        settings: Arc::new(settings_of(settings)),
    };
    let transport = transport_of(options, &config.settings);
    let identities = RandomStream::named(options.seed, "dds");
    let echo = Echo {
        participant: DdsServer::new(config, identities),
    };
    run_host(options, transport, echo, &Outcome::never())
}

impl Echo {
    fn send_back(&mut self, now: Instant, payload: &Payload, transport: &mut dyn Transport) {
        let Some(id) = message_id(payload) else {
            return;
        };
        let message = ApplicationInput::Send(OutgoingMessage {
            id,
            payload,
            asks: false,
        });
        self.participant.handle(now, message, transport);
    }
}

impl Application for Echo {
    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        self.participant.handle(now, input, transport);
    }

    fn poll(&mut self, now: Instant, transport: &mut dyn Transport) -> ApplicationOutput {
        loop {
            match self.participant.poll(now, transport) {
                ApplicationOutput::Ready(device, _) => {
                    println!("{}", json!({ "ready": device.0 }));
                }
                ApplicationOutput::Received(received) => {
                    self.send_back(now, &received.payload, transport);
                }
                output => return output,
            }
        }
    }
}
