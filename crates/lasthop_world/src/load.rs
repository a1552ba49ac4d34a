use core::sync::atomic::AtomicBool;

use lasthop_contract::{
    BackgroundTraffic, Clock, Direction, DropReason, Host, HostEvent, HostInput, InterfaceId,
    MessageEvent, MessageId, Packet, PathId, Spans, Trigger,
};
use lasthop_engine::{HostId, LinkId, Observer, Simulation};
use lasthop_jwt::TokenSource;
use lasthop_measure::Meter;
use lasthop_units::{Duration, Instant};

use crate::hosts::{Hosts, SocketClient};
use crate::medium::{Ended, Media};
use crate::simulated::{Observe, RunError, Simulated, meter};
use crate::spec::{EngineSpec, MessageDetail, RunSpec, SpecError};
use crate::stack::{Guest, Registry};

impl Simulated {
    /// Runs the clients of a spec against external servers.
    ///
    /// `on_sockets` makes one host of all clients, which stamps its message events ([`HostEvent::MessageAt`]). An
    /// interrupted run returns its partial result, marked as invalid.
    ///
    /// # Errors
    /// When the spec describes no load, or its messages cannot be written.
    pub fn load(
        clock: impl Clock,
        registry: &Registry,
        spec: &RunSpec,
        guest: &Guest,
        (observe, interrupt): (Observe, &AtomicBool),
        on_sockets: impl FnOnce(Vec<SocketClient<'_>>) -> Box<dyn Host>,
    ) -> Result<Self, RunError> {
        if spec.engine != EngineSpec::Load {
            let problem = "the servers are those of the run, and under nobody's load";
            return Err(SpecError::value("engine", problem).into());
        }
        let hosts = Hosts::new(spec, registry)?.of_guest(guest)?;
        let clients = hosts.socket_clients()?;
        check_registered(&hosts, spec, guest, clients.len())?;
        let mut meter = meter(spec, observe)?;
        if spec.groups.iter().any(|group| group.device.is_some()) {
            meter.watch_device();
        }
        let watch = Watch {
            meter,
            open: (spec.measure.messages == MessageDetail::Each).then_some(0),
            quiet_since: Instant::ZERO,
            ends_at_acknowledgement: !guest.registered.is_empty(),
        };
        let mut simulation = Simulation::new(clock, watch);
        let host = simulation.add_host(on_sockets(clients), Direction::Up);
        simulation.open_to_outside(host);
        let outcome = simulation.run(interrupt);
        let end = simulation.now();
        simulation.tell(host, HostInput::Stop);
        let (events, polls) = (simulation.events(), simulation.polls());
        Self {
            network: None,
            media: Media::new(spec).columns(Ended { last: end, end }),
            background: [BackgroundTraffic::default(); 2],
            outcome,
            end,
            events,
            polls,
            meter: simulation.into_observer().meter,
            hides_packets: true,
        }
        .finished()
    }
}

/// Checks that each sending device is registered with a usable signing key and gets acknowledgements.
fn check_registered(
    hosts: &Hosts<'_>,
    spec: &RunSpec,
    guest: &Guest,
    devices: usize,
) -> Result<(), SpecError> {
    if guest.registered.is_empty() {
        return Ok(());
    }
    for group in &spec.groups {
        if !hosts.stack_of(group).application().acknowledges() {
            let problem = format!(
                "nobody is told what became of the messages of {}",
                group.name
            );
            return Err(SpecError::value("groups", problem));
        }
    }
    let known = guest.registered.len();
    if devices > known {
        let problem = format!("{devices} devices, of which the gateway knows {known}");
        return Err(SpecError::value("groups", problem));
    }
    for device in &guest.registered {
        let hour = Duration::from_secs(3600);
        if TokenSource::by_pem(&device.key, device.project(), hour, 0).is_none() {
            let problem = format!("the key of {} is no private key of P-256", device.path);
            return Err(SpecError::value("groups", problem));
        }
    }
    Ok(())
}

/// Watches a load: the meter, and whether there is anything left to wait for.
struct Watch {
    meter: Meter,
    /// Messages on their way, where each is told apart from copies of it.
    open: Option<u64>,
    /// When there were none the last time.
    quiet_since: Instant,
    /// Whether a message is where it was meant to go once that is acknowledged: a gateway keeps it, and nobody sees that.
    ends_at_acknowledgement: bool,
}

/// So long are copies waited for of messages that have all arrived.
const QUIET: Duration = Duration::from_secs(1);

impl Watch {
    /// Records a message event.
    ///
    /// Packets are not observed, so a message is in flight until it is delivered or reported as failed.
    fn note(&mut self, at: Instant, host: HostId, side: Direction, event: MessageEvent) {
        if let MessageEvent::Acknowledged { id } = event
            && self.ends_at_acknowledgement
        {
            self.note_one(at, host, side, MessageEvent::Delivered { id, receiver: 0 });
        }
        self.note_one(at, host, side, event);
    }

    fn note_one(&mut self, at: Instant, host: HostId, side: Direction, event: MessageEvent) {
        let mut ending = None;
        let (first, event) = match event {
            MessageEvent::Intended { .. } => {
                self.open = self.open.map(|open| open + 1);
                (None, event)
            }
            MessageEvent::Transmitted {
                id,
                attempt,
                trigger,
                ..
            } => (None, sent(id, attempt, trigger, false)),
            MessageEvent::Delivered { id, .. } => {
                ending = Some(id).filter(|id| self.meter.is_under_way(*id));
                (None, event)
            }
            MessageEvent::Failed { id, .. } => {
                ending = Some(id).filter(|id| self.meter.is_under_way(*id));
                (Some(sent(id, 0, None, true)), event)
            }
            _ => (None, event),
        };
        for event in first.into_iter().chain([event]) {
            let event = HostEvent::MessageAt(at, event);
            self.meter.host_event(at, host, side, &event);
        }
        let Some(id) = ending else { return };
        if self.meter.is_delivered(id) {
            // With all whom it is for: nobody sends it again.
            let event = HostEvent::MessageAt(at, sent(id, 0, None, true));
            self.meter.host_event(at, host, side, &event);
        }
        if !self.meter.is_under_way(id) {
            self.open = self.open.map(|open| open.saturating_sub(1));
            self.quiet_since = at;
        }
    }
}

fn sent(id: MessageId, attempt: u16, trigger: Option<Trigger>, last: bool) -> MessageEvent {
    MessageEvent::Transmitted {
        id,
        attempt,
        last,
        trigger,
    }
}

impl Observer for Watch {
    fn transmitted(&mut self, _: Instant, _: HostId, _: InterfaceId, _: &Packet) {}

    fn received(&mut self, _: Instant, _: HostId, _: InterfaceId, _: &Packet) {}

    fn dropped(&mut self, _: Instant, _: LinkId, _: &Packet, _: DropReason) {}

    fn duplicated(&mut self, _: Instant, _: u64, _: Direction, _: PathId, _: &Spans) {}

    fn host_event(&mut self, now: Instant, host: HostId, side: Direction, event: &HostEvent) {
        match event {
            HostEvent::Message(event) => self.note(now, host, side, *event),
            HostEvent::MessageAt(at, event) => self.note(*at, host, side, *event),
            HostEvent::Device(_) => self.meter.host_event(now, host, side, event),
            HostEvent::Waiting(_)
            | HostEvent::Served(_)
            | HostEvent::Discarded { .. }
            | HostEvent::Evicted => {}
        }
    }

    fn late(&mut self, now: Instant, by: Duration) {
        // How late clients are while they connect delays no message that is measured.
        if self.meter.is_measuring(now) {
            self.meter.late(now, by);
        }
    }

    fn horizon(&self) -> Instant {
        let horizon = self.meter.horizon();
        if self.open == Some(0) && self.meter.has_said_all() {
            return horizon.min(self.quiet_since + QUIET);
        }
        horizon
    }
}
