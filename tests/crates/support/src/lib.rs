//! What a library has for kernels without knowing of them.

#![no_std]

use core::any::Any;

use derive::Sum;

include!(concat!(env!("OUT_DIR"), "/squares.rs"));

pub const SCRIPTED: bool = cfg!(built_with_a_script);

#[derive(Clone, Copy, Sum)]
pub struct Reading {
    pub level: i16,
    pub time: u64,
    pub valid: bool,
}

pub trait Area {
    fn area(&self) -> u32;

    fn twice(&self) -> u32 {
        self.area().wrapping_mul(2)
    }
}

pub struct Square(pub u32);

impl Area for Square {
    fn area(&self) -> u32 {
        self.0.wrapping_mul(self.0)
    }
}

pub fn largest<T: Copy + PartialOrd>(values: &[T]) -> Option<T> {
    values.iter().copied().reduce(|a, b| if b > a { b } else { a })
}

/// Neither generic nor inline, with a branch that panics.
#[inline(never)]
pub fn weighted(values: &[u32], weights: &[u32]) -> u64 {
    assert_eq!(values.len(), weights.len());
    values.iter().zip(weights).map(|(&value, &weight)| value as u64 * weight as u64).fold(0, u64::wrapping_add)
}

pub fn hanoi(discs: u32, from: u8, to: u8, moves: &mut [u8; 8]) -> u32 {
    if discs == 0 {
        return 0;
    }
    let over = 3 - from - to;
    let before = hanoi(discs - 1, from, over, moves);
    moves[before as usize % 8] = from * 3 + to;
    before + 1 + hanoi(discs - 1, over, to, moves)
}

pub fn adder(by: u32) -> impl Fn(u32) -> u32 + Copy {
    move |value| value.wrapping_add(by)
}

pub fn composed<A, B, C>(first: impl Fn(A) -> B, second: impl Fn(B) -> C) -> impl Fn(A) -> C {
    move |value| second(first(value))
}

#[inline(never)]
pub fn shape_of(which: bool, square: &Square) -> &dyn Area {
    struct Unit;

    impl Area for Unit {
        fn area(&self) -> u32 {
            1
        }
    }
    if which { square } else { &Unit }
}

/// What is known of a value by its type alone.
pub fn width_of(value: &dyn Any) -> Option<u32> {
    if let Some(small) = value.downcast_ref::<u8>() {
        return Some(8 + (*small as u32 & 1));
    }
    value.is::<u32>().then_some(32)
}

pub mod counted {
    use core::sync::atomic::{AtomicU32, Ordering};

    static CALLS: AtomicU32 = AtomicU32::new(0);

    /// Whether it has been called before, which nothing may depend on.
    pub fn call() -> bool {
        CALLS.fetch_add(1, Ordering::Relaxed) > 0
    }
}
