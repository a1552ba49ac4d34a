//! Durations without an end, which `dust_dds` misreads.

use std::borrow::Cow;

use crate::discovery::infinite;
use crate::submessage::{is_builtin, submessages};

/// A message in which parameters that say that something is infinite are padding (PID_PAD, DDSI-RTPS 2.5 §9.6.3.2): it is, where
/// nothing is said.
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
