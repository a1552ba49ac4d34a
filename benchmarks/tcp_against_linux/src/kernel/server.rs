use std::collections::BTreeMap;
use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::os::fd::OwnedFd;

use lasthop_live::WallTime;
use lasthop_units::Instant;
use rustix::event::epoll;
use rustix::io::Errno;
use rustix::net::{self, AddressFamily, SocketFlags, SocketType, sockopt};
use serde_json::json;

use crate::Flow;

/// A server that reads what the clients write, and closes a flow when it has everything.
///
/// A line for each flow says when the last byte of each write was read, in nanoseconds since the start of the host.
pub struct Server<W> {
    clock: WallTime,
    listener: OwnedFd,
    epoll: OwnedFd,
    flows: BTreeMap<u16, ServerFlow>,
    buffer: Box<[u8]>,
    report: W,
}

struct ServerFlow {
    socket: OwnedFd,
    flow: Flow,
    read: usize,
    arrivals: Vec<u64>,
}

/// No port of a flow.
const LISTENER: u64 = u64::MAX;

const BACKLOG: i32 = 4096;

impl<W: Write> Server<W> {
    /// A server that listens, with so many bytes of receive buffer for each flow where it says how many.
    ///
    /// # Errors
    /// When the port is taken.
    pub fn new(report: W, receive_buffer: Option<usize>) -> io::Result<Self> {
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let listener = net::socket_with(AddressFamily::INET, SocketType::STREAM, flags, None)?;
        sockopt::set_tcp_nodelay(&listener, true)?;
        if let Some(size) = receive_buffer {
            sockopt::set_socket_recv_buffer_size(&listener, size)?;
        }
        let address = SocketAddr::from((Ipv4Addr::UNSPECIFIED, Flow::SERVER_PORT));
        net::bind(&listener, &address)?;
        net::listen(&listener, BACKLOG)?;
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let data = epoll::EventData::new_u64(LISTENER);
        epoll::add(&epoll, &listener, data, epoll::EventFlags::IN)?;
        Ok(Self {
            clock: WallTime::of_the_machine(),
            listener,
            epoll,
            flows: BTreeMap::new(),
            buffer: vec![0; 1 << 16].into_boxed_slice(),
            report,
        })
    }

    /// Serves until the process is ended.
    ///
    /// # Errors
    /// When the kernel refuses something that it should not.
    pub fn run(&mut self) -> io::Result<()> {
        let mut events = Vec::with_capacity(256);
        loop {
            events.clear();
            let room = rustix::buffer::spare_capacity(&mut events);
            match epoll::wait(&self.epoll, room, None) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            for event in &events {
                match event.data.u64() {
                    LISTENER => self.accept()?,
                    port => self.read(port as u16)?,
                }
            }
        }
    }

    fn accept(&mut self) -> io::Result<()> {
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        loop {
            let (socket, peer) = match net::acceptfrom_with(&self.listener, flags) {
                Ok(accepted) => accepted,
                Err(Errno::AGAIN) => return Ok(()),
                // The client has gone again.
                Err(Errno::CONNABORTED | Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            };
            let peer = peer.and_then(|peer| SocketAddr::try_from(peer).ok());
            let Some(flow) = peer.and_then(|peer| Flow::at_port(peer.port())) else {
                continue;
            };
            let data = epoll::EventData::new_u64(u64::from(flow.port()));
            epoll::add(&self.epoll, &socket, data, epoll::EventFlags::IN)?;
            let workload = flow.cell.workload;
            self.flows.insert(
                flow.port(),
                ServerFlow {
                    socket,
                    flow,
                    read: 0,
                    arrivals: Vec::with_capacity(workload.writes()),
                },
            );
        }
    }

    fn read(&mut self, port: u16) -> io::Result<()> {
        let Some(flow) = self.flows.get_mut(&port) else {
            return Ok(());
        };
        loop {
            match rustix::io::read(&flow.socket, &mut *self.buffer) {
                Err(Errno::AGAIN) => return Ok(()),
                Ok(0) => {
                    flow.end(self.clock.now());
                    break;
                }
                Err(_) => break,
                Ok(length) => flow.take(length, self.clock.now()),
            }
            let workload = flow.flow.cell.workload;
            if flow.read >= workload.total_size() && !workload.ends_stream() {
                break;
            }
        }
        if let Some(flow) = self.flows.remove(&port) {
            let arrivals = json!({ "arrivals_ns": flow.arrivals });
            let line = flow.flow.record(&arrivals);
            writeln!(self.report, "{line}")?;
            self.report.flush()?;
        }
        Ok(())
    }
}

impl ServerFlow {
    /// The client has ended its stream.
    fn end(&mut self, now: Instant) {
        if self.flow.cell.workload.ends_stream() {
            self.arrivals.push(now.as_nanos());
        }
    }

    fn take(&mut self, length: usize, now: Instant) {
        self.read += length;
        let whole = self.read / self.flow.cell.workload.write_size();
        self.arrivals.resize(whole, now.as_nanos());
    }
}
