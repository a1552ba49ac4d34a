use lasthop_contract::message_text::{ID_LENGTH, write_id};

/// The id in a payload: what is read is what would be written.
pub fn message_id(data: &[u8]) {
    let Some(id) = lasthop_contract::message_text::message_id(data) else {
        return;
    };
    let mut text = [0; ID_LENGTH];
    write_id(id.flow, id.number.get(), &mut text);
    let json = [br#"{"id":""#, &text[..]].concat();
    assert!(data.starts_with(&text) || data.starts_with(&json));
}
