use core::net::SocketAddr;

use lasthop_contract::{Application, Host, Transport};
use lasthop_device::Secures;
use lasthop_transport::{Routes, StackHost};

use super::{Hosts, living};
use crate::plan::numbers_of_groups;
use crate::spec::{GroupSpec, SpecError};
use crate::stack::{DeviceEnd, Guest, HostEnd, StackBuilder};

/// A device's client that runs over a kernel socket.
pub struct SocketClient<'a> {
    /// The name of the client's device: the name of its group and its number in the group.
    pub name: String,
    /// The address of the client's server.
    pub server: SocketAddr,
    /// The application or host on the socket.
    pub end: SocketEnd<'a>,
    /// The kind of socket.
    pub kind: SocketKind,
    /// Whether the client only receives messages. It must be ready before others send.
    pub only_hears: bool,
}

/// The application or host on a kernel socket.
pub enum SocketEnd<'a> {
    /// An application directly on the socket.
    Application(Box<dyn Application>),
    /// A host with layers below its application, or with resource limits.
    Host(SocketHost<'a>),
}

/// A host that runs over a kernel socket.
///
/// The segments, windows and mailboxes are the kernel's, even for a resource-constrained device.
pub struct SocketHost<'a> {
    application: Box<dyn Application>,
    stack: &'a StackBuilder,
    host: HostEnd<'a>,
    device: Option<DeviceEnd>,
}

impl SocketHost<'_> {
    /// Returns how the client and its server authenticate each other, or `None` without security.
    #[must_use]
    pub fn secures(&self) -> Option<Secures> {
        self.stack.secures()
    }

    /// Creates the host over a socket. `around` wraps its application.
    #[must_use]
    pub fn on(
        self,
        socket: Box<dyn Transport>,
        around: impl FnOnce(Box<dyn Application>) -> Box<dyn Application>,
    ) -> Box<dyn Host> {
        let host = HostEnd {
            device: self.device.as_ref(),
            ..self.host
        };
        let transport = self.stack.over_socket(&host, socket);
        let host = StackHost::of(transport, around(self.application), Routes::OneInterface);
        living(self.device, Box::new(host))
    }
}

/// A kind of socket of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SocketKind {
    /// A TCP socket.
    Stream,
    /// A UDP socket.
    Datagram,
    /// A UDP socket without fragmentation of datagrams, as QUIC requires (RFC 9000 section 14).
    WholeDatagram,
}

impl<'a> Hosts<'a> {
    /// The same, where servers have other guests.
    pub(crate) fn of_guest(mut self, guest: &'a Guest) -> Result<Self, SpecError> {
        for (name, stack) in &mut self.stacks {
            if !stack.has_layers_over_sockets() {
                continue;
            }
            let path = self.spec.stacks[*name].path();
            let layers = path.strip_suffix("/ip").unwrap_or(&path);
            let met = match guest.trust.server(layers, guest.calendar) {
                Some(server) => stack.meet(&server),
                None => Err("it is not known what its server is called".to_owned()),
            };
            let told = |problem| SpecError::value(format!("stacks.{name}"), problem);
            met.map_err(told)?;
        }
        Ok(Self {
            guest: Some(guest),
            ..self
        })
    }

    /// The clients of all devices that stay, in the order of devices, for sockets.
    pub(crate) fn socket_clients(&self) -> Result<Vec<SocketClient<'_>>, SpecError> {
        let mut clients = Vec::new();
        for (group, numbers) in self.spec.groups.iter().zip(numbers_of_groups(self.spec)) {
            let kinds = group.clients.iter().map(|it| self.socket_kind(&it.stack));
            let kinds: Vec<SocketKind> = kinds.collect::<Result<_, _>>()?;
            let speaks = |place: usize| self.spec.flows_of(group).any(|flow| flow.client == place);
            for (in_run, number) in numbers.zip(0..) {
                let host = self.host_of(group, number, in_run);
                for (place, kind) in kinds.iter().enumerate() {
                    let client = &group.clients[place];
                    let stack = &self.stacks[client.stack.as_str()];
                    let application = self.client(group, place, (host, in_run), 0);
                    let device = group.device.as_ref().map(|it| self.device_end(it));
                    let end = match device.is_some() || stack.has_layers_over_sockets() {
                        false => SocketEnd::Application(application),
                        true => SocketEnd::Host(SocketHost {
                            application,
                            stack,
                            host,
                            device,
                        }),
                    };
                    clients.push(SocketClient {
                        name: format!("{}-{number}", group.name),
                        server: self.address_of(group, client, 0),
                        end,
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

    /// Returns the kernel socket that replaces the lower layers of a stack.
    fn socket_kind(&self, stack: &str) -> Result<SocketKind, SpecError> {
        let spec = &self.spec.stacks[stack];
        let layers: Vec<&str> = spec.layers.iter().map(|layer| &*layer.name).collect();
        match layers[..] {
            [.., "tcp", "ip"] => Ok(SocketKind::Stream),
            ["quic", "udp", "ip"] => Ok(SocketKind::WholeDatagram),
            [.., "udp", "ip"] => Ok(SocketKind::Datagram),
            _ => {
                let problem = format!("{} is carried by no socket", spec.path());
                Err(SpecError::value(format!("stacks.{stack}"), problem))
            }
        }
    }
}
