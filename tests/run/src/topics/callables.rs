//! Function pointers and closures once more: tables, constructors, `impl Fn`, captures of every kind, recursion, generic callers.

use std::ops::ControlFlow;

use meaning::{cases, traps};

#[derive(Clone, Copy)]
struct Pair(u8, u32);

#[derive(Clone, Copy)]
enum Shape {
    Dot(u32),
    Line(u8, u32),
    Nothing,
}

fn area(shape: Shape) -> u32 {
    match shape {
        Shape::Dot(size) => size,
        Shape::Line(width, length) => length.wrapping_mul(width as u32),
        Shape::Nothing => 1,
    }
}

fn adder(by: u32) -> impl Fn(u32) -> u32 + Copy {
    move |value| value.wrapping_add(by)
}

fn counter(from: u32) -> impl FnMut() -> u32 {
    let mut count = from;
    move || {
        count = count.wrapping_add(1);
        count
    }
}

fn twice<T>(function: impl Fn(T) -> T, value: T) -> T {
    function(function(value))
}

fn memoised<const N: usize>(function: impl Fn(usize, &[u32; N]) -> u32) -> [u32; N] {
    let mut known = [0; N];
    for i in 0..N {
        known[i] = function(i, &known);
    }
    known
}

fn pipeline<A, B, C>(first: impl FnOnce(A) -> Option<B>, second: impl FnOnce(B) -> C) -> impl FnOnce(A) -> Option<C> {
    move |value| first(value).map(second)
}

#[inline(never)]
fn call(function: fn(u32, u32) -> u32, a: u32, b: u32) -> u32 {
    function(a, b)
}

cases! {
    fn pointers_to_constructors(a: u8, b: u32, which: u8) -> (u32, u32) {
        let (pair, dot, line): (fn(u8, u32) -> Pair, fn(u32) -> Shape, fn(u8, u32) -> Shape) = (Pair, Shape::Dot, Shape::Line);
        let shape = match which % 3 { 0 => dot(b), 1 => line(a, b), _ => Shape::Nothing };
        let Pair(small, large) = pair(a, b);
        (area(shape), large ^ small as u32)
    }

    fn constructors_mapped(values: [u32; 3], a: u8) -> (u32, Option<u32>) {
        let sum = values.map(Shape::Dot).into_iter().map(area).fold(0, u32::wrapping_add);
        (sum, a.checked_sub(5).map(u32::from).map(Shape::Dot).map(area))
    }

    fn pointers_compared(which: bool) -> (bool, usize) {
        fn first(a: u32, b: u32) -> u32 {
            a ^ b
        }
        let chosen: fn(u32, u32) -> u32 = if which { first } else { |a, b| a & b };
        (call(chosen, 6, 3) == call(first, 6, 3), size_of_val(&chosen))
    }

    fn pointers_in_structs(a: u32, which: u8) -> u32 {
        #[derive(Clone, Copy)]
        struct Machine {
            step: fn(Machine, u32) -> (Option<Machine>, u32),
            count: u8,
        }
        fn halve(machine: Machine, value: u32) -> (Option<Machine>, u32) {
            ((value > 3).then_some(Machine { step: triple, count: machine.count + 1 }), value / 2)
        }
        fn triple(machine: Machine, value: u32) -> (Option<Machine>, u32) {
            ((machine.count < 9).then_some(Machine { step: halve, ..machine }), value.wrapping_mul(3) | 1)
        }
        let (mut machine, mut value) = (Some(Machine { step: if which & 1 == 0 { halve } else { triple }, count: 0 }), a);
        for _ in 0..12 {
            let Some(now) = machine else { break };
            (machine, value) = (now.step)(now, value);
        }
        value
    }

    fn pointers_with_references(values: [u32; 4], i: usize) -> (u32, u32) {
        fn first(values: &[u32]) -> &u32 {
            &values[0]
        }
        fn last(values: &[u32]) -> &u32 {
            &values[values.len() - 1]
        }
        let pick: [for<'a> fn(&'a [u32]) -> &'a u32; 2] = [first, last];
        (*pick[i % 2](&values[i % 3..]), *pick[1 - i % 2](&values))
    }

    fn unsafe_and_extern_pointers(a: u32) -> (u32, u32) {
        unsafe fn read(pointer: *const u32) -> u32 {
            // SAFETY: the caller's.
            unsafe { *pointer }
        }
        extern "C" fn add(a: u32, b: u8) -> u32 {
            a.wrapping_add(b as u32)
        }
        let (reader, adder): (unsafe fn(*const u32) -> u32, extern "C" fn(u32, u8) -> u32) = (read, add);
        // SAFETY: the local's address.
        (unsafe { reader(&a) }, adder(a, 7))
    }

    fn closures_returned(a: u32, b: u32) -> (u32, u32, u32) {
        let (add, mut next) = (adder(a), counter(b));
        let copy = add;
        (twice(add, b), copy(next()), next().wrapping_add(next()))
    }

    fn closures_once(a: u32, b: u32) -> (Option<u32>, Option<usize>) {
        let run = pipeline(|value: u32| value.checked_sub(b), move |value| value ^ a);
        let text = pipeline(|_: u8| Some("text"), str::len);
        (run(a), text(1))
    }

    fn closures_by_every_capture(a: u32, values: [u32; 3]) -> (u32, [u32; 3], u32) {
        let (mut by_mutable, moved, by_reference) = (values, [a; 2], a ^ 5);
        let mut change = |i: usize| {
            by_mutable[i % 3] = moved[i % 2].wrapping_add(by_reference);
            by_mutable[0]
        };
        let found = change(1).wrapping_add(change(2));
        let take = move || moved[0].wrapping_add(by_mutable[1]);
        (found, by_mutable, take())
    }

    fn closures_capturing_closures(a: u32, b: u32) -> u32 {
        let add = |value: u32| value.wrapping_add(a);
        let both = |value| add(value) ^ add(b);
        let nested = move |value| (move |inner: u32| both(inner).wrapping_mul(value))(value);
        twice(nested, a)
    }

    fn closures_capturing_fields(a: u32, b: u8) -> (u32, u8, u32) {
        struct Holder {
            number: u32,
            pair: (u8, [u32; 2]),
        }
        let mut holder = Holder { number: a, pair: (b, [1, 2]) };
        let mut change = || holder.pair.1[1] = 9;
        let number = &holder.number;
        change();
        let read = || holder.pair.0.wrapping_add(holder.number as u8);
        (*number, read(), holder.pair.1[1])
    }

    fn closures_in_arrays(a: u32, i: usize) -> (u32, usize) {
        let closures = [1, 2, 3].map(|by| move |value: u32| value.rotate_left(by) ^ a);
        (closures.iter().fold(a, |value, closure| closure(value)), size_of_val(&closures) + closures[i % 3](0).count_zeros() as usize)
    }

    fn closures_memoised(a: u32) -> [u32; 8] {
        memoised(|i, known| if i < 2 { a } else { known[i - 1].wrapping_add(known[i - 2]).wrapping_add(i as u32) })
    }

    fn closures_recursive(a: u32) -> u32 {
        struct Recursive<'a>(&'a dyn Fn(&Recursive<'_>, u32) -> u32);
        let factorial = Recursive(&|this, n| if n < 2 { 1 } else { n.wrapping_mul((this.0)(this, n - 1)) });
        (factorial.0)(&factorial, a % 20)
    }

    fn closures_with_results(a: u32, b: u32) -> (Result<u32, u8>, Option<u32>) {
        let check = |value: u32| -> Result<u32, u8> {
            let half = value.checked_sub(b).ok_or(1)?;
            if half > 100 { Err(2) } else { Ok(half) }
        };
        (check(a).or_else(|error| check(a / 2).map_err(|other| error * 16 + other)), check(b).ok())
    }

    fn closures_as_visitors(values: [u32; 5], limit: u32) -> (u32, bool) {
        fn visit(values: &[u32], mut visitor: impl FnMut(u32) -> ControlFlow<()>) -> ControlFlow<()> {
            let [first, rest @ ..] = values else { return ControlFlow::Continue(()) };
            visitor(*first)?;
            let visitor: &mut dyn FnMut(u32) -> ControlFlow<()> = &mut visitor;
            rest.iter().try_for_each(|&value| visitor(value))
        }
        let mut sum = 0u32;
        let flow = visit(&values, |value| {
            sum = sum.wrapping_mul(3).wrapping_add(value);
            if sum > limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        (sum, flow.is_break())
    }

    fn generic_callers(a: u16, b: i64) -> (u16, i64, [u8; 2]) {
        fn apply<A, F>(function: F, value: A) -> A
        where
            F: for<'a> Fn(&'a A) -> A,
        {
            function(&value)
        }
        (apply(|value| value.swap_bytes(), a), apply(|value| -(value / 2), b), apply(|&[x, y]| [y, x], [a as u8, 1]))
    }

    fn methods_as_functions(a: u32, values: [u8; 3]) -> (Option<u32>, u32, usize) {
        let sum = values.iter().copied().map(u32::from).fold(a, u32::wrapping_add);
        let zeros = values.into_iter().map(u8::leading_zeros).fold(0, |sum, zeros| sum + zeros as usize);
        (Some(a).filter(|a| u32::is_power_of_two(*a)).map(u32::trailing_zeros), sum, zeros)
    }

    fn pointers_to_tracked_functions(a: u32, b: u32) -> [u32; 3] {
        #[track_caller]
        fn checked(a: u32) -> u32 {
            assert!(a < u32::MAX);
            a ^ 1
        }
        let unwrap: fn(Option<u32>) -> u32 = Option::unwrap;
        let pointer: fn(u32) -> u32 = checked;
        let object: &dyn Fn(u32) -> u32 = &checked;
        [unwrap(Some(a)), pointer(b / 4), object(b % 100)]
    }
}

traps! {
    fn pointer_that_panics(which: usize, a: u32) -> u32 {
        let functions: [fn(u32) -> u32; 2] = [|a| a ^ 1, |a| if a > 5 { panic!("{a}") } else { a }];
        functions[which](a)
    } [(0, 9), (1, 5), (1, 6), (2, 0)]
}
