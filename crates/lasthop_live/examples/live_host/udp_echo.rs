use core::error::Error;

use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, Cause, Chunk, Layer, Provenance, Transport,
    TransportEvent,
};
use lasthop_transport::Udp;
use lasthop_units::Instant;

use crate::{Options, Outcome, run_host};

/// Sends every datagram back.
struct UdpEcho {
    port: u16,
}

const PAYLOAD: Provenance = Provenance::new(Layer::Application, Cause::Payload);

pub(crate) fn run(options: &Options, words: &[String]) -> Result<(), Box<dyn Error>> {
    let [port] = words else {
        return Err("udp-echo takes a port".into());
    };
    let port = port.parse()?;
    let transport = Udp::new(options.address);
    run_host(options, transport, UdpEcho { port }, &Outcome::never())
}

impl Application for UdpEcho {
    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        match input {
            ApplicationInput::Start => transport
                .listen(self.port)
                .expect("nobody else listens on this host"),
            ApplicationInput::Transport(flow, TransportEvent::DatagramReadable) => {
                while let Some(datagram) = transport.receive_datagram(flow) {
                    let chunk = Chunk {
                        bytes: &datagram,
                        provenance: PAYLOAD,
                    };
                    transport
                        .send_datagram(now, flow, &[chunk])
                        .expect("what has arrived can go back");
                }
            }
            _ => {}
        }
    }

    fn poll(&mut self, _now: Instant, _transport: &mut dyn Transport) -> ApplicationOutput {
        ApplicationOutput::WaitUntil(None)
    }
}
