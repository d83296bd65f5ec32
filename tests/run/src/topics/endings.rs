//! When values are dropped: temporaries, partial moves, loops, matches, early returns, guards, containers of own.

use std::{
    cell::Cell,
    mem::{ManuallyDrop, MaybeUninit, replace, take},
    ops::{Deref, DerefMut},
};

use meaning::{cases, traps};

struct Noisy<'a>(&'a Cell<u64>, u64);

impl Drop for Noisy<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get().wrapping_mul(11).wrapping_add(self.1));
    }
}

impl<'a> Noisy<'a> {
    fn number(&self) -> u64 {
        self.1
    }

    fn next(self) -> Noisy<'a> {
        Noisy(self.0, self.1 + 1)
    }
}

/// Runs a function at the end of a scope.
struct Guard<F: FnMut()>(F);

impl<F: FnMut()> Drop for Guard<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// At most four values, of which as many are dropped as were pushed.
struct Few<T> {
    slots: [MaybeUninit<T>; 4],
    length: usize,
}

impl<T> Few<T> {
    const fn new() -> Self {
        Few { slots: [const { MaybeUninit::uninit() }; 4], length: 0 }
    }

    fn push(&mut self, value: T) -> Result<(), T> {
        match self.slots.get_mut(self.length) {
            Some(slot) => {
                slot.write(value);
                self.length += 1;
                Ok(())
            }
            None => Err(value),
        }
    }

    fn pop(&mut self) -> Option<T> {
        self.length = self.length.checked_sub(1)?;
        // SAFETY: pushed before, and not popped.
        Some(unsafe { self.slots[self.length].assume_init_read() })
    }
}

impl<T> Deref for Few<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: the first `length` have values.
        unsafe { std::slice::from_raw_parts(self.slots.as_ptr().cast(), self.length) }
    }
}

impl<T> DerefMut for Few<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: the first `length` have values.
        unsafe { std::slice::from_raw_parts_mut(self.slots.as_mut_ptr().cast(), self.length) }
    }
}

impl<T> Drop for Few<T> {
    fn drop(&mut self) {
        // SAFETY: the first `length` have values, dropped once.
        unsafe { std::ptr::drop_in_place::<[T]>(&mut **self) };
    }
}

cases! {
    fn temporaries_of_a_statement(a: u64) -> u64 {
        let log = Cell::new(a % 7);
        let number = Noisy(&log, 1).number() + Noisy(&log, 2).number();
        log.set(log.get().wrapping_mul(11) + number);
        let kept = &Noisy(&log, 4);
        log.set(log.get().wrapping_mul(11) + kept.number());
        log.get()
    }

    fn temporaries_of_conditions(a: u64) -> u64 {
        let log = Cell::new(a % 7);
        if Noisy(&log, 1).number() > a {
            log.set(log.get() * 11 + 5);
        }
        if let 0..=50 = (Noisy(&log, a % 100)).number() {
            log.set(log.get() * 11 + 6);
        } else {
            log.set(log.get() * 11 + 7);
        }
        match Noisy(&log, 3).number() % 2 {
            0 => log.set(log.get() * 11 + 8),
            _ => log.set(log.get() * 11 + 9),
        }
        log.get()
    }

    fn moved_in_parts(a: bool, b: bool) -> (u64, u64) {
        let log = Cell::new(0);
        let number = {
            let pair = (Noisy(&log, 1), Noisy(&log, 2), Noisy(&log, 3));
            let first = pair.0;
            if a {
                drop(pair.2);
            }
            let (_, second, _) = (0, if b { first.next() } else { first }, 0);
            second.number()
        };
        (log.get(), number)
    }

    fn moved_conditionally_in_a_loop(a: u64) -> u64 {
        let log = Cell::new(0);
        let mut held = Some(Noisy(&log, 1));
        for i in 0..a % 6 {
            if i % 2 == 0
                && let Some(noisy) = held.take()
            {
                held = (i < 3).then(|| noisy.next());
            } else {
                held = Some(Noisy(&log, 5 + i));
            }
        }
        drop(held);
        log.get()
    }

    fn matched_by_value(a: u8) -> u64 {
        enum Choice<'a> {
            Both(Noisy<'a>, Noisy<'a>),
            One { _noisy: Noisy<'a>, number: u64 },
            None,
        }
        let log = Cell::new(0);
        let choice = match a % 3 {
            0 => Choice::Both(Noisy(&log, 1), Noisy(&log, 2)),
            1 => Choice::One { _noisy: Noisy(&log, 3), number: 4 },
            _ => Choice::None,
        };
        let found = match choice {
            Choice::Both(first, _) if a > 50 => first.number(),
            Choice::Both(_, second) => second.next().number(),
            Choice::One { number, .. } => number,
            Choice::None => 9,
        };
        log.get() * 100 + found
    }

    fn returned_from_the_middle(a: u64) -> (u64, Option<u64>) {
        fn run<'a>(log: &'a Cell<u64>, a: u64) -> Option<Noisy<'a>> {
            let first = Noisy(log, 1);
            let _second = Noisy(log, 2);
            if a < 3 {
                return Some(first);
            }
            let _third = Noisy(log, 3);
            let half = a.checked_sub(50)?;
            (half % 2 == 0).then(|| Noisy(log, 4))
        }
        let log = Cell::new(0);
        let number = run(&log, a).map(|noisy| noisy.number());
        (log.get(), number)
    }

    fn broken_out_of_loops(a: u64) -> u64 {
        let log = Cell::new(0);
        let found = 'outer: loop {
            let outer = Noisy(&log, 1);
            for i in 0..4 {
                let inner = Noisy(&log, 2 + i);
                if i == a % 5 {
                    break 'outer inner.number();
                }
                if i == 3 {
                    break 'outer outer.next().number();
                }
            }
        };
        log.get() ^ found << 40
    }

    fn assigned_over(a: u8) -> u64 {
        let log = Cell::new(0);
        let mut pair = (Noisy(&log, 1), [Noisy(&log, 2), Noisy(&log, 3)]);
        pair.1[a as usize % 2] = Noisy(&log, 4);
        pair.0 = Noisy(&log, 5);
        let old = replace(&mut pair.1[0], Noisy(&log, 6));
        drop(old);
        log.set(log.get() * 11 + 7);
        drop(pair);
        log.get()
    }

    fn dropped_arguments(a: u64) -> u64 {
        fn by_value(_: Noisy<'_>, second: Noisy<'_>) -> u64 {
            second.number()
        }
        let log = Cell::new(a % 5);
        let found = by_value(Noisy(&log, 1), Noisy(&log, 2)) + by_value(Noisy(&log, 3), Noisy(&log, 4).next());
        log.get().wrapping_mul(3) + found
    }

    fn arrays_of_values(a: usize) -> (u64, u64) {
        let log = Cell::new(0);
        let noisy = [1, 2, 3, 4].map(|number| Noisy(&log, number));
        let sum: u64 = noisy.into_iter().skip(a % 5).map(|noisy| noisy.next().number()).sum();
        (log.get(), sum)
    }

    fn arrays_partly_taken(a: bool) -> u64 {
        let log = Cell::new(0);
        let [first, _, third] = [1, 2, 3].map(|number| Noisy(&log, number));
        log.set(log.get() * 11 + 9);
        if a {
            drop(third);
        }
        drop(first);
        log.get()
    }

    fn guards_of_scopes(a: u8) -> (u32, u32) {
        let (count, order) = (Cell::new(0u32), Cell::new(1u32));
        let run = |a: u8| {
            let _outer = Guard(|| order.set(order.get() * 10 + 1));
            count.set(count.get() + 1);
            let _inner = Guard(|| order.set(order.get() * 10 + 2));
            if a < 5 {
                return 7;
            }
            let _last = Guard(|| order.set(order.get() * 10 + 3));
            count.get() * 2
        };
        (run(a) + run(9), order.get())
    }

    fn containers_of_values(a: u8) -> (u64, u64, usize) {
        let log = Cell::new(0);
        let mut few = Few::new();
        let mut rest = 0;
        for number in 0..a as u64 % 7 {
            if let Err(noisy) = few.push(Noisy(&log, number + 1)) {
                rest += noisy.number();
            }
        }
        if let Some(last) = few.pop() {
            rest += last.number() * 10;
        }
        few.reverse();
        let length = few.len();
        drop(few);
        (log.get(), rest, length)
    }

    fn containers_of_numbers(values: [u32; 5], take: u8) -> (u32, Option<u32>) {
        let mut few = Few::new();
        let pushed = values.iter().filter(|value| few.push(**value).is_ok()).count() as u32;
        for _ in 0..take % 3 {
            few.pop();
        }
        few.sort_unstable();
        (pushed + few.iter().fold(0, |sum: u32, value| sum.rotate_left(5) ^ value) / 2, few.last().copied())
    }

    fn taken_and_defaulted(a: u32) -> (Option<u32>, [u32; 2], u32) {
        #[derive(Default)]
        struct State {
            value: Option<u32>,
            numbers: [u32; 2],
        }
        let mut state = State { value: a.checked_sub(1), numbers: [a, 1] };
        let (value, numbers) = (take(&mut state.value), take(&mut state.numbers));
        let old = take(&mut state);
        (value, numbers, old.value.unwrap_or(5) + old.numbers[0])
    }

    fn kept_from_dropping(a: bool) -> u64 {
        let log = Cell::new(0);
        let mut slot = ManuallyDrop::new(Noisy(&log, 1));
        if a {
            // SAFETY: overwritten right after.
            unsafe { ManuallyDrop::drop(&mut slot) };
            slot = ManuallyDrop::new(Noisy(&log, 2));
        }
        slot.1 += 5;
        let number = slot.number();
        drop(ManuallyDrop::into_inner(slot));
        log.get() * 100 + number
    }

    fn boxed_by_hand(a: u64) -> (u64, u64) {
        /// Owns the value behind a reference to its memory.
        struct Own<'a, T>(&'a mut MaybeUninit<T>);
        impl<T> Drop for Own<'_, T> {
            fn drop(&mut self) {
                // SAFETY: written by whoever made it.
                unsafe { self.0.assume_init_drop() };
            }
        }
        impl<T> Deref for Own<'_, T> {
            type Target = T;

            fn deref(&self) -> &T {
                // SAFETY: written by whoever made it.
                unsafe { self.0.assume_init_ref() }
            }
        }
        let log = Cell::new(a % 3);
        let mut memory = MaybeUninit::uninit();
        memory.write(Noisy(&log, 8));
        let own = Own(&mut memory);
        let number = own.number() + own.1;
        drop(own);
        (log.get(), number)
    }
}

traps! {
    fn dropped_then_panics(a: u64) -> u64 {
        let log = Cell::new(0);
        let noisy = Noisy(&log, a);
        drop(noisy);
        100 / (log.get() - 5)
    } [(6,), (5,)]
}
