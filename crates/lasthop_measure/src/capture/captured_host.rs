use core::fmt;
use core::str::FromStr;

use thiserror::Error;

/// A host that packets are captured at. Written `device-3` or `server-0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CapturedHost {
    /// The device with this number, or the one that comes as this one, counted from 0.
    Device(u32),
    /// The server with this number: the shared one is 0, otherwise each device has its own.
    Server(u32),
}

/// It names no host.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("\"{0}\" is no host; write device-0 or server-0")]
pub struct NoHost(String);

impl fmt::Display for CapturedHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Device(number) => write!(f, "device-{number}"),
            Self::Server(number) => write!(f, "server-{number}"),
        }
    }
}

impl FromStr for CapturedHost {
    type Err = NoHost;

    fn from_str(text: &str) -> Result<Self, NoHost> {
        let host = text.split_once('-').and_then(|(kind, number)| {
            let number = number.parse().ok()?;
            match kind {
                "device" => Some(Self::Device(number)),
                "server" => Some(Self::Server(number)),
                _ => None,
            }
        });
        host.ok_or_else(|| NoHost(text.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_read_as_it_is_written() {
        for text in ["device-0", "device-4294967295", "server-7"] {
            assert_eq!(text.parse::<CapturedHost>().unwrap().to_string(), text);
        }
        for text in ["", "device", "device-", "device-4294967296", "router-0"] {
            assert!(text.parse::<CapturedHost>().is_err(), "{text}");
        }
    }
}
