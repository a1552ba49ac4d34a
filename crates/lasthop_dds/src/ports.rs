/// The port base of domain 0 (DDSI-RTPS 2.5 §9.6.2.3).
pub const PORT: u16 = 7400;

/// How many participants have ports in a domain before those of the next one begin.
const PARTICIPANTS: u16 = 120;

/// Where the first participant hears of discovery, from the first port of its domain. It is even.
const METATRAFFIC_OFFSET: u16 = 10;

/// The unicast ports of a participant: an even port and the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ports {
    /// The port for discovery.
    pub(crate) metatraffic: u16,
    /// The port for user samples.
    pub(crate) user: u16,
}

impl Ports {
    /// The logical ports of every participant over TCP: each has connections of its own.
    pub(crate) const LOGICAL: Self = Self::of_participant(PORT, 0);

    /// Returns the ports of the service with this port. Further services of a host are the next participants of the
    /// domain. A port outside the domain is the first one of another domain.
    pub(crate) const fn of_service(port: u16) -> Self {
        match port.checked_sub(PORT) {
            Some(participant) if participant < PARTICIPANTS => {
                Self::of_participant(PORT, participant)
            }
            _ => Self::of_participant(port & !1, 0),
        }
    }

    /// Iterates over the ports of the participants of domain 0, in the order in which they are tried.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        (0..PARTICIPANTS).map(|participant| Self::of_participant(PORT, participant))
    }

    /// Whether a port receives user samples.
    pub(crate) const fn is_of_users(port: u16) -> bool {
        port % 2 == 1
    }

    const fn of_participant(base: u16, participant: u16) -> Self {
        let metatraffic = base.saturating_add(METATRAFFIC_OFFSET + 2 * participant);
        Self {
            metatraffic,
            user: metatraffic.saturating_add(1),
        }
    }

    pub(crate) const fn both(self) -> [u16; 2] {
        [self.metatraffic, self.user]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follow_the_formula_of_the_specification() {
        // PB 7400, DG 250, PG 2, d1 10, d3 11: participants 0 and 1 of domain 0, participant 0 of domain 1.
        assert_eq!(Ports::of_service(PORT).both(), [7410, 7411]);
        assert_eq!(Ports::of_service(PORT + 1).both(), [7412, 7413]);
        assert_eq!(Ports::of_service(PORT + 250).both(), [7660, 7661]);
    }

    #[test]
    fn no_two_participants_share_a_port() {
        let mut all: Vec<u16> = Ports::all().flat_map(Ports::both).collect();
        assert_eq!(all.len(), 240);
        all.dedup();
        assert_eq!(all.len(), 240);
        assert!(all.is_sorted());
    }
}
