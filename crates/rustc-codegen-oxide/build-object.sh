#!/bin/bash
# Compile the backend to one unlinked object.
# usage: build-object.sh METADATA [OBJECT]    METADATA: the folder that build-metadata.sh filled
# OBJECT is target/backend.o beside this script unless it is named; from there oxide takes it, while the sources are what it was built from.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
metadata=$(realpath "$1")/target object=$(realpath -m "${2:-$here/target/backend.o}")
deps=$metadata/x86_64-unknown-linux-gnu/release/deps
cd "$here"
mkdir -p "$(dirname "$object")"
externs=()
for crate in $(sed -n '/rustc_driver/d; s/^extern crate \([a-z_0-9]*\).*/\1/p' src/lib.rs); do
  externs+=(--extern "$crate=$(ls -t "$deps/lib$crate"-*.rmeta | head -1)")
done
# One codegen unit and no path of this machine: the same sources give the same bytes.
RUSTC_BOOTSTRAP=1 /usr/bin/rustc --edition 2024 --crate-name rustc_codegen_oxide --crate-type rlib --emit=obj="$object" \
  -C opt-level=2 -C codegen-units=1 -C panic=unwind -C strip=debuginfo \
  --remap-path-prefix "$PWD=crates/rustc-codegen-oxide" --remap-path-prefix "$metadata=metadata" \
  -L dependency="$deps" -L dependency="$metadata/release/deps" "${externs[@]}" src/lib.rs
python3 pack.py --manifest "$object" >"${object%.o}.json"
