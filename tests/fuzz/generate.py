"""Random Rust functions whose meaning is defined for every input, as a program that compares the device with the host.

    program(seed=7, functions=100)       # Rust source; it prints SUCCESS, or each function and input that differ

Nothing panics and nothing is undefined: arithmetic wraps, divisors are odd, indices are taken modulo the length, loops have constant bounds.
"""

from __future__ import annotations

import random

INTEGERS = ("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "i128", "u128", "usize", "isize")
WIDER = {"i8": "i64", "u8": "u32", "i16": "i32", "u16": "u64", "i32": "i64", "u32": "u64", "i64": "i128", "u64": "u128"}
"""The type that a product or a shift of each is widened to."""

FLOATS = {"u16": ("f16", "0x7c00"), "u32": ("f32", "0x7f80_0000"), "u64": ("f64", "0x7ff0_0000_0000_0000")}
"""The float of the same bits, and those of its exponent."""

FIELDS = (("w", "u32"), ("x", "u32"), ("y", "u64"), ("s", "u16"), ("t", "u16"), ("f", "u32"))
ORDERINGS = {"load": ("Relaxed", "Acquire", "SeqCst"), "store": ("Relaxed", "Release", "SeqCst"), "swap": ("Acquire", "AcqRel", "SeqCst")}
PARAMETERS = (("a", "i32"), ("b", "u64"), ("c", "i8"), ("d", "u128"))
ARRAY_LENGTH = 5
DEEPEST = 4

PRELUDE = """\
#![feature(f16)]
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};
use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{DisjointSlice, cuda_module, kernel, thread};

#[derive(Clone, Copy, PartialEq, Debug)]
enum Shape { Dot, Line(u16), Box { w: i8, h: u64 }, Flag(bool) }

#[derive(Clone, Copy, PartialEq, Debug)]
struct Pair { x: u8, y: i64, z: (u16, bool) }

/// In global memory, its fields beside each other so that their accesses may be joined.
#[derive(Clone, Copy, Default)]
#[repr(C, align(16))]
struct Record { w: u32, x: u32, y: u64, s: u16, t: u16, f: u32, g: u64, bytes: [u8; 4] }

// SAFETY: plain numbers.
unsafe impl cuda_core::DeviceCopy for Record {}

impl Record {
    fn flag(&mut self) -> &AtomicU32 { unsafe { AtomicU32::from_ptr(&raw mut self.f) } }
    fn count(&mut self) -> &AtomicU64 { unsafe { AtomicU64::from_ptr(&raw mut self.g) } }
}

fn shape(n: u64) -> Shape {
    match n % 7 { 0 => Shape::Dot, 1 | 2 => Shape::Line(n as u16), 3..=4 => Shape::Box { w: n as i8, h: n >> 3 }, _ => Shape::Flag(n & 8 != 0) }
}

fn weight(s: &Shape) -> u64 {
    match *s {
        Shape::Dot => 1,
        Shape::Line(n) if n > 1000 => 2,
        Shape::Line(n) => u64::from(n) + 3,
        Shape::Box { w, h } => (w as u64).wrapping_mul(h | 1),
        Shape::Flag(f) => if f { 5 } else { 6 },
    }
}

#[inline(never)]
fn mix(h: u64, v: u128) -> u64 { (h ^ v as u64 ^ (v >> 64) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23) }
"""

MAIN = """\
#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn all(a: &[i32], b: &[u64], c: &[i8], d: &[u128], mut out: DisjointSlice<[u64; COUNT]>, mut records: DisjointSlice<Record>) {
        let i = thread::index_1d().get();
        if let Some(out) = out.get_mut(thread::index_1d()) && let Some(record) = records.get_mut(thread::index_1d()) {
            run(a[i], b[i], c[i], d[i], out, record);
        }
    }
}

fn main() {
    let mut state: u64 = SEED;
    let mut random = || { state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407); let x = state ^ (state >> 33); x >> (x & 63) };
    let edges = [0u64, 1, 2, 0x7f, 0x80, 0xff, 0x7fff_ffff, 0x8000_0000, 0x7fff_ffff_ffff_ffff, 0x8000_0000_0000_0000, u64::MAX];
    let mut words: Vec<u64> = edges.to_vec();
    words.extend((0..245).map(|_| random()));
    let n = words.len();
    let a: Vec<i32> = words.iter().map(|w| *w as i32).collect();
    let b: Vec<u64> = (0..n).map(|i| words[(i * 7 + 3) % n]).collect();
    let c: Vec<i8> = (0..n).map(|i| words[(i * 5 + 1) % n] as i8).collect();
    let d: Vec<u128> = (0..n).map(|i| u128::from(words[(i * 3) % n]) << 64 | u128::from(words[(i * 11 + 2) % n])).collect();
    let ctx = CudaContext::new(0).unwrap();
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx).unwrap();
    let (da, db) = (DeviceBuffer::from_host(&stream, &a).unwrap(), DeviceBuffer::from_host(&stream, &b).unwrap());
    let (dc, dd) = (DeviceBuffer::from_host(&stream, &c).unwrap(), DeviceBuffer::from_host(&stream, &d).unwrap());
    let mut out = DeviceBuffer::<[u64; COUNT]>::zeroed(&stream, n).unwrap();
    let mut records = DeviceBuffer::from_host(&stream, &vec![Record::default(); n]).unwrap();
    // SAFETY: the buffers have one length, and the launch is one-dimensional.
    unsafe { module.all(&stream, LaunchConfig::for_num_elems(n as u32), &da, &db, &dc, &dd, &mut out, &mut records) }.unwrap();
    let out = out.to_host_vec(&stream).unwrap();
    let mut wrong = 0;
    for i in 0..n {
        let mut expected = [0; COUNT];
        run(a[i], b[i], c[i], d[i], &mut expected, &mut Record::default());
        for f in 0..COUNT {
            if out[i][f] != expected[f] {
                wrong += 1;
                if wrong < 20 { println!("f{f}({}, {}, {}, {}): got {:#x}, expected {:#x}", a[i], b[i], c[i], d[i], out[i][f], expected[f]); }
            }
        }
    }
    assert_eq!(wrong, 0);
    println!("SUCCESS: {COUNT} functions over {n} inputs");
}
"""


class Generator:
    """One function at a time, from one source of chance."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.variables: list[tuple[str, str]] = []
        self.lines: list[str] = []
        self.depth = 1
        self.count = 0

    def pick(self, *options: str) -> str:
        """Choose one."""
        return self.random.choice(options)

    def literal(self, ty: str) -> str:
        """Return a number of a type: small, or at the type's edge."""
        return self.pick(f"{self.random.randrange(100)}_{ty}", f"{ty}::MAX", f"{ty}::MIN", f"({self.random.randrange(1 << 60)}u64 as {ty})")

    def value(self, ty: str, deep: int = 0) -> str:
        """Return an expression of an integer type."""
        found = [name for name, other in self.variables if other == ty]
        if deep >= DEEPEST or self.random.random() < 0.2:
            return self.random.choice(found) if found and self.random.random() < 0.8 else self.literal(ty)
        x, y = self.value(ty, deep + 1), self.value(ty, deep + 1)
        match self.random.randrange(16):
            case 0 | 1:
                return f"({x}).{self.pick('wrapping_add', 'wrapping_sub', 'wrapping_mul', 'saturating_add', 'saturating_sub')}({y})"
            case 2:
                return f"({x}).{self.pick('wrapping_div', 'wrapping_rem')}(({y}) | 1)"
            case 3 | 4:
                return f"(({x}) {self.pick('&', '|', '^')} ({y}))"
            case 5:
                return f"({x}).{self.pick('wrapping_shl', 'wrapping_shr', 'rotate_left', 'rotate_right')}({self.value('u32', deep + 1)})"
            case 6:
                return f"(({x}).{self.pick('count_ones', 'leading_zeros', 'trailing_zeros')}() as {ty})"
            case 7:
                return f"({x}).{self.pick('swap_bytes', 'reverse_bits', 'wrapping_neg')}()"
            case 8:
                return f"(({self.value(self.random.choice(INTEGERS), deep + 1)}) as {ty})"
            case 9:
                return f"(if {self.truth(deep + 1)} {{ {x} }} else {{ {y} }})"
            case 10:
                return f"({x}).{self.pick('min', 'max')}({y})"
            case 11:
                return f"({x}).{self.pick('checked_add', 'checked_sub', 'checked_mul', 'checked_div')}({y}).unwrap_or({self.value(ty, deep + 1)})"
            case 12:
                return self.guarded_shift(ty, x, y, deep + 1)
            case 13:
                return self.widened(ty, deep + 1)
            case 14:
                return self.sign(ty, deep + 1)
            case _:
                return f"(({self.truth(deep + 1)}) as {ty})"

    def guarded_shift(self, ty: str, x: str, other: str, deep: int) -> str:
        """Return a shift behind a comparison of its amount, which is of any type; `other` is what there is otherwise."""
        amount, shift = self.random.choice(INTEGERS), self.pick("<<", ">>")
        by = self.pick(self.value(amount, deep), f"(({self.value(amount, deep)}) & (({self.value(amount, deep)}) | 31))")
        guarded = self.pick(
            f"if s >= 0 && s < {ty}::BITS as {amount} {{ x {shift} s }} else {{ {other} }}",
            f"if s as u128 > {ty}::BITS as u128 - 1 {{ {other} }} else {{ x {shift} s }}",
            f"(s as u128 <= {ty}::BITS as u128 - 1).then(|| x {shift} s).unwrap_or(0)",
            f"u32::try_from(s).ok().and_then(|s| x.checked_{self.pick('shl', 'shr')}(s)).unwrap_or(0)",
            f"x.unbounded_{self.pick('shl', 'shr')}(s as u32)",
        )
        # A width that its type cannot hold is no guard.
        return f"({{ let (x, s): ({ty}, {amount}) = ({x}, {by}); {guarded} }})" if amount not in ("i8", "u8") or ty != "u128" else x

    def widened(self, ty: str, deep: int) -> str:
        """Return a product or a shift that fits, as a wider type."""
        narrow = self.random.choice(sorted(WIDER))
        wide, x = WIDER[narrow], self.value(narrow, deep)
        made = self.pick(
            f"({x}).checked_mul({self.literal(narrow)}).map_or(1, |p| p as {wide}).wrapping_add({self.value(wide, deep)})",
            f"(({x}) as {wide}).wrapping_mul(({self.value(narrow, deep)}) as {wide})",
            f"(((({x}) & 1).wrapping_neg() << ({narrow}::BITS - {self.random.randrange(1, 4)})) as {wide})",
            f"{{ let x: {narrow} = {x}; if x == 0 || x == !0 {{ (x << ({narrow}::BITS - 1)) as {wide} }} else {{ 9 }} }}",
        )
        return f"(({made}) as {ty})"

    def sign(self, ty: str, deep: int) -> str:
        """Return the bits of a float, often a NaN, whose sign has been changed."""
        bits = self.random.choice(sorted(FLOATS))
        kind, exponent = FLOATS[bits]
        x = f"{kind}::from_bits(({self.value(bits, deep)}) | {self.pick('0', exponent, f'{exponent} | 1')})"
        y = f"{kind}::from_bits({self.value(bits, deep)})"
        changed = self.pick(
            f"(-{x})", f"{x}.abs()", f"{x}.copysign({y})", f"(-{x}.abs())", f"(if {self.truth(deep)} {{ -{x} }} else {{ {y} }})"
        )
        return f"({changed}.to_bits() as {ty})"

    def record(self) -> None:
        """Append accesses of the record in memory, with one that is atomic or a fence between them."""
        between = self.pick(
            f"h = mix(h, r.flag().load(Ordering::{self.pick(*ORDERINGS['load'])}) as u128);",
            f"r.flag().store({self.value('u32', 2)}, Ordering::{self.pick(*ORDERINGS['store'])});",
            f"h = mix(h, r.count().swap({self.value('u64', 2)}, Ordering::{self.pick(*ORDERINGS['swap'])}) as u128);",
            f"h = mix(h, r.count().fetch_add({self.value('u64', 2)}, Ordering::{self.pick(*ORDERINGS['swap'])}) as u128);",
            f"fence(Ordering::{self.pick('Acquire', 'Release', 'SeqCst')});",
            "",
        )
        for _ in range(self.random.randrange(1, 4)):
            name, ty = self.random.choice(FIELDS)
            self.emit(self.pick(f"r.{name} = {self.value(ty, 1)};", f"h = mix(h, r.{name} as u128);", between))
        self.emit(between)
        for name, ty in self.random.sample(FIELDS, 3):
            self.emit(self.pick(f"r.{name} = {self.value(ty, 1)};", f"h = mix(h, r.{name} as u128);", f"h = mix(h, r.{name} as u128);"))
        self.emit(f"r.bytes[({self.value('usize', 2)}) % 4] = {self.value('u8', 2)};")

    def truth(self, deep: int = 0) -> str:
        """Return a condition."""
        ty = self.random.choice(INTEGERS)
        if deep < DEEPEST and self.random.random() < 0.3:
            return f"({self.truth(deep + 1)} {self.pick('&&', '||', '^')} {self.truth(deep + 1)})"
        overflow = f"({self.value(ty, deep + 1)}).{self.pick('overflowing_add', 'overflowing_mul', 'overflowing_sub')}({self.value(ty, deep + 1)}).1"
        return self.pick(
            f"(({self.value(ty, deep + 1)}) {self.pick('<', '<=', '==', '!=', '>', '>=')} ({self.value(ty, deep + 1)}))", overflow
        )

    def name(self) -> str:
        """Return a new name."""
        self.count += 1
        return f"v{self.count}"

    def emit(self, line: str) -> None:
        """Append a line."""
        self.lines.append("    " * self.depth + line)

    def block(self, head: str) -> None:
        """Append a block of statements; what it declares ends with it."""
        self.emit(head + " {")
        self.depth += 1
        known = len(self.variables)
        for _ in range(self.random.randrange(1, 4)):
            self.statement()
        del self.variables[known:]
        self.depth -= 1
        self.emit("}")

    def statement(self) -> None:
        """Append one statement."""
        name, ty = self.name(), self.random.choice(INTEGERS)
        mutable = [(known, kind) for known, kind in self.variables if known.startswith("v")]
        match self.random.randrange(12 if self.depth < DEEPEST else 9):
            case 0 | 1:
                self.emit(f"let mut {name}: {ty} = {self.value(ty)};")
                self.variables.append((name, ty))
            case 2 if mutable:
                known, kind = self.random.choice(mutable)
                self.emit(f"{known} = {self.value(kind)};")
            case 3:
                array, index = f"array{self.count}", f"({self.value('usize')} % {ARRAY_LENGTH})"
                self.emit(f"let mut {array} = [{', '.join(self.value(ty) for _ in range(ARRAY_LENGTH))}];")
                self.emit(f"{array}[{index}] = {self.value(ty)};")
                self.emit(
                    f"let mut {name} = {array}[{self.value('usize')} % {ARRAY_LENGTH}].wrapping_add({array}.iter().fold(0, |s, x| s ^ *x));"
                )
                self.variables.append((name, ty))
            case 4:
                pair = f"pair{self.count}"
                parts = f"x: {self.value('u8')}, y: {self.value('i64')}, z: ({self.value('u16')}, {self.truth()})"
                self.emit(f"let mut {pair} = Pair {{ {parts} }};")
                self.emit(
                    f"if {self.truth()} {{ {pair}.z.0 = {pair}.x.into(); }} else {{ {pair}.y = {pair}.y.wrapping_sub({pair}.z.1 as i64); }}"
                )
                self.emit(f"let mut {name} = {pair}.y ^ i64::from({pair}.z.0);")
                self.variables.append((name, "i64"))
            case 5:
                self.emit(f"let mut {name} = weight(&shape({self.value('u64')}));")
                self.variables.append((name, "u64"))
            case 6:
                self.emit(
                    f"let mut {name} = ({self.truth()}).then_some({self.value(ty)}).map_or({self.value(ty)}, |x| x ^ {self.literal(ty)});"
                )
                self.variables.append((name, ty))
            case 7:
                self.emit(f"let add{self.count} = |x: {ty}| x.wrapping_mul(3).wrapping_add({self.value(ty, 2)});")
                self.emit(f"let mut {name} = add{self.count}(add{self.count}({self.value(ty)}));")
                self.variables.append((name, ty))
            case 8:
                self.record()
            case 9:
                self.block(f"if {self.truth()}")
            case 10:
                self.block(f"for {name}_ in 0..{self.random.randrange(1, 9)}u32")
            case 11:
                self.block(f"while h % {self.random.randrange(2, 9)} != 0 && fuel > 0")
                self.lines[-1] = "    " * self.depth + f"    fuel -= 1; h = mix(h, fuel as u128);\n{self.lines[-1]}"
            case _:
                self.emit(f"h = mix(h, ({self.value(ty)}) as u128);")

    def function(self, number: int) -> str:
        """Return one function, which folds all it computes into a hash."""
        self.variables, self.lines, self.depth = list(PARAMETERS), [], 1
        for _ in range(self.random.randrange(4, 12)):
            self.statement()
            name, _ = self.random.choice(self.variables)
            self.emit(f"h = mix(h, {name} as u128);")
        parameters = ", ".join(f"{name}: {ty}" for name, ty in PARAMETERS)
        inline = "#[inline(never)]\n" if self.random.random() < 0.3 else ""
        body = "\n".join(["    let (mut h, mut fuel) = (1u64, 20u32);", *self.lines, "    let _ = &mut fuel;", "    h"])
        return f"{inline}fn f{number}({parameters}, r: &mut Record) -> u64 {{\n{body}\n}}\n"


def program(seed: int, functions: int) -> str:
    """Return a program of so many random functions."""
    generator = Generator(seed)
    found = [generator.function(number) for number in range(functions)]
    calls = "\n".join(f"    out[{number}] = f{number}(a, b, c, d, r);" for number in range(functions))
    run = f"fn run(a: i32, b: u64, c: i8, d: u128, out: &mut [u64; COUNT], r: &mut Record) {{\n{calls}\n}}\n"
    allowed = "#![allow(unused, unused_comparisons, arithmetic_overflow, overflowing_literals, clippy::all)]\n"
    main = MAIN.replace("SEED", str(seed))
    return "\n".join([allowed, PRELUDE, f"const COUNT: usize = {functions};\n", *found, run, main])
