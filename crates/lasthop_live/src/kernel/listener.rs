use core::net::SocketAddr;
use std::io;
use std::os::fd::OwnedFd;

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::net::{
    AddressFamily, SocketFlags, SocketType, bind, getsockname, listen, socket_with, sockopt,
};
use thiserror::Error;

/// A socket on which a server listens: a listening stream socket or a bound datagram socket.
#[derive(Debug)]
pub struct Listener {
    pub(crate) socket: OwnedFd,
    address: SocketAddr,
}

/// An address cannot be listened on.
#[derive(Debug, Error)]
#[error("{address}: {source}")]
pub struct ListenerError {
    /// The address.
    pub address: SocketAddr,
    /// The cause.
    pub source: io::Error,
}

/// How many connections may wait to be accepted, as far as `net.core.somaxconn` allows it.
const BACKLOG: i32 = 4096;

impl Listener {
    /// Listens for connections. Port 0 selects a free one.
    ///
    /// # Errors
    /// When the address is taken, is none of this machine's, or needs rights.
    pub fn stream(address: SocketAddr) -> Result<Self, ListenerError> {
        Self::open(address, SocketType::STREAM)
    }

    /// Listens for datagrams. Port 0 selects a free one.
    ///
    /// # Errors
    /// When the address is taken, is none of this machine's, or needs rights.
    pub fn datagram(address: SocketAddr) -> Result<Self, ListenerError> {
        Self::open(address, SocketType::DGRAM)
    }

    /// Takes over a socket that another language has bound. A stream socket must already listen.
    ///
    /// # Errors
    /// If it is not an IP socket.
    pub fn of_socket(socket: OwnedFd) -> io::Result<Self> {
        let flags = fcntl_getfl(&socket)?;
        fcntl_setfl(&socket, flags | OFlags::NONBLOCK)?;
        let address = getsockname(&socket)?.try_into()?;
        Ok(Self { socket, address })
    }

    /// Returns the local address.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    fn open(address: SocketAddr, kind: SocketType) -> Result<Self, ListenerError> {
        let opened = || -> io::Result<Self> {
            let socket = open_socket(address, kind)?;
            if kind == SocketType::STREAM {
                // Connections of an earlier server that has just ended do not hold the port.
                sockopt::set_socket_reuseaddr(&socket, true)?;
            }
            if address.is_ipv6() {
                // `[::]` is IPv6 alone, so that 0.0.0.0 can be listened at beside it.
                sockopt::set_ipv6_v6only(&socket, true)?;
            }
            bind(&socket, &address)?;
            if kind == SocketType::STREAM {
                listen(&socket, BACKLOG)?;
            }
            let address = getsockname(&socket)?.try_into()?;
            Ok(Self { socket, address })
        };
        opened().map_err(|source| ListenerError { address, source })
    }
}

/// Opens a non-blocking socket.
pub(super) fn open_socket(peer: SocketAddr, kind: SocketType) -> rustix::io::Result<OwnedFd> {
    let family = if peer.is_ipv4() {
        AddressFamily::INET
    } else {
        AddressFamily::INET6
    };
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    socket_with(family, kind, flags, None)
}
