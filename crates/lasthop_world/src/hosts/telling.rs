use lasthop_contract::{Application, Transport};
use lasthop_transport::ReleaseAssistance;

/// What the clients of a device tell its radio, where a network listens.
#[derive(Clone, Debug)]
pub(super) struct Telling(pub(super) Option<ReleaseAssistance>);

impl Telling {
    /// A client of the device.
    pub(super) fn of(
        &self,
        transport: Box<dyn Transport>,
        application: Box<dyn Application>,
    ) -> (Box<dyn Transport>, Box<dyn Application>) {
        match &self.0 {
            Some(assistance) => assistance.of(transport, application),
            None => (transport, application),
        }
    }
}
