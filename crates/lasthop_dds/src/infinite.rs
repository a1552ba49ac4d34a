//! Removal of infinite durations, which `dust_dds` misreads.

use std::borrow::Cow;

use crate::discovery::infinite;
use crate::submessage::{is_builtin, submessages};

/// Replaces parameters with an infinite duration by padding (PID_PAD, DDSI-RTPS 2.5 §9.6.3.2), because infinity is the
/// default.
pub(crate) fn without_infinite(mut message: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    let mut places = Vec::new();
    for part in submessages(&message).filter(|part| part.is_data() && !part.is_fragment()) {
        if part.writer().is_some_and(is_builtin) {
            let start = part.sample_start();
            let found = infinite(&message[start..part.place().end]);
            places.extend(found.into_iter().map(|place| start + place));
        }
    }
    for place in places {
        message.to_mut()[place..place + 2].fill(0);
    }
    message
}
