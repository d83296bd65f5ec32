//! What does not compile, and what its author is told: one file a mistake, in `misuse` and, with feature
//! `async`, in `misuse_of_operations`.
//!
//! The words around the messages are those of rustc 1.96.0, for which the compiler is built. `TRYBUILD=overwrite cargo test --test misuse`
//! writes them anew.

use std::{env, process::Command};

#[test]
fn every_misuse_is_a_compile_error_at_its_place() {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("--version").output().unwrap();
    let version = String::from_utf8(version.stdout).unwrap();
    if !version.starts_with("rustc 1.96.0 ") {
        eprintln!("skipped: the texts are those of rustc 1.96.0, got {}", version.trim());
        return;
    }
    // Launchers that give operations are in what rustc shows beside some of the messages.
    let folder = if cfg!(feature = "async") { "misuse_of_operations" } else { "misuse" };
    trybuild::TestCases::new().compile_fail(format!("tests/{folder}/*.rs"));
}
