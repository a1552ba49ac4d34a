use serde::{Deserialize, Serialize};

use super::allowed::{integer_within, one_of};
use super::early_data::check_bits;
use super::{ConfigError, Reestablishment};

/// The settings of connections.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Connection {
    /// The procedure for data transfer.
    pub procedure: Procedure,
    /// The maximum transport block of Release 15 early data in Msg3 (`edt-TBS`), in bits. Only resume and control plane
    /// use it.
    pub early_data_bits: Option<u16>,
    /// Whether a service request activates security (Security Mode Command and Complete).
    pub security: bool,
    /// Whether PDCP compresses headers by ROHC.
    pub rohc: bool,
    /// The device category.
    pub category: DeviceCategory,
    /// The number of HARQ processes in each direction: 1, or 2 with Cat NB2 (`twoHARQ-ProcessesConfig-r14`).
    pub harq_processes: u8,
    /// The maximum number of HARQ transmissions of a transport block.
    ///
    /// RLC repairs a lost downlink block. The base station continues to request a lost uplink block.
    pub harq_transmissions: u8,
    /// Whether the base station grants the uplink without a request after downlink data, so that an answer needs no
    /// random access.
    pub grant_after_downlink: bool,
    /// How the base station grants uplink resources.
    pub grants: Grants,
    /// The maximum size of a transport block of a connected device, rounded up to a size of the tables.
    pub largest_block: LargestBlock,
    /// The settings of RLC acknowledged mode.
    pub rlc: RlcAcknowledgedMode,
    /// Timer T300 in ms: the timeout for the answer to a connection request.
    pub t300_ms: u32,
    /// The inactivity timer in ms: the base station releases a connection that was idle for this time.
    pub inactivity_ms: u32,
    /// The release assistance that a device sends with its last data (`rai-Activation-r14`, or the NAS indication).
    pub release_assistance: ReleaseAssistance,
    /// The re-establishment settings after a radio link failure; `None` ends the connection.
    pub reestablishment: Option<Reestablishment>,
}

/// When the network releases a device that uses release assistance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReleaseAssistance {
    /// After [`Connection::inactivity_ms`], because the device declares nothing.
    Off,
    /// After the answer if the device declares that one follows, otherwise after its last packet.
    AfterReply,
    /// After the device's last packet. The device declares that nothing follows and is paged for an answer.
    AfterLastUplink,
}

/// How the base station grants uplink resources to a connected device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Grants {
    /// Grants until all data that buffer status reports announced has arrived.
    AsReported,
    /// One data grant after each random access. The device must request again for the rest of its data.
    OnePerRequest,
}

/// The maximum size of a transport block in each direction, in bits; `None` for the maximum of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LargestBlock {
    /// The maximum size on the NPUSCH, in bits.
    pub uplink_bits: Option<u16>,
    /// The maximum size on the NPDSCH, in bits.
    pub downlink_bits: Option<u16>,
}

/// Which RLC data PDUs poll the receiver for a status report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Polls {
    /// The last data PDU that a transmitter has (TS 36.322 section 5.2.2.1).
    Last,
    /// Every data PDU. The transmitter sends the next one after the status report.
    Each,
}

/// A procedure for data transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Procedure {
    /// A service request that sets up a new data radio bearer.
    ServiceRequest,
    /// Resume of a suspended connection: user plane CIoT EPS optimisation.
    Resume,
    /// Data inside NAS messages: control plane CIoT EPS optimisation.
    ControlPlane,
}

/// A device category (TS 36.306).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeviceCategory {
    /// Cat NB1 (Release 13): transport blocks up to 680 bit in downlink and 1000 bit in uplink.
    Nb1,
    /// Cat NB2 (Release 14): transport blocks up to 2536 bit, and two HARQ processes.
    Nb2,
}

/// The settings of RLC acknowledged mode (TS 36.322, TS 36.331 `RLC-Config-NB`).
///
/// A sender polls as `polls` says and when the timer expires. Release 13 has no poll by count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RlcAcknowledgedMode {
    /// `t-PollRetransmit` in ms: the timeout for the answer to a poll.
    pub t_poll_retransmit_ms: u32,
    /// `maxRetxThreshold`: the number of retransmissions of a data PDU after which the bearer has failed.
    pub maximum_retransmissions: u8,
    /// `enableStatusReportSN-Gap`: whether a receiver reports a missing data PDU without a poll.
    pub status_on_gap: bool,
    /// Which data PDUs poll for a status report.
    pub polls: Polls,
}

impl Connection {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        if let Some(bits) = self.early_data_bits {
            if self.procedure == Procedure::ServiceRequest {
                return Err(ConfigError::new(
                    "early_data_bits",
                    "is set with a service request; TS 36.331 edt-Parameters goes with resume or control_plane",
                ));
            }
            check_bits("early_data_bits", bits)?;
        }
        match self.category {
            DeviceCategory::Nb1 => one_of(
                "harq_processes",
                self.harq_processes,
                &[1],
                "TS 36.331 twoHARQ-ProcessesConfig for Cat NB1",
                "",
            )?,
            DeviceCategory::Nb2 => one_of(
                "harq_processes",
                self.harq_processes,
                &[1, 2],
                "TS 36.331 twoHARQ-ProcessesConfig",
                "",
            )?,
        }
        integer_within(
            "harq_transmissions",
            u64::from(self.harq_transmissions),
            1..=32,
            "the scheduler",
            "transmissions",
        )?;
        self.largest_block
            .check()
            .map_err(|e| e.under("largest_block"))?;
        self.rlc.check().map_err(|e| e.under("rlc"))?;
        one_of(
            "t300_ms",
            self.t300_ms,
            &[
                2500, 4000, 6000, 10_000, 15_000, 25_000, 40_000, 60_000, 80_000, 100_000, 120_000,
            ],
            "TS 36.331 t300",
            "ms",
        )?;
        integer_within(
            "inactivity_ms",
            u64::from(self.inactivity_ms),
            1..=3_600_000,
            "the base station",
            "ms",
        )?;
        let Some(again) = &self.reestablishment else {
            return Ok(());
        };
        let has_security = match self.procedure {
            Procedure::ServiceRequest => self.security,
            Procedure::Resume => true,
            Procedure::ControlPlane => false,
        };
        if !has_security {
            return Err(ConfigError::new(
                "reestablishment",
                "is set where connections have no security; TS 36.331 section 5.3.7.1 wants it, so choose a service request with \
                 security or resume",
            ));
        }
        again.check().map_err(|e| e.under("reestablishment"))
    }
}

impl LargestBlock {
    /// No limit: the largest blocks of the tables.
    pub const OF_THE_TABLES: Self = Self {
        uplink_bits: None,
        downlink_bits: None,
    };

    fn check(&self) -> Result<(), ConfigError> {
        for (field, bits) in [
            ("uplink_bits", self.uplink_bits),
            ("downlink_bits", self.downlink_bits),
        ] {
            if let Some(bits) = bits {
                // A header of MAC and RLC, and some bytes of data.
                integer_within(
                    field,
                    bits.into(),
                    88..=2536,
                    "TS 36.213 tables 16.4.1.5.1-1 and 16.5.1.2-2",
                    "bit",
                )?;
            }
        }
        Ok(())
    }
}

impl RlcAcknowledgedMode {
    fn check(&self) -> Result<(), ConfigError> {
        one_of(
            "t_poll_retransmit_ms",
            self.t_poll_retransmit_ms,
            &[
                250, 500, 1000, 2000, 3000, 4000, 6000, 10_000, 15_000, 25_000, 40_000, 60_000,
                90_000, 120_000, 180_000, 300_000,
            ],
            "TS 36.331 t-PollRetransmit",
            "ms",
        )?;
        one_of(
            "maximum_retransmissions",
            self.maximum_retransmissions,
            &[1, 2, 3, 4, 6, 8, 16, 32],
            "TS 36.331 maxRetxThreshold",
            "",
        )
    }
}
