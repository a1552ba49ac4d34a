use lasthop_broker::Qos;

use crate::codec::{Frame, PacketType, Publish, Version};

/// Returns the message if a datagram consists of one PUBLISH of QoS 0 with its topic name. A topic alias is not
/// accepted, since its definition may have been lost.
pub(crate) fn publication_in(datagram: &[u8], version: Version) -> Option<Publish<'_>> {
    let frame = Frame::split(datagram, datagram.len()).ok()??;
    if frame.length != datagram.len() || frame.packet_type != PacketType::Publish {
        return None;
    }
    let publish = Publish::read(version, &frame).ok()?;
    (publish.qos == Qos::AtMostOnce && publish.topic_alias == 0).then_some(publish)
}
