use std::collections::{BTreeMap, VecDeque};
use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::fd::OwnedFd;

use lasthop_contract::TimerQueue;
use lasthop_live::WallTime;
use lasthop_units::{Duration, Instant};
use rustix::event::epoll;
use rustix::io::Errno;
use rustix::net::{self, AddressFamily, SocketFlags, SocketType, sockopt};
use serde_json::json;

use crate::Flow;

/// Clients that start one after the other, each with the workload of its cell.
///
/// When a flow ends, a line says when `connect` was called and when the connection was there, in nanoseconds since
/// the start of the host.
pub struct Client<W> {
    clock: WallTime,
    server: IpAddr,
    to_start: VecDeque<Flow>,
    start_interval: Duration,
    next_start: Instant,
    patience: Duration,
    epoll: OwnedFd,
    flows: BTreeMap<u16, ClientFlow>,
    timers: TimerQueue<u16>,
    report: W,
}

struct ClientFlow {
    socket: OwnedFd,
    flow: Flow,
    connect: Instant,
    established: Option<Instant>,
    written: usize,
    is_blocked: bool,
    timer: Instant,
}

/// Room for all that a workload writes, so that no write waits for room; for 1 MB the kernel makes it as the window grows.
const SEND_BUFFER: usize = 200_000;

static ZEROS: [u8; 1_000_000] = [0; 1_000_000];

impl<W: Write> Client<W> {
    /// Clients of a server. Each gives up when it has not ended after `patience`.
    ///
    /// # Errors
    /// When the kernel gives no `epoll`.
    pub fn new(
        server: IpAddr,
        flows: impl IntoIterator<Item = Flow>,
        start_interval: Duration,
        patience: Duration,
        report: W,
    ) -> io::Result<Self> {
        let clock = WallTime::of_the_machine();
        Ok(Self {
            clock,
            server,
            to_start: flows.into_iter().collect(),
            start_interval,
            next_start: clock.now(),
            patience,
            epoll: epoll::create(epoll::CreateFlags::CLOEXEC)?,
            flows: BTreeMap::new(),
            timers: TimerQueue::new(),
            report,
        })
    }

    /// Runs until every flow has ended.
    ///
    /// # Errors
    /// When the kernel refuses something that it should not, such as the congestion control.
    pub fn run(&mut self) -> io::Result<()> {
        let mut events = Vec::with_capacity(256);
        while !self.to_start.is_empty() || !self.flows.is_empty() {
            self.start_due()?;
            while let Some(port) = self.timers.pop_due(self.clock.now()) {
                self.advance(port)?;
            }
            events.clear();
            let room = rustix::buffer::spare_capacity(&mut events);
            match epoll::wait(&self.epoll, room, Some(&self.time_to_next())) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            for event in &events {
                self.ready(event.data.u64() as u16, event.flags)?;
            }
        }
        Ok(())
    }

    fn time_to_next(&self) -> rustix::event::Timespec {
        let start = (!self.to_start.is_empty()).then_some(self.next_start);
        let next = self.timers.next_deadline().into_iter().chain(start).min();
        let wait = next.map_or(0, |at| (at - self.clock.now()).as_nanos());
        rustix::event::Timespec {
            tv_sec: (wait / 1_000_000_000) as i64,
            tv_nsec: (wait % 1_000_000_000) as i64,
        }
    }

    fn start_due(&mut self) -> io::Result<()> {
        while self.clock.now() >= self.next_start {
            let Some(flow) = self.to_start.pop_front() else {
                return Ok(());
            };
            self.start(flow)?;
            self.next_start += self.start_interval;
        }
        Ok(())
    }

    fn start(&mut self, flow: Flow) -> io::Result<()> {
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let socket = net::socket_with(AddressFamily::INET, SocketType::STREAM, flags, None)?;
        let port = flow.port();
        net::bind(&socket, &SocketAddr::from((Ipv4Addr::UNSPECIFIED, port)))?;
        sockopt::set_tcp_nodelay(&socket, !flow.cell.workload.has_nagle())?;
        sockopt::set_tcp_congestion(&socket, flow.cell.congestion.name())?;
        if flow.cell.workload.total_size() < SEND_BUFFER {
            sockopt::set_socket_send_buffer_size(&socket, SEND_BUFFER)?;
        }
        let connect = self.clock.now();
        match net::connect(&socket, &SocketAddr::new(self.server, Flow::SERVER_PORT)) {
            Ok(()) | Err(Errno::INPROGRESS) => {}
            Err(error) => return Err(error.into()),
        }
        let data = epoll::EventData::new_u64(u64::from(port));
        let flags = epoll::EventFlags::IN | epoll::EventFlags::OUT;
        epoll::add(&self.epoll, &socket, data, flags)?;
        let timer = connect + self.patience;
        self.timers.arm(timer, port);
        self.flows.insert(
            port,
            ClientFlow {
                socket,
                flow,
                connect,
                established: None,
                written: 0,
                is_blocked: true,
                timer,
            },
        );
        Ok(())
    }

    fn ready(&mut self, port: u16, flags: epoll::EventFlags) -> io::Result<()> {
        let broken = epoll::EventFlags::ERR | epoll::EventFlags::HUP;
        let now = self.clock.now();
        let Some(flow) = self.flows.get_mut(&port) else {
            return Ok(());
        };
        // The server says nothing but that it has everything, by its end of the stream.
        if flags.intersects(broken | epoll::EventFlags::IN) {
            return self.end(port);
        }
        if flags.contains(epoll::EventFlags::OUT) {
            flow.established.get_or_insert(now);
            flow.is_blocked = false;
            let data = epoll::EventData::new_u64(u64::from(port));
            epoll::modify(&self.epoll, &flow.socket, data, epoll::EventFlags::IN)?;
            self.timers.disarm(flow.timer, port);
            return self.advance(port);
        }
        Ok(())
    }

    /// Writes what is due, and arms what comes next.
    fn advance(&mut self, port: u16) -> io::Result<()> {
        let now = self.clock.now();
        let Some(flow) = self.flows.get_mut(&port) else {
            return Ok(());
        };
        let end = flow.connect + self.patience;
        if now >= end {
            return self.end(port);
        }
        flow.timer = end;
        if let Some(established) = flow.established.filter(|_| !flow.is_blocked) {
            let workload = flow.flow.cell.workload;
            let due = workload.written_after(now - established);
            while flow.written < due {
                let size = workload.write_size() - flow.written % workload.write_size();
                match rustix::io::write(&flow.socket, &ZEROS[..size]) {
                    Ok(taken) => flow.written += taken,
                    Err(Errno::AGAIN) => {
                        flow.is_blocked = true;
                        let data = epoll::EventData::new_u64(u64::from(port));
                        let flags = epoll::EventFlags::IN | epoll::EventFlags::OUT;
                        epoll::modify(&self.epoll, &flow.socket, data, flags)?;
                        break;
                    }
                    Err(_) => return self.end(port),
                }
            }
            if workload.ends_stream() && flow.written == workload.total_size() {
                // Twice does no harm.
                net::shutdown(&flow.socket, net::Shutdown::Write)?;
            }
            if !flow.is_blocked && flow.written < workload.total_size() {
                let next = established + workload.due(flow.written / workload.write_size());
                flow.timer = next.min(end);
            }
        }
        self.timers.arm(flow.timer, port);
        Ok(())
    }

    fn end(&mut self, port: u16) -> io::Result<()> {
        if let Some(flow) = self.flows.remove(&port) {
            self.timers.disarm(flow.timer, port);
            let line = flow.flow.record(&json!({
                "arrivals": flow.flow.cell.workload.arrivals(),
                "together": flow.flow.cell.workload.together(),
                "interval_ns": flow.flow.cell.workload.interval().as_nanos(),
                "connect_ns": flow.connect.as_nanos(),
                "established_ns": flow.established.map(Instant::as_nanos),
            }));
            writeln!(self.report, "{line}")?;
            self.report.flush()?;
        }
        Ok(())
    }
}
