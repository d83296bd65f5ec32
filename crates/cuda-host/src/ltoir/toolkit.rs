//! Where NVIDIA's libraries are.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use libloading::Library;

use super::LtoirError;

/// Where the toolkit is installed by itself.
const INSTALLED: &str = "/usr/local/cuda";

/// The folders of libraries below a root: of toolkits, and of the packages from PyPI.
const LIBRARY_FOLDERS: [&str; 5] = ["nvvm/lib64", "lib64", "lib", "nvvm/lib", "targets/x86_64-linux/lib"];

/// The roots that the environment names.
fn named_roots() -> Vec<PathBuf> {
    ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(env::var_os).filter(|root| !root.is_empty()).map(PathBuf::from).collect()
}

/// A library of the toolkit, by the beginning of its file's name.
pub struct Wanted {
    pub what: &'static str,
    /// `libnvvm.so.`, say, after which the version comes.
    pub stem: &'static str,
    /// The versions that the system's loader is asked for.
    pub versions: &'static [&'static str],
}

/// An open library, and where it is.
pub struct Opened {
    pub library: Library,
    pub path: PathBuf,
}

impl Opened {
    /// A function of the library.
    ///
    /// # Safety
    ///
    /// It has this type.
    pub unsafe fn function<F: Copy>(&self, name: &str) -> Result<F, LtoirError> {
        // SAFETY: passed on.
        unsafe { self.optional(name) }.ok_or_else(|| LtoirError::Outdated { library: self.path.clone(), function: name.into() })
    }

    /// A function that the library may be too old for.
    ///
    /// # Safety
    ///
    /// It has this type.
    pub unsafe fn optional<F: Copy>(&self, name: &str) -> Option<F> {
        // SAFETY: passed on.
        unsafe { self.library.get::<F>(name) }.ok().map(|function| *function)
    }
}

/// Opens a library.
pub fn open(wanted: &Wanted) -> Result<Opened, LtoirError> {
    let below = |root: PathBuf| LIBRARY_FOLDERS.into_iter().filter_map(move |folder| newest(&root.join(folder), wanted.stem));
    let by_loader = wanted.versions.iter().map(|version| PathBuf::from(format!("{}{version}", wanted.stem)));
    let candidates = named_roots().into_iter().flat_map(below).chain(by_loader).chain(below(INSTALLED.into()));
    let mut looked = Vec::new();
    for path in candidates {
        // SAFETY: NVIDIA's libraries may be initialised at any time.
        match unsafe { Library::new(&path) } {
            Ok(library) => return Ok(Opened { library, path }),
            Err(error) => looked.push(format!(
                "{} ({})",
                path.display(),
                std::error::Error::source(&error).map_or_else(|| error.to_string(), |why| why.to_string())
            )),
        }
    }
    let roots = [named_roots(), vec![INSTALLED.into()]].concat();
    looked.push(format!("{}* under {}", wanted.stem, list(&roots)));
    Err(LtoirError::Toolkit { what: wanted.what, looked: looked.join(", ") })
}

/// The file of the highest version in a folder.
fn newest(folder: &Path, stem: &str) -> Option<PathBuf> {
    let version = |path: &Path| {
        let name = path.file_name()?.to_str()?.strip_prefix(stem)?;
        name.split('.').map(|part| part.parse::<u32>().ok()).collect::<Option<Vec<_>>>()
    };
    let files = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    files.filter_map(|path| Some((version(&path)?, path))).max().map(|(_, path)| path)
}

pub fn find_libdevice() -> Result<PathBuf, LtoirError> {
    const INSIDE: &str = "nvvm/libdevice/libdevice.10.bc";
    let named = ["OXIDE_LIBDEVICE", "CUDA_OXIDE_LIBDEVICE"].into_iter().filter_map(env::var_os).filter(|path| !path.is_empty());
    let roots = [named_roots(), vec![INSTALLED.into()]].concat();
    let candidates: Vec<_> = named.map(PathBuf::from).chain(roots.into_iter().map(|root| root.join(INSIDE))).collect();
    let found = candidates.iter().find(|path| path.is_file()).cloned();
    found.ok_or_else(|| LtoirError::Toolkit { what: "libdevice", looked: list(&candidates) })
}

fn list(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}
