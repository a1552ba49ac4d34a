//! The messages of a single report, put into transport blocks as the hand calculation of the time lines does it.

use lasthop_contract::Direction;
use lasthop_nbiot::config::{CarrierMode, DeviceCategory};
use lasthop_nbiot::layer2::{
    AmReceiver, AmTransmitter, Bearer, Demand, Element, Fate, MSG3_BYTES, MacPdu, MacPduBuilder,
    Subheaders, random_access_response_bytes,
};
use lasthop_nbiot::phy::{TransportBlock, npdsch_block, npusch_block};
use lasthop_nbiot::rrc::{DataPath, Sequence, Step, With};
use lasthop_units::Instant;

use crate::rlc_config::FREE;

/// A row of the hand calculation.
struct Row {
    level: Level,
    sequence: Sequence,
    packet_bytes: u16,
    dcis: u32,
    npdsch_subframes: f64,
    uplink_tone_ms: f64,
}

/// What the hand calculation uses at a coverage level.
#[derive(Clone, Copy)]
struct Level {
    npdsch_i_tbs: u8,
    npdsch_repetitions: u32,
    npusch_i_tbs: u8,
    npusch_repetitions: u32,
    acknowledgement_repetitions: u32,
    msg3_resource_units: u32,
    /// NPRACH, on a tone that is a quarter as wide.
    preamble_tone_ms: f64,
}

const CE0: Level = Level {
    npdsch_i_tbs: 8,
    npdsch_repetitions: 1,
    npusch_i_tbs: 8,
    npusch_repetitions: 1,
    acknowledgement_repetitions: 1,
    msg3_resource_units: 1,
    preamble_tone_ms: 5.6 / 4.0,
};
const CE1: Level = Level {
    npdsch_i_tbs: 4,
    npdsch_repetitions: 8,
    npusch_i_tbs: 3,
    npusch_repetitions: 4,
    acknowledgement_repetitions: 4,
    msg3_resource_units: 1,
    preamble_tone_ms: 44.8 / 4.0,
};
const CE2: Level = Level {
    npdsch_i_tbs: 0,
    npdsch_repetitions: 32,
    npusch_i_tbs: 0,
    npusch_repetitions: 16,
    acknowledgement_repetitions: 16,
    msg3_resource_units: 4,
    preamble_tone_ms: 179.2 / 4.0,
};

const PLAIN: Sequence = Sequence::SERVICE_REQUEST;
const RESUME: Sequence = Sequence::RESUME;
const CONTROL: Sequence = Sequence::CONTROL_PLANE;

const fn row(
    level: Level,
    sequence: Sequence,
    packet_bytes: u16,
    dcis: u32,
    npdsch_subframes: f64,
    uplink_tone_ms: f64,
) -> Row {
    Row {
        level,
        sequence,
        packet_bytes,
        dcis,
        npdsch_subframes,
        uplink_tone_ms,
    }
}

const ROWS: [Row; 18] = [
    row(CE0, PLAIN, 73, 9, 8.0, 81.4),
    row(CE0, PLAIN, 448, 13, 8.0, 265.4),
    row(CE0, RESUME, 73, 4, 5.0, 61.4),
    row(CE0, RESUME, 448, 8, 5.0, 245.4),
    row(CE0, CONTROL, 73, 4, 4.0, 61.4),
    row(CE0, CONTROL, 448, 8, 4.0, 245.4),
    row(CE1, PLAIN, 73, 10, 104.0, 683.2),
    row(CE1, PLAIN, 448, 15, 104.0, 2475.2),
    row(CE1, RESUME, 73, 5, 64.0, 475.2),
    row(CE1, RESUME, 448, 10, 64.0, 2235.2),
    row(CE1, CONTROL, 73, 5, 48.0, 539.2),
    row(CE1, CONTROL, 448, 10, 48.0, 2299.2),
    row(CE2, PLAIN, 73, 11, 992.0, 5932.8),
    row(CE2, PLAIN, 448, 24, 992.0, 21_932.8),
    row(CE2, RESUME, 73, 6, 608.0, 4460.8),
    row(CE2, RESUME, 448, 19, 608.0, 20_460.8),
    row(CE2, CONTROL, 73, 7, 480.0, 4972.8),
    row(CE2, CONTROL, 448, 19, 480.0, 20_844.8),
];

impl Row {
    fn name(&self) -> String {
        let Self {
            level,
            sequence,
            packet_bytes,
            ..
        } = self;
        let steps = sequence.set_up.len();
        format!(
            "I_TBS {} up, {steps} steps, {packet_bytes} B",
            level.npusch_i_tbs
        )
    }
}

/// One device and its cell, every block of which arrives.
struct Walk {
    level: Level,
    subheaders: Subheaders,
    up: [AmTransmitter<()>; 3],
    up_received: [AmReceiver; 3],
    down: [AmTransmitter<()>; 3],
    dcis: u32,
    downlink_blocks: u32,
    npdsch_subframes: u32,
    resource_units: u32,
    packet_bytes_sent: u32,
}

const fn place(bearer: Bearer) -> usize {
    match bearer {
        Bearer::Srb0 | Bearer::Srb1bis => 0,
        Bearer::Srb1 => 1,
        Bearer::Drb => 2,
    }
}

impl Walk {
    fn of(row: &Row, subheaders: Subheaders) -> Self {
        let mut walk = Self {
            level: row.level,
            subheaders,
            up: Default::default(),
            up_received: Default::default(),
            down: Default::default(),
            dcis: 0,
            downlink_blocks: 0,
            npdsch_subframes: 0,
            resource_units: 0,
            packet_bytes_sent: 0,
        };
        walk.downlink_block(random_access_response_bytes(1, false).into());
        let on_bearer = matches!(row.sequence.data, DataPath::DataBearer { .. });
        if on_bearer && row.sequence != PLAIN {
            walk.up[2].offer((), Bearer::Drb.sdu(0, row.packet_bytes));
        }
        for step in row.sequence.set_up {
            walk.step(step, row.packet_bytes);
        }
        if let DataPath::DataBearer {
            first_with_buffer_status: true,
        } = row.sequence.data
        {
            walk.up[2].offer((), Bearer::Drb.sdu(0, row.packet_bytes));
            walk.uplink(With::BufferStatus);
        }
        walk.step(&row.sequence.release, row.packet_bytes);
        walk
    }

    fn step(&mut self, step: &Step, packet_bytes: u16) {
        let sdu = step.sdu(packet_bytes);
        match (step.direction, step.bearer) {
            (Direction::Up, Bearer::Srb0) => {
                let msg3 = self.demand(step.with).and_transparent(sdu).bytes();
                assert!(
                    msg3 <= u32::from(MSG3_BYTES) + 1,
                    "a length field may be left out"
                );
                self.resource_units += self.level.msg3_resource_units;
            }
            (Direction::Down, Bearer::Srb0) => {
                let demand = self.demand(step.with).and_transparent(sdu);
                self.downlink_block(demand.bytes());
            }
            (Direction::Up, bearer) => {
                self.up[place(bearer)].offer((), sdu);
                self.uplink(step.with);
            }
            (Direction::Down, bearer) => {
                let queue = &mut self.down[place(bearer)];
                queue.offer((), sdu);
                let demand = Demand::new(self.subheaders).and_data(queue);
                let bytes = demand.bytes() + self.demand(step.with).bytes();
                while let Some(pdu) = self.down[place(bearer)].build(85, Instant::ZERO, &FREE) {
                    self.down[place(bearer)].settle(&pdu, Fate::Arrived, &FREE);
                }
                self.downlink_block(bytes);
            }
        }
    }

    fn demand(&self, with: With) -> Demand {
        let demand = Demand::new(self.subheaders);
        match with.control_element(73) {
            Some(element) => demand.and_control(element),
            None => demand,
        }
    }

    /// Grants until nothing waits, each the smallest block that holds it, or the largest.
    fn uplink(&mut self, with: With) {
        let mut with = with;
        loop {
            let demand = self.demand(with);
            let demand = self.up.iter().fold(demand, Demand::and_data);
            let waiting: u32 = self.up.iter().map(AmTransmitter::waiting_bytes).sum();
            if waiting == 0 {
                break;
            }
            let row = self.level.npusch_i_tbs;
            let category = DeviceCategory::Nb1;
            let block = npusch_block(row, demand.bytes() * 8, category, 1)
                .or_else(|| TransportBlock::largest_npusch(row, category, 1))
                .expect("the row has blocks");
            let mut pdu = MacPduBuilder::new(block.bits / 8, self.subheaders);
            if let Some(element) = with.control_element(73) {
                assert!(pdu.control(element));
            }
            for bearer in [Bearer::Srb1bis, Bearer::Srb1, Bearer::Drb] {
                pdu.data(bearer, &mut self.up[place(bearer)], Instant::ZERO, &FREE);
            }
            self.arrive(&pdu.finish(), block.bits / 8);
            self.dcis += 1;
            self.resource_units += u32::from(block.units);
            with = With::Nothing;
        }
    }

    fn arrive(&mut self, pdu: &MacPdu, size_bytes: u16) {
        assert_eq!(pdu.composition.total_bytes(), u32::from(size_bytes));
        self.packet_bytes_sent += pdu.composition.payload_bytes;
        for element in &pdu.elements {
            if let Element::Data(bearer, data) = element {
                let queue = &mut self.up[place(*bearer)];
                let bytes = self.up_received[place(*bearer)].receive(data, &FREE);
                while queue.take_delivered(bytes).is_some() {}
                queue.settle(data, Fate::Arrived, &FREE);
            }
        }
    }

    fn downlink_block(&mut self, bytes: u32) {
        let row = self.level.npdsch_i_tbs;
        let block = npdsch_block(row, bytes * 8, DeviceCategory::Nb1, CarrierMode::Standalone)
            .expect("no message of the downlink is cut here");
        self.dcis += 1;
        self.downlink_blocks += 1;
        self.npdsch_subframes += u32::from(block.units) * self.level.npdsch_repetitions;
    }

    /// Milliseconds of one 15 kHz tone; a resource unit has 8, an acknowledgement 2, and only Msg2 has none.
    fn uplink_tone_ms(&self) -> f64 {
        let data = self.resource_units * 8 * self.level.npusch_repetitions;
        let acknowledgements =
            (self.downlink_blocks - 1) * 2 * self.level.acknowledgement_repetitions;
        f64::from(data + acknowledgements) + self.level.preamble_tone_ms
    }
}

#[test]
fn v_g_procedures_take_the_dcis_and_the_uplink_of_the_hand_calculation() {
    for row in &ROWS {
        let walk = Walk::of(row, Subheaders::OncePerSdu);
        assert_eq!(walk.dcis, row.dcis, "{}", row.name());
        let difference = walk.uplink_tone_ms() - row.uplink_tone_ms;
        assert!(difference.abs() < 0.05, "{}: {difference} ms", row.name());
        assert_eq!(walk.packet_bytes_sent, u32::from(row.packet_bytes));
        assert!(walk.up.iter().all(AmTransmitter::is_idle), "{}", row.name());
    }
}

/// The hand calculation has four bytes more in the first message down after Msg5, the room of a STATUS PDU: a subframe
/// without repetitions, except where the block has room for them.
#[test]
fn downlink_subframes_are_those_of_the_hand_calculation_but_for_its_answer_to_msg5() {
    for row in &ROWS {
        let walk = Walk::of(row, Subheaders::OncePerSdu);
        let has_room = row.sequence == RESUME
            || (row.sequence == CONTROL && row.level.npdsch_i_tbs == CE0.npdsch_i_tbs);
        let answer = if has_room {
            0
        } else {
            row.level.npdsch_repetitions
        };
        let subframes = f64::from(walk.npdsch_subframes + answer);
        assert!(
            (subframes - row.npdsch_subframes).abs() < 0.5,
            "{}",
            row.name()
        );
    }
}

/// A byte for the subheader of each further segment matters where a block holds 32 bytes.
#[test]
fn standard_subheaders_cost_one_more_block_in_one_row() {
    for row in &ROWS {
        let walk = Walk::of(row, Subheaders::Standard);
        let many_small_blocks = row.level.npusch_i_tbs == CE2.npusch_i_tbs
            && row.sequence == CONTROL
            && row.packet_bytes == 448;
        assert_eq!(
            walk.dcis,
            row.dcis + u32::from(many_small_blocks),
            "{}",
            row.name()
        );
    }
}
