use lasthop_link::delay::{
    Constant, Delay, DelayModel, Normal, Pareto, Reordering, Trace, TracePoint, Uniform,
};
use lasthop_link::loss::{Bernoulli, GilbertElliottPacket, GilbertElliottTime, Loss, PacketList};
use lasthop_link::rate::{QueueLimit, Rate, RateKind, SerialLine, TokenBucket};
use lasthop_link::{
    ConfigError, Corrupt, DirectionConfig, Duplicate, LinkConfig, LinkRate, Mtu, Outage,
    OutageSchedule, Stage, StageOrder,
};
use lasthop_units::{BitRate, DataSize, Instant, Probability};

use crate::spec::{
    DelayModelSpec, DelaySpec, DirectionSpec, LinkSpec, LossSpec, OutageSpec, QueueSpec,
    RateKindSpec, RateSpec, SpecError, StageName, nanos,
};

/// What a link does.
pub(crate) fn link_config(spec: &LinkSpec) -> Result<LinkConfig, SpecError> {
    Ok(LinkConfig {
        order: StageOrder::new(spec.order.map(stage)).map_err(in_path)?,
        up: direction(&spec.up)?,
        down: direction(&spec.down)?,
        rate: link_rate(spec)?,
    })
}

pub(crate) fn in_path(error: ConfigError) -> SpecError {
    SpecError::value("path", error)
}

const fn stage(name: StageName) -> Stage {
    match name {
        StageName::Mtu => Stage::Mtu,
        StageName::Outage => Stage::Outage,
        StageName::Loss => Stage::Loss,
        StageName::Rate => Stage::Rate,
        StageName::Delay => Stage::Delay,
        StageName::Corrupt => Stage::Corrupt,
        StageName::Duplicate => Stage::Duplicate,
    }
}

fn direction(spec: &DirectionSpec) -> Result<DirectionConfig, SpecError> {
    let outages = spec.outages.iter().map(outage);
    let outages: Vec<Outage> = outages.collect::<Result<_, _>>().map_err(in_path)?;
    let probability = |value: f64| Probability::new(value);
    Ok(DirectionConfig {
        mtu: Some(Mtu {
            largest: DataSize::from_bytes(spec.mtu_bytes),
        }),
        outages: OutageSchedule::new(outages),
        loss: spec.loss.as_ref().map(loss).transpose()?,
        delay: spec.delay.as_ref().map(delay).transpose()?,
        corrupt: match &spec.corrupt {
            Some(corrupt) => Some(Corrupt {
                probability: probability(corrupt.probability)?,
            }),
            None => None,
        },
        duplicate: match &spec.duplicate {
            Some(duplicate) => Some(Duplicate {
                probability: probability(duplicate.probability)?,
            }),
            None => None,
        },
    })
}

fn outage(spec: &OutageSpec) -> Result<Outage, ConfigError> {
    Outage::new(
        Instant::from_nanos(spec.start_ns),
        nanos(spec.duration_ns),
        spec.every_ns.map(nanos),
    )
}

fn loss(spec: &LossSpec) -> Result<Loss, SpecError> {
    let probability = |value: f64| Probability::new(value);
    Ok(match spec {
        LossSpec::Bernoulli { probability: p } => Loss::from(Bernoulli {
            probability: probability(*p)?,
        }),
        LossSpec::GilbertElliottPacket {
            good_to_bad,
            bad_to_good,
            loss_in_good,
            loss_in_bad,
        } => Loss::from(GilbertElliottPacket {
            good_to_bad: probability(*good_to_bad)?,
            bad_to_good: probability(*bad_to_good)?,
            loss_in_good: probability(*loss_in_good)?,
            loss_in_bad: probability(*loss_in_bad)?,
        }),
        LossSpec::GilbertElliottTime {
            mean_good_ns,
            mean_bad_ns,
            loss_in_good,
            loss_in_bad,
        } => Loss::from(
            GilbertElliottTime::new(
                nanos(*mean_good_ns),
                nanos(*mean_bad_ns),
                probability(*loss_in_good)?,
                probability(*loss_in_bad)?,
            )
            .map_err(in_path)?,
        ),
        LossSpec::Packets { indices } => {
            Loss::from(PacketList::new(indices.iter().copied()).map_err(in_path)?)
        }
    })
}

fn delay(spec: &DelaySpec) -> Result<Delay, SpecError> {
    let model = match &spec.model {
        DelayModelSpec::Constant { delay_ns } => DelayModel::Constant(Constant {
            delay: nanos(*delay_ns),
        }),
        DelayModelSpec::Uniform { from_ns, to_ns } => {
            DelayModel::Uniform(Uniform::new(nanos(*from_ns), nanos(*to_ns)).map_err(in_path)?)
        }
        DelayModelSpec::Normal { mean_ns, sd_ns } => DelayModel::Normal(Normal {
            mean: nanos(*mean_ns),
            standard_deviation: nanos(*sd_ns),
        }),
        DelayModelSpec::Pareto { minimum_ns, shape } => {
            DelayModel::Pareto(Pareto::new(nanos(*minimum_ns), *shape).map_err(in_path)?)
        }
        DelayModelSpec::Trace {
            times_ns,
            delays_ns,
            period_ns,
        } => {
            if times_ns.len() != delays_ns.len() {
                let problem = "a trace has as many delays as times";
                return Err(SpecError::value("path.delay.trace", problem));
            }
            let points = times_ns
                .iter()
                .zip(delays_ns)
                .map(|(from, delay)| TracePoint {
                    from: nanos(*from),
                    delay: nanos(*delay),
                });
            DelayModel::Trace(Trace::new(points, period_ns.map(nanos)).map_err(in_path)?)
        }
    };
    let reordering = if spec.reordering {
        Reordering::Allowed
    } else {
        Reordering::Fifo
    };
    Ok(Delay { model, reordering })
}

fn link_rate(spec: &LinkSpec) -> Result<LinkRate, SpecError> {
    let (up, down) = (
        spec.up.rate.as_ref().map(rate).transpose()?,
        spec.down.rate.as_ref().map(rate).transpose()?,
    );
    if !spec.shared {
        return Ok(LinkRate::Separate { up, down });
    }
    match (up, down) {
        (Some(up), Some(down)) if up.kind == down.kind => Ok(LinkRate::Shared {
            kind: up.kind,
            up_queue: up.queue,
            down_queue: down.queue,
        }),
        _ => {
            let problem = "a shared medium needs one rate, the same both ways";
            Err(SpecError::value("path.shared", problem))
        }
    }
}

fn rate(spec: &RateSpec) -> Result<Rate, SpecError> {
    let rate = BitRate::from_bits_per_second(spec.bits_per_second)?;
    let kind = match spec.kind {
        RateKindSpec::TokenBucket { burst_bytes } => RateKind::TokenBucket(TokenBucket {
            rate,
            burst: DataSize::from_bytes(burst_bytes),
        }),
        RateKindSpec::Serial => RateKind::SerialLine(SerialLine { rate }),
    };
    let queue = match spec.queue {
        QueueSpec::Bytes(bytes) => QueueLimit::Bytes(DataSize::from_bytes(bytes)),
        QueueSpec::Packets(packets) => QueueLimit::Packets(packets),
    };
    Ok(Rate { kind, queue })
}
