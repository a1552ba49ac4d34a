use core::fmt;
use std::collections::BTreeSet;

use crate::{PreSharedKey, PreSharedKeys};

/// The longest name that every implementation takes (RFC 4279 section 5.3).
const LONGEST_IDENTITY: usize = 128;
/// The longest key that every implementation takes (RFC 4279 section 5.3).
const LONGEST_KEY: usize = 64;

/// Why a key file is unreadable. The error never contains a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyFileError {
    /// The line, from 1; 0 for the whole file.
    pub line: usize,
    /// The problem.
    pub problem: KeyFileProblem,
}

/// A problem of a key file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyFileProblem {
    /// There is no colon between a name and a key.
    NoColon,
    /// A name is empty or longer than 128 bytes.
    Identity,
    /// A key is no hexadecimal number of 1 to 64 bytes.
    Key,
    /// A name stands there twice.
    Twice,
    /// There is no key in it.
    Nothing,
}

impl PreSharedKeys {
    /// Reads `identity:key` lines as in the `psk_file` of mosquitto, with keys in hexadecimal digits.
    ///
    /// Empty lines and lines that begin with `#` are ignored.
    ///
    /// # Errors
    /// When a line is none, or there is no key at all.
    pub fn read(text: &str) -> Result<Self, KeyFileError> {
        keys_in(text).map(Self::given)
    }
}

impl PreSharedKey {
    /// Reads the first key of such a file.
    ///
    /// # Errors
    /// As [`PreSharedKeys::read`].
    pub fn read(text: &str) -> Result<Self, KeyFileError> {
        let nothing = KeyFileError {
            line: 0,
            problem: KeyFileProblem::Nothing,
        };
        keys_in(text)?.into_iter().next().ok_or(nothing)
    }
}

fn keys_in(text: &str) -> Result<Vec<PreSharedKey>, KeyFileError> {
    let mut keys: Vec<PreSharedKey> = Vec::new();
    let mut known = BTreeSet::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let fault = |problem| KeyFileError {
            line: number + 1,
            problem,
        };
        let key = key_in(line).map_err(fault)?;
        if !known.insert(key.identity.clone()) {
            return Err(fault(KeyFileProblem::Twice));
        }
        keys.push(key);
    }
    if keys.is_empty() {
        return Err(KeyFileError {
            line: 0,
            problem: KeyFileProblem::Nothing,
        });
    }
    Ok(keys)
}

/// Reads one line. A name may hold colons, a key does not.
fn key_in(line: &str) -> Result<PreSharedKey, KeyFileProblem> {
    let (identity, digits) = line.rsplit_once(':').ok_or(KeyFileProblem::NoColon)?;
    if !(1..=LONGEST_IDENTITY).contains(&identity.len()) {
        return Err(KeyFileProblem::Identity);
    }
    let key = bytes_of(digits).filter(|key| (1..=LONGEST_KEY).contains(&key.len()));
    let key = key.ok_or(KeyFileProblem::Key)?;
    Ok(PreSharedKey::given(identity.as_bytes(), &key))
}

fn bytes_of(digits: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = digits
        .chars()
        .map(|digit| digit.to_digit(16).map(|digit| digit as u8))
        .collect();
    let (pairs, rest) = digits.as_deref()?.as_chunks::<2>();
    rest.is_empty()
        .then(|| pairs.iter().map(|[high, low]| high << 4 | low).collect())
}

impl fmt::Display for KeyFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let problem = match self.problem {
            KeyFileProblem::NoColon => {
                "no identity:key; write meter-1:00112233445566778899aabbccddeeff"
            }
            KeyFileProblem::Identity => "an identity has 1 to 128 bytes",
            KeyFileProblem::Key => "a key has 1 to 64 bytes, two hexadecimal digits each",
            KeyFileProblem::Twice => "the identity stands there twice",
            KeyFileProblem::Nothing => "there is no identity:key in it",
        };
        match self.line {
            0 => f.write_str(problem),
            line => write!(f, "line {line}: {problem}"),
        }
    }
}

impl core::error::Error for KeyFileError {}

#[cfg(test)]
mod tests {
    use dimpl::PskResolver;

    use super::*;

    #[test]
    fn a_file_gives_its_keys_by_their_names() {
        let text = "# of meters\n\nmeter-1:00ff\n urn:dev:2:Aa0102 \r\n";
        let keys = PreSharedKeys::read(text).expect("it is well");
        assert_eq!(keys.resolve(b"meter-1"), Some(vec![0, 255]));
        assert_eq!(keys.resolve(b"urn:dev:2"), Some(vec![0xaa, 1, 2]));
        assert_eq!(keys.resolve(b"meter-2"), None);
        let first = PreSharedKey::read(text).expect("it is well");
        assert_eq!(first.identity, b"meter-1");
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line_and_without_the_key() {
        use KeyFileProblem::{Identity, Key, NoColon, Nothing, Twice};
        let long = "a".repeat(129);
        for (text, line, problem) in [
            ("", 0, Nothing),
            ("# a:00\n", 0, Nothing),
            ("a:00\nb", 2, NoColon),
            (":00", 1, Identity),
            (&format!("{long}:00"), 1, Identity),
            ("a:", 1, Key),
            ("a:0", 1, Key),
            ("a:0g", 1, Key),
            ("a:+0", 1, Key),
            (&format!("a:{}", "00".repeat(65)), 1, Key),
            ("a:00\nb:01\na:02", 3, Twice),
        ] {
            let error = PreSharedKeys::read(text).expect_err(text);
            assert_eq!(error, KeyFileError { line, problem }, "{text}");
        }
    }
}
