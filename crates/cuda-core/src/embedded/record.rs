//! The records of section `.oxide`, in the format of the project's `docs/formats.md`: read here only, for programs and for the CPU device.
//!
//! ```text
//! for record in records(section) {
//!     for entry in record? { match entry.kind { TARGET => …, PTX => …, … } }
//! }
//! ```

pub(crate) const SECTION: &str = ".oxide";
const MAGIC: [u8; 8] = *b"OXIDEART";
pub(crate) const VERSION: u32 = 2;

/// What an entry holds; `Kind` in `src/oxide/export/artifact.py` has the same numbers.
pub(crate) mod kind {
    #![allow(dead_code, reason = "a program and the CPU device use different kinds")]

    pub(crate) const PACKAGE: u32 = 1;
    pub(crate) const CRATE: u32 = 2;
    pub(crate) const PTX: u32 = 3;
    pub(crate) const CPU_IMAGE: u32 = 4;
    pub(crate) const CPU_DEVICE: u32 = 5;
    pub(crate) const DUMP: u32 = 6;
    /// The target of the code that follows, up to the next target.
    pub(crate) const TARGET: u32 = 7;
    pub(crate) const CUBIN: u32 = 8;
    pub(crate) const NVVM_IR: u32 = 9;
    pub(crate) const LTOIR: u32 = 10;
    /// How NVVM IR and LTO IR are compiled.
    pub(crate) const OPTIONS: u32 = 11;
}

/// One entry of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry<'a> {
    pub(crate) kind: u32,
    pub(crate) bytes: &'a [u8],
}

/// Why bytes are not records of this version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RecordError {
    /// Something other than a record, at this offset from the section's start.
    NotARecord(usize),
    UnknownVersion(u32),
    Truncated,
}

/// The records of a section, each with its entries. An error is the last item.
pub(crate) fn records(section: &[u8]) -> impl Iterator<Item = Result<Vec<Entry<'_>>, RecordError>> {
    let mut rest = Reader { bytes: section };
    std::iter::from_fn(move || {
        // The linker puts zero bytes between records.
        let padding = rest.bytes.iter().position(|&byte| byte != 0)?;
        rest.bytes = &rest.bytes[padding..];
        let offset = section.len() - rest.bytes.len();
        let record = rest.record(offset);
        if record.is_err() {
            rest.bytes = &[];
        }
        Some(record)
    })
}

/// Takes little-endian numbers and bytes from the front of a slice.
struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    fn record(&mut self, offset: usize) -> Result<Vec<Entry<'a>>, RecordError> {
        let start = self.bytes;
        if !start.starts_with(&MAGIC) {
            return Err(RecordError::NotARecord(offset));
        }
        self.take(MAGIC.len())?;
        let version = self.u32()?;
        if version != VERSION {
            return Err(RecordError::UnknownVersion(version));
        }
        let count = self.u32()?;
        let length = self.length()?;
        let head = start.len() - self.bytes.len();
        let mut record = Reader { bytes: self.take(length.checked_sub(head).ok_or(RecordError::Truncated)?)? };
        (0..count).map(|_| record.entry()).collect()
    }

    fn entry(&mut self) -> Result<Entry<'a>, RecordError> {
        let kind = self.u32()?;
        self.u32()?;
        let length = self.length()?;
        let bytes = self.take(length)?;
        self.take((length.next_multiple_of(8) - length).min(self.bytes.len()))?;
        Ok(Entry { kind, bytes })
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], RecordError> {
        let (taken, rest) = self.bytes.split_at_checked(count).ok_or(RecordError::Truncated)?;
        self.bytes = rest;
        Ok(taken)
    }

    fn u32(&mut self) -> Result<u32, RecordError> {
        let (number, rest) = self.bytes.split_first_chunk().ok_or(RecordError::Truncated)?;
        self.bytes = rest;
        Ok(u32::from_le_bytes(*number))
    }

    /// A `u64` number of bytes; one beyond `usize` is beyond the section.
    fn length(&mut self) -> Result<usize, RecordError> {
        let (number, rest) = self.bytes.split_first_chunk().ok_or(RecordError::Truncated)?;
        self.bytes = rest;
        usize::try_from(u64::from_le_bytes(*number)).map_err(|_| RecordError::Truncated)
    }
}

/// A record of these entries, for tests.
#[cfg(test)]
pub(crate) fn encode(version: u32, entries: &[(u32, &[u8])]) -> Vec<u8> {
    let mut body = Vec::new();
    for (kind, bytes) in entries {
        body.extend(kind.to_le_bytes());
        body.extend([0; 4]);
        body.extend((bytes.len() as u64).to_le_bytes());
        body.extend(*bytes);
        body.resize(body.len().next_multiple_of(8), 0);
    }
    let mut record = MAGIC.to_vec();
    record.extend(version.to_le_bytes());
    record.extend((entries.len() as u32).to_le_bytes());
    record.extend((24 + body.len() as u64).to_le_bytes());
    record.extend(body);
    record
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read_in_order_and_up_to_an_error() {
        let mut section = encode(VERSION, &[(1, b"vec-add"), (3, b"// oxide")]);
        section.extend([0; 24]);
        section.extend(encode(VERSION, &[]));
        section.extend([0; 3]);
        let entry = |kind, bytes| Entry { kind, bytes };
        let first = vec![entry(1, &b"vec-add"[..]), entry(3, b"// oxide")];
        assert_eq!(records(&section).collect::<Vec<_>>(), [Ok(first.clone()), Ok(vec![])]);
        let offset = section.len();
        section.extend(b"rubbish");
        assert_eq!(records(&section).collect::<Vec<_>>(), [Ok(first), Ok(vec![]), Err(RecordError::NotARecord(offset))]);
        assert_eq!(records(&encode(1, &[])).next(), Some(Err(RecordError::UnknownVersion(1))));
        assert_eq!(records(&[0; 16]).next(), None);
    }

    #[test]
    fn a_record_that_ends_early_is_an_error() {
        let whole = encode(VERSION, &[(3, b"0123456789")]);
        for length in 8..whole.len() {
            assert_eq!(records(&whole[..length]).next(), Some(Err(RecordError::Truncated)), "{length} bytes of {}", whole.len());
        }
    }
}
