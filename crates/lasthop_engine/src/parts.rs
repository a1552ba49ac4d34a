/// Groups machines that are connected by wires, directly or over others.
///
/// Disjoint sets, each known by one of its members, which is the one that points at itself.
#[derive(Debug)]
pub(crate) struct Parts {
    towards: Vec<u32>,
}

impl Parts {
    /// Creates one group for each machine.
    pub(crate) fn apart(machines: usize) -> Self {
        Self {
            towards: (0..machines as u32).collect(),
        }
    }

    /// Merges the groups of two machines.
    pub(crate) fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        // The smaller number stands for the part, so that parts come in the order of their first machines.
        self.towards[one.max(other)] = one.min(other) as u32;
    }

    /// Returns the group of each machine.
    pub(crate) fn of_all(&mut self) -> Vec<u32> {
        (0..self.towards.len())
            .map(|machine| self.root(machine) as u32)
            .collect()
    }

    fn root(&mut self, mut machine: usize) -> usize {
        while self.towards[machine] as usize != machine {
            let next = self.towards[machine] as usize;
            // Halves the way for whoever comes next.
            self.towards[machine] = self.towards[next];
            machine = next;
        }
        machine
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_of_wires_is_one_part() {
        let mut parts = Parts::apart(6);
        for (one, other) in [(4, 5), (0, 3), (5, 3)] {
            parts.join(one, other);
        }
        assert_eq!(parts.of_all(), [0, 1, 2, 0, 0, 0]);
    }
}
