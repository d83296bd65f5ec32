"""A program with one kernel, and what stands in for the compiler's middle."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from oxide.errors import Diagnostic

KERNEL = """\
#[doc(alias = "oxide_kernel")]
pub unsafe fn store(out: *mut u32) {
    unsafe { *out = 42 }
}
"""

MAIN = """
fn main() {
    let mut x = 0;
    unsafe { store(&mut x) };
    println!("{x} {}", std::path::Path::new("demo.ptx").exists());
    match std::env::args().nth(1).as_deref() {
        Some("seven") => std::process::exit(7),
        Some("abort") => std::process::abort(),
        _ => {}
    }
}
"""


class Middle:
    """Stands in for the pipeline: counts what it compiles."""

    def __init__(self) -> None:
        self.compiled: list[str] = []
        self.problem: Exception | None = None
        self.warning: Diagnostic | None = None
        self.stored = False
        """Whether what it makes is said to come from the store."""

    def __call__(
        self,
        source: bytes,
        *,
        start: str,
        emit: Collection[str],
        name: str,
        ours: bool,
        done: Callable[[str], None] = lambda _: None,
        report: Callable[[Diagnostic], None] = lambda _: None,
        found: Callable[[Collection[str]], None] = lambda _: None,
        arch: str | None = None,
    ) -> dict[str, bytes]:
        assert start == "mir-json"
        assert ours
        assert source.startswith(b'{"schema"')
        self.compiled.append(name)
        if self.problem is not None:
            raise self.problem
        if self.warning is not None:
            report(self.warning)
        body = f".target {arch or 'sm_75'}\n// ".encode() + hashlib.sha256(source).hexdigest().encode() + b"\n"
        if self.stored:
            found(emit)
        else:
            for stage in ("mir", "llvm", "ptx"):
                done(stage)
        key = hashlib.sha256(body).hexdigest()[:32].encode()
        return {kind: b"// oxide " + key + b"\n" + body if kind == "ptx" else kind.encode() for kind in emit}
