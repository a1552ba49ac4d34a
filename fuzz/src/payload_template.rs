use lasthop_contract::FlowId;
use lasthop_traffic::PayloadTemplate;
use lasthop_units::DataSize;

use crate::script::Script;

/// The JSON fields of a payload: two bytes are the wanted size (0 for none), one the readings, the rest is the text.
pub fn payload_template(data: &[u8]) {
    let mut script = Script::new(data);
    let size = Some(script.word()).filter(|size| *size > 0);
    let size = size.map(|size| DataSize::from_bytes(size.into()));
    let readings = u64::from(script.byte());
    let Ok(fields) = core::str::from_utf8(script.rest()) else {
        return;
    };
    // A list of readings is two levels deeper than its fields, and the judge below reads 128 levels.
    if serde_json::from_str::<serde_json::Value>(&format!("[[{fields}]]")).is_err() {
        return;
    }
    let Ok(template) = PayloadTemplate::json(fields, readings, size) else {
        return;
    };
    let payload = template.payload(FlowId(7), 3);
    assert_eq!(DataSize::of(&payload), template.size());
    assert!(size.is_none_or(|size| size == template.size()));
    let id = lasthop_contract::message_text::message_id(&payload).expect("every payload has an id");
    assert_eq!((id.flow.0, id.number.get()), (7, 3));
    let value: serde_json::Value = serde_json::from_slice(&payload).expect("it is JSON");
    assert_eq!(value["id"], "AAAHAAAD");
}
