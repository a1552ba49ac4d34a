//! Sizes of messages and headers, against the tables of TS 36.331, 24.301, 36.321, 36.322 and 36.323.

use lasthop_contract::Direction::{Down, Up};
use lasthop_nbiot::config::{Connection, NetworkConfig, Procedure};
use lasthop_nbiot::layer2::{
    AmTransmitter, Bearer, ControlElement, Demand, MSG3_BYTES, Subheaders,
    random_access_response_bytes,
};
use lasthop_nbiot::rrc::{DataPath, Message, Nas, Sequence, Step, connected_access_msg3};

#[test]
fn messages_of_rrc_have_their_encoded_sizes() {
    for (message, bytes) in [
        (Message::ConnectionRequest, 9),
        (Message::ConnectionSetup, 14),
        (Message::ConnectionSetupComplete, 4),
        (Message::ConnectionResumeRequest, 9),
        (Message::ConnectionResume, 12),
        (Message::ConnectionResumeComplete, 2),
        (Message::SecurityModeCommand, 3),
        (Message::SecurityModeComplete, 2),
        (Message::ConnectionReconfiguration, 18),
        (Message::ConnectionReconfigurationComplete, 2),
        (Message::UplinkInformationTransfer, 2),
        (Message::DownlinkInformationTransfer, 3),
        (Message::ConnectionRelease, 2),
        (Message::ConnectionSuspend, 7),
        (Message::EarlyDataRequest, 8),
        (Message::EarlyDataComplete, 2),
    ] {
        assert_eq!(message.bytes(0), bytes, "{message:?}");
    }
    assert_eq!(Message::EarlyDataComplete.bytes(20), 23);
}

#[test]
fn a_long_nas_message_needs_a_longer_length() {
    assert_eq!(Message::UplinkInformationTransfer.bytes(127), 129);
    assert_eq!(Message::UplinkInformationTransfer.bytes(128), 131);
}

#[test]
fn nas_messages_wrap_a_packet() {
    assert_eq!(Nas::ServiceRequest.bytes(0), 4);
    assert_eq!(Nas::ControlPlaneServiceRequest.bytes(73), 91);
    assert_eq!(Nas::DataTransport.bytes(73), 84);
    assert_eq!(Nas::DataTransportWithReleaseAssistance.bytes(73), 85);
}

#[test]
fn updates_of_the_tracking_area_carry_no_packet() {
    for (nas, bytes) in [
        (Nas::TrackingAreaUpdateRequest, 38),
        (Nas::TrackingAreaUpdateAccept, 24),
    ] {
        assert!(!nas.carries_packet());
        assert_eq!(nas.bytes(0), bytes, "{nas:?}");
    }
}

#[test]
fn pdcp_adds_what_its_bearer_needs() {
    for (bearer, bytes) in [
        (Bearer::Srb0, 0),
        (Bearer::Srb1bis, 0),
        (Bearer::Srb1, 5),
        (Bearer::Drb, 1),
    ] {
        assert_eq!(bearer.pdcp_bytes(), bytes, "{bearer:?}");
    }
}

#[test]
fn control_elements_have_their_sizes_with_subheaders() {
    for (element, bytes) in [
        (ControlElement::DataVolumeAndPowerHeadroom(3), 1),
        (ControlElement::BufferStatus(3), 2),
        (ControlElement::CellRadioNetworkIdentity, 3),
        (ControlElement::ContentionResolutionIdentity, 7),
    ] {
        let sum = element.subheader_bytes() + element.body_bytes();
        assert_eq!(sum, bytes, "{element:?}");
    }
}

#[test]
fn a_random_access_response_takes_seven_bytes_a_preamble() {
    assert_eq!(random_access_response_bytes(1, false) * 8, 56);
    assert_eq!(random_access_response_bytes(3, true), 22);
    assert_eq!(random_access_response_bytes(0, true), 1);
}

#[test]
fn access_in_connected_mode_fills_msg3_with_who_and_how_much() {
    let msg3 = connected_access_msg3(448).composition;
    assert_eq!(msg3.total_bytes(), u32::from(MSG3_BYTES));
    assert_eq!(msg3.control_element_bytes, 5);
    assert_eq!(msg3.padding_bytes, 6);
}

#[test]
fn a_packet_inside_nas_is_told_from_the_signalling_around_it() {
    let first = Sequence::CONTROL_PLANE.set_up[2].sdu(73);
    assert_eq!((first.signalling_bytes, first.packet_bytes), (4 + 18, 73));
    let service_request = Sequence::SERVICE_REQUEST.set_up[2].sdu(73);
    assert_eq!(service_request.packet_bytes, 0);
    assert_eq!(service_request.signalling_bytes, 8);
}

#[test]
fn every_sequence_begins_on_srb0_and_up_and_ends_down() {
    for sequence in [
        Sequence::SERVICE_REQUEST,
        Sequence::SERVICE_REQUEST_WITHOUT_SECURITY,
        Sequence::RESUME,
        Sequence::CONTROL_PLANE,
        Sequence::EARLY_DATA_USER_PLANE,
        Sequence::EARLY_DATA_CONTROL_PLANE,
        Sequence::TRACKING_AREA_UPDATE,
        Sequence::TRACKING_AREA_UPDATE_BY_RESUME,
        Sequence::EARLY_DATA_CONTROL_PLANE_SET_UP,
    ] {
        let Step {
            direction, bearer, ..
        } = sequence.set_up[0];
        assert_eq!((direction, bearer), (Up, Bearer::Srb0));
        assert_eq!(sequence.release.direction, Down);
        let turns = sequence.set_up.windows(2);
        assert!(
            turns
                .map(|pair| (pair[0].direction, pair[1].direction))
                .all(|turn| turn != (Up, Up))
        );
    }
}

#[test]
fn release_assistance_takes_a_byte_where_it_is_not_there_already() {
    let DataPath::Nas { up, .. } = Sequence::CONTROL_PLANE.data else {
        panic!("data go inside NAS messages");
    };
    let first = Sequence::CONTROL_PLANE.set_up[2];
    for (step, bytes) in [(up, 1), (first, 0)] {
        let more = step.assisting_release().sdu(73).bytes() - step.sdu(73).bytes();
        assert_eq!(more, bytes, "{:?}", step.message);
    }
}

/// The bytes of a step's transport block, with a length in each subheader.
fn block_bytes(step: &Step, packet_bytes: u16) -> u32 {
    let sdu = step.sdu(packet_bytes);
    let mut demand = Demand::new(Subheaders::Standard);
    if let Some(element) = step.with.control_element(73) {
        demand = demand.and_control(element);
    }
    if step.bearer == Bearer::Srb0 {
        demand = demand.and_transparent(sdu);
    } else {
        let mut signalling = AmTransmitter::new();
        signalling.offer((), sdu);
        demand = demand.and_data(&signalling);
    }
    if step.with.has_user_data() {
        let mut data = AmTransmitter::new();
        data.offer((), Bearer::Drb.sdu(0, packet_bytes));
        demand = demand.and_data(&data);
    }
    demand.bytes()
}

#[test]
fn each_step_takes_the_bytes_of_its_headers_and_its_message() {
    for (sequence, blocks_bytes, release_bytes) in [
        // Msg3 of 88 bits has no length field, so that it is 11.
        (
            Sequence::SERVICE_REQUEST,
            &[12, 23, 12 + 2, 12, 11, 27, 11][..],
            11,
        ),
        (Sequence::RESUME, &[12, 28, 11 + 78], 16),
        (Sequence::CONTROL_PLANE, &[12, 23, 99], 6),
        (Sequence::EARLY_DATA_USER_PLANE, &[12 + 78], 7 + 16 + 78),
        (
            Sequence::EARLY_DATA_CONTROL_PLANE,
            &[1 + 2 + 8 + 91],
            7 + 2 + 2,
        ),
        (
            Sequence::TRACKING_AREA_UPDATE,
            &[12, 23, 4 + 4 + 38, 4 + 3 + 24],
            6,
        ),
        (
            Sequence::TRACKING_AREA_UPDATE_BY_RESUME,
            &[12, 28, 9 + 2 + 38, 9 + 3 + 24],
            16,
        ),
    ] {
        let bytes: Vec<u32> = sequence
            .set_up
            .iter()
            .map(|step| block_bytes(step, 73))
            .collect();
        assert_eq!(bytes, blocks_bytes);
        assert_eq!(block_bytes(&sequence.release, 73), release_bytes);
    }
}

#[test]
fn a_network_has_the_sequence_of_its_settings() {
    let settings = |procedure, security, early_data_bits| Connection {
        procedure,
        security,
        early_data_bits,
        ..NetworkConfig::larmo_2019().connection
    };
    for (connection, sequence, early) in [
        (
            settings(Procedure::ServiceRequest, true, None),
            Sequence::SERVICE_REQUEST,
            None,
        ),
        (
            settings(Procedure::ServiceRequest, false, None),
            Sequence::SERVICE_REQUEST_WITHOUT_SECURITY,
            None,
        ),
        (
            settings(Procedure::Resume, true, None),
            Sequence::RESUME,
            None,
        ),
        (
            settings(Procedure::Resume, true, Some(808)),
            Sequence::RESUME,
            Some(Sequence::EARLY_DATA_USER_PLANE),
        ),
        (
            settings(Procedure::ControlPlane, true, Some(936)),
            Sequence::CONTROL_PLANE,
            Some(Sequence::EARLY_DATA_CONTROL_PLANE),
        ),
    ] {
        assert_eq!(Sequence::of(&connection), &sequence);
        assert_eq!(Sequence::early_data_of(&connection), early.as_ref());
    }
}
