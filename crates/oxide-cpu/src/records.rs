//! The images that a program carries: records of the section `.oxide`, as docs/formats.md has them.

use std::{fs::File, path::Path};

use object::{Object, ObjectSection, ReadCache};

const MAGIC: &[u8] = b"OXIDEART";
const VERSION: u32 = 2;
const PTX: u32 = 3;
const CPU_IMAGE: u32 = 4;

/// The image in the record of `file` whose PTX has this key. A file that cannot be read has none.
pub fn image(file: &Path, key: &str) -> Option<Vec<u8>> {
    let cache = ReadCache::new(File::open(file).ok()?);
    let binary = object::File::parse(&cache).ok()?;
    find(binary.section_by_name(".oxide")?.data().ok()?, key).map(<[u8]>::to_vec)
}

/// The image in the record that has a PTX that begins with `// oxide KEY`: for each of its targets the image is the same.
fn find<'a>(mut section: &'a [u8], key: &str) -> Option<&'a [u8]> {
    let line = format!("// oxide {key}\n");
    // The linker puts zero bytes between records.
    while let Some(start) = section.iter().position(|&byte| byte != 0) {
        let mut rest = section[start..].strip_prefix(MAGIC)?;
        let (version, count) = (number(&mut rest)?, number(&mut rest)?);
        let length = usize::try_from(long(&mut rest)?).ok()?;
        let (mut named, mut image) = (false, None);
        for _ in 0..count {
            let (kind, _zero) = (number(&mut rest)?, number(&mut rest)?);
            let size = usize::try_from(long(&mut rest)?).ok()?;
            let bytes = rest.get(..size)?;
            rest = rest.get(size.next_multiple_of(8).min(rest.len())..)?;
            match kind {
                PTX => named |= bytes.starts_with(line.as_bytes()),
                CPU_IMAGE => image = Some(bytes),
                _ => {}
            }
        }
        if version == VERSION && named && image.is_some() {
            return image;
        }
        section = section.get(start.checked_add(length)?..)?;
    }
    None
}

fn number(bytes: &mut &[u8]) -> Option<u32> {
    let (number, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(u32::from_le_bytes(*number))
}

fn long(bytes: &mut &[u8]) -> Option<u64> {
    let (number, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(u64::from_le_bytes(*number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(entries: &[(u32, &[u8])]) -> Vec<u8> {
        let mut body = Vec::new();
        for (kind, bytes) in entries {
            body.extend(kind.to_le_bytes());
            body.extend([0; 4]);
            body.extend((bytes.len() as u64).to_le_bytes());
            body.extend(*bytes);
            body.resize(body.len().next_multiple_of(8), 0);
        }
        let mut record = MAGIC.to_vec();
        record.extend(VERSION.to_le_bytes());
        record.extend((entries.len() as u32).to_le_bytes());
        record.extend((24 + body.len() as u64).to_le_bytes());
        record.extend(body);
        record
    }

    #[test]
    fn the_record_with_the_key_is_found() {
        let mut section = record(&[(1, b"one"), (3, b"// oxide aa\nptx"), (4, b"image a")]);
        section.extend([0; 16]);
        section.extend(record(&[(4, b"image b"), (7, b"sm_80"), (3, b"// oxide bb\n"), (8, b""), (7, b"sm_90a"), (3, b"// oxide b2\n")]));
        section.extend(record(&[(3, b"// oxide cc\n")]));
        assert_eq!(find(&section, "aa"), Some(&b"image a"[..]));
        assert_eq!(find(&section, "bb"), Some(&b"image b"[..]));
        assert_eq!(find(&section, "b2"), Some(&b"image b"[..]));
        assert_eq!(find(&section, "cc"), None);
        assert_eq!(find(&section, "a"), None);
        for length in 0..section.len() {
            find(&section[..length], "cc");
        }
    }
}
