//! Finds the image that belongs to a PTX and loads it.
//!
//! The PTX's first line is `// oxide KEY`, KEY being the first 32 hexadecimal digits of the SHA-256 of all that follows. The image is in the
//! record that holds the same PTX in the program or one of its libraries, or beside the file, or in the cache (docs/formats.md).

use std::{
    collections::BTreeSet,
    env,
    fmt::Write,
    fs,
    ops::Deref,
    path::{Path, PathBuf},
    sync::atomic::Ordering,
};

use sha2::{Digest, Sha256};

use super::{
    device,
    error::{Error, Result},
    memory::{self, Owner},
    records,
};
use crate::exec::image::Image;

const KEY_DIGITS: usize = 32;

/// An image of a module, whose variables are memory of the driver's.
pub struct ModuleImage(Image);

impl Deref for ModuleImage {
    type Target = Image;

    fn deref(&self) -> &Image {
        &self.0
    }
}

impl ModuleImage {
    /// Registers its variables as memory.
    pub fn register(&self, owner: Owner) {
        self.globals().iter().for_each(|global| memory::register_global(global.address, global.size as usize, owner));
    }
}

impl Drop for ModuleImage {
    fn drop(&mut self) {
        self.globals().iter().for_each(|global| memory::register_global(global.address, 0, Owner::default()));
    }
}

/// A refusal: the code and the reason.
pub type Refusal = (Error, String);

/// Finds and loads the image of a PTX, which is from the file `beside` if it is from one.
///
/// # Errors
///
/// `INVALID_PTX` for a PTX that oxide did not write, or that was edited, or whose image is not found; `NO_BINARY_FOR_GPU` for machine code.
pub fn load(ptx: &[u8], beside: Option<&Path>) -> std::result::Result<ModuleImage, Refusal> {
    let invalid = |reason: String| (Error::INVALID_PTX, reason);
    if ptx.starts_with(b"\x7fELF") || ptx.starts_with(&0xba55_ed50_u32.to_le_bytes()) {
        return Err((Error::NO_BINARY_FOR_GPU, "this is machine code for a GPU, and the CPU device runs what oxide compiles".into()));
    }
    let key = key(ptx).map_err(invalid)?;
    let bytes = find(key, beside).map_err(invalid)?;
    let image = Image::load(&bytes).map_err(|reason| (Error::SHARED_OBJECT_INIT_FAILED, reason))?;
    if image.table().checks != 0 {
        device::CHECKS.store(true, Ordering::Relaxed);
    }
    Ok(ModuleImage(image))
}

/// The first line of the result of a link. Each text follows, after a line with its length.
pub const LINKED: &[u8] = b"// oxide linked\n";

/// Loads the images of one text, or of all the texts of a link.
pub fn load_images(text: &[u8], beside: Option<&Path>) -> std::result::Result<Vec<ModuleImage>, Refusal> {
    let Some(mut rest) = text.strip_prefix(LINKED) else { return Ok(vec![load(text, beside)?]) };
    let mut images = Vec::new();
    while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
        let length = str::from_utf8(&rest[..end]).ok().and_then(|length| length.parse().ok());
        let text = length.and_then(|length| rest[end + 1..].split_at_checked(length));
        let (text, after) = text.ok_or_else(|| (Error::INVALID_IMAGE, "the result of the link is cut short".to_owned()))?;
        images.push(load(text, beside)?);
        rest = after;
    }
    Ok(images)
}

/// The key of a PTX: that of its first line, which must be that of its content.
pub fn key(ptx: &[u8]) -> std::result::Result<&str, String> {
    let foreign = "no CPU image for this PTX: oxide did not write it, for its first line is not `// oxide KEY`";
    let end = ptx.iter().position(|&byte| byte == b'\n').ok_or(foreign)?;
    let key = str::from_utf8(&ptx[..end]).ok().and_then(|line| line.strip_prefix("// oxide ")).map(str::trim_end);
    let key = key.filter(|key| key.len() == KEY_DIGITS && key.bytes().all(|byte| byte.is_ascii_hexdigit())).ok_or(foreign)?;
    let content = digits(&Sha256::digest(&ptx[end + 1..]));
    if key != content {
        return Err(format!(
            "this PTX was edited after oxide wrote it (key {key}, content {content}): the CPU device runs only what was compiled for it; \
             edit the .ll and compile that, or run this PTX on a GPU"
        ));
    }
    Ok(key)
}

fn digits(hash: &[u8]) -> String {
    hash[..KEY_DIGITS / 2].iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The bytes of the image with this key.
fn find(key: &str, beside: Option<&Path>) -> std::result::Result<Vec<u8>, String> {
    if let Some(image) = loaded_files().iter().find_map(|path| records::image(path, key)) {
        return Ok(image);
    }
    let mut tried = Vec::new();
    if let (Some(folder), Some(stem)) = (beside.and_then(Path::parent), beside.and_then(Path::file_stem)) {
        tried.push(folder.join(format!("{}.{key}.cpu.so", stem.to_string_lossy())));
    }
    tried.extend(cache().map(|folder| folder.join("cpu").join(format!("{key}.so"))));
    // Reading a pipe would wait for its writer.
    tried.iter().filter(|path| path.is_file()).find_map(|path| fs::read(path).ok()).ok_or_else(|| {
        let places: Vec<_> = tried.iter().map(|path| format!(", not at {}", path.display())).collect();
        format!("no CPU image for this PTX (key {key}): it is not in the program or its libraries{}", places.concat())
    })
}

/// The executable and the libraries that are loaded.
fn loaded_files() -> BTreeSet<PathBuf> {
    let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let executable = fs::read_link("/proc/self/exe").ok();
    let code = maps.lines().filter(|line| line.split(' ').nth(1).is_some_and(|permissions| permissions.contains('x')));
    let paths = code.filter_map(|line| Some(PathBuf::from(&line[line.find('/')?..])));
    // This link opens the executable even where its file has been replaced since.
    paths.map(|path| if Some(&path) == executable.as_ref() { "/proc/self/exe".into() } else { path }).collect()
}

/// The cache folder.
fn cache() -> Option<PathBuf> {
    let variable = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let of_user = || Some(variable("XDG_CACHE_HOME").or_else(|| Some(variable("HOME")?.join(".cache")))?.join("oxide"));
    variable("OXIDE_CACHE").or_else(of_user)
}

/// Reads a file of PTX.
///
/// # Errors
///
/// `FILE_NOT_FOUND`, or `INVALID_IMAGE` where it cannot be read.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Error::FILE_NOT_FOUND,
        _ => Error::INVALID_IMAGE,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_that_of_the_content() {
        let content = ".version 8.0\n";
        let right = digits(&Sha256::digest(content));
        assert_eq!(right.len(), 32);
        assert_eq!(key(format!("// oxide {right}\n{content}").as_bytes()), Ok(right.as_str()));
        let edited = key(format!("// oxide {right}\n.version 8.1\n").as_bytes()).unwrap_err();
        assert!(edited.contains(&format!("edited after oxide wrote it (key {right}, content ")), "{edited}");
        for foreign in ["", ".version 8.0", "// oxide\n", "// oxide 12\n", "// Generated by NVIDIA NVVM Compiler\n"] {
            assert!(key(foreign.as_bytes()).unwrap_err().contains("oxide did not write it"));
        }
    }

    #[test]
    fn the_executable_is_among_the_loaded_files() {
        assert!(loaded_files().contains(Path::new("/proc/self/exe")));
    }
}
