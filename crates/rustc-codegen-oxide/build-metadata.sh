#!/bin/bash
# Make the metadata of rustc's own crates, which no package carries, by checking rustc's sources: some 10 minutes and 1.3 GB.
# usage: build-metadata.sh FOLDER      on Debian, as root if the packages are not installed yet
set -euo pipefail
folder=$(realpath -m "$1") release=1.96.0
sources=/usr/src/rustc-$release
if [ ! -d "$sources" ] || [ ! -d /usr/include/llvm-22 ]; then
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends rustc-web cargo-web rust-web-src llvm-22 llvm-22-dev
fi
mkdir -p "$folder"
cp -r "$sources" "$folder/src"
cd "$folder/src"

# The compiler alone: the other members of the workspace need tools that are not here.
python3 - <<'PY'
import re
from pathlib import Path

manifest = Path("Cargo.toml")
text = manifest.read_text()
members = re.sub(r"members = \[.*?\]", 'members = ["compiler/rustc"]', text, count=1, flags=re.DOTALL)
manifest.write_text(members[: members.index("]", members.index("members = [")) + 1] + "\n" + text[text.index("[profile.") :])
PY

# A library for the target keeps its MIR, which generic functions need, and generates no code.
cat > "$folder/rustc-wrapper" <<'SH'
#!/bin/bash
# Paths of this machine stay out of the metadata, and so out of what is compiled against it.
rustc=$1
shift
set -- "$@" --remap-path-prefix "${CARGO_HOME:-$HOME/.cargo}/registry/src=registry" --remap-path-prefix "$PWD=rustc"
case " $* " in
  *" --crate-type dylib "* | *" --crate-type bin "*) exec "$rustc" "$@" ;;
  *" --target "*) exec "$rustc" "${@/#--emit=dep-info,metadata/--emit=dep-info,metadata,link}" -Zno-codegen ;;
  *) exec "$rustc" "$@" ;;
esac
SH
chmod +x "$folder/rustc-wrapper"

# What rustc's own build sets. The versions must be those of the rustc that will load the backend: metadata carries them.
verbose=$(/usr/bin/rustc -vV)
field() { sed -n "s/^$1: //p" <<< "$verbose"; }
unset RUSTUP_TOOLCHAIN
env RUSTC_BOOTSTRAP=1 RUSTC=/usr/bin/rustc RUSTC_WRAPPER="$folder/rustc-wrapper" CARGO_TARGET_DIR="$folder/target" CARGO_INCREMENTAL=0 \
  CFG_VERSION="$(head -1 <<< "$verbose" | sed 's/^rustc //')" CFG_RELEASE="$release" CFG_RELEASE_CHANNEL=stable \
  CFG_VER_HASH="$(field commit-hash)" CFG_VER_DATE="$(field commit-date)" CFG_COMPILER_HOST_TRIPLE="$(field host)" \
  RUSTC_INSTALL_BINDIR=bin REAL_LIBRARY_PATH_VAR=LD_LIBRARY_PATH LLVM_CONFIG=/usr/bin/llvm-config-22 LLVM_LINK_SHARED=1 \
  /usr/bin/cargo check --release --target "$(field host)" -p rustc-main --features llvm
