use lasthop_contract::{
    Cause, Direction, Layer, Link, LinkInput, LinkOutput, Packet, PathId, Port, Provenance,
};
use lasthop_link::wlan::{CellConfig, CellReport, StationConfig, WlanCell};
use lasthop_units::{Duration, Instant};

/// A WLAN cell whose first stations have a packet to send at all times, and whose others have none.
#[derive(Clone, Debug)]
pub struct WlanSaturation {
    /// The cell.
    pub cell: CellConfig,
    /// Those that send.
    pub senders: Vec<StationConfig>,
    /// Those that are there beside, with the settings of the first.
    pub idle: u32,
    /// The size of a packet.
    pub packet_bytes: usize,
    /// How long.
    pub duration: Duration,
    /// Of the random streams.
    pub seed: u64,
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Saturated {
    /// Of the packets of each sender that got through, Mbit/s.
    pub throughput_mbit_s: Vec<f64>,
    /// Packets that ended, through or given up.
    pub packets: u64,
    /// What the cell counted.
    pub report: CellReport,
}

impl WlanSaturation {
    /// Runs it.
    #[must_use]
    pub fn run(&self) -> Saturated {
        let mut cell = WlanCell::new(&self.cell, self.seed, "cell");
        let stations = self.senders.iter();
        let idle = core::iter::repeat_n(&self.senders[0], self.idle as usize);
        for (number, station) in stations.chain(idle).enumerate() {
            cell.add_station(station, &number.to_string());
        }
        let end = Instant::ZERO + self.duration;
        let mut delivered = vec![0_u64; self.senders.len()];
        let mut packets = 0;
        let mut now = Instant::ZERO;
        // One on its way and one behind it.
        for station in 0..self.senders.len() {
            for _ in 0..2 {
                cell.handle(now, self.packet(station));
            }
        }
        loop {
            match cell.poll(now) {
                LinkOutput::WaitUntil(Some(deadline)) if deadline <= end => {
                    now = deadline;
                    cell.handle(now, LinkInput::Timeout);
                }
                LinkOutput::WaitUntil(_) => break,
                LinkOutput::Deliver { port, .. } => {
                    packets += 1;
                    let station = port.0 as usize / 2;
                    delivered[station] += 1;
                    cell.handle(now, self.packet(station));
                }
                LinkOutput::Drop { port, .. } => {
                    packets += 1;
                    cell.handle(now, self.packet(port.0 as usize / 2));
                }
                _ => {}
            }
        }
        let bits = 8.0 * self.packet_bytes as f64;
        let micros = self.duration.as_secs_f64() * 1e6;
        Saturated {
            throughput_mbit_s: delivered
                .iter()
                .map(|&count| count as f64 * bits / micros)
                .collect(),
            packets,
            report: cell.report(end),
        }
    }

    fn packet(&self, station: usize) -> LinkInput {
        let mut packet = Packet::new();
        packet.reserve(
            self.packet_bytes,
            Provenance::new(Layer::Application, Cause::Payload),
        );
        packet.enter(0, Direction::Up, PathId::default());
        let port = Port(2 * station as u32);
        LinkInput::Offered { port, packet }
    }
}

impl Saturated {
    /// Of all senders.
    #[must_use]
    pub fn total_mbit_s(&self) -> f64 {
        self.throughput_mbit_s.iter().sum()
    }
}
