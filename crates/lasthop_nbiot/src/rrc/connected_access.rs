use crate::layer2::{
    ControlElement, MSG3_BYTES, MacPdu, MacPduBuilder, Subheaders, buffer_size_index,
};

/// Returns Msg3 of a connected device with `waiting_bytes` and no grant: C-RNTI, buffer status report and padding.
///
/// NB-IoT has no scheduling request on NPUCCH in Release 13 and 14, so that new data go through random access
/// (TS 36.321 section 5.4.4). The answer is a DCI with a grant for its identity, which settles contention as well (5.1.5).
#[must_use]
pub fn connected_access_msg3(waiting_bytes: u32) -> MacPdu {
    let mut msg3 = MacPduBuilder::new(MSG3_BYTES, Subheaders::Standard);
    let identity = msg3.control(ControlElement::CellRadioNetworkIdentity);
    let status = ControlElement::BufferStatus(buffer_size_index(waiting_bytes));
    let status = msg3.control(status);
    debug_assert!(identity && status, "five of eleven bytes are taken");
    msg3.finish()
}
