/// The saturation throughput of the distributed coordination function, as Bianchi computes it (IEEE Journal on Selected
/// Areas in Communications 18, 2000, equations 7 to 13): every station has a frame to send at all times, frames are sent
/// until they are through, and a frame meets another with a probability that is the same at each attempt.
#[derive(Clone, Copy, Debug)]
pub struct Bianchi {
    /// Stations.
    pub stations: u32,
    /// Slots of the first back-off: W, one more than CWmin.
    pub first_window: u32,
    /// How often it doubles: m.
    pub doublings: u32,
    /// A slot in which nobody sends, in microseconds.
    pub slot_us: f64,
    /// A frame that is through, with all that follows until slots count again.
    pub success_us: f64,
    /// Frames that met.
    pub collision_us: f64,
    /// What a frame carries.
    pub payload_bits: f64,
}

impl Bianchi {
    /// The probability that a station sends in a slot, where the two equations of it and of the probability that it
    /// meets another hold: tau (equations 7 and 9).
    #[must_use]
    pub fn transmission_probability(&self) -> f64 {
        // Equation 7 falls as p rises, and p rises with tau: they meet once.
        let (mut low, mut high) = (0.0_f64, 1.0_f64);
        for _ in 0..100 {
            let tau = f64::midpoint(low, high);
            if self.sending_at(self.meeting_at(tau)) > tau {
                low = tau;
            } else {
                high = tau;
            }
        }
        f64::midpoint(low, high)
    }

    /// Bits of payload a microsecond, and so Mbit/s (equation 13).
    #[must_use]
    pub fn throughput_mbit_s(&self) -> f64 {
        let tau = self.transmission_probability();
        let stations = f64::from(self.stations);
        let nobody = libm::pow(1.0 - tau, stations);
        let one = stations * tau * libm::pow(1.0 - tau, stations - 1.0);
        let more = 1.0 - nobody - one;
        let mean_us = nobody * self.slot_us + one * self.success_us + more * self.collision_us;
        one * self.payload_bits / mean_us
    }

    /// Equation 9.
    fn meeting_at(&self, tau: f64) -> f64 {
        1.0 - libm::pow(1.0 - tau, f64::from(self.stations) - 1.0)
    }

    /// Equation 7, with its sum written out: it has a value at p = 1/2 as well.
    fn sending_at(&self, p: f64) -> f64 {
        let window = f64::from(self.first_window);
        let wider: f64 = (0..self.doublings)
            .map(|i| libm::pow(2.0 * p, f64::from(i)))
            .sum();
        2.0 / (1.0 + window + p * window * wider)
    }
}
