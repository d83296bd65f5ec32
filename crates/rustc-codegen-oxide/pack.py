"""Pack the backend's object, with a manifest of what it was built from, into src/oxide/rust/_backend.

usage: python3 pack.py OBJECT RUSTC_SOURCES
       python3 pack.py --manifest OBJECT           print the part of the manifest that a build in a checkout needs

RUSTC_SOURCES is the unpacked source package that the metadata was built from (/usr/src/rustc-1.96.0).
"""

import hashlib
import json
import lzma
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "src"))

from oxide.rust.backend_link import PACKAGE, sources_sha256  # noqa: E402 - from this checkout


def manifest_of(content: bytes) -> dict[str, object]:
    """Return what oxide needs to know of an object."""
    version = subprocess.run(["/usr/bin/rustc", "-vV"], check=True, capture_output=True, text=True).stdout
    fields = dict(line.split(": ", 1) for line in version.splitlines() if ": " in line)
    return {
        "rustc_release": fields["release"],
        "rustc_commit": fields["commit-hash"],
        "sources_sha256": sources_sha256(HERE),
        "object_sha256": hashlib.sha256(content).hexdigest(),
    }


def main(built: str, rustc_sources: str) -> None:
    content = Path(built).read_bytes()
    source = Path(rustc_sources)
    series = source / "debian/patches/series"
    manifest = manifest_of(content) | {
        "rustc_cargo_lock_sha256": hashlib.sha256((source / "Cargo.lock").read_bytes()).hexdigest(),
        "distribution_patches": [line for line in series.read_text().splitlines() if line and not line.startswith("#")],
    }
    PACKAGE.mkdir(parents=True, exist_ok=True)
    (PACKAGE / "backend.o.xz").write_bytes(lzma.compress(content, preset=9 | lzma.PRESET_EXTREME))
    (PACKAGE / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")
    print(f"{len(content)} bytes packed into {(PACKAGE / 'backend.o.xz').stat().st_size}")


if __name__ == "__main__":
    if sys.argv[1] == "--manifest":
        print(json.dumps(manifest_of(Path(sys.argv[2]).read_bytes()), indent=2))
    else:
        main(*sys.argv[1:])
