"""What the CPU device says of a panic: the message, the line, the thread and the block."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import workspace

OXIDE = Path(__file__).parents[1] / "oxide"
SOURCES = workspace.FOLDER / "sources" / "panics"

PROGRAM = """\
use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{cuda_module, kernel, thread};

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub unsafe fn panics(out: *mut u32, a: &[u32], b: u32) {
        let i = thread::threadIdx_x() as usize;
        let found = BODY;
        unsafe { *out = found }
    }
}

fn main() {
    let ctx = CudaContext::new(0).unwrap();
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx).unwrap();
    let a = DeviceBuffer::<u32>::zeroed(&stream, 4).unwrap();
    let config = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (4, 1, 1), shared_mem_bytes: 0 };
    let launched = unsafe { module.panics(&stream, config, a.cu_deviceptr() as *mut u32, &a, 0) };
    println!("{}", launched.is_err());
}
"""


PANICS = [
    ("a[i + 1]", 3, "index out of bounds: the len is 4 but the index is 4", 21),
    ("[1, 2, 3][i + a.len() - 4]", 3, "index out of bounds: the len is 3 but the index is 3", 21),
    ("a[1..][i]", 3, "index out of bounds: the len is 3 but the index is 3", 21),
    ("a[i - 1]", 0, "index out of bounds: the len is 4 but the index is 18446744073709551615", 21),
    (
        "{ let (is_in, few) = (i + 2 < a.len(), i < b as usize); let x = a[i + 2]; x + u32::from(few) + 2 * u32::from(is_in) }",
        2,
        "index out of bounds: the len is 4 but the index is 4",
        85,
    ),
    ("a.get(i + 1).copied().unwrap()", 3, "called `Option::unwrap()` on a `None` value", 43),
    ("7 % b", 0, "attempt to calculate the remainder with a divisor of zero", 21),
    ("a[i..2].len() as u32", 3, "range out of bounds of a slice", 22),
    ("a[..i + 2].len() as u32", 3, "range out of bounds of a slice", 22),
    ("a[i + 2..].len() as u32", 3, "range out of bounds of a slice", 22),
    ('if i == 1 { unreachable!("odd") } else { 5 }', 1, "internal error: entered unreachable code: odd", 33),
    ("if i == 1 { todo!() } else { 5 }", 1, "not yet implemented", 33),
    ('a.get(i + 2).copied().expect("no such element")', 2, "no such element", 43),
    ("7 / b", 0, "attempt to divide by zero", 21),
    ("{ assert!(i != 1); 5 }", 1, "assertion failed: i != 1", 23),
    ('if i == 2 { panic!("plain, größer") } else { 5 }', 2, "plain, größer", 33),
    ('if i == 2 { panic!("{i} of {:>4} is bad", a[0]) } else { 5 }', 2, "{} of {} is bad", 33),
    ('{ assert_eq!(i, 0, "with words"); 5 }', 1, "assertion `left == right` failed: with words", 23),
    ("{ assert_ne!(i, 3); 5 }", 3, "assertion `left != right` failed", 23),
    ("if i == 1 { unreachable!() } else { 5 }", 1, "internal error: entered unreachable code", 33),
    ('"größer"[..i + b as usize].len() as u32', 3, "panicked in core::str::slice_error_fail", 29),
]
"""A value whose computation panics; the thread that does, what it says, and the column in the line."""


@pytest.fixture(scope="module")
def packages() -> dict[str, workspace.Package]:
    """A program for each panic, built at once."""
    for number, (body, *_) in enumerate(PANICS):
        workspace.write(SOURCES / f"panic_{number}.rs", PROGRAM.replace("BODY", body))
    return workspace.build("panics", [SOURCES / f"panic_{number}.rs" for number in range(len(PANICS))])


@pytest.mark.parametrize(("body", "thread", "message", "column"), PANICS)
def test_a_panic_is_told_with_its_line(
    packages: dict[str, workspace.Package], tmp_path: Path, body: str, thread: int, message: str, column: int
) -> None:
    """The launch fails, and stderr says why and where."""
    number = next(number for number, (other, *_) in enumerate(PANICS) if other == body)
    source = SOURCES / f"panic_{number}.rs"
    assert_told(workspace.run(packages[source.stem], tmp_path), source, thread, message, column)


@pytest.mark.parametrize(("body", "thread", "message", "column"), [PANICS[0], PANICS[-1]])
def test_a_panic_of_a_file_that_is_run_is_told(tmp_path: Path, body: str, thread: int, message: str, column: int) -> None:
    source = tmp_path / "panics.rs"
    source.write_text(PROGRAM.replace("BODY", body))
    done = subprocess.run([OXIDE, "run", source, "--device", "cpu"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert_told(done, source, thread, message, column)


def assert_told(done: subprocess.CompletedProcess[str], source: Path, thread: int, message: str, column: int) -> None:
    assert done.stdout == "true\n", done.stderr
    place = f"kernel `panics`: thread ({thread}, 0, 0) of block (0, 0, 0) panicked in `panics`"
    assert f"{place}: {message}, at {source}:11:{column}" in done.stderr
