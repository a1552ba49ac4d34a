//! One device in a network of its own.

use core::ops::{AddAssign, Div};

use lasthop_contract::{
    Cause, Expectation, Layer, Link, LinkInput, LinkOutput, Packet, Port, Provenance, RadioCause,
    RadioState,
};
use lasthop_nbiot::config::NetworkConfig;
use lasthop_nbiot::{NbIotNetwork, NetworkReport};
use lasthop_units::{Duration, Instant};

/// The radio of the one device, and the core end of its bearer.
pub(crate) const RADIO: Port = Port(0);
pub(crate) const CORE: Port = Port(1);

/// A network with a device at [`RADIO`] and [`CORE`], run by hand.
pub(crate) struct Alone {
    pub(crate) network: NbIotNetwork,
    pub(crate) now: Instant,
    pub(crate) deliveries: Vec<(Instant, Port, usize)>,
    pub(crate) drops: Vec<(Instant, Port, lasthop_contract::DropReason)>,
    pub(crate) radio: Vec<RadioSpan>,
    deadline: Option<Instant>,
}

/// A span of radio time as it was told.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RadioSpan {
    pub(crate) state: RadioState,
    pub(crate) cause: RadioCause,
    pub(crate) from: Instant,
    pub(crate) duration: Duration,
}

/// What one report took.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) latency_ms: f64,
    pub(crate) npdcch: f64,
    pub(crate) npdsch: f64,
    pub(crate) tone_ms: f64,
    pub(crate) dcis: f64,
}

const PAYLOAD: Provenance = Provenance::new(Layer::Application, Cause::Payload);

impl Alone {
    pub(crate) fn new(config: &NetworkConfig, seed: u64) -> Self {
        Self {
            network: NbIotNetwork::new(config.clone(), seed).expect("settings of 3GPP"),
            now: Instant::ZERO,
            deliveries: Vec::new(),
            drops: Vec::new(),
            radio: Vec::new(),
            deadline: None,
        }
    }

    /// A network whose device appears at the start.
    pub(crate) fn attached(config: &NetworkConfig) -> Self {
        let mut device = Self::new(config, 1);
        device.input(Instant::ZERO, LinkInput::Attach { port: RADIO });
        device
    }

    pub(crate) fn input(&mut self, at: Instant, input: LinkInput) {
        self.run_until(at);
        self.now = at;
        self.network.handle(at, input);
        self.drain();
    }

    pub(crate) fn offer(&mut self, at: Instant, port: Port, bytes: usize, last: bool) {
        self.offer_expecting(at, port, bytes, last.then_some(Expectation::NothingMore));
    }

    pub(crate) fn offer_expecting(
        &mut self,
        at: Instant,
        port: Port,
        bytes: usize,
        expectation: Option<Expectation>,
    ) {
        let mut packet = Packet::of(&vec![0; bytes], PAYLOAD);
        if let Some(expectation) = expectation {
            packet.expect(expectation);
        }
        self.input(at, LinkInput::Offered { port, packet });
    }

    pub(crate) fn run_until(&mut self, at: Instant) {
        while let Some(deadline) = self.deadline.filter(|deadline| *deadline <= at) {
            self.now = deadline;
            self.network.handle(deadline, LinkInput::Timeout);
            self.drain();
        }
    }

    pub(crate) fn tell_radio_time(&mut self, at: Instant) {
        self.run_until(at);
        self.now = at;
        self.network.tell_radio_time(at);
        self.drain();
    }

    /// Attaches the device, offers a report at its radio, and lets everything come to rest.
    pub(crate) fn report_at(mut self, at: Instant, ip_bytes: usize) -> Outcome {
        self.input(at, LinkInput::Attach { port: RADIO });
        self.offer(at, RADIO, ip_bytes, true);
        self.run_until(at + Duration::from_secs(120));
        let (delivered, port, bytes) = self.deliveries[0];
        assert_eq!((port, bytes), (CORE, ip_bytes));
        let cell = &self.network.report().cells[0];
        Outcome {
            latency_ms: (delivered - at).as_secs_f64() * 1000.0,
            npdcch: cell.npdcch_subframes as f64,
            npdsch: cell.npdsch_subframes as f64,
            tone_ms: cell.npusch_tone_ms + cell.acknowledgement_tone_ms + cell.preamble_tone_ms,
            dcis: cell.dcis as f64,
        }
    }

    pub(crate) fn report(&self) -> NetworkReport {
        self.network.report()
    }

    fn drain(&mut self) {
        loop {
            match self.network.poll(self.now) {
                LinkOutput::Deliver { port, packet } => {
                    self.deliveries.push((self.now, port, packet.length()));
                }
                LinkOutput::Drop { port, reason, .. } => self.drops.push((self.now, port, reason)),
                LinkOutput::RadioTime {
                    state,
                    cause,
                    from,
                    duration,
                    ..
                } => self.radio.push(RadioSpan {
                    state,
                    cause,
                    from,
                    duration,
                }),
                LinkOutput::Duplicated { .. } => panic!("a network duplicates nothing"),
                LinkOutput::WaitUntil(deadline) => {
                    self.deadline = deadline;
                    return;
                }
            }
        }
    }
}

pub(crate) fn at_ms(milliseconds: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(milliseconds)
}

impl AddAssign for Outcome {
    fn add_assign(&mut self, other: Self) {
        self.latency_ms += other.latency_ms;
        self.npdcch += other.npdcch;
        self.npdsch += other.npdsch;
        self.tone_ms += other.tone_ms;
        self.dcis += other.dcis;
    }
}

impl Div<f64> for Outcome {
    type Output = Self;
    fn div(self, count: f64) -> Self {
        Self {
            latency_ms: self.latency_ms / count,
            npdcch: self.npdcch / count,
            npdsch: self.npdsch / count,
            tone_ms: self.tone_ms / count,
            dcis: self.dcis / count,
        }
    }
}
