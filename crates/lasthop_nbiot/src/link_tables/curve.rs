use super::measured::Measured;

/// A block error rate over Es/N0 on a uniform grid, straight between its nodes.
#[derive(Debug)]
pub(super) struct Curve {
    from_db: f64,
    /// From the greatest rate to the least; outside them the outermost hold.
    nodes: Box<[f32]>,
    measured_db: (f64, f64),
    payload_bits: u16,
    coded_bits: u16,
}

/// A power of two, so that the grids of the tables fall on it without rounding.
const NODES_PER_DB: f64 = 8.0;
/// For most curves; a longer one has its room as well.
const ENOUGH_NODES: usize = 160;
/// Where a curve ends: rarer is never.
const RAREST: f64 = 1e-6;
/// Where a curve starts: likelier is certain.
const LIKELIEST: f64 = 1.0 - 1e-4;

impl Curve {
    /// What was measured, continued to where it no longer matters.
    pub(super) fn through(measured: &Measured, payload_bits: u16, coded_bits: u16) -> Self {
        let mut nodes = Vec::with_capacity(ENOUGH_NODES);
        let ends = [LIKELIEST, RAREST].map(|rate| libm::log(rate / (1.0 - rate)));
        let mut nodes_before = None;
        for piece in measured.pieces(NODES_PER_DB, ends[0], ends[1]) {
            nodes_before.get_or_insert(piece.nodes);
            let (mut odds, factor) = (libm::exp(piece.log_odds), libm::exp(piece.per_node));
            for _ in 0..piece.nodes {
                nodes.push((odds / (1.0 + odds)) as f32);
                odds *= factor;
            }
        }
        let last = nodes.len() - 1;
        (nodes[0], nodes[last]) = (1.0, 0.0);
        let measured_db = measured.range_db();
        Self {
            from_db: measured_db.0 - nodes_before.unwrap_or(0) as f64 / NODES_PER_DB,
            nodes: nodes.into(),
            measured_db,
            payload_bits,
            coded_bits,
        }
    }

    /// One bit of pi/2-BPSK sent so many times: half the complementary error function of the root of their energy.
    pub(super) fn of_repeated_bit(times: u16) -> Self {
        let (from_db, to_db) = (-40.0, 1.0);
        let mut nodes: Box<[f32]> = (0..=((to_db - from_db) * NODES_PER_DB) as u32)
            .map(|node| {
                let es_n0 = libm::pow(10.0, (from_db + f64::from(node) / NODES_PER_DB) / 10.0);
                (0.5 * libm::erfc((f64::from(times) * es_n0).sqrt())) as f32
            })
            .collect();
        nodes[0] = 0.5;
        nodes[nodes.len() - 1] = 0.0;
        Self {
            from_db,
            nodes,
            measured_db: (from_db, to_db),
            payload_bits: 1,
            coded_bits: times,
        }
    }

    #[inline]
    pub(super) fn at(&self, es_n0_db: f64) -> f64 {
        let last = self.nodes.len() - 1;
        let position = (es_n0_db - self.from_db) * NODES_PER_DB;
        // What is not a number becomes 0.
        let position = position.max(0.0).min(last as f64);
        // By way of a u32, which is quicker.
        let whole = position as u32;
        let left = whole as usize;
        let from = f64::from(self.nodes[left]);
        let to = f64::from(self.nodes[last.min(left + 1)]);
        from + (to - from) * (position - f64::from(whole))
    }

    pub(super) fn es_n0_db(&self, rate: f64) -> f64 {
        let right = self.nodes.partition_point(|node| f64::from(*node) > rate);
        let position = match right {
            0 => 0.0,
            _ if right == self.nodes.len() => (right - 1) as f64,
            _ => {
                let (from, to) = (
                    f64::from(self.nodes[right - 1]),
                    f64::from(self.nodes[right]),
                );
                (right - 1) as f64 + (from - rate) / (from - to)
            }
        };
        self.from_db + position / NODES_PER_DB
    }

    pub(super) fn measured_db(&self) -> (f64, f64) {
        self.measured_db
    }

    pub(super) fn payload_bits(&self) -> u16 {
        self.payload_bits
    }

    pub(super) fn coded_bits(&self) -> u16 {
        self.coded_bits
    }
}
