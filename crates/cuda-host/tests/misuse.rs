//! What does not compile, and what its author is told: one file a mistake, in `misuse`.
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
    trybuild::TestCases::new().compile_fail("tests/misuse/*.rs");
}
