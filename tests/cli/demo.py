"""A program with one kernel, and what stands in for the compiler's middle."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

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
        further: Sequence[str] = (),
    ) -> dict[str, bytes]:
        assert start == "mir-json"
        assert ours
        assert source.startswith(b'{"schema"')
        self.compiled.append(name)
        if self.problem is not None:
            raise self.problem
        if self.warning is not None:
            report(self.warning)
        if self.stored:
            found(emit)
        else:
            for stage in ("mir", "llvm", "ptx"):
                done(stage)
        outputs = {kind: ptx(source, arch or "sm_75") if kind == "ptx" else kind.encode() for kind in emit}
        for other in further:
            outputs[f"{other}.ptx"] = ptx(source, other)
            if "cubin" in emit:
                outputs[f"{other}.cubin"] = b"cubin"
        return outputs


def ptx(source: bytes, arch: str) -> bytes:
    """Return a text that stands for the PTX of a dump."""
    body = f".target {arch}\n// ".encode() + hashlib.sha256(source).hexdigest().encode() + b"\n"
    return b"// oxide " + hashlib.sha256(body).hexdigest()[:32].encode() + b"\n" + body
