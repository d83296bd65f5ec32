//! The runtime's lines of the build log, `[PHASE 9/9] …` on stderr, where `RUST_LOG` asks for `info`.
//!
//! A program with a tracing subscriber of its own prints these events itself: the runtime then prints nothing, so that no line appears twice.

use std::{
    env, fmt,
    sync::{LazyLock, Once},
};

use tracing_core::dispatcher;

/// The steps of phase 9, in their order.
pub(crate) enum Step<'a> {
    Initialize { device: usize },
    Load { module: &'a str },
    Launch { kernel: &'a str },
    ToHostVec,
}

impl fmt::Display for Step<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Initialize { device } => write!(f, "b: initializing CUDA context (device {device})"),
            Self::Load { module } => write!(f, "c: loading PTX module from {module}"),
            Self::Launch { kernel } => write!(f, "d: launching kernel kernel=\"{kernel}\""),
            Self::ToHostVec => f.write_str("e: to_host_vec"),
        }
    }
}

/// Prints one step, and before the first one that the binary has started.
pub(crate) fn enter(step: Step<'_>) {
    static ENABLED: LazyLock<bool> = LazyLock::new(|| env::var("RUST_LOG").is_ok_and(|filter| enables_info(&filter)));
    static STARTED: Once = Once::new();
    if !*ENABLED || dispatcher::has_been_set() {
        return;
    }
    STARTED.call_once(|| eprintln!("[PHASE 9/9] a: host binary started"));
    eprintln!("[PHASE 9/9] {step}");
}

/// Whether a `RUST_LOG` filter lets `info` of the runtime through: the last directive for its targets decides, else the last for all.
fn enables_info(filter: &str) -> bool {
    let (mut general, mut own) = (false, None);
    for directive in filter.split(',').map(str::trim).filter(|directive| !directive.is_empty()) {
        match directive.split_once('=') {
            Some(("cuda_core" | "oxide", level)) => own = Some(admits_info(level)),
            Some(_) => {}
            None if matches!(directive, "cuda_core" | "oxide") => own = Some(true),
            None => general = admits_info(directive),
        }
    }
    own.unwrap_or(general)
}

fn admits_info(level: &str) -> bool {
    matches!(level.to_ascii_lowercase().as_str(), "info" | "debug" | "trace")
}

#[cfg(test)]
mod tests {
    use super::enables_info;

    #[test]
    fn filters() {
        for filter in ["info", "INFO", "debug", "warn,cuda_core=info", "oxide", "oxide=trace,hyper=off", " info "] {
            assert!(enables_info(filter), "{filter:?}");
        }
        for filter in ["", "warn", "off", "hyper=info", "hyper", "info,cuda_core=off"] {
            assert!(!enables_info(filter), "{filter:?}");
        }
    }
}
