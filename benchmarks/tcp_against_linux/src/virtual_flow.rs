use core::cell::RefCell;
use core::net::{IpAddr, Ipv4Addr, SocketAddr};
use core::sync::atomic::AtomicBool;
use std::rc::Rc;
use std::sync::Arc;

use lasthop_contract::{
    Direction, DropReason, HostEvent, InterfaceId, Link, Packet, PathId, Port, RandomStream, Spans,
};
use lasthop_engine::{HostId, LinkId, Observer, Outcome, Simulation, VirtualClock};
use lasthop_transport::tcp::{self, Tcp, TcpProfile};
use lasthop_transport::{Routes, StackHost};
use lasthop_units::{Duration, Instant};

use crate::ends::{Receiver, Sender, Times};
use crate::{CongestionControl, Flow};

/// A flow over our TCP, in virtual time.
#[derive(Clone, Debug)]
pub struct VirtualFlow {
    /// Which one.
    pub flow: Flow,
    /// The seed of the losses, and of our TCP's own randomness.
    pub seed: u64,
    /// When it counts as not completed.
    pub patience: Duration,
}

const CLIENT: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 79, 0, 1));
/// The largest that the kernel makes (`tcp_wmem`, `tcp_rmem`).
const KERNEL_SEND_BUFFER: u32 = 4_194_304;
const KERNEL_RECEIVE_BUFFER: u32 = 6_291_456;
const SERVER: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 79, 0, 2));

impl VirtualFlow {
    /// Runs the flow over its own path.
    #[must_use]
    pub fn run(&self) -> Times {
        self.run_over(self.flow.link(self.seed))
    }

    /// Runs the flow over a link: the client is at port 0, the server at port 1.
    ///
    /// # Panics
    /// When our TCP waits for the past, that is by a mistake of ours.
    #[must_use]
    pub fn run_over(&self, link: impl Link + 'static) -> Times {
        let times = Rc::new(RefCell::new(Times::default()));
        let workload = self.flow.cell.workload;
        let server = SocketAddr::new(SERVER, Flow::SERVER_PORT);
        let sender = Sender::new(server, workload, Rc::clone(&times));
        let receiver = Receiver::new(workload, Rc::clone(&times));
        let watch = Watch {
            times: Rc::clone(&times),
            whole: workload.arrivals(),
            end: Instant::ZERO + self.patience,
        };
        let mut simulation = Simulation::new(VirtualClock, watch);
        let client = StackHost::new(
            Box::new(self.tcp(CLIENT, "client")),
            sender,
            Routes::OneInterface,
        );
        let server = StackHost::new(
            Box::new(self.tcp(SERVER, "server")),
            receiver,
            Routes::OneInterface,
        );
        let client = simulation.add_host(Box::new(client), Direction::Up);
        let server = simulation.add_host(Box::new(server), Direction::Down);
        let path = simulation.add_link(Box::new(link));
        simulation.attach(client, path, Port(0));
        simulation.attach(server, path, Port(1));
        let outcome = simulation.run(&AtomicBool::new(false));
        assert!(outcome != Outcome::Stalled, "time does not advance");
        drop(simulation);
        times.take()
    }

    fn tcp(&self, address: IpAddr, end: &str) -> Tcp {
        let cell = self.flow.cell;
        let mut profile = TcpProfile {
            nodelay: !cell.workload.has_nagle(),
            timestamps: cell.timestamps,
            congestion: match cell.congestion {
                CongestionControl::Reno => tcp::CongestionControl::Reno,
                CongestionControl::Cubic | CongestionControl::Bbr => tcp::CongestionControl::Cubic,
            },
            ..TcpProfile::linux()
        };
        // Buffers that the kernel makes larger as windows grow; ours are of one size.
        if cell.workload.total_size() > profile.send_buffer as usize {
            (profile.send_buffer, profile.receive_buffer) =
                (KERNEL_SEND_BUFFER, KERNEL_RECEIVE_BUFFER);
        }
        if let (Some(window), "server") = (cell.workload.window(), end) {
            profile.receive_buffer = window;
        }
        let name = format!("cell/{}/flow/{}/{end}/tcp", cell.index, self.flow.number);
        let stream = RandomStream::named(self.seed, &name);
        Tcp::new(address, Arc::new(profile), stream)
    }
}

/// Ends the run when all has arrived.
struct Watch {
    times: Rc<RefCell<Times>>,
    whole: usize,
    end: Instant,
}

impl Observer for Watch {
    fn transmitted(&mut self, _: Instant, _: HostId, _: InterfaceId, _: &Packet) {}

    fn received(&mut self, _: Instant, _: HostId, _: InterfaceId, _: &Packet) {}

    fn dropped(&mut self, _: Instant, _: LinkId, _: &Packet, _: DropReason) {}

    fn duplicated(&mut self, _: Instant, _: u64, _: Direction, _: PathId, _: &Spans) {}

    fn host_event(&mut self, _: Instant, _: HostId, _: Direction, _: &HostEvent) {}

    fn horizon(&self) -> Instant {
        let times = self.times.borrow();
        match times.arrivals.last() {
            Some(last) if times.arrivals.len() == self.whole => *last,
            _ => self.end,
        }
    }
}
