use lasthop_contract::MessageId;
use lasthop_contract::message_text::{ID_LENGTH, write_id};

/// A message as a path or a field names it.
pub(crate) fn written(id: MessageId) -> String {
    let mut text = [0; ID_LENGTH];
    write_id(id.flow, id.number.get(), &mut text);
    text.iter().map(|byte| char::from(*byte)).collect()
}
