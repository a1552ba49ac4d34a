use thiserror::Error;

/// Why bytes are not a readable capture.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CaptureError {
    /// They begin as no capture does.
    #[error(
        "is no capture; give a file in pcapng or pcap, as Wireshark, dumpcap and tcpdump write it"
    )]
    NoCapture,
    /// The bytes are compressed.
    #[error("is compressed twice, or by another program; decompress it first")]
    Compressed,
    /// A block of the file is invalid.
    #[error("byte {at}: {what}; `reordercap` or `tshark -r FILE -w NEW` may mend the file")]
    Damaged {
        /// Where the block begins.
        at: u64,
        /// What about it.
        what: &'static str,
    },
}
