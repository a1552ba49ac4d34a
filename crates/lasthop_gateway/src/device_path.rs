use core::fmt;

use thiserror::Error;

/// The full name of a device: `projects/P/locations/L/registries/R/devices/D`.
///
/// It is an MQTT client ID and an HTTP path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DevicePath {
    text: Box<str>,
    /// Where the identifier of the device begins.
    device_at: usize,
}

/// Text that names no device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "this names no device; write projects/PROJECT/locations/REGION/registries/REGISTRY/devices/DEVICE, each name of 1 to 255 \
     letters, digits and -_.~"
)]
pub struct PathError;

const LABELS: [&str; 4] = ["projects", "locations", "registries", "devices"];
const MAX_NAME_SIZE: usize = 255;

impl DevicePath {
    /// Parses the full name of a device.
    ///
    /// # Errors
    /// When it is none: names are letters, digits and `-_.~` and begin with a letter or a digit, so that none of them can be
    /// `..` or a wildcard.
    pub fn parse(text: &str) -> Result<Self, PathError> {
        let mut parts = text.split('/');
        for label in LABELS {
            let is_labelled = parts.next() == Some(label);
            let name = parts.next().ok_or(PathError)?;
            if !is_labelled || !is_name(name) {
                return Err(PathError);
            }
        }
        if parts.next().is_some() {
            return Err(PathError);
        }
        Ok(Self {
            text: text.into(),
            device_at: text.rfind('/').ok_or(PathError)? + 1,
        })
    }

    /// Returns the full name.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the project, which is the audience of tokens.
    #[must_use]
    pub fn project(&self) -> &str {
        self.text.split('/').nth(1).unwrap_or_default()
    }

    /// Whether two devices belong to the same registry.
    #[must_use]
    pub fn is_beside(&self, other: &Self) -> bool {
        self.text[..self.device_at] == other.text[..other.device_at]
    }

    /// Returns the identifier of the device in its registry, as in topics.
    #[must_use]
    pub fn device(&self) -> &str {
        &self.text[self.device_at..]
    }
}

impl fmt::Display for DevicePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn is_name(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    let begins = name
        .as_bytes()
        .first()
        .is_some_and(u8::is_ascii_alphanumeric);
    begins && name.len() <= MAX_NAME_SIZE && name.bytes().all(is_part)
}
