use std::rc::Rc;

use lasthop_contract::{Transport, TransportInput, TransportOutput, forward_transport};
use lasthop_units::Instant;

use super::{Turn, attempt};

/// All layers of a service above its sockets. A panic in a layer ends the connection that was being processed.
pub(crate) struct ContainedTransport {
    name: &'static str,
    layers: Box<dyn Transport>,
    turn: Rc<Turn>,
}

/// So many panics in one go, and others have their turn.
const MOST_IN_ONE_GO: usize = 64;

impl ContainedTransport {
    /// Wraps the layers below a service with this name.
    pub(crate) fn new(name: &'static str, layers: Box<dyn Transport>, turn: &Rc<Turn>) -> Self {
        let turn = Rc::clone(turn);
        Self { name, layers, turn }
    }
}

impl Transport for ContainedTransport {
    forward_transport! {
        self => self.layers;
        open_with listen join initial_stream own_stream open_stream write read send_datagram expect receive_datagram finish
        reset_stream prioritise outlast_streams close reset forget unanswered peer held local_address
    }

    fn handle(&mut self, now: Instant, input: TransportInput) {
        self.turn.begin();
        let layers = &mut self.layers;
        if let Err(panic) = attempt(|| layers.handle(now, input)) {
            let layer = self.turn.take_layer(self.name);
            self.turn.fail(layer, panic, None);
        }
    }

    #[inline]
    fn poll(&mut self, now: Instant) -> TransportOutput {
        for _ in 0..MOST_IN_ONE_GO {
            self.turn.begin();
            let layers = &mut self.layers;
            match attempt(|| layers.poll(now)) {
                Ok(output) => return output,
                // The sockets end the connection, and the layers go on with the next one.
                Err(panic) => {
                    let layer = self.turn.take_layer(self.name);
                    self.turn.fail(layer, panic, None);
                }
            }
        }
        TransportOutput::WaitUntil(Some(now))
    }
}
