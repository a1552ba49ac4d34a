/// What the sender of a packet expects to follow it, where it knows: a radio need not wait for more.
///
/// The two are the values of release assistance information (TS 24.301 clause 9.9.4.25).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// No packet, either way.
    NothingMore,
    /// One packet back, and none after it.
    OneAnswer,
}
