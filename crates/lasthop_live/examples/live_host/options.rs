use core::error::Error;
use core::net::IpAddr;

use lasthop_link::delay::{Constant, Delay};
use lasthop_link::loss::{Bernoulli, Loss};
use lasthop_link::{DirectionConfig, DuplexLink, LinkConfig, Outage, OutageSchedule};
use lasthop_units::{Duration, Instant, Probability};

/// What the command line says.
pub(crate) struct Options {
    pub(crate) address: IpAddr,
    pub(crate) delay: Duration,
    pub(crate) loss: Probability,
    pub(crate) outages: OutageSchedule,
    pub(crate) seed: u64,
    pub(crate) patience: Duration,
    /// What to run, and its arguments.
    pub(crate) words: Vec<String>,
}

impl Options {
    /// Reads them; `None` when help is wanted.
    pub(crate) fn read() -> Result<Option<Self>, Box<dyn Error>> {
        use lexopt::prelude::*;

        let mut address = None;
        let (mut delay_ms, mut loss, mut seed, mut patience_s) = (0, 0.0, 1, 60);
        let mut outages = OutageSchedule::default();
        let mut words = Vec::new();
        let mut parser = lexopt::Parser::from_env();
        while let Some(argument) = parser.next()? {
            match argument {
                Long("help") => return Ok(None),
                Long("address") => address = Some(parser.value()?.parse()?),
                Long("delay-ms") => delay_ms = parser.value()?.parse()?,
                Long("loss") => loss = parser.value()?.parse()?,
                Long("outage-ms") => outages = outage(&parser.value()?.string()?)?,
                Long("seed") => seed = parser.value()?.parse()?,
                Long("patience-s") => patience_s = parser.value()?.parse()?,
                Value(word) => words.push(word.string()?),
                other => return Err(other.unexpected().into()),
            }
        }
        Ok(Some(Self {
            address: address.ok_or("say the host's address: --address ADDRESS")?,
            delay: Duration::from_millis(delay_ms),
            loss: Probability::new(loss)?,
            outages,
            seed,
            patience: Duration::from_secs(patience_s),
            words,
        }))
    }

    /// The link between the host and its device.
    pub(crate) fn link(&self) -> DuplexLink {
        let delay = Delay::from(Constant { delay: self.delay });
        let probability = self.loss;
        let direction = DirectionConfig {
            loss: Some(Loss::from(Bernoulli { probability })),
            delay: Some(delay),
            outages: self.outages.clone(),
            ..DirectionConfig::default()
        };
        let config = LinkConfig {
            up: direction.clone(),
            down: direction,
            ..LinkConfig::default()
        };
        DuplexLink::new(&config, self.seed, "path/0")
    }
}

/// Reads when an outage begins and how long it lasts, as in `1500,6000`.
fn outage(text: &str) -> Result<OutageSchedule, Box<dyn Error>> {
    let (from, span) = text.split_once(',').ok_or("an outage is FROM,FOR")?;
    let start = Instant::ZERO + Duration::from_millis(from.parse()?);
    let outage = Outage::new(start, Duration::from_millis(span.parse()?), None)?;
    Ok(OutageSchedule::new([outage]))
}
