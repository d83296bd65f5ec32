//! Drop glue: effects in order, moved values, loops over arrays by value.

use std::{cell::Cell, mem::ManuallyDrop};

use crate::case::{cases, traps};

struct Noisy<'a> {
    log: &'a Cell<u64>,
    number: u64,
}

impl Drop for Noisy<'_> {
    fn drop(&mut self) {
        self.log.set(self.log.get().wrapping_mul(10).wrapping_add(self.number));
    }
}

#[inline(never)]
fn consume(noisy: Noisy<'_>) -> u64 {
    noisy.number
}

struct Pair<'a> {
    first: Noisy<'a>,
    _between: u8,
    second: Noisy<'a>,
}

enum Maybe<'a> {
    Nothing,
    #[allow(dead_code)]
    One(Noisy<'a>),
    #[allow(dead_code)]
    Two(u8, Noisy<'a>, Noisy<'a>),
}

cases! {
    fn in_reverse_order(a: u8) -> u64 {
        let log = Cell::new(a as u64);
        {
            let _first = Noisy { log: &log, number: 1 };
            let _second = Noisy { log: &log, number: 2 };
            let _ = Noisy { log: &log, number: 3 };
        }
        log.get()
    }

    fn moved(a: bool) -> (u64, u64) {
        let log = Cell::new(0);
        let mut got = 0;
        {
            let noisy = Noisy { log: &log, number: 4 };
            let kept = Noisy { log: &log, number: 5 };
            if a {
                got = consume(noisy);
            }
            log.set(log.get() * 10 + kept.number + 1);
        }
        (log.get(), got)
    }

    fn fields(a: bool) -> u64 {
        let log = Cell::new(0);
        let pair = Pair { first: Noisy { log: &log, number: 1 }, _between: 0, second: Noisy { log: &log, number: 2 } };
        if a {
            drop(pair.second);
            log.set(log.get() * 10 + 9);
        } else {
            drop(pair.first);
        }
        log.get()
    }

    fn assigned(a: u8) -> u64 {
        let log = Cell::new(0);
        let mut noisy = Noisy { log: &log, number: 1 };
        for number in 2..2 + (a % 5) as u64 {
            noisy = Noisy { log: &log, number };
        }
        drop(noisy);
        log.get()
    }

    fn in_enums(which: u8) -> u64 {
        let log = Cell::new(7);
        let noisy = |number| Noisy { log: &log, number };
        let value = match which % 3 {
            0 => Maybe::Nothing,
            1 => Maybe::One(noisy(1)),
            _ => Maybe::Two(0, noisy(2), noisy(3)),
        };
        if let Maybe::Two(_, first, _) = &value {
            log.set(log.get() + first.number);
        }
        drop(value);
        log.get()
    }

    fn option_of_noisy(a: bool) -> u64 {
        let log = Cell::new(0);
        let mut value = Some(Noisy { log: &log, number: 6 });
        if a {
            value.take();
            value.replace(Noisy { log: &log, number: 7 });
        }
        let _ = value.insert(Noisy { log: &log, number: 8 });
        drop(value);
        log.get()
    }

    fn array_of_noisy(a: u8) -> u64 {
        let log = Cell::new(0);
        let mut sum = 0;
        for noisy in [1, 2, 3].map(|number| Noisy { log: &log, number }) {
            sum = sum * 2 + noisy.number;
            if sum > a as u64 {
                break;
            }
        }
        log.get() * 100 + sum
    }

    fn array_of_numbers(a: u32) -> u32 {
        let mut sum = a;
        for x in [1, 2, 3, 4] {
            sum = sum.wrapping_mul(3) ^ x;
        }
        sum
    }

    fn slice_of_noisy(a: u8) -> u64 {
        let log = Cell::new(0);
        let mut noisy = [1, 2, 3, 4].map(|number| ManuallyDrop::new(Noisy { log: &log, number }));
        for one in &mut noisy[..a as usize % 5] {
            // SAFETY: dropped once.
            unsafe { ManuallyDrop::drop(one) };
        }
        log.get()
    }

    fn dropped_in_place(a: u8) -> u64 {
        let log = Cell::new(1);
        let mut values = ManuallyDrop::new([1, 2, 3].map(|number| Noisy { log: &log, number }));
        let part: *mut [Noisy] = &mut values[a as usize % 4..];
        // SAFETY: dropped once.
        unsafe { std::ptr::drop_in_place(part) };
        log.get()
    }

    fn dropped_objects(a: bool, b: u8) -> u64 {
        trait Thing {}
        impl Thing for Noisy<'_> {}
        impl Thing for u8 {}
        let log = Cell::new(3);
        let (mut noisy, mut plain) = (ManuallyDrop::new(Noisy { log: &log, number: b as u64 }), b);
        let thing: &mut dyn Thing = if a { &mut *noisy } else { &mut plain };
        // SAFETY: dropped once.
        unsafe { std::ptr::drop_in_place(thing) };
        log.get()
    }

    fn forgotten(a: bool) -> u64 {
        let log = Cell::new(3);
        let noisy = Noisy { log: &log, number: 9 };
        if a {
            std::mem::forget(noisy);
        }
        log.get()
    }

    fn dropped_early(a: u32) -> (u64, Option<u32>) {
        fn inner(log: &Cell<u64>, a: u32) -> Option<u32> {
            let _outer = Noisy { log, number: 1 };
            let half = a.checked_sub(10)?;
            let _inner = Noisy { log, number: 2 };
            (half > 20).then_some(half)
        }
        let log = Cell::new(0);
        let found = inner(&log, a);
        (log.get(), found)
    }

    fn generic(a: u8) -> (u64, u8) {
        struct Holder<T>(T, u8);
        let log = Cell::new(0);
        let plain = Holder(5u64, a);
        let noisy = Holder(Noisy { log: &log, number: 2 }, a);
        let sum = plain.1.wrapping_add(noisy.1).wrapping_add(plain.0 as u8);
        drop(plain);
        drop(noisy);
        (log.get(), sum)
    }

    fn closures(a: u64) -> (u64, u64) {
        let log = Cell::new(0);
        let noisy = Noisy { log: &log, number: 3 };
        let function = move |by: u64| { let noisy = &noisy; noisy.number.wrapping_mul(by) };
        let found = function(a);
        drop(function);
        (log.get(), found)
    }

    fn dropped_on_every_way_out(values: [u8; 5]) -> (u64, Option<u64>) {
        fn search(log: &Cell<u64>, values: [u8; 5]) -> Option<u64> {
            let _whole = Noisy { log, number: 1 };
            for value in values {
                let _turn = Noisy { log, number: value as u64 };
                if value == 7 {
                    continue;
                }
                let early = Noisy { log, number: 3 };
                let rest = value.checked_sub(2)?;
                if rest > 90 {
                    drop(early);
                    return Some(rest as u64);
                }
                let _late = Noisy { log, number: 4 };
                if rest == 5 {
                    break;
                }
            }
            Some(1000)
        }
        let log = Cell::new(0);
        let found = search(&log, values);
        (log.get(), found)
    }
}

traps! {}
