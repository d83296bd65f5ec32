#!/bin/bash
# Compile the backend to one unlinked object.
# usage: build-object.sh METADATA_ENV OBJECT      METADATA_ENV: the env.sh that build-metadata.sh wrote, or one that names rustc-dev's folders
set -euo pipefail
. "$1"
here=$(dirname "$(realpath "$0")")
rustc=${RUSTC:-/usr/bin/rustc}
externs=()
for crate in $(sed -n 's/^extern crate \([a-z_0-9]*\).*/\1/p' "$here/src/lib.rs"); do
  externs+=(--extern "$crate=$(ls -t "$RUSTC_METADATA/lib$crate"-*.rmeta | head -1)")
done
cd "$here"
RUSTC_BOOTSTRAP=1 "$rustc" --edition 2024 --crate-name rustc_codegen_oxide --crate-type rlib --emit=obj="$2" \
  -C opt-level=2 -C strip=debuginfo -C codegen-units=1 -C panic=unwind --remap-path-prefix "$here=crates/rustc-codegen-oxide" \
  -L dependency="$RUSTC_METADATA" -L dependency="$RUSTC_METADATA_HOST" "${externs[@]}" src/lib.rs
