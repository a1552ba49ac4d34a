use std::collections::VecDeque;

use lasthop_contract::{
    Cause, Layer, Link, LinkInput, LinkOutput, Packet, Port, Provenance, RandomStream,
};
use lasthop_nbiot::config::{ConfigError, NetworkConfig, Placement};
use lasthop_nbiot::{NbIotNetwork, NetworkReport};
use lasthop_units::{Duration, Instant};

/// Devices that come to a city by a Poisson process, each with one packet, and leave a fixed time after it has arrived or
/// has been dropped: the network alone, without stacks above it.
#[derive(Clone, Debug)]
pub struct NbIotCity {
    /// Cells.
    pub cells: u16,
    /// Devices a second and cell.
    pub rate: f64,
    /// How long devices come.
    pub seconds: u64,
    /// Bytes of the IP packet.
    pub bytes: usize,
    /// The seed.
    pub seed: u64,
}

/// What became of them.
#[derive(Clone, Debug)]
pub struct NbIotCityOutcome {
    /// What the network tells.
    pub report: NetworkReport,
    /// Devices whose packet arrived.
    pub delivered: u64,
    /// Those whose packet was dropped.
    pub dropped: u64,
    /// The mean time from the offer to the arrival, in milliseconds.
    pub mean_latency_ms: f64,
    /// The share of packets that arrived within 20 s.
    pub within_20_s: f64,
    /// How often the network was told or asked something.
    pub inputs: u64,
}

/// How long a device stays after its packet has come to its end.
const STAYS: Duration = Duration::from_millis(100);

impl NbIotCity {
    /// The settings of the network.
    #[must_use]
    pub fn config(&self) -> NetworkConfig {
        let mut config = NetworkConfig::larmo_2019();
        if let Placement::Deployment(deployment) = &mut config.placement {
            deployment.cells = self.cells;
        }
        config
    }

    /// Runs until the last device has left, or has had two minutes to.
    ///
    /// # Errors
    /// Where 3GPP does not allow the settings.
    pub fn run(&self, config: NetworkConfig) -> Result<NbIotCityOutcome, ConfigError> {
        let network = NbIotNetwork::new(config, self.seed)?;
        let mut run = Run {
            network,
            arrivals: RandomStream::named(self.seed, "arrivals"),
            between: Duration::from_nanos_f64(1e9 / (self.rate * f64::from(self.cells))),
            bytes: self.bytes,
            free: Vec::new(),
            since: Vec::new(),
            leaving: VecDeque::new(),
            deadline: None,
            delivered: 0,
            dropped: 0,
            latency_ms: 0.0,
            in_time: 0,
            inputs: 0,
        };
        run.until(
            Instant::ZERO + Duration::from_secs(self.seconds),
            Duration::from_secs(120),
        );
        Ok(NbIotCityOutcome {
            report: run.network.report(),
            delivered: run.delivered,
            dropped: run.dropped,
            mean_latency_ms: run.latency_ms / run.delivered.max(1) as f64,
            within_20_s: run.in_time as f64 / (run.delivered + run.dropped).max(1) as f64,
            inputs: run.inputs,
        })
    }
}

struct Run {
    network: NbIotNetwork,
    arrivals: RandomStream,
    between: Duration,
    bytes: usize,
    free: Vec<u32>,
    since: Vec<Instant>,
    leaving: VecDeque<(Instant, u32)>,
    deadline: Option<Instant>,
    delivered: u64,
    dropped: u64,
    latency_ms: f64,
    in_time: u64,
    inputs: u64,
}

impl Run {
    fn until(&mut self, end: Instant, drain: Duration) {
        let mut arrival = Instant::ZERO + self.arrivals.exponential(self.between);
        loop {
            let coming = Some(arrival).filter(|arrival| *arrival < end);
            let leaving = self.leaving.front().map(|(at, _)| *at);
            let Some(now) = [coming, leaving, self.deadline].into_iter().flatten().min() else {
                return;
            };
            if now > end + drain {
                return;
            }
            if coming == Some(now) {
                self.device_comes(now);
                arrival += self.arrivals.exponential(self.between);
            } else if leaving == Some(now) {
                if let Some((_, slot)) = self.leaving.pop_front() {
                    self.tell(
                        now,
                        LinkInput::Detach {
                            port: Port(2 * slot),
                        },
                    );
                    self.free.push(slot);
                }
            } else {
                self.tell(now, LinkInput::Timeout);
            }
        }
    }

    fn device_comes(&mut self, now: Instant) {
        const PAYLOAD: Provenance = Provenance::new(Layer::Application, Cause::Payload);
        let slot = self.free.pop().unwrap_or_else(|| {
            self.since.push(now);
            (self.since.len() - 1) as u32
        });
        self.since[slot as usize] = now;
        let port = Port(2 * slot);
        self.tell(now, LinkInput::Attach { port });
        let mut packet = Packet::new();
        packet.reserve(self.bytes, PAYLOAD);
        self.tell(now, LinkInput::Offered { port, packet });
    }

    fn tell(&mut self, now: Instant, input: LinkInput) {
        self.inputs += 1;
        self.network.handle(now, input);
        loop {
            match self.network.poll(now) {
                LinkOutput::Deliver { port, .. } => {
                    let slot = port.0 / 2;
                    let latency = (now - self.since[slot as usize]).as_secs_f64();
                    self.delivered += 1;
                    self.in_time += u64::from(latency <= 20.0);
                    self.latency_ms += latency * 1000.0;
                    self.leaving.push_back((now + STAYS, slot));
                }
                LinkOutput::Drop { port, .. } => {
                    self.dropped += 1;
                    self.leaving.push_back((now + STAYS, port.0 / 2));
                }
                LinkOutput::RadioTime { .. } | LinkOutput::Duplicated { .. } => {}
                LinkOutput::WaitUntil(deadline) => {
                    self.deadline = deadline;
                    return;
                }
            }
        }
    }
}
