//! Our codec beside mqtt-protocol-core, which shares no line with it: it reads what we write and writes the same
//! again, and what we take for well-formed, it does.

use lasthop_broker::{RetainHandling, SubscriptionOptions, TopicFilter};
use lasthop_contract::RandomStream;
use lasthop_mqtt::codec::{
    Acknowledgement, AcknowledgementKind, Connack, Connect, Disconnect, Frame, PacketType, Publish,
    PublishHead, ReasonCode, Suback, Subscribe, Unsubscribe, Will,
};
use lasthop_mqtt::{Qos, Version};
use mqtt_protocol_core::mqtt::packet::{v3_1_1, v5_0};

const VERSIONS: [Version; 2] = [Version::V3_1_1, Version::V5];

/// What the other codec makes of a packet: its bytes written again, or nothing when it refuses them.
fn opinion(version: Version, frame: &Frame<'_>) -> Option<Vec<u8>> {
    macro_rules! of {
        ($module:ident, $name:ident) => {{
            let (packet, _) = $module::$name::parse(frame.body).ok()?;
            Some(packet.to_continuous_buffer())
        }};
    }
    macro_rules! of_version {
        ($name:ident) => {
            match version {
                Version::V3_1_1 => of!(v3_1_1, $name),
                Version::V5 => of!(v5_0, $name),
            }
        };
    }
    match frame.packet_type {
        PacketType::Connect => of_version!(Connect),
        PacketType::Connack => of_version!(Connack),
        PacketType::Publish => match version {
            Version::V3_1_1 => {
                let (packet, _) = v3_1_1::Publish::parse(frame.flags, frame.body.into()).ok()?;
                Some(packet.to_continuous_buffer())
            }
            Version::V5 => {
                let (packet, _) = v5_0::Publish::parse(frame.flags, frame.body.into()).ok()?;
                Some(packet.to_continuous_buffer())
            }
        },
        PacketType::Puback => of_version!(Puback),
        PacketType::Pubrec => of_version!(Pubrec),
        PacketType::Pubrel => of_version!(Pubrel),
        PacketType::Pubcomp => of_version!(Pubcomp),
        PacketType::Subscribe => of_version!(Subscribe),
        PacketType::Suback => of_version!(Suback),
        PacketType::Unsubscribe => of_version!(Unsubscribe),
        PacketType::Unsuback => of_version!(Unsuback),
        PacketType::Disconnect => of_version!(Disconnect),
        PacketType::Pingreq => of_version!(Pingreq),
        PacketType::Pingresp => of_version!(Pingresp),
        PacketType::Auth => of!(v5_0, Auth),
    }
}

/// Whether we take a packet for well-formed; `None` for those that we do not read.
fn ours(version: Version, frame: &Frame<'_>) -> Option<bool> {
    let acknowledgement = |kind| Acknowledgement::read(version, kind, frame.body).is_ok();
    Some(match frame.packet_type {
        PacketType::Connect => Connect::read(frame.body).is_ok_and(|read| read.version == version),
        PacketType::Connack => Connack::read(version, frame.body).is_ok(),
        PacketType::Publish => Publish::read(version, frame).is_ok(),
        PacketType::Puback => acknowledgement(AcknowledgementKind::Puback),
        PacketType::Pubrec => acknowledgement(AcknowledgementKind::Pubrec),
        PacketType::Pubrel => acknowledgement(AcknowledgementKind::Pubrel),
        PacketType::Pubcomp => acknowledgement(AcknowledgementKind::Pubcomp),
        PacketType::Subscribe => Subscribe::read(version, frame.body).is_ok(),
        PacketType::Suback => Suback::read(version, frame.body).is_ok(),
        PacketType::Unsubscribe => Unsubscribe::read(version, frame.body).is_ok(),
        PacketType::Disconnect => Disconnect::read(version, frame.body).is_ok(),
        PacketType::Unsuback | PacketType::Pingreq | PacketType::Pingresp | PacketType::Auth => {
            return None;
        }
    })
}

/// A packet of any kind, drawn at random.
fn packet(version: Version, random: &mut RandomStream) -> Vec<u8> {
    let mut below = |bound| random.below(bound) as u32;
    let is_5 = version == Version::V5;
    let packet_id = 1 + below(65_535) as u16;
    let qos = Qos::from_number(below(3) as u8).unwrap();
    match below(9) {
        0 => {
            let mut connect = Connect::new(version, ["a", "device-17", "ä"][below(3) as usize]);
            connect.clean_start = below(2) == 0;
            connect.keep_alive = below(65_536) as u16;
            if is_5 {
                connect.session_expiry = [0, 1, u32::MAX][below(3) as usize];
                connect.receive_maximum = [1, 20, u16::MAX][below(3) as usize];
                connect.maximum_packet_size = [None, Some(1), Some(u32::MAX)][below(3) as usize];
                connect.topic_alias_maximum = below(2) as u16 * 10;
            }
            if below(2) == 0 {
                connect.will = Some(Will {
                    topic: "will",
                    payload: b"gone",
                    qos,
                    retain: below(2) == 0,
                    delay: if is_5 { below(3) } else { 0 },
                    message_expiry: if is_5 { Some(below(3)) } else { None },
                    properties: if is_5 {
                        vec![38, 0, 1, b'k', 0, 1, b'v']
                    } else {
                        vec![]
                    },
                });
            }
            connect.write().to_vec()
        }
        1 => {
            let mut connack = Connack::new(below(2) == 0, ReasonCode::SUCCESS);
            if is_5 {
                connack.session_expiry = [None, Some(7)][below(2) as usize];
                connack.receive_maximum = [1, u16::MAX][below(2) as usize];
                connack.maximum_packet_size = [None, Some(100)][below(2) as usize];
                connack.assigned_client_id = [None, Some("auto-1")][below(2) as usize];
                connack.topic_alias_maximum = below(2) as u16 * 10;
                connack.server_keep_alive = [None, Some(9)][below(2) as usize];
            }
            connack.write(version).to_vec()
        }
        2 | 3 => {
            let payload = vec![b'x'; [0, 1, 40, 127, 128, 300, 20_000][below(7) as usize]];
            let long = "l".repeat(200);
            let topic = ["a", "device/7", "ä/β", &long][below(4) as usize];
            let mut head = PublishHead::new(topic, qos, packet_id, payload.len());
            head.dup = qos != Qos::AtMostOnce && below(2) == 0;
            head.retain = below(2) == 0;
            if is_5 {
                head.topic_alias = below(3) as u16;
                head.message_expiry = [None, Some(u32::MAX)][below(2) as usize];
                head.subscription_ids =
                    [&[][..], &[1], &[127, 128, 268_435_455]][below(3) as usize];
                head.properties = [&[][..], &[1, 1, 3, 0, 1, b't']][below(2) as usize];
            }
            [&head.write(version)[..], &payload].concat()
        }
        4 => {
            let kinds = [
                AcknowledgementKind::Puback,
                AcknowledgementKind::Pubrec,
                AcknowledgementKind::Pubrel,
                AcknowledgementKind::Pubcomp,
            ];
            let kind = below(4) as usize;
            let failures = [0x10, 0x10, 0x92, 0x92];
            let reason = [0, failures[kind]][below(2) as usize];
            let acknowledgement = Acknowledgement {
                packet_id,
                reason: ReasonCode(reason),
            };
            let (bytes, length) = acknowledgement.write(version, kinds[kind]);
            bytes[..length].to_vec()
        }
        5 => {
            let filters = ["a", "+/b/#", "$share/g/a/+", "#"];
            let mut subscribe = Subscribe {
                packet_id,
                filters: Default::default(),
            };
            let id = if is_5 { below(300) } else { 0 };
            for _ in 0..=below(3) {
                let filter = TopicFilter::parse(filters[below(4) as usize]).unwrap();
                let mut options = SubscriptionOptions {
                    maximum_qos: Qos::from_number(below(3) as u8).unwrap(),
                    id,
                    ..SubscriptionOptions::default()
                };
                if is_5 {
                    options.no_local = filter.group().is_none() && below(2) == 0;
                    options.retain_as_published = below(2) == 0;
                    options.retain_handling = [
                        RetainHandling::Send,
                        RetainHandling::SendIfNew,
                        RetainHandling::DoNotSend,
                    ][below(3) as usize];
                }
                subscribe.filters.push((filter, options));
            }
            subscribe.write(version).to_vec()
        }
        6 => {
            let reasons = [0, 1, 2, 0x80].map(ReasonCode);
            Suback {
                packet_id,
                reasons: reasons.into_iter().collect(),
            }
            .write(version)
            .to_vec()
        }
        7 => {
            let reasons = if is_5 {
                vec![ReasonCode(0), ReasonCode(0x11)]
            } else {
                vec![]
            };
            Suback {
                packet_id,
                reasons: reasons.into_iter().collect(),
            }
            .write_unsuback(version)
            .to_vec()
        }
        _ => {
            let reason = [0, 0x04, 0x81, 0x8e][below(4) as usize];
            Disconnect::new(ReasonCode(reason)).write(version).to_vec()
        }
    }
}

#[test]
fn the_other_codec_reads_what_we_write_and_writes_the_same() {
    let mut random = RandomStream::named(1, "packets");
    for version in VERSIONS {
        for _ in 0..20_000 {
            let bytes = packet(version, &mut random);
            let frame = Frame::split(&bytes, usize::MAX).unwrap().unwrap();
            assert_eq!(frame.length, bytes.len());
            let other = opinion(version, &frame);
            assert_eq!(
                other.as_deref(),
                Some(&bytes[..]),
                "{version:?} {:?}",
                frame.packet_type
            );
            assert_ne!(ours(version, &frame), Some(false), "{version:?} {bytes:x?}");
        }
    }
}

/// The other way round we are the stricter ones: it takes much that the standard calls malformed.
#[test]
fn what_we_take_for_well_formed_the_other_codec_does_too() {
    let mut random = RandomStream::named(2, "mutations");
    let mut accepted = [0_u32; 2];
    for version in VERSIONS {
        for _ in 0..300_000 {
            let mut bytes = packet(version, &mut random);
            for _ in 0..=random.below(3) {
                let place = random.below(bytes.len().min(60) as u64) as usize;
                bytes[place] = match random.below(3) {
                    0 => random.next_u64() as u8,
                    1 => bytes[place].wrapping_add(1),
                    _ => bytes[place] ^ 1 << random.below(8),
                };
            }
            let Ok(Some(frame)) = Frame::split(&bytes, usize::MAX) else {
                continue;
            };
            let ours = ours(version, &frame);
            let other = opinion(version, &frame).is_some();
            if ours == Some(true) {
                assert!(other, "{version:?} {:?} {bytes:x?}", frame.packet_type);
                accepted[0] += 1;
            }
            accepted[1] += u32::from(other && ours.is_some());
        }
    }
    let [ours, other] = accepted;
    assert!(0 < ours && ours < other, "{ours} of {other}");
}
