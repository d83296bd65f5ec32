"""Pack the backend's object, with a manifest of what it was built from, into src/oxide/rust/_backend.

usage: python3 pack.py OBJECT RUSTC_SOURCES

RUSTC_SOURCES is the unpacked source package that the metadata was built from (/usr/src/rustc-1.96.0).
"""

import hashlib
import json
import lzma
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGE = HERE.parents[1] / "src/oxide/rust/_backend"


def sources_sha256() -> str:
    """Digest of everything the object is compiled from; a test compares it with the manifest's."""
    digest = hashlib.sha256()
    for path in sorted([*HERE.glob("src/*.rs"), HERE / "build-object.sh"]):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def main(built: str, rustc_sources: str) -> None:
    content = Path(built).read_bytes()
    version = subprocess.run(["/usr/bin/rustc", "-vV"], check=True, capture_output=True, text=True).stdout
    fields = dict(line.split(": ", 1) for line in version.splitlines() if ": " in line)
    source = Path(rustc_sources)
    series = source / "debian/patches/series"
    manifest = {
        "rustc_release": fields["release"],
        "rustc_commit": fields["commit-hash"],
        "rustc_cargo_lock_sha256": hashlib.sha256((source / "Cargo.lock").read_bytes()).hexdigest(),
        "distribution_patches": [line for line in series.read_text().splitlines() if line and not line.startswith("#")],
        "sources_sha256": sources_sha256(),
        "object_sha256": hashlib.sha256(content).hexdigest(),
    }
    PACKAGE.mkdir(parents=True, exist_ok=True)
    (PACKAGE / "backend.o.xz").write_bytes(lzma.compress(content, preset=9 | lzma.PRESET_EXTREME))
    (PACKAGE / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")
    print(f"{len(content)} bytes packed into {(PACKAGE / 'backend.o.xz').stat().st_size}")


if __name__ == "__main__":
    main(*sys.argv[1:])
