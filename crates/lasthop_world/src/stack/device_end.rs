use std::sync::Arc;

use lasthop_contract::{Host, Transport};
use lasthop_device::{
    Constraints, Device, DeviceHost, DeviceTransport, MessageBoundary, SecuredTransport, Secures,
};

use crate::spec::{DeviceSpec, DeviceTcpSpec};

/// A constrained device: the state that its transports share.
#[derive(Clone, Debug)]
pub struct DeviceEnd {
    device: Device,
    tcp: DeviceTcpSpec,
}

/// What is read from a transport, and where it begins where that shows.
pub(super) enum Reads {
    /// Messages of the application.
    Messages(Option<MessageBoundary>),
    /// The record boundaries of a layer in between.
    Records(Option<MessageBoundary>),
}

impl DeviceEnd {
    /// Creates a booted device with these resource limits.
    #[must_use]
    pub fn new(spec: &DeviceSpec, constraints: Arc<Constraints>) -> Self {
        Self {
            device: Device::new(constraints),
            tcp: spec.tcp.clone(),
        }
    }

    /// Returns the TCP settings of the device.
    #[must_use]
    pub fn tcp(&self) -> &DeviceTcpSpec {
        &self.tcp
    }

    /// One of its transports.
    pub(super) fn transport(
        &self,
        transport: Box<dyn Transport>,
        reads: Reads,
    ) -> Box<dyn Transport> {
        let device = self.device.clone();
        Box::new(match reads {
            Reads::Messages(boundary) => DeviceTransport::new(transport, device, boundary),
            Reads::Records(boundary) => DeviceTransport::below(transport, device, boundary),
        })
    }

    /// One of its transports that secures its connections.
    pub(super) fn secured(
        &self,
        transport: Box<dyn Transport>,
        secures: Secures,
    ) -> Box<dyn Transport> {
        let device = self.device.clone();
        Box::new(SecuredTransport::new(transport, device, secures))
    }

    /// Itself.
    pub(crate) fn host(self, host: Box<dyn Host>) -> Box<dyn Host> {
        Box::new(DeviceHost::new(host, self.device))
    }
}
