//! Receivers beside their sources. Prints the tables of MODEL.md with `cargo test --release -p lasthop_nbiot --test behaviour
//! receivers -- --nocapture`.
#![expect(clippy::print_stdout, reason = "the rows are stated in MODEL.md")]

mod acknowledgements;
mod cost;
mod npdsch;

/// The SNR at which a share is lost, by bisection: 0.05 dB.
fn required_snr_db(share: f64, lost: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (-35.0, 20.0);
    for _ in 0..10 {
        let middle = 0.5 * (low + high);
        if lost(middle) > share {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}
