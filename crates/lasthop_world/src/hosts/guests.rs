use lasthop_contract::{Application, Host, Transport};
use lasthop_device::MessageBoundary;
use lasthop_transport::{Routes, StackHost};

use super::Hosts;
use crate::plan::numbers_of_groups;
use crate::spec::{GroupSpec, SpecError};
use crate::stack::{DeviceEnd, Guest, HostEnd};

/// A client of a device that is to be put on a socket of the kernel.
pub struct SocketClient {
    /// What it says and hears.
    pub application: Box<dyn Application>,
    /// On which kind of socket.
    pub kind: SocketKind,
    /// Whether it makes no messages: it is to be ready before others make some.
    pub only_hears: bool,
    /// What it has little of, where it is such a device.
    pub device: Option<SocketDevice>,
}

/// A device that has little of everything but what the kernel gives it: segments, windows and mailboxes are that one's.
pub struct SocketDevice {
    end: DeviceEnd,
    boundary: Option<MessageBoundary>,
}

impl SocketDevice {
    /// The device, whose application stands on this transport of the kernel.
    #[must_use]
    pub fn host(
        self,
        transport: Box<dyn Transport>,
        application: Box<dyn Application>,
    ) -> Box<dyn Host> {
        let transport = self.end.over_sockets(transport, self.boundary);
        let host = StackHost::of(transport, application, Routes::OneInterface);
        self.end.host(Box::new(host))
    }
}

/// A kind of socket of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SocketKind {
    /// TCP.
    Stream,
    /// UDP.
    Datagram,
}

impl<'a> Hosts<'a> {
    /// The same, where servers have other guests.
    pub(crate) fn of_guest(self, guest: &'a Guest) -> Self {
        Self {
            guest: Some(guest),
            ..self
        }
    }

    /// The clients of all devices that stay, in the order of devices, for sockets.
    pub(crate) fn socket_clients(&self) -> Result<Vec<SocketClient>, SpecError> {
        let mut clients = Vec::new();
        for (group, numbers) in self.spec.groups.iter().zip(numbers_of_groups(self.spec)) {
            let kinds = group.clients.iter().map(|it| self.socket_kind(&it.stack));
            let kinds: Vec<SocketKind> = kinds.collect::<Result<_, _>>()?;
            let speaks = |place: usize| self.spec.flows_of(group).any(|flow| flow.client == place);
            for (in_run, number) in numbers.zip(0..) {
                let host = self.host_of(group, number, in_run);
                for (place, kind) in kinds.iter().enumerate() {
                    let stack = &self.stacks[group.clients[place].stack.as_str()];
                    let device = group.device.as_ref().map(|device| SocketDevice {
                        end: DeviceEnd::new(device),
                        boundary: stack.application().boundary(),
                    });
                    clients.push(SocketClient {
                        device,
                        application: self.client(group, place, (host, in_run), 0),
                        kind: *kind,
                        only_hears: !speaks(place),
                    });
                }
            }
        }
        Ok(clients)
    }

    fn host_of<'b>(&self, group: &'b GroupSpec, number: u32, in_run: u32) -> HostEnd<'b> {
        HostEnd {
            seed: self.spec.seed,
            name: &group.name,
            number,
            address: self.addresses_of(group).device(in_run),
            device: None,
        }
    }

    /// What of the kernel stands for the layers of a stack.
    fn socket_kind(&self, stack: &str) -> Result<SocketKind, SpecError> {
        let spec = &self.spec.stacks[stack];
        let layers: Vec<&str> = spec.layers.iter().map(|layer| &*layer.name).collect();
        match layers[..] {
            ["tcp", "ip"] => Ok(SocketKind::Stream),
            ["udp", "ip"] => Ok(SocketKind::Datagram),
            _ => {
                let problem = format!("{} is carried by no socket", spec.path());
                Err(SpecError::value(format!("stacks.{stack}"), problem))
            }
        }
    }
}
