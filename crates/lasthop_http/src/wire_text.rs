use lasthop_contract::MessageId;
use lasthop_contract::message_text::{ID_LENGTH, write_id};

/// Returns a message ID as text for paths and fields.
pub(crate) fn written(id: MessageId) -> String {
    let mut text = [0; ID_LENGTH];
    write_id(id.flow, id.number.get(), &mut text);
    text.iter().map(|byte| char::from(*byte)).collect()
}
