//! The kernel's TCP and UDP keep the contract that our own keep.

use core::net::SocketAddr;
use core::sync::atomic::AtomicBool;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, Cause, Chunk, CloseReason, ConnectionId,
    Direction, Layer, Provenance, ReadOutcome, ResetReason, Transport, TransportEvent,
};
use lasthop_live::{
    ConnectionLimits, KernelTcp, KernelUdp, Listener, LiveRun, Poller, WallTime, Watch, live_run,
};
use lasthop_transport::{PeerLimit, Routes, StackHost, Tcp};
use lasthop_units::{Duration, Instant};

const PAYLOAD: Provenance = Provenance::new(Layer::Application, Cause::Payload);

/// Longer than any test takes on any machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// What an end of a connection does, and what it has seen.
#[derive(Default)]
struct End {
    peer: Option<SocketAddr>,
    to_send: Vec<u8>,
    sent: usize,
    finishes: bool,
    /// Sends only when the other end has finished.
    answers: bool,
    /// Reads nothing before it has been told so.
    may_read: bool,
    resets: bool,
    seen: Rc<Seen>,
}

#[derive(Default)]
struct Seen {
    connection: Cell<Option<ConnectionId>>,
    received: RefCell<Vec<u8>>,
    has_peer_finished: Cell<bool>,
    was_blocked: Cell<bool>,
    closed: Cell<Option<CloseReason>>,
}

impl End {
    fn reading() -> Self {
        Self {
            may_read: true,
            ..Self::default()
        }
    }

    fn write(&mut self, now: Instant, id: ConnectionId, transport: &mut dyn Transport) {
        if self.answers && !self.seen.has_peer_finished.get() {
            return;
        }
        while self.sent < self.to_send.len() {
            let end = self.to_send.len().min(self.sent + 10_000);
            let chunk = Chunk {
                bytes: &self.to_send[self.sent..end],
                provenance: PAYLOAD,
            };
            match transport.write(now, id, Tcp::STREAM, &[chunk]) {
                Ok(0) | Err(_) => return self.seen.was_blocked.set(true),
                Ok(taken) => self.sent += taken,
            }
        }
        if self.finishes {
            self.finishes = false;
            transport.finish(now, id, Tcp::STREAM);
        }
    }

    fn read(&mut self, now: Instant, id: ConnectionId, transport: &mut dyn Transport) {
        let mut buffer = [0; 700];
        if !self.may_read {
            return;
        }
        loop {
            match transport.read(now, id, Tcp::STREAM, &mut buffer) {
                Ok(ReadOutcome::Read(length)) => {
                    let mut received = self.seen.received.borrow_mut();
                    received.extend_from_slice(&buffer[..length]);
                }
                Ok(ReadOutcome::Finished) => return self.seen.has_peer_finished.set(true),
                Ok(ReadOutcome::Blocked) | Err(_) => return,
            }
        }
    }
}

impl Application for End {
    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        match input {
            ApplicationInput::Start => match self.peer {
                Some(peer) => {
                    transport.open(now, peer, &[]).unwrap();
                }
                None => transport.listen(1).unwrap(),
            },
            ApplicationInput::Transport(id, event) => {
                match event {
                    TransportEvent::Established(_) => {
                        self.seen.connection.set(Some(id));
                        if self.resets {
                            transport.reset(now, id, ResetReason::NotNeeded);
                        }
                    }
                    TransportEvent::Readable(_) => self.read(now, id, transport),
                    TransportEvent::Closed(reason) => self.seen.closed.set(Some(reason)),
                    _ => {}
                }
                self.write(now, id, transport);
            }
            // A slow reader wakes up.
            ApplicationInput::Timeout => {
                self.may_read = true;
                if let Some(id) = self.seen.connection.get() {
                    self.read(now, id, transport);
                    self.write(now, id, transport);
                }
            }
            _ => {}
        }
    }

    fn poll(&mut self, now: Instant, _: &mut dyn Transport) -> ApplicationOutput {
        let wakes = !self.may_read && self.seen.connection.get().is_some();
        let later = now + Duration::from_millis(50);
        ApplicationOutput::WaitUntil(wakes.then_some(later))
    }
}

/// Two ends on sockets of the kernel, in one loop.
struct World {
    run: LiveRun<Watch>,
    time: WallTime,
}

impl World {
    fn of_tcp(client: End, server: End) -> Self {
        let poller = Poller::new().unwrap();
        let listener = Listener::stream("127.0.0.1:0".parse().unwrap()).unwrap();
        let peer = Some(listener.address());
        let server_tcp =
            KernelTcp::server(&poller, vec![listener], ConnectionLimits::NONE).unwrap();
        let client = End { peer, ..client };
        Self::new(
            &poller,
            (KernelTcp::client(&poller), client),
            (server_tcp, server),
        )
    }

    fn new(
        poller: &Rc<Poller>,
        client: (impl Transport + 'static, impl Application + 'static),
        server: (impl Transport + 'static, impl Application + 'static),
    ) -> Self {
        let time = WallTime::starting_now();
        let mut run = live_run(time, poller, Watch::until(Instant::ZERO, Rc::default()));
        let server = StackHost::new(Box::new(server.0), server.1, Routes::OneInterface);
        let client = StackHost::new(Box::new(client.0), client.1, Routes::OneInterface);
        let server = run.add_host(Box::new(server), Direction::Down);
        let client = run.add_host(Box::new(client), Direction::Up);
        for host in [server, client] {
            run.open_to_outside(host);
        }
        Self { run, time }
    }

    fn run_until(&mut self, is_done: impl Fn() -> bool) {
        let end = self.time.now() + PATIENCE;
        while !is_done() {
            assert!(self.time.now() < end, "it is not done in time");
            self.run.observer_mut().end = self.time.now() + Duration::from_millis(5);
            self.run.run(&AtomicBool::new(false));
        }
    }
}

fn bytes(count: usize) -> Vec<u8> {
    (0..count).map(|place| (place % 251) as u8).collect()
}

#[test]
fn a_stream_arrives_whole_and_both_ends_may_finish_in_their_own_time() {
    let client = End {
        to_send: bytes(3_000_000),
        finishes: true,
        ..End::reading()
    };
    let server = End {
        to_send: bytes(500_000),
        finishes: true,
        answers: true,
        ..End::reading()
    };
    let (near, far) = (Rc::clone(&client.seen), Rc::clone(&server.seen));
    let mut world = World::of_tcp(client, server);
    world.run_until(|| near.closed.get().is_some() && far.closed.get().is_some());
    assert!(*far.received.borrow() == bytes(3_000_000));
    assert!(*near.received.borrow() == bytes(500_000));
    let reasons = [near.closed.get(), far.closed.get()];
    assert_eq!(reasons, [Some(CloseReason::Finished); 2]);
}

#[test]
fn who_does_not_read_slows_the_sender_and_loses_nothing() {
    let client = End {
        to_send: bytes(20_000_000),
        finishes: true,
        ..End::reading()
    };
    let server = End::default();
    let (near, far) = (Rc::clone(&client.seen), Rc::clone(&server.seen));
    let mut world = World::of_tcp(client, server);
    world.run_until(|| far.has_peer_finished.get());
    assert!(near.was_blocked.get(), "the sender has waited");
    assert!(*far.received.borrow() == bytes(20_000_000));
}

#[test]
fn a_reset_is_told_to_both_ends() {
    let client = End {
        resets: true,
        ..End::reading()
    };
    let (near, far) = (Rc::clone(&client.seen), Rc::default());
    let server = End {
        seen: Rc::clone(&far),
        ..End::reading()
    };
    let mut world = World::of_tcp(client, server);
    world.run_until(|| near.closed.get().is_some() && far.closed.get().is_some());
    let ours = CloseReason::Reset(ResetReason::NotNeeded);
    let reasons = [near.closed.get(), far.closed.get()];
    assert_eq!(reasons, [Some(ours), Some(CloseReason::PeerReset)]);
}

#[test]
fn a_connection_that_nobody_takes_is_closed() {
    let poller = Poller::new().unwrap();
    let listener = Listener::stream("127.0.0.1:0".parse().unwrap()).unwrap();
    // Bound and not accepting: a datagram socket has the number, no stream socket does.
    let nobody = Listener::datagram("127.0.0.1:0".parse().unwrap()).unwrap();
    let client = End {
        peer: Some(nobody.address()),
        ..End::reading()
    };
    let near = Rc::clone(&client.seen);
    let server = KernelTcp::server(&poller, vec![listener], ConnectionLimits::NONE).unwrap();
    let tcp = KernelTcp::client(&poller);
    let tally = tcp.tally();
    let mut world = World::new(&poller, (tcp, client), (server, End::reading()));
    world.run_until(|| near.closed.get().is_some());
    assert_eq!(near.closed.get(), Some(CloseReason::PeerReset));
    assert_eq!(tally.open.get(), 0);
    assert!(tally.last_error.get().is_some());
}

#[test]
fn an_address_that_is_listened_at_is_taken() {
    let listener = Listener::stream("[::1]:0".parse().unwrap()).unwrap();
    let error = Listener::stream(listener.address()).unwrap_err();
    assert_eq!(error.address, listener.address());
    let listener = Listener::datagram("127.0.0.1:0".parse().unwrap()).unwrap();
    assert!(Listener::datagram(listener.address()).is_err());
}

/// Sends its datagrams, one after the other is back.
struct Pinger {
    peer: Option<SocketAddr>,
    left: u32,
    came_back: Rc<Cell<u32>>,
    closed: Rc<Cell<bool>>,
}

impl Application for Pinger {
    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        match (input, self.peer) {
            (ApplicationInput::Start, Some(peer)) => {
                let chunk = Chunk {
                    bytes: b"first",
                    provenance: PAYLOAD,
                };
                transport.open(now, peer, &[chunk]).unwrap();
            }
            (ApplicationInput::Start, None) => transport.listen(1).unwrap(),
            (ApplicationInput::Transport(id, TransportEvent::DatagramReadable), _) => {
                while let Some(datagram) = transport.receive_datagram(id) {
                    self.came_back.set(self.came_back.get() + 1);
                    if self.left > 0 {
                        self.left -= 1;
                        let chunk = Chunk {
                            bytes: &datagram,
                            provenance: PAYLOAD,
                        };
                        transport.send_datagram(now, id, &[chunk]).unwrap();
                    }
                }
            }
            (ApplicationInput::Transport(_, TransportEvent::Closed(_)), _) => self.closed.set(true),
            _ => {}
        }
    }

    fn poll(&mut self, _: Instant, _: &mut dyn Transport) -> ApplicationOutput {
        ApplicationOutput::WaitUntil(None)
    }
}

fn pinger(peer: Option<SocketAddr>, left: u32) -> Pinger {
    Pinger {
        peer,
        left,
        came_back: Rc::default(),
        closed: Rc::default(),
    }
}

#[test]
fn datagrams_come_and_go_by_the_flow_of_their_peer() {
    let poller = Poller::new().unwrap();
    let listener = Listener::datagram("[::1]:0".parse().unwrap()).unwrap();
    let client = pinger(Some(listener.address()), 99);
    let came_back = Rc::clone(&client.came_back);
    let limit = PeerLimit {
        peers: 1,
        rest: PATIENCE,
    };
    let udp = KernelUdp::server(&poller, vec![listener], limit).unwrap();
    let server = pinger(None, u32::MAX);
    let mut world = World::new(&poller, (KernelUdp::client(&poller), client), (udp, server));
    world.run_until(|| came_back.get() == 100);
}

#[test]
fn a_datagram_to_nobody_closes_its_flow() {
    let poller = Poller::new().unwrap();
    let gone = Listener::datagram("127.0.0.1:0".parse().unwrap()).unwrap();
    let nobody = gone.address();
    drop(gone);
    let client = pinger(Some(nobody), 0);
    let closed = Rc::clone(&client.closed);
    let listener = Listener::datagram("[::1]:0".parse().unwrap()).unwrap();
    let limit = PeerLimit {
        peers: 1,
        rest: PATIENCE,
    };
    let udp = KernelUdp::server(&poller, vec![listener], limit).unwrap();
    let client = (KernelUdp::client(&poller), client);
    let mut world = World::new(&poller, client, (udp, pinger(None, 0)));
    world.run_until(|| closed.get());
}
