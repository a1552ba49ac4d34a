//! Writes the streaming format of Arrow IPC for flat tables without compression.

use std::io::{self, Write};

use flatbuffers::{
    FlatBufferBuilder, TableFinishedWIPOffset, UnionWIPOffset, VOffsetT, Vector, WIPOffset,
};

/// The type of an Arrow column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrowType {
    /// A boolean.
    Boolean,
    /// A signed integer of 32 bits.
    Int32,
    /// A signed integer of 64 bits.
    Int64,
    /// An IEEE 754 number of 64 bits.
    Float64,
    /// UTF-8 text with 32-bit offsets.
    Text,
}

/// The name, type and unit of a column, which can have nulls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrowField {
    /// The column's name.
    pub name: String,
    /// The type of the column.
    pub kind: ArrowType,
    /// The unit, which becomes the metadata `unit` of the field.
    pub unit: Option<String>,
}

/// The values of a column in Arrow's memory layout.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    kind: ArrowType,
    rows: usize,
    nulls: usize,
    validity: Vec<u8>,
    offsets: Vec<u8>,
    values: Vec<u8>,
}

/// Writes the record batches of one table.
pub(crate) struct StreamWriter<W: Write> {
    out: W,
}

/// Returns the schema message with which an Arrow stream begins.
///
/// Parquet files store its Base64 form as `ARROW:schema`.
#[must_use]
pub fn arrow_schema(fields: &[ArrowField]) -> Vec<u8> {
    let mut message = FlatBufferBuilder::new();
    let fields: Vec<_> = fields.iter().map(|it| field(&mut message, it)).collect();
    let fields = message.create_vector(&fields);
    let start = message.start_table();
    message.push_slot_always(slot(1), fields);
    let schema = message.end_table(start);
    framed(message, SCHEMA, schema.as_union_value(), 0)
}

impl<W: Write> StreamWriter<W> {
    /// Starts the stream of a table.
    pub(crate) fn new(mut out: W, fields: &[ArrowField]) -> io::Result<Self> {
        out.write_all(&arrow_schema(fields))?;
        Ok(Self { out })
    }

    /// Writes rows. All columns must have the same length.
    pub(crate) fn write(&mut self, columns: &[Column]) -> io::Result<()> {
        let mut places = Vec::new();
        let mut body = 0;
        let contents = || columns.iter().flat_map(Column::buffers);
        for content in contents() {
            places.extend([body as i64, content.len() as i64]);
            body += content.len().next_multiple_of(ALIGNMENT);
        }
        let counts = |column: &Column| [column.rows as i64, column.nulls as i64];
        let counts: Vec<i64> = columns.iter().flat_map(counts).collect();
        let mut message = FlatBufferBuilder::new();
        let nodes = pairs(&mut message, &counts);
        let buffers = pairs(&mut message, &places);
        let start = message.start_table();
        let rows = columns.first().map_or(0, |column| column.rows);
        message.push_slot_always(slot(0), rows as i64);
        message.push_slot_always(slot(1), nodes);
        message.push_slot_always(slot(2), buffers);
        let batch = message.end_table(start);
        let message = framed(message, RECORD_BATCH, batch.as_union_value(), body as i64);
        self.out.write_all(&message)?;
        for content in contents() {
            self.out.write_all(content)?;
            let padding = content.len().next_multiple_of(ALIGNMENT) - content.len();
            self.out.write_all(&[0; ALIGNMENT][..padding])?;
        }
        Ok(())
    }

    /// Ends the stream.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        self.out.write_all(&CONTINUATION)?;
        self.out.write_all(&0_u32.to_le_bytes())?;
        Ok(self.out)
    }
}

impl Column {
    pub(crate) fn booleans(values: impl Iterator<Item = Option<bool>>) -> Self {
        let mut column = Self::new(ArrowType::Boolean);
        for value in values {
            set_bit(&mut column.values, column.rows, value == Some(true));
            column.count(value.is_none());
        }
        column
    }

    pub(crate) fn int32(values: impl Iterator<Item = Option<i32>>) -> Self {
        Self::numbers(ArrowType::Int32, values, i32::to_le_bytes)
    }

    pub(crate) fn int64(values: impl Iterator<Item = Option<i64>>) -> Self {
        Self::numbers(ArrowType::Int64, values, i64::to_le_bytes)
    }

    pub(crate) fn float64(values: impl Iterator<Item = Option<f64>>) -> Self {
        Self::numbers(ArrowType::Float64, values, f64::to_le_bytes)
    }

    pub(crate) fn text(values: impl Iterator<Item = Option<impl AsRef<str>>>) -> Self {
        let mut column = Self::new(ArrowType::Text);
        column.offsets.extend(0_i32.to_le_bytes());
        for value in values {
            if let Some(value) = &value {
                column.values.extend(value.as_ref().as_bytes());
            }
            let end = i32::try_from(column.values.len()).expect("few rows are written at a time");
            column.offsets.extend(end.to_le_bytes());
            column.count(value.is_none());
        }
        column
    }

    pub(crate) fn kind(&self) -> ArrowType {
        self.kind
    }

    fn numbers<T: Copy + Default, const BYTES: usize>(
        kind: ArrowType,
        values: impl Iterator<Item = Option<T>>,
        bytes: fn(T) -> [u8; BYTES],
    ) -> Self {
        let mut column = Self::new(kind);
        for value in values {
            column.values.extend(bytes(value.unwrap_or_default()));
            column.count(value.is_none());
        }
        column
    }

    fn new(kind: ArrowType) -> Self {
        Self {
            kind,
            rows: 0,
            nulls: 0,
            validity: Vec::new(),
            offsets: Vec::new(),
            values: Vec::new(),
        }
    }

    fn count(&mut self, is_null: bool) {
        set_bit(&mut self.validity, self.rows, !is_null);
        self.rows += 1;
        self.nulls += usize::from(is_null);
    }

    /// Returns the buffers of the column in a message body, in order.
    fn buffers(&self) -> impl Iterator<Item = &[u8]> {
        let offsets = (self.kind == ArrowType::Text).then_some(&*self.offsets);
        // A column without nulls needs no bits that say so.
        let validity: &[u8] = if self.nulls == 0 { &[] } else { &self.validity };
        [Some(validity), offsets, Some(&*self.values)]
            .into_iter()
            .flatten()
    }
}

// Message.fbs and Schema.fbs of Apache Arrow 1.0 and later: the numbers of versions, of the members of unions and of slots.
const V5: i16 = 4;
const SCHEMA: u8 = 1;
const RECORD_BATCH: u8 = 3;
const INT: u8 = 2;
const FLOATING_POINT: u8 = 3;
const UTF8: u8 = 5;
const BOOL: u8 = 6;
const DOUBLE: i16 = 2;

const CONTINUATION: [u8; 4] = [0xff; 4];
const ALIGNMENT: usize = 8;

/// Where a table refers to its field with this number.
const fn slot(number: VOffsetT) -> VOffsetT {
    4 + 2 * number
}

fn field(
    message: &mut FlatBufferBuilder<'_>,
    field: &ArrowField,
) -> WIPOffset<TableFinishedWIPOffset> {
    let name = message.create_string(&field.name);
    let unit = field.unit.as_deref().map(|unit| {
        let (key, value) = (message.create_string("unit"), message.create_string(unit));
        let start = message.start_table();
        message.push_slot_always(slot(0), key);
        message.push_slot_always(slot(1), value);
        let pair = message.end_table(start);
        message.create_vector(&[pair])
    });
    let (kind, details) = kind(message, field.kind);
    // Readers want the list of children, though none of our types has any.
    let children = message.create_vector::<WIPOffset<TableFinishedWIPOffset>>(&[]);
    let start = message.start_table();
    message.push_slot_always(slot(0), name);
    message.push_slot_always(slot(1), true);
    message.push_slot_always(slot(2), kind);
    message.push_slot_always(slot(3), details);
    message.push_slot_always(slot(5), children);
    if let Some(unit) = unit {
        message.push_slot_always(slot(6), unit);
    }
    message.end_table(start)
}

/// The number and the table of a type.
fn kind(message: &mut FlatBufferBuilder<'_>, kind: ArrowType) -> (u8, WIPOffset<UnionWIPOffset>) {
    let start = message.start_table();
    let mut integer = |bits: i32| {
        message.push_slot_always(slot(0), bits);
        message.push_slot_always(slot(1), true);
        INT
    };
    let number = match kind {
        ArrowType::Int32 => integer(32),
        ArrowType::Int64 => integer(64),
        ArrowType::Float64 => {
            message.push_slot_always(slot(0), DOUBLE);
            FLOATING_POINT
        }
        ArrowType::Boolean => BOOL,
        ArrowType::Text => UTF8,
    };
    (number, message.end_table(start).as_union_value())
}

/// A vector of structures of two numbers each, in which it differs from one of numbers by its length alone.
fn pairs<'a>(message: &mut FlatBufferBuilder<'a>, numbers: &[i64]) -> WIPOffset<Vector<'a, i64>> {
    message.start_vector::<i64>(numbers.len());
    for number in numbers.iter().rev() {
        message.push(*number);
    }
    message.end_vector::<i64>(numbers.len() / 2)
}

/// Returns a message with its stream framing.
fn framed(
    mut message: FlatBufferBuilder<'_>,
    kind: u8,
    header: WIPOffset<UnionWIPOffset>,
    body: i64,
) -> Vec<u8> {
    let start = message.start_table();
    message.push_slot_always(slot(0), V5);
    message.push_slot_always(slot(1), kind);
    message.push_slot_always(slot(2), header);
    message.push_slot_always(slot(3), body);
    let root = message.end_table(start);
    message.finish_minimal(root);
    let content = message.finished_data();
    let length = content.len().next_multiple_of(ALIGNMENT);
    let mut framed = CONTINUATION.to_vec();
    framed.extend((length as u32).to_le_bytes());
    framed.extend(content);
    framed.resize(8 + length, 0);
    framed
}

fn set_bit(bits: &mut Vec<u8>, place: usize, bit: bool) {
    if place.is_multiple_of(8) {
        bits.push(0);
    }
    bits[place / 8] |= u8::from(bit) << (place % 8);
}
