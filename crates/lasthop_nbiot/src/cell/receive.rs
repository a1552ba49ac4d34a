use super::{Cell, Context};
use crate::channel::{DownlinkBurst, EsN0};
use crate::device::DeviceKey;
use crate::link_tables::{BlockErrorRate, ControlMessage};
use crate::phy::{DownlinkSpan, NpdschFormat};

impl Cell {
    /// Whether a device hears an NPDCCH that has ended.
    pub(super) fn receives_dci(
        &mut self,
        cx: &mut Context<'_>,
        key: DeviceKey,
        dci: &DownlinkSpan,
        repetitions: u16,
    ) -> bool {
        let Some(device) = cx.devices.get_mut(key) else {
            return false;
        };
        if !cx.settings.config.switches.block_errors {
            return true;
        }
        let rate = BlockErrorRate::npdcch(cx.settings.table_carrier, ControlMessage::N0OrN1OnTwo);
        let received = cx
            .channel
            .downlink_ends(key.slot, &downlink_burst(dci, repetitions));
        let heard = device.stream.unit() >= rate.at(received.decibels());
        if !heard {
            let level = device.connection.as_ref().map_or(device.level, |c| c.level);
            self.report.of(level).dcis_missed += 1;
        }
        heard
    }

    /// Whether a device receives an NPDSCH by what it had before and this transmission.
    pub(super) fn decodes(
        &mut self,
        cx: &mut Context<'_>,
        key: DeviceKey,
        data: &DownlinkSpan,
        format: &NpdschFormat,
        before: EsN0,
        luck: f64,
    ) -> (EsN0, bool) {
        if !cx.settings.config.switches.block_errors {
            return (before, true);
        }
        let received = before
            + cx.channel
                .downlink_ends(key.slot, &downlink_burst(data, format.repetitions));
        let rate = BlockErrorRate::npdsch(
            cx.settings.table_carrier,
            format.block.i_tbs,
            format.block.column,
        )
        .expect("a block of the carrier has a curve");
        (received, rate.at(received.decibels()) <= luck)
    }

    /// The same for a message that is sent once.
    pub(super) fn receives_npdsch(
        &mut self,
        cx: &mut Context<'_>,
        key: DeviceKey,
        data: &DownlinkSpan,
        format: &NpdschFormat,
        before: EsN0,
    ) -> (EsN0, bool) {
        let Some(device) = cx.devices.get_mut(key) else {
            return (before, false);
        };
        let luck = device.stream.unit();
        self.decodes(cx, key, data, format, before, luck)
    }
}

/// What the channel is told of a span.
pub(super) fn downlink_burst(span: &DownlinkSpan, repetitions: u16) -> DownlinkBurst {
    DownlinkBurst {
        from: span.start.start(),
        until: span.end.start(),
        subframes: span.subframes as u16,
        repetitions,
    }
}
