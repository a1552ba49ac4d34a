use core::net::{IpAddr, SocketAddr};
use std::cell::Cell;
use std::os::fd::{AsFd, OwnedFd};
use std::rc::Rc;

use lasthop_contract::{HostInput, InterfaceId, Mtu};

use super::{EmulationSpec, Emulator, EmulatorError, Ends};
use crate::Listener;
use crate::relay::Relay;

/// The listeners in front of a server. Their connections and datagrams reach the server through a path.
#[derive(Debug)]
pub struct BeforeServer {
    /// The listening TCP socket and the bound UDP socket.
    pub listeners: [OwnedFd; 2],
    /// The server's address, as seen from the emulator's thread.
    pub server: SocketAddr,
    /// The largest packet of the path, in bytes.
    pub mtu_bytes: u16,
}

/// Of the two ends of a path that is simulated from our TCP to our TCP.
const NEAR: IpAddr = IpAddr::V4(core::net::Ipv4Addr::new(10, 77, 0, 1));
const FAR: IpAddr = IpAddr::V4(core::net::Ipv4Addr::new(10, 77, 0, 2));

impl Emulator {
    /// Creates a path between two devices, and the relay from listeners behind its far end to a server.
    ///
    /// # Errors
    /// [`EmulatorError`], when the path, a capture or a descriptor cannot be.
    pub fn before_server(
        spec: &EmulationSpec,
        [near, far]: [OwnedFd; 2],
        before: BeforeServer,
    ) -> Result<Self, EmulatorError> {
        Self::between(spec, |poller| {
            let [tcp, udp] = before.listeners;
            let listeners = [Listener::of_socket(tcp)?, Listener::of_socket(udp)?];
            let relay = Relay::of_kernel(poller, listeners, before.server)?;
            let ends = Ends::of_devices(near.as_fd(), far.as_fd(), poller)?;
            Ok(Ends {
                beside: Some(Box::new(relay)),
                ..ends
            })
        })
    }

    /// Creates a path from listeners to a server. On the path, lasthop's own TCP and UDP carry the data.
    ///
    /// # Errors
    /// [`EmulatorError`], when the path, a capture or a descriptor cannot be.
    pub fn proxy(spec: &EmulationSpec, before: BeforeServer) -> Result<Self, EmulatorError> {
        let seed = spec.path.seed;
        let far = SocketAddr::new(FAR, before.server.port());
        let mut emulator = Self::between(spec, |poller| {
            let [tcp, udp] = before.listeners;
            let listeners = [Listener::of_socket(tcp)?, Listener::of_socket(udp)?];
            let near = Relay::into_path(poller, listeners, (NEAR, seed), far)?;
            let server = Relay::out_of_path(poller, (far, seed), before.server)?;
            Ok(Ends {
                hosts: [Box::new(near), Box::new(server)],
                refused: [Rc::new(Cell::new(0)), Rc::new(Cell::new(0))],
                beside: None,
            })
        })?;
        let mtu = Mtu {
            interface_bytes: before.mtu_bytes,
            path_bytes: before.mtu_bytes,
        };
        for host in emulator.changing.hosts() {
            let interface = InterfaceId(0);
            emulator
                .run
                .tell(host, HostInput::InterfaceMtu { interface, mtu });
        }
        Ok(emulator)
    }
}
