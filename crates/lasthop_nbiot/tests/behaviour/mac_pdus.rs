//! Subheaders, padding and shares of a transport block (TS 36.321 section 6.1.2).

use lasthop_nbiot::layer2::{
    AmReceiver, AmTransmitter, Bearer, Composition, ControlElement, Demand, Element, MacPdu,
    MacPduBuilder, Subheaders,
};
use lasthop_units::Instant;

use crate::rlc_config::REPORTING;

fn with_packet_of(bytes: u16) -> AmTransmitter<()> {
    let mut transmitter = AmTransmitter::new();
    transmitter.offer((), Bearer::Drb.sdu(0, bytes));
    transmitter
}

fn filled(size_bytes: u16, transmitter: &mut AmTransmitter<()>) -> MacPdu {
    let mut builder = MacPduBuilder::new(size_bytes, Subheaders::Standard);
    builder.data(Bearer::Drb, transmitter, Instant::ZERO, &REPORTING);
    builder.finish()
}

#[test]
fn the_last_sdu_has_a_length_only_before_padding() {
    // A packet of 73 bytes: PDCP 1, RLC 2, and one byte of subheader are 77.
    for (size_bytes, header_bytes, padding_bytes) in [
        (77, 4, 0),
        (78, 4, 1),
        (79, 4, 2),
        (80, 5, 2),
        (85, 5, 7),
        (200, 5, 122),
    ] {
        let block = filled(size_bytes, &mut with_packet_of(73)).composition;
        assert_eq!(block.payload_bytes, 73, "{size_bytes} B");
        assert_eq!(block.header_bytes, header_bytes, "{size_bytes} B");
        assert_eq!(block.padding_bytes, padding_bytes, "{size_bytes} B");
    }
}

#[test]
fn an_sdu_of_128_bytes_has_a_length_of_two() {
    for (packet_bytes, header_bytes) in [(124, 5), (125, 6)] {
        let block = filled(300, &mut with_packet_of(packet_bytes)).composition;
        assert_eq!(block.header_bytes, header_bytes, "{packet_bytes} B");
    }
}

#[test]
fn blocks_of_any_size_are_filled_and_add_up() {
    for size_bytes in (0..400).chain([1000, u16::MAX]) {
        for packet_bytes in [1, 2, 73, 448, 1600] {
            let mut transmitter = with_packet_of(packet_bytes);
            let mut receiver = AmReceiver::new();
            let polled = with_packet_of(1).build(4, Instant::ZERO, &REPORTING);
            receiver.receive(&polled.expect("a byte waits"), &REPORTING);
            let mut builder = MacPduBuilder::new(size_bytes, Subheaders::Standard);
            builder.control(ControlElement::BufferStatus(7));
            builder.status(Bearer::Drb, &mut receiver);
            builder.data(Bearer::Drb, &mut transmitter, Instant::ZERO, &REPORTING);
            let block = builder.finish();
            assert_eq!(block.composition.total_bytes(), u32::from(size_bytes));
            let waiting = transmitter.waiting_bytes();
            let carried: u32 = block.elements.iter().map(data_bytes).sum();
            assert_eq!(waiting + carried, u32::from(packet_bytes) + 1);
        }
    }
}

fn data_bytes(element: &Element) -> u32 {
    match element {
        Element::Data(_, pdu) => u32::from(pdu.data_bytes),
        _ => 0,
    }
}

#[test]
fn a_grant_of_two_bytes_carries_padding_and_three_a_status_report() {
    let mut receiver = AmReceiver::new();
    let pdu = with_packet_of(1).build(4, Instant::ZERO, &REPORTING);
    receiver.receive(&pdu.expect("a byte waits"), &REPORTING);
    let mut two = MacPduBuilder::new(2, Subheaders::Standard);
    assert!(!two.status(Bearer::Drb, &mut receiver));
    assert!(!two.data(
        Bearer::Drb,
        &mut with_packet_of(9),
        Instant::ZERO,
        &REPORTING
    ));
    assert_eq!(two.finish().composition.padding_bytes, 2);
    let mut three = MacPduBuilder::new(3, Subheaders::Standard);
    assert!(three.status(Bearer::Drb, &mut receiver));
    assert_eq!(three.finish().composition.rlc_status_bytes, 2);
}

#[test]
fn msg3_and_msg4_have_the_sizes_of_the_standard() {
    let mut msg3 = MacPduBuilder::new(11, Subheaders::Standard);
    assert!(msg3.control(ControlElement::DataVolumeAndPowerHeadroom(9)));
    assert!(msg3.transparent(Bearer::Srb0.sdu(9, 0)));
    assert_eq!(
        msg3.finish().composition,
        Composition {
            signalling_bytes: 9,
            control_element_bytes: 1,
            header_bytes: 1,
            ..Composition::default()
        }
    );
    let msg4 = Demand::new(Subheaders::Standard)
        .and_control(ControlElement::ContentionResolutionIdentity)
        .and_transparent(Bearer::Srb0.sdu(14, 0));
    assert_eq!(msg4.bytes(), 23);
}

#[test]
fn a_message_on_srb0_is_never_cut() {
    let mut builder = MacPduBuilder::new(9, Subheaders::Standard);
    assert!(!builder.transparent(Bearer::Srb0.sdu(9, 0)));
    assert!(builder.finish().elements.is_empty());
}

#[test]
fn a_block_of_the_demanded_size_takes_all_that_waits() {
    for sizes in [&[1][..], &[73], &[448], &[40, 40, 40], &[1600, 20]] {
        let mut transmitter = AmTransmitter::new();
        for bytes in sizes {
            transmitter.offer((), Bearer::Drb.sdu(0, *bytes));
        }
        for subheaders in [Subheaders::Standard, Subheaders::OncePerSdu] {
            let mut transmitter = transmitter.clone();
            let demand = Demand::new(subheaders).and_data(&transmitter);
            let mut builder = MacPduBuilder::new(demand.bytes() as u16, subheaders);
            builder.data(Bearer::Drb, &mut transmitter, Instant::ZERO, &REPORTING);
            assert_eq!(transmitter.waiting_bytes(), 0, "{sizes:?}");
            let padding = builder.finish().composition.padding_bytes;
            assert!(padding <= 2, "{sizes:?}: {padding} B of padding");
        }
    }
}

#[test]
fn signalling_comes_before_data_in_one_block() {
    let mut complete = AmTransmitter::new();
    complete.offer((), Bearer::Srb1.sdu(2, 0));
    let mut packet = with_packet_of(73);
    let mut builder = MacPduBuilder::new(101, Subheaders::Standard);
    builder.data(Bearer::Srb1, &mut complete, Instant::ZERO, &REPORTING);
    builder.data(Bearer::Drb, &mut packet, Instant::ZERO, &REPORTING);
    let block = builder.finish().composition;
    // RRC with PDCP 5 + RLC 2 + MAC 2; the packet with PDCP 1 + RLC 2 + MAC 2; a subheader of padding within padding.
    assert_eq!((block.signalling_bytes, block.payload_bytes), (2, 73));
    assert_eq!(block.header_bytes, 9 + 5);
    assert_eq!(block.padding_bytes, 101 - 2 - 73 - 14);
}
