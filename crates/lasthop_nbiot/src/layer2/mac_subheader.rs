/// How the subheaders of a MAC PDU are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Subheaders {
    /// As in TS 36.321 section 6.1.2: the last SDU has no length field unless padding follows.
    #[default]
    Standard,
    /// One subheader with a length field for each RLC SDU, none for further segments, and free padding. Hand
    /// calculations use it.
    OncePerSdu,
}

/// R, F2, E and LCID: the subheader of a control element, of padding, and of the last SDU.
pub(super) const SUBHEADER_BYTES: u16 = 1;

/// The length field in the subheader of an SDU: 7 bits below 128 bytes, else 15 (TS 36.321 section 6.2.1).
pub(super) const fn length_field_bytes(sdu_bytes: u32) -> u16 {
    if sdu_bytes < 128 { 1 } else { 2 }
}
