use crate::cell::Settings;
use crate::config::NetworkConfig;

/// The settings by carrier: those of the network, or what its cell has in their place.
#[derive(Debug)]
pub(super) struct SettingsOfCarriers {
    /// Of cells without settings of their own, then of the others.
    kinds: Box<[Settings]>,
    /// Which of them a carrier has.
    of: Box<[u8]>,
}

impl SettingsOfCarriers {
    /// Of so many carriers: the anchors of all cells, then the next carrier of each, and so on.
    pub(super) fn new(config: &NetworkConfig, carriers: usize) -> Self {
        let anchors = usize::from(config.cells());
        Self {
            kinds: (config.of_each_kind_of_cell().into_iter())
                .map(Settings::new)
                .collect(),
            of: (0..carriers)
                .map(|carrier| config.kind_of_cell((carrier % anchors) as u16) as u8)
                .collect(),
        }
    }

    /// Where cells do not differ.
    pub(super) fn common(&self) -> &Settings {
        &self.kinds[0]
    }

    pub(super) fn at(&self, carrier: usize) -> &Settings {
        &self.kinds[usize::from(self.of[carrier])]
    }
}
