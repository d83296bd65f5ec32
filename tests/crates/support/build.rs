//! Writes a table of squares.

use std::{env, fs, path::Path};

fn main() {
    let squares: Vec<u32> = (0..16).map(|n| n * n).collect();
    let file = Path::new(&env::var_os("OUT_DIR").expect("cargo names a folder")).join("squares.rs");
    fs::write(file, format!("pub static SQUARES: [u32; 16] = {squares:?};\n")).expect("the folder is there");
    println!("cargo::rustc-cfg=built_with_a_script");
    println!("cargo::rustc-check-cfg=cfg(built_with_a_script)");
    println!("cargo::rerun-if-changed=build.rs");
}
