//! The cells of the literature, and what it says of them.

use lasthop_link::rate::QueueLimit;
use lasthop_link::wlan::{CellConfig, Modulation, QueueConfig, StationConfig};
use lasthop_units::{Duration, Probability};

use crate::{Bianchi, Saturated, WlanSaturation};

/// A cell of a table whose throughput in saturation somebody has computed.
#[derive(Clone, Copy, Debug)]
pub struct WlanCase {
    /// What it is called.
    pub name: &'static str,
    /// What all stations have.
    pub cell: CellConfig,
    /// Each of them.
    pub station: StationConfig,
    /// A packet.
    pub packet_bytes: usize,
    /// What the analysis of ns-3 says for 5, 10, 20 and 50 stations, in Mbit/s; none for the cell of Bianchi's paper.
    pub reference_mbit_s: Option<[f64; 4]>,
}

/// So many stations are in each table.
pub const WLAN_STATIONS: [u32; 4] = [5, 10, 20, 50];

/// So often a frame is sent in an analysis in which none is given up.
const UNTIL_IT_IS_THROUGH: u16 = u16::MAX;

impl WlanCase {
    /// The cells of ns-3's example `wifi-bianchi` with 1,500 B and 36 B around them, each with DIFS and with EIFS behind
    /// frames that met; and that of Bianchi's paper: 1 Mbit/s, slots of 50 us, 1,023 B.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let dsss = |bits_per_second| Modulation::Dsss {
            preamble_ns: 192_000,
            bits_per_second,
        };
        let b = |eifs: bool| cell(31, 20_000, 10_000, 36, eifs.then(|| dsss(1_000_000)));
        let ofdm = |data_bits_per_symbol| Modulation::Ofdm {
            preamble_ns: 20_000,
            data_bits_per_symbol,
            extension_ns: 0,
        };
        let a = |eifs: bool| cell(15, 9_000, 16_000, 36, eifs.then(|| ofdm(24)));
        let case = |name, cell, data, ack, reference| Self {
            name,
            cell,
            station: StationConfig {
                data,
                ack,
                frame_loss: Probability::NEVER,
            },
            packet_bytes: 1500,
            reference_mbit_s: Some(reference),
        };
        let (one, two, eleven) = (dsss(1_000_000), dsss(2_000_000), dsss(11_000_000));
        let (six, twenty_four, fifty_four) = (ofdm(24), ofdm(96), ofdm(216));
        vec![
            Self::of_the_paper(),
            case(
                "b, 1 Mbit/s, DIFS",
                b(false),
                one,
                one,
                [0.8437, 0.7861, 0.7226, 0.6336],
            ),
            case(
                "b, 1 Mbit/s, EIFS",
                b(true),
                one,
                one,
                [0.8418, 0.7831, 0.7186, 0.6285],
            ),
            case(
                "b, 11 Mbit/s, DIFS",
                b(false),
                eleven,
                two,
                [6.4734, 6.1774, 5.7819, 5.1745],
            ),
            case(
                "b, 11 Mbit/s, EIFS",
                b(true),
                eleven,
                two,
                [6.3821, 6.0269, 5.5765, 4.9103],
            ),
            case(
                "a, 6 Mbit/s, DIFS",
                a(false),
                six,
                six,
                [4.7087, 4.3453, 3.9899, 3.5071],
            ),
            case(
                "a, 6 Mbit/s, EIFS",
                a(true),
                six,
                six,
                [4.6899, 4.3197, 3.9589, 3.4711],
            ),
            case(
                "a, 54 Mbit/s, DIFS",
                a(false),
                fifty_four,
                twenty_four,
                [29.8324, 28.1519, 26.2925, 23.5618],
            ),
            case(
                "a, 54 Mbit/s, EIFS",
                a(true),
                fifty_four,
                twenty_four,
                [29.2861, 27.3763, 25.3325, 22.4162],
            ),
        ]
    }

    /// Table 1 of Bianchi (2000): 8,184 bits of payload, 272 of the MAC, 128 us of the PHY, acknowledgements of 112 bits;
    /// W = 32 and m = 5. Its 1 us of propagation is in the spaces.
    fn of_the_paper() -> Self {
        let modulation = Modulation::Dsss {
            preamble_ns: 128_000,
            bits_per_second: 1_000_000,
        };
        let mut cell = cell(31, 50_000, 28_000, 34, None);
        // SIFS and two times of propagation stand before slots count again; a frame that met has one.
        cell.sifs_ns = 29_000;
        cell.difs_ns = 129_000;
        cell.eifs_ns = 129_000;
        Self {
            name: "Bianchi 2000, 1 Mbit/s",
            cell,
            station: StationConfig {
                data: modulation,
                ack: modulation,
                frame_loss: Probability::NEVER,
            },
            packet_bytes: 1023,
            reference_mbit_s: None,
        }
    }

    /// What Bianchi's equations say of it.
    #[must_use]
    pub fn analysis(&self, stations: u32) -> Bianchi {
        let micros = |nanos: u64| nanos as f64 / 1e3;
        let bytes = self.packet_bytes as u64 + u64::from(self.cell.overhead_bytes);
        let data = micros(self.station.data.airtime(bytes).as_nanos());
        let ack = self.station.ack.airtime(u64::from(self.cell.ack_bytes));
        let (cw_min, cw_max) = (self.cell.station.cw_min, self.cell.station.cw_max);
        Bianchi {
            stations,
            first_window: cw_min + 1,
            doublings: ((cw_max + 1) / (cw_min + 1)).ilog2(),
            slot_us: micros(self.cell.slot_ns),
            success_us: data + micros(self.cell.sifs_ns + ack.as_nanos() + self.cell.difs_ns),
            collision_us: data + micros(self.cell.eifs_ns),
            payload_bits: 8.0 * self.packet_bytes as f64,
        }
    }

    /// Runs it.
    #[must_use]
    pub fn run(&self, stations: u32, duration: Duration, seed: u64) -> Saturated {
        WlanSaturation {
            cell: self.cell,
            senders: vec![self.station; stations as usize],
            idle: 0,
            packet_bytes: self.packet_bytes,
            duration,
            seed,
        }
        .run()
    }
}

/// The cell of Heusse et al., Performance anomaly of 802.11b (INFOCOM 2003): 1,500 B in frames of 1,534 B, behind short
/// preambles but at 1 Mbit/s, acknowledged at the rate of the frame.
#[must_use]
pub fn heusse_2003(rates_mbit_s: &[u64]) -> WlanSaturation {
    let station = |mbit_s: &u64| {
        let modulation = Modulation::Dsss {
            preamble_ns: if *mbit_s == 1 { 192_000 } else { 96_000 },
            bits_per_second: mbit_s * 1_000_000,
        };
        StationConfig {
            data: modulation,
            ack: modulation,
            frame_loss: Probability::NEVER,
        }
    };
    WlanSaturation {
        cell: cell(31, 20_000, 10_000, 34, None),
        senders: rates_mbit_s.iter().map(station).collect(),
        idle: 0,
        packet_bytes: 1500,
        duration: Duration::from_secs(200),
        seed: 1,
    }
}

/// A cell whose DIFS is SIFS and two slots, with an EIFS for this lowest rate where there is one.
fn cell(
    cw_min: u32,
    slot_ns: u64,
    sifs_ns: u64,
    overhead_bytes: u32,
    lowest: Option<Modulation>,
) -> CellConfig {
    let queue = QueueConfig {
        cw_min,
        cw_max: 1023,
        queue: QueueLimit::Packets(100),
    };
    let difs_ns = sifs_ns + 2 * slot_ns;
    let eifs_ns = match lowest {
        Some(lowest) => sifs_ns + lowest.airtime(14).as_nanos() + difs_ns,
        None => difs_ns,
    };
    CellConfig {
        slot_ns,
        sifs_ns,
        difs_ns,
        eifs_ns,
        overhead_bytes,
        ack_bytes: 14,
        retry_limit: UNTIL_IT_IS_THROUGH,
        station: queue,
        access_point: queue,
    }
}
