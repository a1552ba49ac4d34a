use core::net::SocketAddr;
use core::sync::atomic::AtomicBool;
use std::io;
use std::os::fd::AsFd;
use std::rc::Rc;

use lasthop_coap::Example;
use lasthop_contract::{Direction, Host, HostInput};
use lasthop_engine::HostId;
use lasthop_gateway::Calendar;
use lasthop_tls::ServerProfile;
use lasthop_transport::StackHost;
use lasthop_units::{Duration, Instant};

use super::services::Services;
use super::{Access, Limits};
use crate::gateway::{DurableStore, LogForm};
use crate::live_run::run_by;
use crate::{Listener, ListenerError, LiveRun, Poller, QuicOffer, WallClock, WallTime, Watch};

/// A server that listens already, and serves when it is run.
#[derive(Debug)]
pub struct Server {
    services: Vec<(Served, Vec<Listener>)>,
    offer: Offer,
    seed: u64,
}

/// The configuration of a server.
#[derive(Debug, Default)]
pub struct Offer {
    /// The limits for clients.
    pub limits: Limits,
    /// Resources that a CoAP server has from the start.
    pub example: Option<Example>,
    /// The users and their permissions.
    pub access: Access,
    /// The TLS profile for TCP; `None` for unsecured.
    pub secured: Option<ServerProfile>,
    /// The DTLS profile for CoAP over UDP; `None` for unsecured.
    pub dtls: Option<lasthop_dtls::ServerProfile>,
    /// The QUIC settings; `None` for no QUIC.
    pub quic: Option<QuicOffer>,
    /// The store of a device gateway. MQTT then serves its devices only, by their tokens.
    pub gateway: Option<DurableStore>,
    /// The format of the gateway's log; `None` for no log.
    pub gateway_log: Option<LogForm>,
    /// The calendar for tokens; `None` for that of the machine.
    pub gateway_calendar: Option<Box<dyn Calendar + Send>>,
}

/// A served protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Served {
    /// The broker for MQTT 3.1.1 and 5, over TCP.
    Mqtt,
    /// The same broker over WebSockets.
    MqttWs,
    /// The same broker over QUIC.
    MqttQuic,
    /// The bridge of a gateway, for HTTP over TCP.
    Http,
    /// The same bridge over QUIC.
    HttpQuic,
    /// What the gateway has counted, for Prometheus.
    Metrics,
    /// The CoAP server, over UDP.
    Coap,
    /// The same over TCP (RFC 8323), with resources of its own.
    CoapTcp,
    /// The broker for JSON messages, over UDP.
    JsonUdp,
}

/// How long clients are given to hear that the server ends.
const GRACE: Duration = Duration::from_secs(1);

/// How long a gateway lets messages gather where many come.
const GATHERS: Duration = Duration::from_millis(1);

/// How often the server looks whether all clients have gone.
const GRACE_STEP: Duration = Duration::from_millis(10);

impl Server {
    /// Binds a server to each of the addresses. Port 0 selects a free one.
    ///
    /// Services share one core. `seed` is the seed of its random numbers.
    ///
    /// # Errors
    /// When an address cannot be listened at.
    pub fn bind(
        services: &[(Served, Vec<SocketAddr>)],
        offer: Offer,
        seed: u64,
    ) -> Result<Self, ListenerError> {
        let services = services.iter().map(|(served, addresses)| {
            let listen = match served {
                Served::Mqtt
                | Served::MqttWs
                | Served::Http
                | Served::Metrics
                | Served::CoapTcp => Listener::stream,
                Served::MqttQuic | Served::HttpQuic | Served::Coap | Served::JsonUdp => {
                    Listener::datagram
                }
            };
            let listeners = addresses.iter().map(|address| listen(*address));
            Ok((*served, listeners.collect::<Result<_, _>>()?))
        });
        Ok(Self {
            services: services.collect::<Result<_, _>>()?,
            offer,
            seed,
        })
    }

    /// Returns the address of each protocol.
    pub fn addresses(&self) -> impl Iterator<Item = (Served, SocketAddr)> + '_ {
        let services = self.services.iter();
        services.flat_map(|(served, listeners)| {
            listeners
                .iter()
                .map(|listener| (*served, listener.address()))
        })
    }

    /// Serves until `stop` is readable or closed. Clients are then notified and have a second to leave.
    ///
    /// # Errors
    /// When the kernel refuses what a server needs.
    pub fn run(self, stop: impl AsFd) -> io::Result<()> {
        let poller = Poller::new()?;
        // It stays open for as long as it is listened to.
        poller.stop_by(&stop)?;
        // What a gateway is told is acknowledged with the next transaction, and wins nothing by being read at once.
        let gathers = match self.offer.gateway {
            Some(_) => GATHERS,
            None => Duration::ZERO,
        };
        let mut services = Services::new(&poller, self.offer, self.seed, self.services.len())?;
        for (served, listeners) in self.services {
            services.add(served, listeners)?;
        }
        let tallies = services.tallies();
        let is_over = || tallies.iter().all(|tally| tally.open.get() == 0);
        let clock = WallClock::new(WallTime::starting_now(), Rc::clone(&poller)).gathering(gathers);
        serve(clock, &poller, services.into_host(), is_over)
    }
}

impl Served {
    /// All protocols.
    pub const ALL: [Self; 9] = [
        Self::Mqtt,
        Self::MqttWs,
        Self::MqttQuic,
        Self::Http,
        Self::HttpQuic,
        Self::Metrics,
        Self::Coap,
        Self::CoapTcp,
        Self::JsonUdp,
    ];

    /// Returns its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mqtt => "mqtt",
            Self::MqttWs => "mqtt_ws",
            Self::MqttQuic => "mqtt_quic",
            Self::Http => "http",
            Self::HttpQuic => "http_quic",
            Self::Metrics => "metrics",
            Self::Coap => "coap",
            Self::CoapTcp => "coap_tcp",
            Self::JsonUdp => "json_udp",
        }
    }
}

/// Runs a host on sockets until it is stopped and, after that, until `is_over` or the time of grace ends.
fn serve(
    clock: WallClock,
    poller: &Rc<Poller>,
    host: StackHost,
    is_over: impl Fn() -> bool,
) -> io::Result<()> {
    let time = clock.time();
    let watch = Watch::until(Instant::FAR_FUTURE, Rc::default());
    let mut run = run_by(clock, watch);
    let host = add_open_host(&mut run, Box::new(host));
    let never = AtomicBool::new(false);
    run.run(&never);
    if let Some(error) = poller.take_failure() {
        return Err(error);
    }
    // Who waited long for something to happen is not told of the end as of when it began to wait.
    let stopped = time.now();
    run.observer_mut().end = stopped;
    run.run(&never);
    run.advance_to(stopped);
    run.tell(host, HostInput::Stop);
    let end = stopped + GRACE;
    while !is_over() && time.now() < end {
        run.observer_mut().end = time.now() + GRACE_STEP;
        run.run(&never);
    }
    Ok(())
}

/// Adds a host that has sockets of its own.
fn add_open_host(run: &mut LiveRun<Watch>, host: Box<dyn Host>) -> HostId {
    let host = run.add_host(host, Direction::Down);
    run.open_to_outside(host);
    host
}

#[cfg(test)]
mod tests {
    use core::net::Ipv4Addr;
    use std::cell::Cell;
    use std::os::unix::net::UnixStream;
    use std::thread;

    use lasthop_contract::{Application, ApplicationInput, ApplicationOutput, Transport};
    use lasthop_transport::Routes;

    use super::*;
    use crate::KernelTcp;

    /// Whoever else holds the other end.
    #[test]
    #[expect(
        clippy::disallowed_methods,
        reason = "a server that is not told to end does not"
    )]
    fn a_descriptor_that_the_server_owns_stops_it() {
        let (stop, stopped) = UnixStream::pair().expect("the kernel has sockets");
        let server = thread::spawn(move || {
            let anywhere = (Ipv4Addr::LOCALHOST, 0).into();
            let services = [(Served::Coap, vec![anywhere])];
            let server = Server::bind(&services, Offer::default(), 1).expect("a port is free");
            server.run(stopped).expect("the kernel lets it");
        });
        drop(stop);
        server.join().expect("the server ends well");
    }

    /// Notes when it is told of the end.
    #[derive(Debug)]
    struct Waiting {
        stopped: Rc<Cell<Instant>>,
    }

    impl Application for Waiting {
        fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, _: &mut dyn Transport) {
            if matches!(input, ApplicationInput::Stop) {
                self.stopped.set(now);
            }
        }

        fn poll(&mut self, _: Instant, _: &mut dyn Transport) -> ApplicationOutput {
            ApplicationOutput::WaitUntil(None)
        }
    }

    /// Who holds the calendar against an instant of long ago takes the clock for set.
    #[test]
    #[expect(
        clippy::disallowed_methods,
        reason = "a server that is not told to end does not"
    )]
    fn a_server_that_was_idle_is_told_of_the_end_as_of_now() {
        let (stop, stopped) = UnixStream::pair().expect("the kernel has sockets");
        let idle = core::time::Duration::from_millis(300);
        let stopping = thread::spawn(move || {
            thread::sleep(idle);
            drop(stop);
        });
        let poller = Poller::new().expect("the kernel has one");
        poller.stop_by(&stopped).expect("it can be watched");
        let clock = WallClock::new(WallTime::starting_now(), Rc::clone(&poller));
        let told = Rc::<Cell<Instant>>::new(Cell::new(Instant::ZERO));
        let application = Waiting {
            stopped: Rc::clone(&told),
        };
        let transport = KernelTcp::client(&poller);
        let (transport, application) = (Box::new(transport), Box::new(application));
        let host = StackHost::of(transport, application, Routes::OneInterface);
        serve(clock, &poller, host, || true).expect("the kernel lets it");
        stopping.join().expect("it ends well");
        let at = told.get().as_nanos();
        assert!(at >= 250_000_000, "{at} ns");
    }
}
