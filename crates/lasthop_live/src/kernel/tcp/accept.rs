use core::net::SocketAddr;
use std::cell::Cell;
use std::os::fd::OwnedFd;

use lasthop_contract::{ConnectionId, Established, TransportEvent};
use lasthop_transport::place_of;
use rustix::io::Errno;
use rustix::net::{SocketFlags, acceptfrom_with, sockopt};

use super::KernelTcp;
use crate::kernel::tcp_flow::{Phase, TcpFlow};
use crate::poller::Interest;

/// How many connections are accepted before others get their turn.
const ACCEPTS_A_TURN: usize = 64;

impl KernelTcp {
    /// Accepts the connections that wait at a listener.
    pub(super) fn accept(&mut self, listener: usize) {
        for _ in 0..ACCEPTS_A_TURN {
            let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
            match acceptfrom_with(&self.listeners[listener].socket, flags) {
                Ok((socket, address)) => {
                    let peer = address.and_then(|address| address.try_into().ok());
                    // Who is gone already has no address.
                    if let Some(peer) = peer {
                        self.accepted(listener, socket, peer);
                    }
                }
                Err(Errno::MFILE | Errno::NFILE) => return self.refuse_one(listener),
                // Nobody waits, or who waited has gone.
                Err(_) => return,
            }
        }
    }

    pub(super) fn accepted(&mut self, listener: usize, socket: OwnedFd, peer: SocketAddr) {
        let of_address = self.by_address.get(&peer.ip()).copied().unwrap_or(0);
        if self.tally.open.get() >= self.limits.connections
            || of_address >= self.limits.connections_per_address
        {
            count(&self.tally.refused);
            return;
        }
        // Each side of a protocol says what it has to say in one go.
        let _ = sockopt::set_tcp_nodelay(&socket, true);
        let port = self.listeners[listener].address().port();
        let flow = TcpFlow::new(socket, peer, port, Phase::Open);
        if let Some(id) = self.add(flow) {
            count(&self.tally.accepted);
            self.emit(id, TransportEvent::Established(Established::Full));
        }
    }

    /// Closes a waiting connection although no file descriptor is free, because the listener would otherwise stay
    /// readable.
    pub(super) fn refuse_one(&mut self, listener: usize) {
        self.reserve = None;
        let waiting = &self.listeners[listener].socket;
        if acceptfrom_with(waiting, SocketFlags::CLOEXEC).is_ok() {
            count(&self.tally.refused);
        }
        self.reserve = waiting.try_clone().ok();
    }

    pub(super) fn add(&mut self, flow: TcpFlow) -> Option<ConnectionId> {
        let address = flow.peer.ip();
        let id = self.flows.add(flow);
        let place = place_of(id);
        if self.at_place.len() <= place {
            self.at_place.resize(place + 1, id);
        }
        self.at_place[place] = id;
        let flow = self.flows.get(id)?;
        let watched = self
            .lane
            .watch(&flow.socket, place as u64, Interest::Changes);
        if watched.is_err() {
            self.flows.remove(id);
            return None;
        }
        *self.by_address.get_or_insert_with(address, || 0) += 1;
        self.tally.open.set(self.tally.open.get() + 1);
        Some(id)
    }

    pub(super) fn remove(&mut self, id: ConnectionId) -> Option<TcpFlow> {
        let flow = self.flows.remove(id)?;
        if self.scratch_of == Some(id) {
            self.scratch_of = None;
        }
        let address = flow.peer.ip();
        match self.by_address.get_mut(&address) {
            Some(count) if *count > 1 => *count -= 1,
            _ => {
                self.by_address.remove(&address);
            }
        }
        self.tally.open.set(self.tally.open.get() - 1);
        Some(flow)
    }
}

fn count(counter: &Cell<u64>) {
    counter.set(counter.get() + 1);
}
