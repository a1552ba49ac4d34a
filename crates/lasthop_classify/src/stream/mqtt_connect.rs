/// Finds the password in a CONNECT that arrives in pieces. The password is the last field (MQTT 3.1.1 §3.1.3, MQTT 5
/// §3.1.3).
#[derive(Debug)]
pub(crate) struct ConnectReader {
    /// The protocol level, once it is parsed.
    pub(crate) version: Option<u8>,
    field: Field,
    /// What follows this field, the last first.
    later: Vec<Field>,
}

#[derive(Clone, Copy, Debug)]
enum Field {
    /// Bytes after a two-byte length.
    Prefixed {
        length: usize,
        read: u8,
    },
    Level,
    Flags,
    /// Properties after a length of up to four bytes.
    Properties {
        length: usize,
        shift: u32,
    },
    Skipped {
        rest: usize,
    },
    PasswordLength {
        read: u8,
    },
    Password,
}

const PREFIXED: Field = Field::Prefixed { length: 0, read: 0 };
const PROPERTIES: Field = Field::Properties {
    length: 0,
    shift: 0,
};
const VERSION_5: u8 = 5;
const HAS_USER_NAME: u8 = 0x80;
const HAS_PASSWORD: u8 = 0x40;
const HAS_WILL: u8 = 0x04;

impl ConnectReader {
    pub(crate) fn new() -> Self {
        Self {
            version: None,
            field: PREFIXED,
            later: vec![Field::Flags, Field::Level],
        }
    }

    /// Returns how many of the first bytes have the same purpose, and whether they belong to the password.
    pub(crate) fn read(&mut self, bytes: &[u8]) -> (usize, bool) {
        let mut length = 0;
        while !matches!(self.field, Field::Password) && length < bytes.len() {
            self.step(bytes[length]);
            length += 1;
        }
        match length {
            0 => (bytes.len(), true),
            other => (other, false),
        }
    }

    fn step(&mut self, byte: u8) {
        let next = match &mut self.field {
            Field::Prefixed { length, read: 0 } => {
                *length = usize::from(byte) << 8;
                let length = *length;
                self.field = Field::Prefixed { length, read: 1 };
                return;
            }
            Field::Prefixed { length, .. } => *length | usize::from(byte),
            Field::Level => {
                self.version = Some(byte);
                0
            }
            Field::Flags => {
                self.expect(byte);
                // The keep alive.
                2
            }
            Field::Properties { length, shift } => {
                *length |= usize::from(byte & 0x7f) << *shift;
                *shift += 7;
                if byte & 0x80 != 0 && *shift < 28 {
                    return;
                }
                *length
            }
            Field::Skipped { rest } => *rest - 1,
            Field::PasswordLength { read: 0 } => {
                self.field = Field::PasswordLength { read: 1 };
                return;
            }
            Field::PasswordLength { .. } => 0,
            Field::Password => return,
        };
        self.field = match next {
            0 => self.later.pop().unwrap_or(Field::Password),
            rest => Field::Skipped { rest },
        };
    }

    /// Notes what is to come by the flags.
    fn expect(&mut self, flags: u8) {
        let properties = (self.version == Some(VERSION_5)).then_some(PROPERTIES);
        let mut fields: Vec<Field> = properties.into_iter().collect();
        fields.push(PREFIXED);
        if flags & HAS_WILL != 0 {
            fields.extend(properties);
            fields.extend([PREFIXED, PREFIXED]);
        }
        if flags & HAS_USER_NAME != 0 {
            fields.push(PREFIXED);
        }
        fields.push(match flags & HAS_PASSWORD {
            0 => Field::Skipped { rest: usize::MAX },
            _ => Field::PasswordLength { read: 0 },
        });
        fields.reverse();
        self.later = fields;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With a will, a user name and a password of five bytes.
    const OF_3_1_1: &[u8] =
        b"\x00\x04MQTT\x04\xc4\x00\x3c\x00\x01c\x00\x01t\x00\x02no\x00\x01u\x00\x05token";
    /// With properties of two bytes and none, and no user name.
    const OF_5: &[u8] =
        b"\x00\x04MQTT\x05\x44\x00\x3c\x02\x21\x01\x00\x00\x00\x00\x01t\x00\x00\x00\x05token";

    fn password(packet: &[u8], piece: usize) -> Vec<u8> {
        let mut reader = ConnectReader::new();
        let mut found = Vec::new();
        for mut bytes in packet.chunks(piece) {
            while !bytes.is_empty() {
                let (length, is_password) = reader.read(bytes);
                assert!(length > 0);
                if is_password {
                    found.extend_from_slice(&bytes[..length]);
                }
                bytes = &bytes[length..];
            }
        }
        found
    }

    #[test]
    fn the_password_is_found_however_the_packet_is_cut() {
        for packet in [OF_3_1_1, OF_5] {
            for piece in 1..=packet.len() {
                assert_eq!(password(packet, piece), b"token", "{piece}");
            }
        }
    }

    #[test]
    fn where_there_is_none_none_is_found() {
        let anonymous = b"\x00\x04MQTT\x04\x02\x00\x3c\x00\x05token and what follows";
        let named = b"\x00\x04MQTT\x04\x82\x00\x3c\x00\x00\x00\x05token";
        let empty = b"\x00\x04MQTT\x04\xc2\x00\x3c\x00\x00\x00\x01u\x00\x00";
        for packet in [&anonymous[..], named, empty] {
            assert_eq!(password(packet, 7), b"", "{packet:?}");
        }
    }
}
