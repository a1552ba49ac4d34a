use lasthop_contract::ResetReason;
use lasthop_units::Instant;

use super::member::Member;
use super::{Carrier, Crowd};
use crate::containment::{Panic, attempt};

impl Crowd {
    /// Ends a client that panicked, with its connections. Other clients continue.
    pub(super) fn fail(&mut self, now: Instant, number: u32, panic: &Panic) {
        self.failures.ended_client(number, panic);
        let client = &mut self.clients[number as usize];
        let failed = core::mem::replace(&mut client.member, Member::Failed);
        // What it holds may be half changed. Where its end panics as well, nothing more is lost.
        let _ = attempt(|| drop(failed));
        self.set_up.gone(number);
        for carrier in &self.transports {
            let Carrier {
                transport,
                owners,
                deadline,
            } = &mut *carrier.borrow_mut();
            for connection in owners.all_of(number) {
                transport.reset(now, connection, ResetReason::Failed);
                *deadline = Some(Instant::ZERO);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use core::net::SocketAddr;
    use std::cell::Cell;
    use std::rc::Rc;

    use lasthop_contract::{
        Application, ApplicationInput, ApplicationOutput, Host, HostInput, HostOutput, Transport,
        TransportEvent,
    };
    use lasthop_world::{SocketClient, SocketEnd, SocketKind};

    use super::*;
    use crate::{ConnectionLimits, KernelTcp, Listener, Poller, WallTime};

    /// A client that counts what happens to its connection, and may panic over it.
    struct Client {
        server: SocketAddr,
        panics: bool,
        events: Rc<Cell<u32>>,
    }

    impl Application for Client {
        fn handle(
            &mut self,
            now: Instant,
            input: ApplicationInput<'_>,
            transport: &mut dyn Transport,
        ) {
            match input {
                ApplicationInput::Start => {
                    let opened = transport.open(now, self.server, &[]);
                    assert!(opened.is_ok(), "a port is free");
                }
                ApplicationInput::Transport(_, event) => {
                    assert!(!self.panics, "as a fault does");
                    assert!(matches!(event, TransportEvent::Established(_)));
                    self.events.set(self.events.get() + 1);
                }
                _ => {}
            }
        }

        fn poll(&mut self, _: Instant, _: &mut dyn Transport) -> ApplicationOutput {
            ApplicationOutput::WaitUntil(None)
        }
    }

    #[test]
    fn a_client_that_panics_ends_alone_with_its_connection() {
        let poller = Poller::new().expect("the kernel has epoll");
        let listener = Listener::stream(([127, 0, 0, 1], 0).into()).expect("a port is free");
        let at = listener.address();
        let mut server = KernelTcp::server(&poller, vec![listener], ConnectionLimits::NONE)
            .expect("it is watched");
        let tally = server.tally();
        let events = Rc::<Cell<u32>>::default();
        let clients = [true, false, true].map(|panics| SocketClient {
            name: "device-0".into(),
            server: at,
            end: SocketEnd::Application(Box::new(Client {
                server: at,
                panics,
                events: Rc::clone(&events),
            })),
            kind: SocketKind::Stream,
            only_hears: true,
        });
        let time = WallTime::starting_now();
        let mut crowd = Crowd::new(Vec::from(clients), time, &poller);
        crowd.handle(time.now(), HostInput::Start);
        let mut rest = 1_000;
        while (crowd.failures.count(), events.get()) != (2, 1) || tally.open.get() != 1 {
            let now = time.now();
            while !matches!(crowd.poll(now), HostOutput::WaitUntil(_)) {}
            crowd.handle(now, HostInput::Timeout);
            while let lasthop_contract::TransportOutput::Event(id, event) = server.poll(now) {
                if let TransportEvent::Readable(stream) = event {
                    let _ = server.read(now, id, stream, &mut [0]);
                }
            }
            let waits = lasthop_units::Duration::from_millis(10);
            poller.wait(Some(waits)).expect("the kernel waits");
            rest -= 1;
            assert!(rest > 0, "{} are open", tally.open.get());
        }
        let members = crowd.clients.iter().map(|it| &it.member);
        let failed: Vec<bool> = members.map(|it| matches!(it, Member::Failed)).collect();
        assert_eq!(failed, [true, false, true]);
    }
}
