//! The images that a program carries: entries of the records of its section `.oxide`.

// Programs read the same records.
#[path = "../../../cuda-core/src/embedded/record.rs"]
mod record;

use std::{fs::File, path::Path};

use object::{Object, ObjectSection, ReadCache};

use self::record::{SECTION, kind, records};

/// The image in the record of `file` whose PTX has this key. A file that cannot be read has none.
pub fn image(file: &Path, key: &str) -> Option<Vec<u8>> {
    let cache = ReadCache::new(File::open(file).ok()?);
    let binary = object::File::parse(&cache).ok()?;
    find(binary.section_by_name(SECTION)?.data().ok()?, key).map(<[u8]>::to_vec)
}

/// The image in the record that has a PTX that begins with `// oxide KEY`: for each of its targets the image is the same.
fn find<'a>(section: &'a [u8], key: &str) -> Option<&'a [u8]> {
    let line = format!("// oxide {key}\n");
    records(section).map_while(Result::ok).find_map(|record| {
        let has_key = record.iter().any(|entry| entry.kind == kind::PTX && entry.bytes.starts_with(line.as_bytes()));
        let image = record.iter().find(|entry| entry.kind == kind::CPU_IMAGE).filter(|_| has_key)?;
        Some(image.bytes)
    })
}

#[cfg(test)]
mod tests {
    use super::{
        record::{VERSION, encode},
        *,
    };

    #[test]
    fn the_record_with_the_key_is_found() {
        let record = |entries: &[(u32, &[u8])]| encode(VERSION, entries);
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
