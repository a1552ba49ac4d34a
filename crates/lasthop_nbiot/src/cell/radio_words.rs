use super::Settings;
use crate::config::SubcarrierSpacing;
use crate::device::{AccessPurpose, Connection, Device};
use crate::layer2::{ControlElement, Element, MacPdu};
use crate::phy::{NpdschFormat, NpuschFormat, UplinkAllocation};
use crate::rrc::{DataPath, Sequence, Step};

/// What a block from a device carries.
pub(crate) fn block_up(device: &Device, block: &MacPdu) -> String {
    carried(device.connection.as_deref(), block)
}

/// What a block to a device carries.
pub(crate) fn block_down(device: &Device, block: &MacPdu) -> String {
    let connection = device.connection.as_deref();
    match connection.filter(|connection| connection.releasing) {
        Some(connection) if block.composition.signalling_bytes > 0 => {
            let release = message_of(&connection.sequence.release);
            parts_of(block, Some(release)).join(", ")
        }
        _ => carried(connection, block),
    }
}

/// What Msg3 carries.
pub(crate) fn msg3(device: Option<&Device>, settings: &Settings, early: bool) -> String {
    let access = device.and_then(|device| device.access.as_ref());
    let name = |sequence: &Sequence| sequence.set_up[0].message.name();
    match (access, settings.early_data) {
        (Some(access), _) if access.purpose == AccessPurpose::Grant => {
            "Msg3: C-RNTI, buffer status".into()
        }
        _ if device.is_some_and(|device| device.is_reestablishing) => {
            format!("Msg3: {}", name(&Sequence::REESTABLISHMENT))
        }
        (_, Some((early_data, _))) if early => format!("Msg3: {} with data", name(early_data)),
        _ => format!("Msg3: {}", name(settings.sequence)),
    }
}

/// A preamble.
pub(crate) fn preamble_in_words(
    level: u8,
    attempt: u16,
    repetitions: u16,
    on_its_tone: usize,
) -> String {
    let sent = counted(repetitions.into(), "repetition");
    let others = match on_its_tone {
        1 => String::new(),
        _ => format!(", on the tone of {} more", on_its_tone - 1),
    };
    format!("preamble {attempt}, CE level {level}; {sent}{others}")
}

/// A DCI.
pub(crate) fn dci_in_words(what: &str, repetitions: u16) -> String {
    format!("{what}; DCI {}", counted(repetitions.into(), "repetition"))
}

/// An NPUSCH of format 1.
pub(crate) fn sent_in_words(
    carried: &str,
    format: &NpuschFormat,
    allocation: &UplinkAllocation,
    transmission: u16,
) -> String {
    let span = &allocation.span;
    let idle_ms = (span.end.0 - span.start.0).saturating_sub(span.sent_ms.into());
    let gaps = match idle_ms {
        0 => String::new(),
        _ => format!(", {idle_ms} ms of gaps and waits for preambles"),
    };
    let spacing = match format.unit.spacing {
        SubcarrierSpacing::Khz15 => "15 kHz",
        SubcarrierSpacing::Khz3_75 => "3.75 kHz",
    };
    format!(
        "{carried}; {} bit, {} of {spacing}, {}{gaps}{}",
        format.block.bits,
        counted(format.unit.tones.into(), "tone"),
        counted(format.repetitions.into(), "repetition"),
        again(transmission)
    )
}

/// An NPDSCH.
pub(crate) fn received_in_words(carried: &str, format: &NpdschFormat, transmission: u16) -> String {
    let repetitions = counted(format.repetitions.into(), "repetition");
    let bits = format.block.bits;
    format!(
        "{carried}; {bits} bit, {repetitions}{}",
        again(transmission)
    )
}

/// An NPUSCH of format 2.
pub(crate) fn acknowledgement_in_words(says_yes: bool, repetitions: u16) -> String {
    let word = if says_yes { "ACK" } else { "NACK" };
    format!("{word}; {}", counted(repetitions.into(), "repetition"))
}

/// A message of a procedure with the NAS message in it.
pub(crate) fn message_of(step: &Step) -> String {
    match step.nas {
        Some(nas) => format!("{} ({})", step.message.name(), nas.name()),
        None => step.message.name().into(),
    }
}

/// A number of things.
pub(crate) fn counted(number: u32, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    }
}

fn again(transmission: u16) -> String {
    match transmission {
        0 | 1 => String::new(),
        _ => format!(", HARQ transmission {transmission}"),
    }
}

/// Set-ups wait for each message, so that those in a block are that of the step that is under way.
fn carried(connection: Option<&Connection>, block: &MacPdu) -> String {
    let message = connection.and_then(|connection| {
        let step = connection.sequence.set_up.get(usize::from(connection.step));
        match (step, connection.sequence.data) {
            (Some(step), _) => Some(message_of(step)),
            (None, DataPath::Nas { .. }) => Some("NAS message".into()),
            (None, _) => None,
        }
    });
    parts_of(block, message).join(", ")
}

fn parts_of(block: &MacPdu, message: Option<String>) -> Vec<String> {
    let bytes = &block.composition;
    let mut parts = Vec::new();
    if bytes.retransmitted_bytes > 0 {
        let of = (message.as_ref()).map_or(String::new(), |message| format!(" of {message}"));
        parts.push(format!("{} B{of} again by RLC", bytes.retransmitted_bytes));
    }
    if bytes.signalling_bytes > 0 {
        parts.push(message.unwrap_or_else(|| "signalling".into()));
    }
    if bytes.payload_bytes > 0 {
        parts.push(format!("{} B of packets", bytes.payload_bytes));
    }
    parts.extend(block.elements.iter().filter_map(|element| match element {
        Element::Status(..) => Some("STATUS of RLC".into()),
        Element::Control(ControlElement::BufferStatus(0)) => Some("nothing more waits".into()),
        Element::Control(ControlElement::BufferStatus(_)) => Some("more waits".into()),
        Element::Control(ControlElement::ContentionResolutionIdentity) => {
            Some("contention resolution".into())
        }
        _ => None,
    }));
    if parts.is_empty() {
        parts.push("padding".into());
    }
    parts
}
