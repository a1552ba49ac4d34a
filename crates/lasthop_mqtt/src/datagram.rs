use lasthop_broker::Qos;

use crate::codec::{Frame, PacketType, Publish, Version};

/// The message that is all of a datagram: of QoS 0, with its topic written out, since a number for it may have been lost.
pub(crate) fn publication_in(datagram: &[u8], version: Version) -> Option<Publish<'_>> {
    let frame = Frame::split(datagram, datagram.len()).ok()??;
    if frame.length != datagram.len() || frame.packet_type != PacketType::Publish {
        return None;
    }
    let publish = Publish::read(version, &frame).ok()?;
    (publish.qos == Qos::AtMostOnce && publish.topic_alias == 0).then_some(publish)
}
