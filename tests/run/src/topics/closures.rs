//! Closures: what they capture and how, as function pointers, as trait objects.

use crate::case::{cases, traps};

#[inline(never)]
fn apply<F: Fn(u32) -> u32>(function: F, to: u32) -> u32 {
    function(function(to))
}

#[inline(never)]
fn apply_mut(mut function: impl FnMut(u32), times: u32) {
    for i in 0..times {
        function(i);
    }
}

#[inline(never)]
fn apply_once<R>(function: impl FnOnce() -> R) -> R {
    function()
}

#[inline(never)]
fn apply_to<A, B>(function: impl FnOnce(A) -> B, to: A) -> B {
    function(to)
}

#[inline(never)]
fn apply_pointer(function: fn(u32, u32) -> u32, a: u32, b: u32) -> u32 {
    function(a, b)
}

#[inline(never)]
fn apply_dyn(function: &dyn Fn(u32) -> u64, to: u32) -> u64 {
    function(to)
}

#[inline(never)]
fn compose<A, B, C>(first: impl Fn(A) -> B, second: impl Fn(B) -> C) -> impl Fn(A) -> C {
    move |value| second(first(value))
}

cases! {
    fn no_capture(a: u32) -> u32 {
        apply(|value| value.wrapping_mul(3), a)
    }

    fn one_capture(a: u32, b: u32) -> u32 {
        apply(|value| value ^ b, a) ^ apply(move |value| value.wrapping_add(b), a)
    }

    fn four_captures(a: u8, b: u64, c: i16, d: bool) -> u64 {
        let function = move |value: u32| (value as u64 ^ b).wrapping_add(a as u64).wrapping_sub(c as u64) as u32 ^ d as u32;
        apply(function, 7) as u64 + size_of_val(&function) as u64
    }

    fn zero_sized_capture(a: u32) -> (u32, usize) {
        let unit = ();
        let function = move |value: u32| {
            let () = unit;
            value.wrapping_add(a)
        };
        (apply(function, 1), size_of_val(&function))
    }

    fn by_reference(a: u32, times: u32) -> (u32, [u32; 3]) {
        let (mut sum, mut seen) = (a, [0; 3]);
        apply_mut(
            |i| {
                sum = sum.wrapping_add(i);
                seen[i as usize % 3] += 1;
            },
            times % 10,
        );
        (sum, seen)
    }

    fn by_move(values: [u64; 5]) -> u64 {
        let function = move || values[0] ^ values[4];
        apply_once(function)
    }

    fn as_pointers(a: u32, b: u32, which: u8) -> u32 {
        let functions: [fn(u32, u32) -> u32; 3] = [|a, b| a.wrapping_add(b), |a, b| a.wrapping_sub(b), u32::wrapping_mul];
        apply_pointer(functions[which as usize % 3], a, b)
    }

    fn as_objects(a: u32, b: u64, which: bool) -> u64 {
        let first = |value: u32| value as u64 ^ b;
        let second = move |value: u32| (value as u64).wrapping_mul(b);
        let chosen: &dyn Fn(u32) -> u64 = if which { &first } else { &second };
        apply_dyn(chosen, a)
    }

    fn mutable_objects(a: u32) -> u32 {
        let mut count = a;
        {
            let increase: &mut dyn FnMut(u32) = &mut |by| count = count.wrapping_add(by);
            increase(3);
            increase(4);
        }
        count
    }

    fn constructors(a: u32, b: u8) -> (u32, u8) {
        struct Wrap(u32);
        enum Letter {
            Of(u8),
        }
        let wrapped = a.checked_add(1).map(Wrap).map_or(0, |wrap| wrap.0);
        let Letter::Of(letter) = apply_to(Letter::Of, b);
        (wrapped, letter)
    }

    fn constructors_of_core(a: u32, b: u8) -> (Option<Option<u32>>, u8, bool) {
        let result: Result<u8, u32> = Some(a).filter(|a| a % 3 == 0).map_or(Ok(b), Err);
        let reversed = core::iter::once(b).map(core::cmp::Reverse).max();
        (a.checked_mul(2).map(Some), result.unwrap_or(9), reversed.is_some_and(|value| value.0 == b))
    }

    fn composed(a: u8, b: u16) -> (u64, bool) {
        let function = compose(move |value: u16| value as u32 + a as u32, |value| (value as u64) << 3);
        (function(b), compose(|value: u8| value > 5, |truth: bool| !truth)(a))
    }

    fn nested_closures(a: u32) -> u32 {
        let outer = |x: u32| {
            let inner = |y: u32| x.wrapping_add(y).wrapping_add(a);
            inner(1).wrapping_mul(inner(2))
        };
        outer(a ^ 1)
    }

    fn closure_in_struct(a: u32, b: u32) -> u32 {
        struct Holder<F> {
            before: u8,
            function: F,
            after: u64,
        }
        let holder = Holder { before: 1, function: |value: u32| value ^ b, after: 2 };
        (holder.function)(a).wrapping_add(holder.before as u32).wrapping_add(holder.after as u32)
    }

    fn edition_captures_fields(a: u32, b: u8) -> (u32, u8) {
        let mut pair = (a, [b; 3]);
        let mut change = |to: u8| pair.1[1] = to;
        change(9);
        let first = || pair.0 ^ 1;
        (first(), pair.1[1])
    }
}

traps! {
    fn panics_inside(a: u32) -> u32 { apply(|value| 100 / (value - 50), a) } [(60,), (50,)]
}
