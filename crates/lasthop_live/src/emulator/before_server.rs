use core::net::{IpAddr, SocketAddr};
use std::cell::Cell;
use std::os::fd::{AsFd, OwnedFd};
use std::rc::Rc;

use lasthop_contract::{HostInput, InterfaceId, Mtu};

use super::{EmulationSpec, Emulator, EmulatorError, Ends};
use crate::Listener;
use crate::relay::Relay;

/// What stands before a server: listeners, whose connections and datagrams go on to it through a path.
#[derive(Debug)]
pub struct BeforeServer {
    /// The socket that listens for TCP, and the one that is bound for UDP.
    pub listeners: [OwnedFd; 2],
    /// Where the server is, for the thread of the emulator.
    pub server: SocketAddr,
    /// The largest packet of the path.
    pub mtu_bytes: u16,
}

/// Of the two ends of a path that is simulated from our TCP to our TCP.
const NEAR: IpAddr = IpAddr::V4(core::net::Ipv4Addr::new(10, 77, 0, 1));
const FAR: IpAddr = IpAddr::V4(core::net::Ipv4Addr::new(10, 77, 0, 2));

impl Emulator {
    /// A path between two devices, and what carries on to a server what comes to listeners behind the far one.
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

    /// A path that begins at listeners and ends at a server: between both, TCP and UDP are ours, and so are the packets.
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
