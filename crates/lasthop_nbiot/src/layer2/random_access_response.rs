/// The size of Msg3: 88 bits for any modulation (TS 36.213 section 16.3.3).
pub const MSG3_BYTES: u16 = 11;

/// A back-off indicator is a subheader (TS 36.321 section 6.1.5).
const BACK_OFF_INDICATOR_BYTES: u16 = 1;

/// A subheader with the preamble's identity, and the response: timing advance, grant, temporary identity.
const RESPONSE_BYTES: u16 = 1 + 6;

/// Returns the size of the random access response that answers this number of preambles (TS 36.321 section 6.1.5).
#[must_use]
pub const fn random_access_response_bytes(preambles: u16, back_off_indicator: bool) -> u16 {
    preambles * RESPONSE_BYTES
        + if back_off_indicator {
            BACK_OFF_INDICATOR_BYTES
        } else {
            0
        }
}
